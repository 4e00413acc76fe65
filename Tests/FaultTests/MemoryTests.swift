import TestSupport
import Testing

/// Allocations of libxml2 that fail.
struct MemoryTests {
  /// Catalogues of one loan each that expires on a day, as libxml2 has different ways to read them.
  static let catalogues: [@Sendable (String) -> String] = [
    { "<books><book><title>A</title><expiration>\($0)</expiration></book></books>" },
    {
      """
      <!DOCTYPE books [<!ELEMENT books ANY><!ATTLIST book id ID #IMPLIED>]>
      <books><book><title>A</title><expiration>\($0)</expiration></book></books>
      """
    },
    {
      """
      <items><item><bib_data><title>A</title></bib_data><item_data><pid>1</pid>
      <due_date>\($0.replacing(".", with: "-"))Z</due_date></item_data></item></items>
      """
    },
  ]

  @Test(arguments: catalogues.indices, [false, true])
  func `A failed allocation ends the reading, and reminders stay`(
    number: Int, stays: Bool
  ) async throws {
    let catalogue = Self.catalogues[number]
    let folder = try ScratchFolder()
    try folder.write(catalogue("2026.12.24"), to: "books.xml")
    try #expect(await run(folder, ["--now", "2026-11-20", "books.xml"]).status == 0)
    let state = try File.bytes(of: "\(folder.path)/state.sqlite")
    let report = "\(folder.path)/report"
    var failures = 0
    // Reading the profiles takes thousands.
    let step = (number == 2 ? 73 : 1) * (Effort.isFull ? 1 : 7)
    for number in stride(from: 1, to: 100_000, by: step) {
      try folder.write(catalogue("2026.11.22"), to: "books.xml")
      try folder.write(bytes: state, to: "state.sqlite")
      let result = try await run(
        folder, ["--now", "2026-11-21", "books.xml"],
        FailingCalls.variables(allocation: number, stays: stays, report: report))
      guard folder.contains("report") else { break }
      try folder.remove("report")
      failures += 1
      #expect(result.status == 71, "\(number): \(result.errorText)")
      #expect(result.text.isEmpty)
      #expect(try File.bytes(of: "\(folder.path)/state.sqlite") == state)
    }
    #expect(failures > (Effort.isFull ? 20 : 3))
  }

  private func run(
    _ folder: ScratchFolder, _ arguments: [String], _ variables: [String: String] = [:]
  ) async throws -> CommandResult {
    try await Command(
      Command.checkLoans, arguments + ["--state", "state.sqlite"],
      environment: [
        "HOME": folder.path, "PATH": "/usr/bin:/bin", "TZ": "UTC",
        "CHECK_LOANS_BACKLOG": "send",
      ]
      .merging(variables) { _, new in new },
      directory: folder.path
    ).run()
  }
}

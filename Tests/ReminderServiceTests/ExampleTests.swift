import TestSupport
import Testing

/// The program of the documentation.
@Suite struct ExampleTests {
  private static let package = #filePath.split(separator: "/").dropLast(3)
    .map { "/\($0)" }.joined()

  @Test func `The documentation shows the example as it is built`() throws {
    let program = try File.text(of: "\(Self.package)/Examples/RemindMe/RemindMe.swift")
    let page = try File.text(
      of: "\(Self.package)/Sources/ReminderService/ReminderService.docc/ReminderService.md")
    #expect(page.contains("```swift\n\(program)```\n"))
  }

  @Test func `The example tells what is due, once`() async throws {
    let folder = try ScratchFolder()
    try folder.write(
      """
      <books>
        <book id="1"><title>Abigél</title><expiration>2026.11.22</expiration></book>
        <book id="2"><title>Tündér Lala</title><expiration>2026-12-01</expiration></book>
        <book id="3"><title>Az ajtó</title><expiration>2026.11.01</expiration></book>
      </books>
      """, to: "books.xml")
    let first = try await remindMe(folder, at: "2026-11-20T07:00")
    #expect(
      first.text == """
        "Az ajtó" expired 19 days ago (2026.11.01)
        "Abigél" expires in 2 days (2026.11.22)

        """)
    #expect(first.errorLines.first?.hasPrefix("3: ") == true)
    #expect(first.errorLines.contains("2 loans were read"))
    #expect(
      first.errorLines.filter { $0.hasPrefix("event: ") } == [
        "event: \(folder.path)/books.xml: scheduled the notices of 2 loans",
        "event: \(folder.path)/books.xml: reloaded: 1 scheduled; 2 new, 0 changed, 0 gone, "
          + "0 as before",
        "event: delivered through stdout: expired notice of loan 2",
        "event: delivered through stdout: reminder of loan 1",
      ])
    let second = try await remindMe(folder, at: "2026-11-21T07:00")
    #expect(second.text == "")
  }

  private func remindMe(_ folder: ScratchFolder, at now: String) async throws -> CommandResult {
    let directory = Command.testProgramsDirectory
    let result = try await Command(
      "\(directory)/RemindMe", ["\(folder.path)/books.xml", "\(folder.path)/schedule.sqlite", now],
      environment: [:], directory: folder.path
    ).run()
    #expect(result.status == 0)
    return result
  }
}

import TestSupport
import Testing

/// A server that says that it does not know the borrower.
struct UnknownBorrowerTests {
  private static let unknown = "<GetPatronInfo><code>PatronNotFound</code></GetPatronInfo>"
  private static let soon = "\"Abigél\" expires tomorrow (2026.11.22)"

  private func write(_ text: String, _ desk: Desk) throws {
    try desk.folder.write(text, to: "patron-7.xml")
  }

  private func loans(_ days: (title: String, day: String)...) -> String {
    let loans = days.map { title, day in
      """
      <loan><title>\(title)</title><barcode>\(title)</barcode><date_due>\(day)</date_due></loan>
      """
    }
    return "<GetPatronInfo><loans>\(loans.joined())</loans></GetPatronInfo>"
  }

  /// A desk where the answer of the day before had two loans, and today's does not know the borrower.
  private func desk(delivers: Bool = true) async throws -> Desk {
    let desk = try Desk()
    try write(loans(("Abigél", "2026-11-22"), ("Az ajtó", "2026-11-20")), desk)
    try await desk.run("--now", "2026-11-19", "--notify", "stdout", "patron-7.xml")
    try write(Self.unknown, desk)
    if delivers { try await desk.run("--notify", "stdout", "patron-7.xml") }
    return desk
  }

  private func held(_ desk: Desk) -> String {
    let path = "\(desk.folder.path)/patron-7.xml"
    return """
      check-loans: \(path): the server has not known the borrower since 2026-11-21, so all notices are \
      held; if the borrower has left, use check-loans schedule forget \(path), and otherwise correct \
      the request
      """
  }

  @Test func `Nothing is sent or deleted until the server knows the borrower, then once`()
    async throws
  {
    let desk = try await desk(delivers: false)
    let run = ["--notify", "stdout", "patron-7.xml"]
    let first = try await desk.run(run)
    #expect(first.status == 65 && first.lines.isEmpty)
    #expect(
      first.errorLines == [
        """
        patron-7.xml:1:16: error: the server does not know the borrower: "PatronNotFound"; correct the \
        request, or remove the catalogue of a borrower who has left [unknown-borrower]
        """, held(desk),
      ])
    #expect(try await desk.pending() == ["Abigél", "Az ajtó"])
    // The server is down, its file is gone, or its answer an error: that is no reason to send.
    for text in ["", "<GetPatronInfo><code>NotAllowed</code></GetPatronInfo>"] {
      try write(text, desk)
      let later = try await desk.run(run)
      #expect(later.status == 65 && later.lines.isEmpty)
      #expect(later.errorLines.last == held(desk))
    }
    #expect(try await desk.shell("rm patron-7.xml").status == 0)
    let gone = try await desk.run(run)
    #expect(gone.lines.isEmpty && gone.errorLines.count == 2)
    #expect(!gone.errorText.contains("will still be delivered"))
    try write(loans(("Abigél", "2026-11-22"), ("Az ajtó", "2026-11-20")), desk)
    let known = try await desk.run(run)
    #expect(known.status == 0 && known.errorText == "")
    #expect(
      known.lines == ["\"Az ajtó\" expired yesterday (2026.11.20)", Self.soon])
    #expect(try await desk.run(run).outcome == Outcome(0))
    #expect(try await desk.run("status").status == 0)
  }

  @Test func `deliver, status, explain and a look say the same`() async throws {
    let desk = try await desk()
    for arguments in [["deliver"], ["deliver", "--backlog", "send"]] {
      let delivered = try await desk.run(arguments)
      #expect(delivered.status == 65 && delivered.lines.isEmpty)
      #expect(delivered.errorLines == [held(desk)])
    }
    let rehearsed = try await desk.run("deliver", "--dry-run")
    #expect(rehearsed.status == 65)
    #expect(!rehearsed.text.contains("Abigél"))
    let status = try await desk.run("status")
    #expect(status.status == 1)
    #expect(status.errorLines == [held(desk)])
    let json = try JSON(parsing: try await desk.run("status", "--format", "json").text)
    #expect(json.catalogues[0].ok == .bool(false))
    #expect(!(try await desk.run("schedule", "list", "--due").text.contains("Abigél")))
    #expect(!(try await desk.run("plan", "--days", "1").text.contains("Abigél")))
    for title in ["Abigél", "Az ajtó"] {
      let explained = try await desk.run("schedule", "explain", title)
      #expect(explained.errorLines == [held(desk)])
      #expect(explained.lines.last == "Reason: unknown-borrower")
      #expect(
        explained.text.contains(" until the library's server knows the borrower again"))
    }
    let look = try await desk.run("patron-7.xml")
    #expect(look.status == 65)
    #expect(look.errorLines.last == held(desk))
    let other = try await desk.run("--notify", "stdout", "books.xml")
    #expect(!other.errorText.contains("patron-7"), "a run of another catalogue")
  }

  @Test func `Who has left is forgotten`() async throws {
    let desk = try await desk()
    #expect(try await desk.run("schedule", "forget", "patron-7.xml").status == 0)
    #expect(try await desk.run("deliver").outcome == Outcome(0))
    let again = try await desk.run("--notify", "stdout", "patron-7.xml")
    #expect(again.status == 65 && again.errorLines.count == 1, "there is nothing to hold")
  }

  @Test func `All is back if the borrower is known, and has nothing`() async throws {
    let desk = try await desk()
    try write(loans(), desk)
    #expect(try await desk.run("--notify", "stdout", "patron-7.xml").status == 0)
    #expect(try await desk.schedule().isEmpty)
    #expect(try await desk.run("deliver").outcome == Outcome(0))
  }

  @Test func `Other catalogues of the run are delivered`() async throws {
    let desk = try await desk()
    try desk.folder.write(loans(("Solaris", "2026-11-22")), to: "patron-9.xml")
    let run = try await desk.run("--notify", "stdout", "patron-7.xml", "patron-9.xml")
    #expect(run.status == 65)
    #expect(run.lines == ["\"Solaris\" expires tomorrow (2026.11.22)"])
  }
}

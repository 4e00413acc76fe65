import TestSupport
import Testing

/// `schedule forget --borrower-is`: what a library does when a borrower asks to be forgotten.
struct ForgetBorrowerTests {
  private func book(_ title: String, _ borrower: String, _ email: String = "") -> String {
    """
    <book><title>\(title)</title><borrower>\(borrower)</borrower>\
    \(email.isEmpty ? "" : "<email>\(email)</email>")<expiration>2026.11.22</expiration></book>
    """
  }

  /// A desk whose reminders were sent, and from which these books have then come back.
  private func desk(_ books: [String], returned: Int) async throws -> Desk {
    let desk = try Desk(catalogue: "<books>\(books.joined())</books>")
    let told = try await desk.run("books.xml", "--notify", "stdout")
    #expect(told.lines.count == books.count)
    let rest = books.dropFirst(returned).joined()
    try desk.folder.write("<books>\(rest)</books>", to: "books.xml")
    #expect(try await desk.run("books.xml", "--notify", "stdout").outcome == Outcome(0))
    return desk
  }

  private func sentTo(_ desk: Desk) async throws -> [String] {
    let query = "SELECT DISTINCT sent_to FROM deliveries ORDER BY 1"
    let schedule = "\(desk.folder.path)/\(Desk.state)"
    return try await desk.shell("sqlite3 '\(schedule)' '\(query)'").lines
  }

  @Test func `Returned loans and what was sent about them are forgotten, and nobody else's`()
    async throws
  {
    let desk = try await desk(
      [
        book("Abigél", "Vadas Lilla", "lilla@example.org"), book("Tündér Lala", "Vadas Lilla"),
        book("Ábel", "Halmos Benedek", "b@example.org"), book("Jónás", "Rónai Eszter"),
      ], returned: 3)
    let forgotten = try await desk.run(
      "schedule", "forget", "--borrower-is", "Lilla@example.org", "--borrower-is", "vadas  lilla")
    #expect(
      forgotten.outcome
        == Outcome(
          0,
          output: """
            forgot 1 returned loan and 1 notice of Lilla@example.org
            forgot 1 returned loan and 1 notice of vadas  lilla

            """))
    #expect(try await sentTo(desk) == ["Halmos Benedek", "Rónai Eszter"])
    let file = "\(desk.folder.path)/\(Desk.state)"
    #expect(try await desk.shell("grep -ci lilla '\(file)'").status == 1, "not a byte is left")
    let again = try await desk.run("schedule", "forget", "--borrower-is", "Vadas Lilla")
    #expect(again.status == 64)
    #expect(again.errorText.contains("the schedule has nothing about a borrower \"Vadas Lilla\""))
  }

  @Test func `What was sent about a loan that is in a catalogue is kept`() async throws {
    let desk = try await desk(
      [book("Abigél", "Vadas Lilla"), book("Tündér Lala", "Vadas Lilla")], returned: 1)
    let forgotten = try await desk.run("schedule", "forget", "--borrower-is", "Vadas Lilla")
    #expect(
      forgotten.outcome
        == Outcome(
          0,
          output: """
            forgot 1 returned loan and 1 notice of Vadas Lilla; 1 loan is still in a catalogue, \
            and what was sent about it is kept

            """))
    #expect(try await desk.run("books.xml", "--notify", "stdout").outcome == Outcome(0))
    #expect(try await desk.run("schedule", "list", "--returned").text == "")
  }
}

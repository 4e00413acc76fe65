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

  @Test func `An address that was corrected is forgotten with the loan, and in reasons`()
    async throws
  {
    let desk = try Desk(
      catalogue: "<books>\(book("Abigél", "Vadas Lilla", "lila@example.org"))</books>")
    try desk.folder.write(
      program: "#!/bin/sh\necho refused: lila@example.org\nexit 1\n", to: "tell")
    let failing = ["--notify", "stdout", "--notify", "exec:\(desk.folder.path)/tell"]
    _ = try await desk.run(["books.xml"] + failing)
    for books in [book("Abigél", "Vadas Lilla", "lilla@example.org"), ""] {
      try desk.folder.write("<books>\(books)</books>", to: "books.xml")
      _ = try await desk.run("books.xml", "--allow-empty", "--notify", "stdout")
    }
    let forgotten = try await desk.run("schedule", "forget", "--borrower-is", " Lilla@example.org")
    #expect(forgotten.status == 0)
    let dump = try await desk.shell("sqlite3 '\(desk.folder.path)/\(Desk.state)' .dump")
    #expect(!dump.text.contains("lila@") && !dump.text.contains("Vadas"))
  }

  @Test func `A name whose loans have an address is answered with the address`() async throws {
    let desk = try await desk([book("Abigél", "Vadas Lilla", "lilla@example.org")], returned: 1)
    let result = try await desk.run("schedule", "forget", "--borrower-is", "Vadas Lilla")
    #expect(result.status == 64)
    #expect(
      result.errorText.hasSuffix(
        "loans to \"Vadas Lilla\" with an e-mail address are known by that: lilla@example.org\n"))
  }

  @Test func `An accent may be encoded in another way, and an address be no good`() async throws {
    let desk = try await desk(
      [book("Abigél", "Re\u{301}vai Anna"), book("Toldi", "Nagy Béla", "bela@x@y")], returned: 2)
    for name in ["R\u{E9}vai Anna", "bela@x@y"] {
      let forgotten = try await desk.run("schedule", "forget", "--borrower-is", name)
      #expect(forgotten.text.hasPrefix("forgot 1 returned loan and 1 notice of "), "\(name)")
    }
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

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

  @Test func `In what programs say, the case of an address makes no difference`() async throws {
    let desk = try Desk(
      catalogue: """
        <books>\(book("Abigél", "Anna", "anna@example.org"))\
        \(book("Toldi", "Dóra", "dora@example.org"))\(book("Ábel", "Béla", "bela@example.org"))\
        \(book("Jónás", "E"))</books>
        """)
    // Each run fails with another sentence about the same notices.
    try desk.folder.write(
      program: "#!/bin/sh\nread -r name < name\necho \"rejected, dear me: $name\"\nexit 1\n",
      to: "tell")
    let run = ["--notify", "stdout", "--notify", "exec:\(desk.folder.path)/tell"]
    for name in ["ANNA@example.org", "dora@example.org"] {
      try desk.folder.write("\(name)\n", to: "name")
      _ = try await desk.run(["books.xml"] + run)
      _ = try await desk.run(["books.xml", "--now", "2026-11-23T07:00"] + run)
    }
    try desk.folder.write(
      "<books>\(book("Ábel", "Béla", "bela@example.org"))</books>", to: "books.xml")
    _ = try await desk.run("books.xml", "--now", "2026-11-23T07:10", "--notify", "stdout")
    for name in ["anna@example.org", "dora@example.org", "E"] {
      #expect(try await desk.run("schedule", "forget", "--borrower-is", name).status == 0)
    }
    let file = "\(desk.folder.path)/\(Desk.state)"
    let reasons = try await desk.shell("sqlite3 '\(file)' 'SELECT text FROM reason'").text
    #expect(!reasons.lowercased().contains("anna@") && !reasons.contains("dora@"), "\(reasons)")
    #expect(reasons.contains("rejected, dear me: …"), "\(reasons)")
    #expect(try await desk.shell("grep -Eci 'anna@|dora@' '\(file)'").status == 1)
  }

  @Test(arguments: ["", " ", "\t"])
  func `Nobody is not forgotten`(name: String) async throws {
    let desk = try await desk([book("Abigél", ""), book("Toldi", "")], returned: 1)
    let result = try await desk.run("schedule", "forget", "--borrower-is", name)
    #expect(result.status == 64)
    #expect(result.errorText.contains("needs a name or an address"))
    #expect(try await desk.run("schedule", "list", "--returned").lines.count == 1)
  }

  @Test func `What was sent to somebody of the same name is kept`() async throws {
    let anna = book("Abigél", "Kov Anna", "anna@example.org")
    let desk = try await desk([anna, book("Toldi", "Kov Anna"), book("Ábel", "Béla")], returned: 2)
    let forgotten = try await desk.run("schedule", "forget", "--borrower-is", "Kov Anna")
    #expect(forgotten.text == "forgot 1 returned loan and 1 notice of Kov Anna\n")
    try desk.folder.write("<books>\(anna)\(book("Ábel", "Béla"))</books>", to: "books.xml")
    #expect(try await desk.run("books.xml", "--notify", "stdout").outcome == Outcome(0))
  }

  @Test(arguments: [
    ("Halmos Benedek", "Halmos Benedeknek nincs címe", "…nek nincs címe"),
    ("王芳", "借阅人王芳不在", "借阅人…不在"),
    ("anna@example.org", "to mary.anna@example.org", "to mary.anna@example.org"),
    ("anna@example.org", "no such user: ANNA@example.org.", "no such user: …."),
    ("Ann", "Anna, ANN and Ann", "Anna, … and …"),
  ])
  func `Of a sentence only what names the borrower goes`(
    name: String, sentence: String, rest: String
  ) async throws {
    let isAddress = name.contains("@")
    let gone = isAddress ? book("Abigél", "X Y", name) : book("Abigél", name)
    let desk = try Desk(catalogue: "<books>\(gone)\(book("Ábel", "Béla"))</books>")
    try desk.folder.write(program: "#!/bin/sh\necho '\(sentence)'\nexit 1\n", to: "tell")
    let run = ["books.xml", "--notify", "stdout", "--notify", "exec:\(desk.folder.path)/tell"]
    #expect(try await desk.run(run).status == 69)
    try desk.folder.write("<books>\(book("Ábel", "Béla"))</books>", to: "books.xml")
    #expect(try await desk.run("books.xml", "--notify", "stdout").status == 0)
    #expect(try await desk.run("schedule", "forget", "--borrower-is", name).status == 0)
    let file = "\(desk.folder.path)/\(Desk.state)"
    let reasons = try await desk.shell("sqlite3 '\(file)' 'SELECT text FROM reason'").text
    #expect(reasons.contains(rest), "\(reasons)")
  }

  @Test func `White space in a name may be another, and a name be an address`() async throws {
    let desk = try await desk(
      [book("Abigél", "Nagy\u{A0}Anna"), book("Toldi", "bela@example.org")], returned: 2)
    for name in ["Nagy Anna", "bela@example.org"] {
      let forgotten = try await desk.run("schedule", "forget", "--borrower-is", name)
      #expect(forgotten.text.hasPrefix("forgot 1 returned loan and 1 notice of "), "\(name)")
    }
  }

  @Test func `Nothing is left in what the file does not use`() async throws {
    let desk = try await desk([book("Abigél", "Vadas Lilla"), book("Ábel", "Béla")], returned: 1)
    let many = (1...300).map { book("Book \($0)", "Reader \($0)") }
    try desk.folder.write("<books>\(many.joined())</books>", to: "many.xml")
    #expect(try await desk.run("many.xml", "--notify", "stdout").lines.count == 300)
    #expect(try await desk.run("schedule", "forget", "many.xml").status == 0)
    func unusedPages() async throws -> String {
      let file = "\(desk.folder.path)/\(Desk.state)"
      return try await desk.shell("sqlite3 '\(file)' 'PRAGMA freelist_count'").text
    }
    #expect(try await unusedPages() != "0\n")
    let forgotten = try await desk.run("schedule", "forget", "--borrower-is", "Vadas Lilla")
    #expect(forgotten.status == 0)
    #expect(try await unusedPages() == "0\n")
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

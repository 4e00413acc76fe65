import TestSupport
import Testing

/// The lists for staff: what to look for on the shelf, whom to call, and whom to write letters to.
struct ListsTests {
  /// Loans of one library and another: the first has expired, and the last is late enough to be left out.
  private static let shelf = [
    loan("Egri csillagok", "Anna", "anna@example.org", "2026.11.20", place("B 2", "7")),
    loan("Abigél", "Béla", "bela@example.org", "2026.11.21", place("A 1", "9", "the Branch")),
    loan("Toldi", "Anna", "anna@example.org", "2026.11.22", place("B 10", "8")),
    loan("Biblia", "Béla", "bela@example.org", "2026.11.23", place("A 2", "6")),
    loan("Emma", "Béla", "bela@example.org", "2026.11.22", place(nil, "5")),
  ]

  private static func place(_ call: String?, _ barcode: String, _ library: String? = nil) -> String
  {
    (call.map { "<callNumber>\($0)</callNumber>" } ?? "") + "<barcode>\(barcode)</barcode>"
      + (library.map { "<library>\($0)</library>" } ?? "")
  }

  private func titles(_ desk: Desk, _ arguments: String...) async throws -> [String?] {
    let result = try await desk.run(
      ["lists", "shelf", "--format", "json"] + arguments + ["books.xml"])
    #expect(result.status == 0)
    return try JSON(parsing: result.text).loans.elements.map(\.title.text)
  }

  @Test func `What notices will call expired is listed in shelf order`()
    async throws
  {
    let desk = try Desk(catalogue: MailDesk.catalogue(Self.shelf))
    let result = try await desk.run("lists", "shelf", "books.xml")
    #expect(
      result.outcome
        == Outcome(
          0,
          output: """
              Call number  Barcode  Title           Expires     Notice
            No library
                           5        Emma            2026.11.22  in 2 days
              B 10         8        Toldi           2026.11.22  in 2 days
              B 2          7        Egri csillagok  2026.11.20  today
            the Branch
              A 1          9        Abigél          2026.11.21  tomorrow

            """))
    #expect(!desk.folder.contains(Desk.state))
    #expect(try await titles(desk, "--days", "0") == ["Egri csillagok"])
    #expect(try await titles(desk, "--days", "3").count == 5)
    #expect(try await titles(desk, "--borrower", "BÉL") == ["Emma", "Abigél"])
    #expect(try await titles(desk, "--expired", "none") == [])
    #expect(try await titles(desk, "--expired", "3") == ["Egri csillagok"])
  }

  @Test func `What was notified, and what is reported as returned, is not looked for`() async throws
  {
    let desk = try Desk(catalogue: MailDesk.catalogue(Self.shelf))
    #expect(try await desk.run("--notify", "stdout", "books.xml").status == 0)
    let before = try desk.stateBytes()
    #expect(try await titles(desk) == ["Emma", "Toldi", "Abigél"])
    #expect(try desk.stateBytes() == before)
    #expect(try await desk.run("schedule", "returned", "3").status == 0)
    #expect(try await desk.run("schedule", "snooze", "5", "--until", "1d").status == 0)
    #expect(try await titles(desk) == ["Emma", "Abigél"], "the silence ends before the notice")
    let second = try await titles(desk, "--now", "2026-11-28", "--expired", "1,7")
    #expect(!second.contains("Egri csillagok"), "only the first notice counts")
  }

  private static let unreachable = [
    loan(
      "Egri csillagok", "Anna", nil, "2026.11.14",
      "<phone>+36 1 234 5678</phone><address>Fő utca 1, 1011 Budapest</address>"),
    loan("Biblia; \"régi\"", "Béla", "bela@example.org", "2026.11.22"),
    loan(
      "Abigél", "Anna", nil, "2026.11.21",
      "<phone>+36 1 234 5678</phone>"
        + "<address>Fő utca 1, 1011 Budapest</address>"),
    loan("Toldi", "Cili", "cili@example.org", "2026.11.20"),
    loan("Emma", "Dani", "dani at home", "2026.11.20"),
    loan("Iliász", "Anna", nil, "2026.12.24"),
  ]

  private func mailDesk() async throws -> MailDesk {
    let desk = try MailDesk(Self.unreachable)
    try desk.desk.folder.write("", to: "refused-bela@example.org")
    #expect(try await desk.run().ending == .exited(69))
    return desk
  }

  @Test func `Who cannot be written to is to be called`() async throws {
    let desk = try await mailDesk().desk
    let program = "\(desk.folder.path)/.config/check-loans/send"
    let result = try await desk.run("lists", "call", "books.xml")
    #expect(
      result.outcome
        == Outcome(
          0,
          output: """
              Expires     When        Title
            Anna, +36 1 234 5678. The catalogue has no e-mail address.
              2026.11.14  7 days ago  Egri csillagok
              2026.11.21  today       Abigél
            Béla. Nothing is sent to the address bela@example.org. (\(program) failed with exit status 67: \
            no such user; correct the address of loan 2 in the catalogue)
              2026.11.22  tomorrow    Biblia; "régi"
            Dani. The address dani at home is not valid.
              2026.11.20  yesterday   Emma

            """))
    let list = try JSON(
      parsing: await desk.run("lists", "call", "--format", "json", "books.xml").text)
    #expect(list.keys == ["version", "list", "loans"])
    #expect(
      list.loans.elements.map(\.reason) == [
        "no-address", "no-address", "refused", "invalid-address",
      ])
    #expect(list.loans[2].error.text?.contains("no such user") == true)
    #expect(list.loans[0].phone == "+36 1 234 5678")
    #expect(list.loans[0].daysLeft.number == -7)
    #expect(
      try await desk.run(
        "silence", "add", "--borrower-is", "Anna", "--reason", "away", "--until", "forever"
      )
      .status == 0)
    #expect(try await desk.run("lists", "call", "books.xml").lines[1].hasPrefix("Béla."))
  }

  @Test func `Letters are one line each for a spreadsheet`() async throws {
    let desk = try await mailDesk().desk
    let result = try await desk.run(
      "lists", "letters", "--format", "csv", "--output", "letters.csv", "books.xml")
    #expect(result.outcome == Outcome(0))
    let reader = try await Command(
      "/usr/bin/python3",
      [
        "-IS", "-c",
        "import csv, json; print(json.dumps(list(csv.reader(open('letters.csv', newline='')))))",
      ], environment: ["PYTHONUTF8": "1"], directory: desk.folder.path
    ).run()
    let rows = try JSON(parsing: reader.text).elements.map { $0.elements.map(\.text) }
    #expect(
      rows == [
        [
          "borrower", "address", "phone", "email", "language", "books", "firstExpiration", "titles",
        ],
        [
          "Anna", "Fő utca 1, 1011 Budapest", "'+36 1 234 5678", "", "", "2", "2026-11-14",
          "Egri csillagok; Abigél",
        ],
        ["Béla", "", "", "bela@example.org", "", "1", "2026-11-22", "Biblia; \"régi\""],
        ["Dani", "", "", "dani at home", "", "1", "2026-11-20", "Emma"],
      ])
    let table = try await desk.run("lists", "letters", "--language", "hu", "books.xml").lines
    #expect(table[0] == "Olvasó  Lakcím                    Könyv  Lejárat        Címek")
    #expect(
      table[1]
        == "Anna    Fő utca 1, 1011 Budapest  2      2026. 11. 14.  Egri csillagok; Abigél")
  }

  @Test(arguments: ["text", "csv"])
  func `An address that only one loan of a reader has is listed`(format: String) async throws {
    func book(_ title: String, _ more: String = "") -> String {
      """
      <book><title>\(title)</title><borrower>Anna</borrower><email>anna</email>\(more)
      <expiration>2026.11.20</expiration></book>
      """
    }
    let desk = try Desk(
      catalogue: "<books>\(book("One"))\(book("Two", "<address>Kis tér 9</address>"))</books>")
    let list = try await desk.run("lists", "letters", "--format", format, "books.xml")
    let lines = list.text.split(whereSeparator: \.isNewline)
    #expect(lines.count == 2 && lines.last?.contains("Kis tér 9") == true, "\(list.text)")
  }

  @Test func `A list without loans says so, and is no error`() async throws {
    let desk = try Desk(catalogue: MailDesk.catalogue([loan("Emma", "Anna", "a@example.org")]))
    #expect(
      try await desk.run("lists", "call", "books.xml").outcome
        == Outcome(
          0,
          errors:
            "check-loans: no borrower with a loan that needs attention lacks a usable e-mail "
            + "address\n"))
    let table = try await desk.run(
      "lists", "shelf", "--days", "1", "--format", "csv", "books.xml")
    #expect(table.status == 0 && table.text.hasPrefix("library,callNumber,barcode,"))
    #expect(
      table.errorText
        == "check-loans: no notice that a loan has expired is due within 1 day, and no book is lost or claimed returned\n"
    )
  }

  @Test(arguments: [
    ["lists", "books.xml"], ["lists", "desk", "books.xml"],
    ["lists", "call", "--days", "3", "books.xml"], ["lists", "shelf"],
  ])
  func `One list is chosen, and a catalogue`(arguments: [String]) async throws {
    #expect(try await Desk().run(arguments).status == 64)
  }

  @Test(arguments: [["lists", "call"], ["plan"], ["calendar"], ["preview"]])
  func `A wrong date is in the status of whatever reads catalogues`(command: [String]) async throws
  {
    let desk = try Desk()
    try desk.edit("2026.11.22", to: "22 November")
    let settings = ["--mail-from", "Desk <desk@example.org>"]
    let result = try await desk.run(
      command + (command[0] == "notice" ? settings : []) + ["books.xml"])
    #expect(result.status == 65, "\(result.errorText)")
    #expect(result.errorText.contains("books.xml:21:17: error: "))
  }

  @Test func `A catalogue that cannot be read keeps no other from being listed`() async throws {
    let desk = try Desk(catalogue: MailDesk.catalogue(Self.shelf))
    let result = try await desk.run("lists", "shelf", "none.xml", "books.xml")
    #expect(result.status == 66)
    #expect(result.text.contains("Egri csillagok"))
    #expect(result.errorText.contains("none.xml"))
    // What could not be read may lack an address.
    let alone = try await desk.run("lists", "call", "none.xml")
    #expect(alone.status == 66)
    #expect(alone.errorText.contains("none.xml: its loans are those of the schedule, without"))
    #expect(!alone.errorText.contains("no borrower"))
    let other = try await desk.run("lists", "call", "--borrower", "zzz", "books.xml")
    #expect(other.errorText.hasPrefix("check-loans: among borrowers named \"zzz\", no borrower"))
  }
}

import TestSupport
import Testing

/// What somebody with a `books.xml` gets to see.
struct MainStoryTests {
  private static let report = """
    "Szent Péter esernyője" expired 417 days ago (2025.09.30), by Mikszáth Kálmán, lent to Őszi Barnabás
    "Frankenstein" expired 267 days ago (2026.02.27), by Mary Shelley, lent to Rufus Penhallow
    "A Room of One's Own" expired 47 days ago (2026.10.05), by Virginia Woolf, lent to Petra Lindqvist
    "Egri csillagok" expired 7 days ago (2026.11.14), by Gárdonyi Géza, lent to Vadas Lilla
    "Az arany ember" expires today (2026.11.21), by Jókai Mór
    "Abigél" expires tomorrow (2026.11.22), by Szabó Magda, lent to Halmos Benedek

    """

  private static let summary = """
    14 loans, 4 expired, 1 expires today, 10 scheduled, next reminder 2026-11-22 00:00; \
    4 books on the shelf

    """

  @Test(arguments: [["books.xml"], ["check", "books.xml"]])
  func `The report has every loan that needs attention, the most urgent first`(
    arguments: [String]
  ) async throws {
    let desk = try Desk()
    let outcome = Outcome(0, output: Self.report + Self.summary)
    #expect(try await desk.run(arguments).outcome == outcome)
    #expect(try await desk.run(arguments).outcome == outcome, "a report is a view")
  }

  @Test(arguments: ["-q", "--quiet"])
  func `A quiet report has no summary`(flag: String) async throws {
    let desk = try Desk()
    #expect(try await desk.run("books.xml", flag).outcome == Outcome(0, output: Self.report))
  }

  @Test func `With --all the report has every loan`() async throws {
    let desk = try Desk()
    let lines = try await desk.run("books.xml", "--all").lines
    #expect(lines.count == 15)
    #expect(lines.prefix(6).joined(separator: "\n") + "\n" == Self.report)
    #expect(
      lines.dropFirst(6).prefix(2) == [
        """
        "Édes Anna" expires in 2 days (2026.11.23), by Kosztolányi Dezső, \
        lent to Somogyvári Áron
        """,
        #""A Pál utcai fiúk" expires in 7 days (2026.11.28), by Molnár Ferenc, lent to Rónai Eszter"#,
      ])
    #expect(
      lines.dropLast().last?.hasPrefix("\"吾輩は猫である\" expires in 26703 days (2099.12.31), ")
        == true)
  }

  @Test func `The report as JSON tells the same`() async throws {
    let desk = try Desk()
    let report = try JSON(parsing: await desk.run("books.xml", "--format", "json").text)
    #expect(
      report.keys == ["version", "now", "timeZone", "catalogues", "loans", "diagnostics", "unread"])
    #expect(report.version == 1)
    #expect(report.now == "2026-11-21T07:00:00")
    #expect(report.timeZone == "UTC")
    #expect(
      report.catalogues == [
        [
          "path": "books.xml", "loans": 14, "onShelf": 4, "expired": 4, "expiresToday": 1,
          "scheduled": 10, "diagnostics": 0, "profile": "native",
          "withoutExpiration": 0, "library": nil, "silenced": 0, "lost": 0,
          "claimedReturned": 0,
        ]
      ])
    #expect(report.diagnostics == [])
    #expect(report.loans.elements.count == 6)
    #expect(
      report.loans[0] == [
        "catalogue": "books.xml", "line": 68, "id": "bk108", "title": "Szent Péter esernyője",
        "author": "Mikszáth Kálmán", "isbn": "9789631548075", "barcode": "30051181",
        "borrower": "Őszi Barnabás", "email": "oszi.barnabas@example.org", "language": nil,
        "category": nil,
        "type": nil, "library": nil, "renewable": nil, "loanStatus": nil, "phone": nil,
        "address": nil,
        "callNumber": nil, "expiration": "2025-09-30",
        "status": "expired", "daysLeft": -417, "remindAt": nil, "expirationTime": nil,
        "openDays": nil,
      ])
    #expect(
      report.loans[4] == [
        "catalogue": "books.xml", "line": 33, "id": "bk104", "title": "Az arany ember",
        "author": "Jókai Mór", "isbn": "9789631546187", "barcode": "30049424", "borrower": nil,
        "email": nil, "language": nil, "category": nil, "type": nil, "library": nil,
        "renewable": nil, "loanStatus": nil, "phone": nil, "address": nil, "callNumber": nil,
        "expiration": "2026-11-21",
        "status": "expires-today", "daysLeft": 0, "remindAt": "2026-11-20T00:00",
        "expirationTime": nil, "openDays": nil,
      ])
    #expect(report.loans[5].status == "expires-soon")
    #expect(report.loans[5].remindAt == "2026-11-21T00:00")
  }

  @Test func `The JSON report with --all has every loan and its status`() async throws {
    let desk = try Desk()
    let report = try JSON(parsing: await desk.run("books.xml", "--format", "json", "--all").text)
    #expect(
      report.loans.elements.map { "\($0.id.text ?? "") \($0.status.text ?? "")" } == [
        "bk108 expired", "bk113 expired", "bk114 expired", "bk103 expired", "bk104 expires-today",
        "bk102 expires-soon", "bk105 on-loan", "bk101 on-loan", "bk115 on-loan", "bk106 on-loan",
        "bk110 on-loan", "bk112 on-loan", "bk116 on-loan", "bk117 on-loan",
      ])
  }

  @Test func `Every loan that expires later is reminded of the day before at midnight`()
    async throws
  {
    let desk = try Desk()
    try await desk.run("books.xml")
    let reminders = try await desk.schedule().filter { $0.kind == "reminder" }
    #expect(
      reminders.map { "\($0.expiration) \($0.fireAt) \($0.title)" } == [
        "2026-11-21 2026-11-20T00:00 Az arany ember",
        "2026-11-22 2026-11-21T00:00 Abigél",
        "2026-11-23 2026-11-22T00:00 Édes Anna",
        "2026-11-28 2026-11-27T00:00 A Pál utcai fiúk",
        "2026-12-07 2026-12-06T00:00 Die Verwandlung",
        "2026-12-24 2026-12-23T00:00 Tüskevár",
        "2026-12-31 2026-12-30T00:00 Utas és holdvilág",
        "2027-01-02 2027-01-01T00:00 Pride and Prejudice",
        "2099-06-30 2099-06-29T00:00 Le Petit Prince",
        "2099-12-31 2099-12-30T00:00 吾輩は猫である",
      ])
    #expect(Set(reminders.map(\.state)) == ["pending"])
  }

  @Test func `The list is a line for each notice in fire order`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let books = "\(desk.folder.path)/books.xml"
    let list = """
      7       2025-10-01 00:00  pending    expired   "Szent Péter esernyője" expired 2025.09.30, lent to Őszi Barnabás (\(books))
      10      2026-02-28 00:00  pending    expired   "Frankenstein" expired 2026.02.27, lent to Rufus Penhallow (\(books))
      11      2026-10-06 00:00  pending    expired   "A Room of One's Own" expired 2026.10.05, lent to Petra Lindqvist (\(books))
      3       2026-11-15 00:00  pending    expired   "Egri csillagok" expired 2026.11.14, lent to Vadas Lilla (\(books))
      4       2026-11-20 00:00  pending    reminder  "Az arany ember" expires 2026.11.21 (\(books)); next 2026-11-22
      2       2026-11-21 00:00  pending    reminder  "Abigél" expires 2026.11.22, lent to Halmos Benedek (\(books)); next 2026-11-23
      5       2026-11-22 00:00  pending    reminder  "Édes Anna" expires 2026.11.23, lent to Somogyvári Áron (\(books))
      1       2026-11-27 00:00  pending    reminder  "A Pál utcai fiúk" expires 2026.11.28, lent to Rónai Eszter (\(books))
      12      2026-12-06 00:00  pending    reminder  "Die Verwandlung" expires 2026.12.07 (\(books))
      6       2026-12-23 00:00  pending    reminder  "Tüskevár" expires 2026.12.24, lent to Koltai Hanna (\(books))
      8       2026-12-30 00:00  pending    reminder  "Utas és holdvilág" expires 2026.12.31, lent to Fűzfa Marcell (\(books))
      9       2027-01-01 00:00  pending    reminder  "Pride and Prejudice" expires 2027.01.02, lent to Imogen Thackwell (\(books))
      13      2099-06-29 00:00  pending    reminder  "Le Petit Prince" expires 2099.06.30, lent to Library of the village school (\(books))
      14      2099-12-30 00:00  pending    reminder  "吾輩は猫である" expires 2099.12.31, lent to Reading room, desk 4 (\(books))

      """
    #expect(try await desk.run("schedule", "list").outcome == Outcome(0, output: list))
    #expect(try await desk.run("schedule").outcome == Outcome(0, output: list))
  }

  @Test func `An entry of the JSON list has all of its keys in order`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try await desk.run("--notify", "stdout", "books.xml")
    let list = try JSON(parsing: await desk.run("schedule", "list", "--format", "json").text)
    #expect(
      list == [
        "version": 1,
        "reminders": [
          [
            "id": 1, "catalogue": .string("\(desk.folder.path)/books.xml"),
            "loan": [
              "id": nil, "title": "Abigél", "author": nil, "isbn": nil, "barcode": nil,
              "borrower": nil, "email": nil, "language": nil, "category": nil, "type": nil,
              "library": nil, "renewable": nil, "loanStatus": nil,
            ],
            "kind": "reminder", "expiration": "2026-11-22", "fireAt": "2026-11-21T00:00",
            "state": "delivered",
            "deliveries": [
              [
                "channel": "stdout", "state": "delivered", "at": "2026-11-21T07:00:00+00:00",
                "attempts": 1, "error": nil, "sentTo": nil,
              ]
            ],
            "library": nil, "rung": -1, "next": ["rung": 1, "fireAt": "2026-11-23T00:00"],
            "silence": nil,
          ]
        ],
      ])
  }

  @Test func `An empty schedule is listed as nothing`() async throws {
    let desk = try Desk()
    #expect(
      try await desk.run("schedule", "list").outcome
        == Outcome(
          0, errors: "check-loans: nothing is scheduled; run check-loans CATALOGUE first\n"))
    #expect(
      try await desk.run("schedule", "list", "--format", "json").outcome
        == Outcome(0, output: "{\"version\":1,\"reminders\":[]}\n"))
    #expect(!desk.folder.contains("state"), "looking makes no file")
  }

  @Test func `A schedule of which all books are back has a catalogue, but no loans`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try await desk.run("books.xml")
    try desk.folder.write(catalogue(("Abigél", nil)), to: "books.xml")
    try await desk.run("books.xml")
    #expect(
      try await desk.run("schedule", "list").outcome
        == Outcome(
          0, errors: "check-loans: the schedule has 1 catalogue, but no loans to remind of\n"))
  }

  @Test func `--remind and --at move every reminder`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.28"), ("Az ajtó", "2026.12.24")))
    try await desk.run("books.xml", "--remind", "7", "--at", "18:30")
    #expect(try await desk.schedule().map(\.fireAt) == ["2026-11-21T18:30", "2026-12-17T18:30"])
    try await desk.run("books.xml")
    #expect(try await desk.schedule().map(\.fireAt) == ["2026-11-27T00:00", "2026-12-23T00:00"])
  }
}

/// What a reload changes, and what it leaves alone.
struct ReloadStoryTests {
  @Test func `Reading the same catalogue again changes nothing`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let (bytes, list) = (try desk.stateBytes(), try await desk.run("schedule").text)
    try await desk.run("books.xml")
    #expect(try desk.stateBytes() == bytes)
    #expect(try await desk.run("schedule").text == list)
    #expect(!bytes.isEmpty)
  }

  @Test func `Changing one expiration moves exactly that reminder`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let before = try await desk.schedule()
    try desk.edit("2026.12.24", to: "2027.02.28")
    try await desk.run("books.xml")
    let after = try await desk.schedule()
    let moved = Set(after).subtracting(before)
    #expect(moved.map(\.title) == ["Tüskevár"])
    #expect(moved.map(\.expiration) == ["2027-02-28"])
    #expect(moved.map(\.fireAt) == ["2027-02-27T00:00"])
    #expect(Set(before).subtracting(after).map(\.title) == ["Tüskevár"])
    #expect(after.count == before.count)
  }

  @Test func `Removing a book removes its reminder and no other`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let before = try await desk.schedule()
    let text = desk.folder.contents(of: "books.xml")
    let start = try #require(text.firstRange(of: "  <book id=\"bk106\">")).lowerBound
    let end = try #require(text.firstRange(of: "  <book id=\"bk107\">")).lowerBound
    try desk.folder.write(String(text[..<start] + text[end...]), to: "books.xml")
    try await desk.run("books.xml")
    let after = try await desk.schedule()
    #expect(Set(before).subtracting(after).map(\.title) == ["Tüskevár"])
    #expect(Set(after).subtracting(before) == [])
  }

  @Test func `Bringing a book back removes its reminder`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    try desk.edit("<expiration>2026.12.24</expiration>", to: "")
    #expect(
      try await desk.run("books.xml").lines.last?.hasPrefix("13 loans, 4 expired") == true)
    #expect(try await !desk.pending().contains("Tüskevár"))
  }

  @Test func `Adding a book adds its reminder and no other`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let before = try await desk.schedule()
    try desk.edit(
      "</books>",
      to: """
        <book><title>Kincskereső kisködmön</title><expiration>2026.12.13</expiration></book></books>
        """)
    try await desk.run("books.xml")
    let after = try await desk.schedule()
    let added = Set(after).subtracting(before)
    #expect(added.map(\.title) == ["Kincskereső kisködmön"])
    #expect(added.map(\.fireAt) == ["2026-12-12T00:00"])
    #expect(Set(before).subtracting(after) == [])
  }

  @Test func `--verbose says what the reload did`() async throws {
    let desk = try Desk()
    _ = try await desk.shell("touch -d 2026-11-20T18:30Z books.xml")
    let books = "\(desk.folder.path)/books.xml"
    #expect(
      try await desk.run("books.xml", "--verbose").errorLines == [
        "check-loans: now is 2026-11-21T07:00:00 in the time zone UTC",
        """
        check-loans: \(books): scheduled the notices of 14 loans; the next one is due at \
        2026-11-22T00:00
        """,
        "check-loans: \(books): reloaded: 10 scheduled; 14 new, 0 changed, 0 gone, 0 as before",
        "check-loans: books.xml: last written 2026-11-20 at 18:30 (UTC+00:00)",
      ])
    try desk.edit("2026.12.24", to: "2027.02.28")
    #expect(
      try await desk.run("books.xml", "-v").errorLines.dropLast().last
        == "check-loans: \(books): reloaded: 10 scheduled; 0 new, 1 changed, 0 gone, 13 as before")
  }

  @Test func `A look that adds a catalogue to others says how to be rid of it, once`() async throws
  {
    let desk = try Desk()
    #expect(try await desk.run("books.xml").errorText == "", "it is the only one")
    for name in ["a b.xml", "c.xml", "d.xml", "e.xml"] {
      try desk.folder.write(catalogue(("Abigél", "2026.11.28")), to: name)
    }
    #expect(
      try await desk.run("a b.xml", "c.xml").errorLines == [
        """
        check-loans: a b.xml, c.xml are now in the schedule; check-loans schedule forget 'a b.xml' c.xml \
        takes them out
        """
      ])
    #expect(try await desk.run("a b.xml", "c.xml").errorText == "")
    #expect(try await desk.run("d.xml", "--notify", "stdout").errorText == "")
    #expect(try await desk.run("e.xml", "--dry-run").errorText == "")
    try desk.list("e.xml")
    #expect(try await desk.run("e.xml").errorText == "")
  }

  @Test func `Each catalogue has its own part of the schedule`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.28")))
    try desk.folder.write(catalogue(("Az ajtó", "2026.12.24")), to: "more.xml")
    let both = try await desk.run("books.xml", "more.xml")
    #expect(
      both.text
        == "2 loans, 0 expired, 0 expire today, 2 scheduled, next reminder 2026-11-27 00:00\n")
    try desk.folder.write(catalogue(("Tüskevár", "2026.12.13")), to: "more.xml")
    try await desk.run("more.xml")
    #expect(try await desk.schedule().map(\.title) == ["Abigél", "Tüskevár"])
  }

  @Test func `A catalogue is the same by whatever path it is named`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let bytes = try desk.stateBytes()
    try desk.folder.makeDirectory("d")
    for path in ["./books.xml", "\(desk.folder.path)/books.xml", "d/../books.xml"] {
      try await desk.run(path)
      #expect(try desk.stateBytes() == bytes, "\(path)")
    }
  }
}

/// `schedule cancel`.
struct CancelTests {
  @Test func `All reminders are cancelled, until the catalogue is read again`() async throws {
    let desk = try Desk()
    try desk.list()
    try await desk.run("books.xml")
    let before = try await desk.schedule()
    #expect(
      try await desk.run("schedule", "cancel", "--all").outcome
        == Outcome(
          0, output: "cancelled the notices of 14 loans until their catalogue is next read\n"))
    #expect(Set(try await desk.schedule().map(\.state)) == ["cancelled"])
    #expect(try await desk.run("deliver").outcome == Outcome(0))
    try await desk.run("books.xml")
    #expect(try await desk.schedule() == before)
  }

  @Test func `Reminders are cancelled by their IDs, each once`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    #expect(
      try await desk.run("schedule", "cancel", "5", "2", "5").outcome
        == Outcome(
          0,
          output: """
            cancelled the notices of 2 loans until their catalogue is next read: "Abigél", "Édes Anna"

            """))
    #expect(
      try await desk.schedule().filter { $0.state == "cancelled" }.map(\.title)
        == ["Abigél", "Édes Anna"])
    #expect(try await desk.run("deliver").text.contains("Abigél") == false)
    #expect(
      try await desk.run("schedule", "cancel", "5").outcome
        == Outcome(0, output: "nothing to cancel\n"))
    #expect(try await desk.run("schedule", "cancel", "999").text == "")
  }

  @Test func `An ID that nothing has is named, and the others are cancelled`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    #expect(
      try await desk.run("schedule", "cancel", "2", "999").ends(
        64,
        output: "cancelled the notices of 1 loan until its catalogue is next read: \"Abigél\"\n",
        saying: "there is no loan 999 in the schedule; see check-loans schedule list"))
    #expect(try await desk.schedule().filter { $0.state == "cancelled" }.map(\.id) == [2])
  }

  @Test(arguments: [[], ["--all", "3"]])
  func `It is either all or some`(arguments: [String]) async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let bytes = try desk.stateBytes()
    let result = try await desk.run(["schedule", "cancel"] + arguments)
    #expect(result.status == 64)
    #expect(
      result.errorLines.first
        == "check-loans: give either --all or the IDs that schedule list shows")
    #expect(try desk.stateBytes() == bytes)
  }
}

import TestSupport
import Testing

/// `check-loans calendar`: loans as events, in files, and for each reader.
struct CalendarCommandTests {
  /// A loan with an id, in the native form.
  private static func book(
    _ id: String, _ title: String, _ expiration: String, to borrower: String = "",
    email: String = "", language: String = ""
  ) -> String {
    """
    <book id="\(id)"><title>\(title.inXML)</title><borrower>\(borrower.inXML)</borrower>\
    <email>\(email)</email><language>\(language)</language><expiration>\(expiration)</expiration></book>

    """
  }

  private static func books(_ books: String...) -> String {
    "<books>\n\(books.joined())</books>\n"
  }

  private static let twoReaders = books(
    book("1", "Abigél", "2026.11.22", to: "Anna", email: "anna@example.org", language: "hu"),
    book("2", "Emma", "2026.11.24", to: "Bea"), book("3", "Az ajtó", "2026.11.24", to: "Bea"))

  private func calendar(_ desk: Desk, _ arguments: String...) async throws -> [CalendarItem] {
    let result = try await desk.run(["calendar"] + arguments + ["books.xml"])
    #expect(result.status == 0, "\(result.errorText)")
    return CalendarItem.all(in: result.text)
  }

  @Test func `A loan is an event on its expiration, and an expired one is on today`() async throws {
    let desk = try Desk(
      catalogue: Self.books(
        Self.book("1", "Abigél", "2026.11.22", to: "Anna"),
        Self.book("2", "Emma", "2026.11.14"), Self.book("3", "Az ajtó", "2026.11.21")))
    let items = try await calendar(desk)
    #expect(items.map(\.day) == ["20261121", "20261121", "20261122"])
    #expect(
      Set(items.map(\.summary))
        == ["Return “Abigél”", "Return “Az ajtó”", "“Emma” is 7 days overdue"])
    #expect(items[2].description == #"“Abigél” is due on 22 November 2026\, lent to Anna"#)
    #expect(items.map { $0["TRIGGER"] ?? "none" }.sorted() == ["-PT16H", "-PT16H", "none"])
    #expect(!desk.folder.contains("state"))
    let status = try await desk.shell(
      "touch -d 2026-11-20T09:30:00Z books.xml; \"$0\" calendar books.xml")
    #expect(CalendarItem.all(in: status.text).allSatisfy { $0["DTSTAMP"] == "20261120T093000Z" })
  }

  @Test func `A renewal moves an event and raises its sequence, and a return removes it`()
    async throws
  {
    let desk = try Desk(catalogue: Self.twoReaders)
    let before = try await calendar(desk)
    try desk.edit("2026.11.22", to: "2026.12.22")
    let after = try await calendar(desk)
    let abigel = try #require(before.first)
    let renewed = try #require(after.last)
    #expect(renewed["UID"] == abigel["UID"] && renewed.day == "20261222")
    #expect(try #require(renewed.sequence) == #require(abigel.sequence) + 30)
    #expect(Set(before.map { $0["UID"] }).count == 3)
    #expect(Set(before.map { $0["UID"] }) == Set(after.map { $0["UID"] }))
    try desk.folder.write(Self.books(Self.book("2", "Emma", "2026.11.24")), to: "books.xml")
    #expect(try await calendar(desk).map(\.summary) == ["Return “Emma”"])
  }

  @Test(.enabled(if: File.exists("/usr/bin/khal"), "needs khal"))
  func `khal moves the event of a renewed loan`() async throws {
    let desk = try Desk(catalogue: Self.twoReaders)
    try desk.folder.makeDirectory("khal")
    try desk.folder.write(
      """
      [calendars]
      [[loans]]
      path = \(desk.folder.path)/khal
      [locale]
      dateformat = %Y-%m-%d
      longdateformat = %Y-%m-%d
      """, to: "khal.conf")
    let script = """
      export LC_ALL=C.UTF-8
      "$0" calendar --output loans.ics books.xml
      khal -c khal.conf import --batch -a loans loans.ics
      khal -c khal.conf list --format '{title}' --day-format '{date}' 2026-11-21 60d
      """
    let before = try await desk.shell(script)
    #expect(
      before.lines == [
        "2026-11-22", "Return “Abigél”", "2026-11-24", "Return “Az ajtó”", "Return “Emma”",
      ], "\(before.errorText)")
    try desk.edit("2026.11.22", to: "2026.12.22")
    let after = try await desk.shell(script)
    #expect(
      after.lines == [
        "2026-11-24", "Return “Az ajtó”", "Return “Emma”", "2026-12-22", "Return “Abigél”",
      ], "\(after.errorText)")
  }

  /// 21 November 2026 is a Saturday.
  @Test(arguments: [
    ("2026-11-19", "2026.11.22", "20261120", "so return it by Friday (20 November 2026)"),
    ("2026-11-21", "2026.11.22", "20261123", "opens again on Monday (23 November 2026)"),
    ("2026-11-22", "2026.11.12", "20261123", "is 10 days overdue (due 12 November 2026)"),
    ("2026-11-24", "2026.11.22", "20261124", "opened again on Monday (23 November 2026)"),
  ])
  func `An event lies on a day on which the library is open`(
    now: String, expiration: String, day: String, words: String
  ) async throws {
    let desk = try Desk(now: now, catalogue: catalogue(("Emma", expiration)))
    let item = try #require(try await calendar(desk, "--closed-weekdays", "sat,sun").first)
    #expect(item.day == day)
    #expect(item.description.contains(words))
  }

  @Test func `A visit is one event, and lists its books`() async throws {
    let desk = try Desk(catalogue: Self.twoReaders)
    let items = try await calendar(desk, "--per-visit", "--alarm", "none")
    #expect(items.map(\.summary) == ["Return “Abigél”", "Return 2 books"])
    #expect(items[1].description.contains(#"“Emma” is due on 24 November 2026\, lent to Bea"#))
    #expect(items[1].description.contains(#"“Az ajtó” is due on 24 November 2026\, lent to Bea"#))
    #expect(items.allSatisfy { $0["TRIGGER"] == nil })
    let visit = items[1]["UID"]
    try desk.edit("Emma", to: "Persuasion")
    #expect(try await calendar(desk, "--per-visit").last?["UID"] == visit)
  }

  @Test func `A task has the same days`() async throws {
    let desk = try Desk(catalogue: Self.twoReaders)
    let text = try await desk.run("calendar", "--todo", "--alarm", "40h", "books.xml").text
    #expect(text.contains("BEGIN:VTODO\r\n") && !text.contains("VEVENT"))
    #expect(text.contains("DUE;VALUE=DATE:20261122\r\n"))
    #expect(text.contains("TRIGGER;RELATED=END:-PT40H\r\n"))
  }

  @Test func `Titles are withheld as in the settings, and words are in the language asked for`()
    async throws
  {
    let desk = try Desk(catalogue: Self.twoReaders)
    try desk.writeSettings("titles = [\"none\", \"mail=full\"]\n")
    let text = try await desk.run("calendar", "books.xml").text
    #expect(!text.contains("Abig") && text.contains("SUMMARY:Return 1 book\r\n"))
    let hungarian = try await calendar(desk, "--titles", "full", "--language", "hu")
    #expect(hungarian.first?.summary == "Visszaviendő: „Abigél”")
  }

  @Test func `A choice for a channel is refused, since it would hide nothing`() async throws {
    let desk = try Desk()
    let result = try await desk.run("calendar", "--titles", "mail=none", "books.xml")
    #expect(
      result.outcome
        == Outcome(
          64,
          errors: """
            check-loans: --titles mail=none is for notices through a channel, and a calendar is none; \
            write --titles none

            """))
    try desk.writeSettings("titles = [\"mail=none\"]\n")
    #expect(try await desk.run("calendar", "books.xml").status == 0, "the file is for channels too")
  }

  @Test func `No text of a catalogue makes a line of its own`() async throws {
    let titles = [
      "x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:evil", "a;b,c\\n",
      String(repeating: "é", count: 300),
      "👩‍👩‍👧 مرحبا \u{202E}evil",
    ]
    let desk = try Desk(catalogue: catalogue(titles.map { ($0, "2026.11.22") }))
    let text = try await desk.run("calendar", "books.xml").text
    let items = CalendarItem.all(in: text)
    #expect(items.count == 4)
    let summaries = Set(items.map(\.summary))
    #expect(summaries.contains("Return “x END:VEVENT BEGIN:VEVENT SUMMARY:evil”"))
    #expect(summaries.contains(#"Return “a\;b\,c\\n”"#))
    #expect(summaries.contains(#"Return “👩‍👩‍👧 مرحبا \\u{202e}evil”"#))
    #expect(summaries.contains { $0.count == "Return “”".count + 201 && $0.hasSuffix("é…”") })
    #expect(text.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 75 })
  }
}

// MARK: - Files

extension CalendarCommandTests {
  @Test func `A file is replaced only if something has changed, and keeps its permissions`()
    async throws
  {
    let desk = try Desk(catalogue: Self.twoReaders)
    let arguments = ["calendar", "--output", "loans.ics", "books.xml"]
    #expect(try await desk.run(arguments).outcome == Outcome(0))
    let first = try desk.folder.status(of: "loans.ics")
    #expect(first.mode == 0o600)
    _ = try await desk.shell("chmod 644 loans.ics; touch -d 2026-11-23 books.xml")
    #expect(try await desk.run(arguments).outcome == Outcome(0))
    #expect(try desk.folder.status(of: "loans.ics").inode == first.inode)
    try desk.edit("2026.11.22", to: "2026.11.23")
    #expect(try await desk.run(arguments).outcome == Outcome(0))
    let second = try desk.folder.status(of: "loans.ics")
    #expect(second.inode != first.inode && second.mode == 0o644)
    #expect(try File.names(in: desk.folder.path) == ["books.xml", "loans.ics"])
  }

  @Test(arguments: [
    ("<books><book>", Int32(65)), ("<books></books>", 65), ("<html></html>", 65), (nil, 66),
    ("<books><book><title>Emma</title></book></books>", 65),
  ])
  func `A catalogue that cannot be used leaves all files as they are`(
    broken: String?, status: Int32
  ) async throws {
    let desk = try Desk(catalogue: Self.twoReaders)
    try desk.folder.makeDirectory("www")
    try await desk.run("calendar", "--output", "loans.ics", "books.xml")
    try await desk.run("calendar", "--directory", "www", "books.xml")
    let before = try desk.contents()
    try desk.folder.write(
      Self.books(Self.book("9", "Emma", "2026.11.30", to: "Cili")), to: "new.xml")
    try desk.folder.remove("books.xml")
    if let broken { try desk.folder.write(broken, to: "books.xml") }
    for arguments in [["--output", "loans.ics"], ["--directory", "www"], []] {
      let result = try await desk.run(["calendar"] + arguments + ["new.xml", "books.xml"])
      #expect(result.status == status)
      #expect(result.text == "")
      #expect(
        result.errorLines.last
          == "check-loans: no calendar was written; correct the catalogue and run again")
    }
    #expect(try desk.contents() == before)
  }

  @Test func `A loan with a wrong date is missing, and the status says so`() async throws {
    let desk = try Desk(catalogue: catalogue(("Emma", "2026.11.30"), ("Abigél", "soon")))
    let result = try await desk.run("calendar", "books.xml")
    #expect(result.status == 65)
    #expect(CalendarItem.all(in: result.text).map(\.summary) == ["Return “Emma”"])
    #expect(result.errorLines.count == 1 && result.errorText.contains("date-format"))
  }

  @Test(arguments: ["no/such/loans.ics", "www"])
  func `A file that cannot be written is named`(path: String) async throws {
    let desk = try Desk(catalogue: Self.twoReaders)
    try desk.folder.makeDirectory("www")
    let result = try await desk.run("calendar", "--output", path, "books.xml")
    #expect(result.status == 73)
    #expect(result.errorText.hasPrefix("check-loans: \(path): "))
  }

  @Test func `The loans of one borrower are found by name or address, and nobody else's`()
    async throws
  {
    let desk = try Desk(
      catalogue: Self.books(
        Self.book(
          "1", "Abigél", "2026.11.22", to: "Anna", email: "anna@example.org", language: "hu"),
        Self.book("2", "Emma", "2026.11.24", to: "Bea", email: "bea@example.org"),
        Self.book("3", "Az ajtó", "2026.11.24", to: "Bea", email: "other@example.org")))
    for name in ["ann", "ANNA@example.org"] {
      let text = try await desk.run("calendar", "--borrower", name, "books.xml").text
      #expect(CalendarItem.all(in: text).map(\.summary) == ["Visszaviendő: „Abigél”"])
      #expect(text.contains("\r\nX-WR-CALNAME:Könyvtári könyvek: Anna\r\n"))
    }
    #expect(
      try await desk.run("calendar", "--borrower", "Bea", "books.xml").outcome
        == Outcome(
          65,
          errors:
            "check-loans: \"Bea\" is in the names of several borrowers; give the e-mail address of one\n"
        ))
    #expect(
      try await desk.run("calendar", "--borrower", "Ana", "books.xml").outcome
        == Outcome(
          65,
          errors: """
            check-loans: nothing is lent to "Ana"; did you mean "Anna"? else use --allow-empty for an \
            empty calendar

            """))
    let empty = try await desk.run("calendar", "--borrower", "Ana", "--allow-empty", "books.xml")
    #expect(empty.status == 0 && CalendarItem.all(in: empty.text).isEmpty)
  }

  @Test func `A calendar that no program can show is refused, but not one reader's`() async throws {
    let desk = try Desk(
      catalogue: Self.books(
        (1...50_001).map { "<book id=\"\($0)\"><expiration>2026.11.22</expiration></book>" }
          .joined(),
        Self.book("x", "Emma", "2026.11.22", to: "Bea")))
    let result = try await desk.run("calendar", "books.xml")
    #expect(result.status == 64 && result.text == "")
    #expect(
      result.errorText.contains("50002 entries") && result.errorText.contains("--directory")
    )
    #expect(try await calendar(desk, "--borrower", "Bea").count == 1)
  }
}

// MARK: - A file for each borrower

extension CalendarCommandTests {
  private func desk(_ catalogue: String = twoReaders) throws -> Desk {
    let desk = try Desk(catalogue: catalogue)
    try desk.folder.makeDirectory("www")
    try desk.folder.setPermissions(of: "www", 0o750)
    return desk
  }

  private func update(_ desk: Desk, now: String = "2026-11-21") async throws -> [String] {
    let result = try await desk.run(
      "calendar", "--directory", "www", "--list", "--now", now, "books.xml")
    #expect(result.outcome == Outcome(0, output: result.text))
    return result.lines
  }

  @Test func `The list has each reader's address as the catalogue has it`() async throws {
    let desk = try desk(
      Self.books(Self.book("1", "Emma", "2026.11.22", to: "Anna", email: "Anna@Example.org")))
    let line = try await update(desk).first ?? ""
    #expect(line.hasPrefix("Anna\tAnna@Example.org\t"), "\(line)")
  }

  @Test
  func `Each reader has a file in the reader's language, under a name that is always the same`()
    async throws
  {
    let desk = try desk()
    let lines = try await update(desk).map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)
    }
    #expect(lines.map { $0[0] } == ["Bea", "Anna"])
    #expect(lines.map { $0[1] } == ["", "anna@example.org"])
    let files = lines.map { String($0[2]) }
    for file in files { #expect(file.wholeMatch(of: #/www/[0-9a-f]{32}\.ics/#) != nil) }
    #expect(CalendarItem.all(in: desk.folder.contents(of: files[0])).count == 2)
    #expect(
      CalendarItem.all(in: desk.folder.contents(of: files[1])).map(\.summary)
        == ["Visszaviendő: „Abigél”"])
    #expect(try desk.folder.status(of: files[0]).mode == 0o640)
    let key = "state/check-loans/calendar.key"
    #expect(try desk.folder.status(of: key).mode == 0o600)
    #expect(try desk.folder.status(of: key).size == 32)
    let before = try desk.contents()
    #expect(try await update(desk).count == 2)
    #expect(try desk.contents() == before)
    // Another secret, other names.
    let other = try self.desk()
    #expect(try await update(other).allSatisfy { line in !files.contains { line.hasSuffix($0) } })
  }

  @Test func `A reader without loans keeps an empty calendar for 30 days`() async throws {
    let desk = try desk()
    let lines = try await update(desk)
    let file = String(try #require(lines[1].split(separator: "\t").last))
    try desk.folder.write(
      Self.books(Self.book("2", "Emma", "2027.11.24", to: "Bea")), to: "books.xml")
    #expect(try await update(desk, now: "2026-11-25").count == 1)
    let empty = desk.folder.contents(of: file)
    #expect(empty.hasPrefix("BEGIN:VCALENDAR\r\n") && empty.hasSuffix("END:VCALENDAR\r\n"))
    #expect(CalendarItem.all(in: empty).isEmpty && !empty.contains("Anna"))
    #expect(try await desk.shell("touch -d 2026-11-25T12:00:00Z www/*").status == 0)
    #expect(try await update(desk, now: "2026-12-25").count == 1)
    #expect(desk.folder.contents(of: file) == empty)
    #expect(try await update(desk, now: "2026-12-26").count == 1)
    #expect(!desk.folder.contains(file))
    #expect(try File.names(in: "\(desk.folder.path)/www").count == 1)
    try desk.folder.write(Self.twoReaders, to: "books.xml")
    #expect(try await update(desk, now: "2026-12-26") == lines)
  }

  @Test func `Files of others are never touched`() async throws {
    let desk = try desk()
    let lines = try await update(desk)
    let files = lines.compactMap { $0.split(separator: "\t").last.map(String.init) }
    // One that somebody has put in the place of a reader's, one of another secret, and others.
    let foreign = desk.folder.contents(of: files[0])
    try desk.folder.write(foreign, to: "www/00000000000000000000000000000000.ics")
    try desk.folder.write("mine", to: "www/mine.ics")
    try desk.folder.write("mine", to: "target")
    try desk.folder.remove(files[0])
    try desk.folder.makeLink(files[0], to: "../target")
    try desk.folder.write("mine", to: files[1])
    let result = try await desk.run("calendar", "--directory", "www", "books.xml")
    #expect(result.status == 73)
    #expect(
      Set(result.errorLines)
        == Set(
          files.map {
            "check-loans: \"\($0)\" is not a calendar that check-loans has written; move it away"
          }))
    #expect(desk.folder.contents(of: "target") == "mine")
    #expect(desk.folder.contents(of: files[1]) == "mine")
    #expect(desk.folder.contents(of: "www/mine.ics") == "mine")
    #expect(desk.folder.contents(of: "www/00000000000000000000000000000000.ics") == foreign)
  }

  @Test(.enabled(if: isRoot, "only root can become another user"))
  func `A directory that may not be written to is named, once`() async throws {
    let desk = try desk()
    for mode in ["700", "755"] {
      let result = try await desk.shell(
        """
        mkdir -p own && chown 65534 own && chmod 755 . && chmod 644 books.xml && chmod \(mode) www
        exec setpriv --reuid 65534 --regid 65534 --clear-groups "$0" calendar --directory www \
          --state own/schedule.sqlite books.xml
        """)
      #expect(result.status == 77, "\(result.errorText)")
      #expect(
        result.errorText
          == "check-loans: \"www\": permission denied; the user who runs this must be able to write there\n"
      )
    }
  }

  @Test func `No secret is kept where anybody can write`() async throws {
    let desk = try desk()
    let result = try await desk.shell(
      """
      mkdir open && chmod 1777 open
      "$0" calendar --state open/s.sqlite --directory www books.xml; echo $?; ls open | grep key
      """)
    #expect(result.text == "77\n")
    #expect(
      result.errorText.hasPrefix(
        "check-loans: \"open/calendar.key\": cannot use the secret of borrowers' calendars: everyone can write to the "
          + "directory; use chmod o-w, or keep the schedule in another directory\n"))
  }

  @Test func `Several runs at once make one secret, and each ends well`() async throws {
    let desk = try desk()
    let script = """
      for i in 1 2 3 4 5; do
        rm -f state/check-loans/calendar.key www/*.ics
        for j in 1 2 3 4 5 6; do "$0" calendar --directory www books.xml || echo "$?" & done; wait
      done
      ls www state/check-loans
      """
    let result = try await desk.shell(script)
    #expect(result.outcome == Outcome(0, output: result.text))
    #expect(result.lines.filter { $0.hasSuffix(".ics") }.count == 2)
    #expect(result.lines.count { $0.hasPrefix("calendar.key") } == 1)
    #expect(!result.lines.contains { Int($0) != nil })
  }

  @Test(arguments: [
    ("chmod 644 state/check-loans/calendar.key", Int32(77)),
    ("printf x > state/check-loans/calendar.key", 74),
    ("cd state/check-loans && mv calendar.key k && ln -s k calendar.key", 74),
    ("chmod 757 www", 77), ("rm -r www", 73),
  ])
  func `A secret or a directory that is not safe is refused`(
    script: String, status: Int32
  ) async throws {
    let desk = try desk()
    _ = try await update(desk)
    #expect(try await desk.shell(script).status == 0)
    let before = try desk.contents()
    let result = try await desk.run("calendar", "--directory", "www", "books.xml")
    #expect(result.status == status, "\(result.errorText)")
    #expect(result.errorLines.count == 1)
    #expect(try desk.contents() == before)
  }

  @Test(arguments: [
    (["--list"], "--list prints the files of --directory; give that too"),
    (
      ["--directory", "www", "--output", "x"],
      "--directory writes a file for each, and cannot go with --borrower or --output"
    ),
    (["--alarm", "1w"], "the value '1w' is invalid for '--alarm <hours|none>'"),
  ])
  func `What cannot go together is wrong usage`(arguments: [String], words: String) async throws {
    let result = try await Desk().run(["calendar"] + arguments + ["books.xml"])
    #expect(result.status == 64)
    #expect(result.errorText.contains(words))
  }
}

/// The properties of an entry, unfolded.
private struct CalendarItem {
  private var properties: [String: String] = [:]

  subscript(name: String) -> String? { properties[name] }

  var day: String { self["DTSTART;VALUE=DATE"] ?? "" }
  var summary: String { self["SUMMARY"] ?? "" }
  var description: String { self["DESCRIPTION"] ?? "" }
  var sequence: Int? { self["SEQUENCE"].flatMap { Int($0) } }

  static func all(in text: String) -> [CalendarItem] {
    var items: [CalendarItem] = []
    var isInside = false
    for line in text.replacing("\r\n ", with: "").split(separator: "\r\n") {
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      if line == "BEGIN:VEVENT" {
        items.append(CalendarItem())
        isInside = true
      } else if line == "END:VEVENT" {
        isInside = false
      } else if isInside, items[items.count - 1][parts[0]] == nil {
        items[items.count - 1].properties[parts[0]] = parts[1]
      }
    }
    return items
  }
}

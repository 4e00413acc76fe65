import TestSupport
import Testing

/// What `check` says about problems in a catalogue, and what it does all the same.
struct DiagnosticTests {
  private static let badDate = """
    <?xml version="1.0" encoding="UTF-8"?>
    <books>
      <book id="bk101">
        <title>Egri csillagok</title>
        <expiration>2026.11.28</expiration>
      </book>
      <book id="bk102">
        <title>Abigél</title>
        <expiration>2026-12-01</expiration>
      </book>
      <book>
        <expiration>2026.12.24</expiration>
      </book>
    </books>
    """

  @Test func `A bad date among good ones is told with its place, and the others are scheduled`()
    async throws
  {
    let desk = try Desk(catalogue: Self.badDate)
    #expect(
      try await desk.run("books.xml").outcome
        == Outcome(
          65,
          output: """
            2 loans, 0 expired, 0 expire today, 2 scheduled, next reminder 2026-11-27 00:00; \
            1 book left out, see the errors

            """,
          errors: """
            books.xml:9:17: error: expiration "2026-12-01" is not of the form yyyy.MM.dd; \
            did you mean 2026.12.01? [date-format]

            """))
    #expect(try await desk.schedule().map(\.expiration) == ["2026-11-28", "2026-12-24"])
  }

  @Test func `Warnings are shown with --verbose, and cost nothing`() async throws {
    let desk = try Desk(catalogue: catalogue(("", "2026.11.28"), ("Abigél", "2126.11.28")))
    #expect(try await desk.run("books.xml", "-q").outcome == Outcome(0))
    let verbose = try await desk.run("books.xml", "-q", "-v")
    #expect(verbose.status == 0)
    let warnings = verbose.errorLines.filter { $0.contains(": warning: ") }
    #expect(warnings.map { $0.prefix { $0 != " " } } == ["books.xml:2:1:", "books.xml:3:40:"])
    #expect(warnings.first?.hasSuffix(" [missing-title]") == true)
    #expect(warnings.last?.hasSuffix(" [unlikely-date]") == true)
    #expect(try await desk.pending() == ["", "Abigél"])
  }

  @Test func `Diagnostics are in the JSON report too`() async throws {
    let desk = try Desk(catalogue: Self.badDate)
    let result = try await desk.run("books.xml", "--format", "json")
    #expect(result.status == 65)
    let report = try JSON(parsing: result.text)
    #expect(report.catalogues[0].diagnostics == 2, "the missing title is one")
    #expect(
      report.diagnostics[0] == [
        "path": "books.xml", "line": 9, "column": 17, "endColumn": 27, "severity": "error",
        "code": "date-format",
        "message":
          "expiration \"2026-12-01\" is not of the form yyyy.MM.dd; did you mean 2026.12.01?",
        "value": "2026-12-01", "loan": "bk102",
      ])
    #expect(report.diagnostics[1].code == "missing-title")
    #expect(report.diagnostics[1].severity == "warning")
  }

  @Test(arguments: [1, 40, 500, 2_000, 6_000])
  func `A truncated catalogue leaves the schedule byte for byte as it was`(
    length: Int
  ) async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let (bytes, status) = (try desk.stateBytes(), try desk.folder.status(of: Desk.state))
    try desk.folder.write(
      bytes:
        Array(File.bytes(of: Desk.books).prefix(length)), to: "books.xml")
    let result = try await desk.run("books.xml")
    #expect(result.status == 65)
    #expect(result.errorLines.count == 2)
    #expect(result.errorLines.first?.hasSuffix(" [malformed-xml]") == true)
    #expect(result.errorLines.last?.contains("unchanged") == true)
    #expect(try desk.stateBytes() == bytes)
    #expect(try desk.folder.status(of: Desk.state) == status)
  }

  @Test func `The summary counts the reminders that stay after a truncated catalogue`()
    async throws
  {
    let desk = try Desk()
    try await desk.run("books.xml")
    try desk.folder.write("<books>", to: "books.xml")
    try desk.folder.write(catalogue(("Az ajtó", "2027.03.01")), to: "more.xml")
    let result = try await desk.run("books.xml", "more.xml")
    #expect(
      result.lines == [
        "1 loan, 0 expired, 0 expire today, 11 scheduled, next reminder 2026-11-22 00:00"
      ])
    #expect(try await desk.run("books.xml").lines == [], "of what was not read nothing is said")
  }

  @Test(arguments: ["<books/>", "<books>\n</books>\n"])
  func `A catalogue without records does not replace one that had loans`(
    empty: String
  ) async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let bytes = try desk.stateBytes()
    try desk.folder.write(empty, to: "books.xml")
    let refused = try await desk.run("books.xml", "-q")
    #expect(refused.ends(65, saying: " [no-loans]", "but 14 loans in the schedule; "))
    #expect(try desk.stateBytes() == bytes)
    #expect(
      try await desk.run("books.xml", "--allow-empty").outcome
        == Outcome(
          0, output: "0 loans, 0 expired, 0 expire today, 0 scheduled, no further reminder\n"))
    #expect(try await desk.schedule() == [])
  }

  /// All books may be back; but then an export may have dropped the dates, or renamed them.
  @Test(arguments: [
    catalogue(("Abigél", nil)),
    catalogue(("Abigél", "2026.11.28")).replacing("expiration>", with: "due>"),
    catalogue(("Abigél", "2026.11.28")).replacing("expiration>", with: "e:expiration>"),
  ])
  func `A catalogue without any expiration empties the schedule only if that is allowed`(
    undated: String
  ) async throws {
    let eleven = (1...11).map { ("Title \($0)", "2026.11.28" as String?) }
    let desk = try Desk(catalogue: catalogue(eleven))
    try await desk.run("books.xml")
    let bytes = try desk.stateBytes()
    try desk.folder.write(undated, to: "books.xml")
    let refused = try await desk.run("books.xml", "-q")
    #expect(refused.status == 65)
    #expect(refused.text == "")
    let lines = [
      """
      books.xml:1:1: warning: the only book has no <expiration>; if every book is on the shelf, this \
      is correct [no-expirations]
      """,
      """
      check-loans: books.xml: no loan with an expiration, but 11 loans in the schedule; nothing was \
      changed, and their notices will still be delivered; if all books are back, run again with \
      --allow-empty
      """,
    ]
    #expect(refused.errorLines.suffix(2) == lines)
    let isHidden = undated.contains("2026")
    #expect(
      refused.errorLines.dropLast(2).map { $0.hasSuffix("[unknown-date-element]") }
        == (isHidden ? [true] : []))
    #expect(try desk.stateBytes() == bytes)
    let allowed = try await desk.run("books.xml", "--allow-empty")
    #expect(
      allowed.outcome
        == Outcome(
          0,
          output: """
            0 loans, 0 expired, 0 expire today, 0 scheduled, no further reminder; \
            1 book on the shelf

            """, errors: refused.errorLines.dropLast().map { "\($0)\n" }.joined()))
    #expect(try await desk.schedule() == [])
  }

  @Test(arguments: [(80, 1, true), (80, 40, false), (10, 1, false)])
  func `Most of the loans gone at once are named`(
    before: Int, after: Int, isNamed: Bool
  ) async throws {
    func books(_ count: Int) -> String {
      catalogue((1...count).map { ("Title \($0)", "2026.12.28" as String?) })
    }
    let desk = try Desk(catalogue: books(before))
    try await desk.run("books.xml")
    try desk.folder.write(books(after), to: "books.xml")
    let words = """
      check-loans: books.xml: \(before - after) of \(before) loans have left it since the last reading; \
      check-loans schedule list --returned lists them

      """
    #expect(
      try await desk.run("books.xml", "-q").outcome == Outcome(0, errors: isNamed ? words : ""))
  }

  @Test(arguments: [catalogue(("Abigél", nil)), "<books/>"])
  func `That all of a few loans are back is believed, and no error`(empty: String) async throws {
    let ten = (1...10).map { ("Title \($0)", "2026.11.28" as String?) }
    let desk = try Desk(catalogue: catalogue(ten))
    try await desk.run("books.xml")
    try desk.folder.write(empty, to: "books.xml")
    let result = try await desk.run("books.xml", "-q")
    #expect(result.status == 0)
    #expect(!result.errorText.contains("no-loans"))
    #expect(try await desk.schedule() == [])
    // But not where a borrower, a date of lending or a date by another name hints at a loan.
    for hint in [
      "<borrower>Anna</borrower>", "<loaned>2026.11.01</loaned>", "<due>2026.11.28</due>",
    ] {
      let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.28")))
      try await desk.run("books.xml")
      try desk.folder.write(
        "<books><book><title>Abigél</title>\(hint)</book></books>", to: "books.xml")
      #expect(try await desk.run("books.xml", "-q").status == 65, "\(hint)")
      #expect(try await desk.schedule().count == 1)
    }
  }

  @Test func `So does one of another form in which no book is lent any more`() async throws {
    let item = """
      <items><item><bib_data><title>A</title></bib_data><item_data><pid>1</pid>\
      <due_date>2026-11-28Z</due_date></item_data></item></items>
      """
    let desk = try Desk(catalogue: item)
    try await desk.run("books.xml")
    let bytes = try desk.stateBytes()
    try desk.folder.write(item.replacing("2026-11-28Z", with: ""), to: "books.xml")
    let refused = try await desk.run("books.xml", "-q")
    #expect(refused.status == 65)
    #expect(refused.errorText.contains("1 loan in the schedule; nothing was changed"))
    #expect(try desk.stateBytes() == bytes)
    #expect(try await desk.run("books.xml", "--allow-empty").status == 0)
    #expect(try await desk.schedule() == [])
  }

  @Test func `--require-expiration takes a book on the shelf for an error`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", nil)))
    #expect(
      try await desk.run("books.xml", "-q", "--require-expiration")
        .ends(65, saying: "books.xml:2:1: error: the book has no <expiration>; "))
  }

  @Test func `Of several catalogues a broken one does not stop the others`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.folder.write("<books>", to: "broken.xml")
    try desk.folder.write(catalogue(("Az ajtó", "2026.11.20")), to: "last.xml")
    let result = try await desk.run("books.xml", "missing.xml", "broken.xml", "last.xml")
    #expect(result.status == 66, "the missing file is the worse")
    #expect(
      result.text == """
        "Az ajtó" expired yesterday (2026.11.20)
        "Abigél" expires tomorrow (2026.11.22)
        2 loans, 1 expired, 0 expire today, 1 scheduled, no further reminder

        """)
    #expect(result.errorLines.first?.contains("missing.xml: cannot read") == true)
    #expect(try await desk.pending() == ["Abigél", "Az ajtó"])
  }

  @Test func `A catalogue named twice is read once`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    #expect(
      try await desk.run("books.xml", "books.xml").lines == [
        "\"Abigél\" expires tomorrow (2026.11.22)",
        "1 loan, 0 expired, 0 expire today, 1 scheduled, no further reminder",
      ])
  }

  @Test func `A dash is standard input`() async throws {
    let desk = try Desk()
    let text = catalogue(("Abigél", "2026.11.22"), ("Az ajtó", "tomorrow"))
    let result = try await desk.run("--name", "town", "-", input: .text(text))
    #expect(
      result.outcome
        == Outcome(
          65,
          output: """
            "Abigél" expires tomorrow (2026.11.22)
            1 loan, 0 expired, 0 expire today, 1 scheduled, no further reminder; 1 book left out, \
            see the errors

            """,
          errors: """
            -:3:41: error: expiration "tomorrow" is not of the form yyyy.MM.dd [date-format]

            """))
    let list = try JSON(parsing: await desk.run("schedule", "list", "--format", "json").text)
    #expect(list.reminders[0].catalogue == "town")
    let books = Command.Input.file("\(desk.folder.path)/books.xml")
    #expect(try await desk.run("--name", "town", "-", input: books).status == 0)
  }

  @Test(arguments: [Command.Input.closed, .file("/tmp")])
  func `Standard input that cannot be read is not called malformed`(
    input: Command.Input
  ) async throws {
    let desk = try Desk()
    let result = try await desk.run("--state", "none", "-", input: input)
    #expect(result.status == (input == .closed ? 74 : 66))
    #expect(!result.errorText.contains("[malformed-xml]"))
  }

  @Test func `Text of a catalogue cannot steer the terminal`() async throws {
    let title = "\u{9B}31m\u{202E}kcab\u{2028}\u{200B}end"
    let visible = #"\u{9b}31m\u{202e}kcab\u{2028}\u{200b}end"#
    let desk = try Desk(
      catalogue: "<books><book id='\u{9B}'><title>\(title)</title><author>\(title)</author>"
        + "<borrower>\(title)</borrower><expiration>2026.11.22</expiration></book>"
        + "<book><expiration>\u{9B}31m</expiration></book></books>")
    let report = try await desk.run("books.xml", "-v")
    #expect(
      report.lines.first
        == "\"\(visible)\" expires tomorrow (2026.11.22), by \(visible), lent to \(visible)")
    #expect(report.errorText.contains(#"expiration "\u{9b}31m" is not of the form"#))
    let others = [
      try await desk.run("schedule", "list"),
      try await desk.run("schedule", "list", "--format", "json"),
      try await desk.run("books.xml", "--format", "json"),
      try await desk.run("validate", "books.xml"),
      try await desk.run("validate", "--format", "json", "books.xml"),
      try await desk.run("--notify", "stdout", "books.xml"),
    ]
    for result in others + [report] {
      let scalars = Set((result.text + result.errorText).unicodeScalars)
      #expect(!result.text.isEmpty)
      #expect(scalars.isDisjoint(with: ["\u{9B}", "\u{202E}", "\u{2028}", "\u{200B}", "\u{1B}"]))
    }
    let json = try JSON(parsing: others[2].text)
    #expect(json.loans[0].title.text == title, "JSON escapes it, and loses nothing")
  }

  @Test func `A line about a catalogue never begins like a CI system's command`() async throws {
    let desk = try Desk()
    try desk.folder.write(catalogue(("Abigél", "x")), to: "::error::.xml")
    try desk.folder.write(catalogue(("::warning::x%0A", "##[x]")), to: "##[x].xml")
    let result = try await desk.run("validate", "-q", "::error::.xml", "##[x].xml")
    #expect(result.lines.count == 2)
    #expect(result.lines.allSatisfy { $0.hasPrefix("./") })
  }
}

import Loans
import TestSupport
import Testing

@testable import CommandOutput
@testable import Reports

/// The page of `check --format html`, read by a parser that keeps to the standard.
struct PageTests {
  private static let html = ["--format", "html", "--state", "none"]

  /// What the page of a run consists of, by read_page.py.
  private func read(_ desk: Desk, _ arguments: String...) async throws -> JSON {
    let result = try await desk.run(
      ["check"] + Self.html + ["--output", "page.html"] + arguments + ["books.xml"])
    try #require([0, 65, 66].contains(result.status), "\(result.errorText)")
    return try await reading(desk)
  }

  private func reading(_ desk: Desk) async throws -> JSON {
    let tool = "\(projectDirectory)/Tests/ReportsTests/Tools/read_page.py"
    let reading = try await Command(
      "/usr/bin/python3", ["-I", "-B", tool, "page.html"],
      environment: ["LC_ALL": "C.UTF-8"], directory: desk.folder.path
    ).run()
    try #require(reading.status == 0, "\(reading.errorText)")
    return try JSON(parsing: reading.text)
  }

  /// Loans of many readers, expired, of today and of later.
  private func library(_ count: Int) -> String {
    let books = (0..<count).map { number in
      """
      <book id="\(number)"><title>The long history of book number \(number)</title>
      <author>Author Some\(number % 97)</author><borrower>Reader Number\(number % 331)</borrower>
      <email>reader\(number % 331)@example.org</email><library>Central Library</library>
      <expiration>2026.\(10 + number % 3).\(10 + number % 19)</expiration></book>

      """
    }
    return "<books>\n\(books.joined())</books>\n"
  }

  // MARK: - The document

  /// Written anew by `check-loans check --format html --state none --all --now 2026-11-21T07:00 books.xml`
  /// from `<body` on, without its script.
  @Test func `The page of the project's catalogue is as in Pages`() async throws {
    let desk = try Desk()
    let page = try await desk.run(["check"] + Self.html + ["--all", "books.xml"]).text
    let start = try #require(page.firstRange(of: "<body"))
    let end = try #require(page.firstRange(of: "<script>"))
    let expected = try File.text(of: "\(projectDirectory)/Tests/ReportsTests/Pages/books.html")
    #expect(String(page[start.lowerBound..<end.lowerBound]) == expected)
  }

  private static let forms = [
    [], ["--all"], ["--group-by", "borrower"], ["--group-by", "visit"], ["--screen"],
    ["--refresh", "60"], ["--format", "letters", "--all"], ["--language", "zh"], ["--quiet"],
    ["--borrower", "nobody"],
  ]

  @Test(arguments: forms)
  func `A page is valid, fetches nothing, and its policy has its style and script alone`(
    options: [String]
  ) async throws {
    let desk = try Desk()
    let result = try await desk.run(
      ["check"] + Self.html + ["--output", "page.html"] + options + ["books.xml"])
    #expect([0, 65].contains(result.status))
    let page = try await reading(desk)
    for fault in ["errors", "inline", "twice", "away", "lost"] {
      #expect(page[fault].elements.map(\.text) == [], "\(fault)")
    }
    let text = desk.folder.contents(of: "page.html")
    for word in ["http:", "https:", "src=", "@import", "innerHTML", "unsafe-inline"] {
      #expect(!text.contains(word), "\(word)")
    }
    let sources = page.digests.elements.compactMap(\.text)
    let policy = ["default-src 'none'"] + sources + ["base-uri 'none'", "form-action 'none'"]
    #expect(page.metas["Content-Security-Policy"].text == policy.joined(separator: "; "))
    #expect(page.metas.referrer.text == "no-referrer")
    #expect(page.metas.refresh.text == (options.first == "--refresh" ? "60" : nil))
    #expect(page.languages.elements.first?.text == (options.contains("zh") ? "zh" : "en"))
    #expect(sources.count == (text.contains("<table class=\"loans\">") ? 2 : 1))
  }

  @Test func `No text of a catalogue becomes anything else on a page`() async throws {
    // A literal cannot have them: U+FDD0 and U+1FFFE.
    let noncharacters = String(
      decoding: [0xEF, 0xB7, 0x90, 0xF0, 0x9F, 0xBF, 0xBE] as [UInt8], as: UTF8.self)
    let attacks = [
      "<script>alert(1)</script>", "\"onmouseover=\"alert(1)", "]]>", "--><!--", "</title></style>",
      "<img src=x onerror=alert(1)>", "&lt;b&gt; &#60;", "\u{202E}kcab", noncharacters,
      "\u{85}",
      "' style='x", "<!doctype html>", "</tbody></table><script>",
    ]
    let books = attacks.map { attack in
      let text = attack.inXML.replacing(">", with: "&gt;")
      return """
        <book><title>\(text)</title><author>\(text)</author><borrower>\(text)</borrower>
        <email>\(text)</email><library>\(text)</library><expiration>2026.11.20</expiration></book>
        """
    }
    let desk = try Desk(catalogue: "<books>\(books.joined())</books>")
    for options in [[], ["--group-by", "borrower"], ["--format", "letters"]] {
      let result = try await desk.run(
        ["check"] + Self.html + ["--output", "page.html"] + options + ["books.xml"])
      try #require(result.status == 0, "\(result.errorText)")
      let page = try await reading(desk)
      #expect(page.errors.elements.map(\.text) == [])
      #expect(page.inline.elements.map(\.text) == [])
      let isLetters = options == ["--format", "letters"]
      #expect(page.tags.script.number == (isLetters ? nil : 1))
      #expect(page.tags.img.number == nil)
      // The counts above, and the one in the calendar.
      #expect(page.tags.b.number == (isLetters ? nil : options.isEmpty ? 6 : 1))
      let parts = (page[isLetters ? "address" : "rows"]).elements.compactMap(\.text)
      for attack in attacks {
        let shown = attack == noncharacters ? "\\u{fdd0}\\u{1fffe}" : attack.visible
        #expect(parts.contains { $0.contains(shown) }, "\(shown)")
      }
    }
  }

  @Test func `A page of a thousand loans is small, one of ten thousand is quick`() async throws {
    let desk = try Desk(now: "2026-12-31T07:00", catalogue: library(1_000))
    let small = try await desk.run(["check"] + Self.html + ["books.xml"])
    #expect(small.output.count < 220_000)
    try desk.folder.write(library(10_001), to: "books.xml")
    let large = try await desk.run(["check"] + Self.html + ["books.xml"])
    #expect(large.output.count < 3_000_000)
    #expect(large.elapsed < .seconds(10))
    #expect(large.text.split(separator: "<th scope=row>").count == 10_001)
    #expect(large.text.contains("<p>and 1 more loan; see it with --format csv</p>"))
    #expect(large.text.contains("data-text=\"# of 10000 loans\""))
  }

  // MARK: - What it shows

  @Test func `Counts, bars and weeks are of all loans, and the table of those in need`()
    async throws
  {
    let desk = try Desk(
      catalogue: catalogue(
        ("Long ago", "2026.01.02"), ("A week ago", "2026.11.14"), ("Today", "2026.11.21"),
        ("Far", "2026.12.24"), ("Far too", "2026.12.24"), ("Next year", "2027.01.03")))
    let page = try await read(desk, "--closed-weekdays", "thu")
    #expect(
      page.counts.elements.map(\.text) == [
        "1 Today", "0 Tomorrow", "0 This week", "2 Expired", "0 Later",
      ])
    let bars = page.bars.elements.compactMap(\.text)
    #expect(bars.count == 51)
    #expect(
      bars.filter { !$0.hasSuffix(": 0") }.dropFirst() == [
        "2026.11.14: 1", "2026.11.21: 1", "2026.12.24: 2",
      ])
    let rows = page.rows.elements.compactMap(\.text)
    #expect(rows.contains("12.21212223242closed252627"))
    #expect(rows.filter { $0.contains("ago") || $0.contains("Today") }.count == 4)
    #expect(!rows.contains { $0.contains("Far") })
    let text = desk.folder.contents(of: "page.html")
    #expect(text.split(separator: "url(#shut)").count == 8)
    #expect(
      page.paragraphs.elements.contains { $0.text == "3 more loans expire later" })
    let whole = try await read(desk, "--all")
    #expect(whole.rows.elements.contains { $0.text?.contains("Far too") == true })
    let quiet = try await read(desk, "--quiet")
    #expect(quiet.paragraphs.elements.map(\.text) == ["2026.11.21 07:00"])
  }

  @Test(arguments: [
    // Nothing can be read, or the end is missing.
    ("", 66, "bad.xml: "),
    ("<books><book><title>Lost", 65, "bad.xml:1:25: error: not well-formed XML"),
  ])
  func `A catalogue that could not be read completely is named, and is in none of the numbers`(
    content: String, status: Int32, words: String
  ) async throws {
    let desk = try Desk(catalogue: catalogue(("Good", "2026.11.20")))
    if !content.isEmpty { try desk.folder.write(content, to: "bad.xml") }
    for (options, isNamed) in [([], true), (["--screen"], false), (["--format", "letters"], true)] {
      let result = try await desk.run(
        ["check"] + Self.html + ["--output", "page.html"] + options + ["books.xml", "bad.xml"])
      #expect(result.status == status)
      let page = try await reading(desk)
      let isLetter = options == ["--format", "letters"]
      let warning =
        "1 catalogue could not be read completely; loans of it may be missing on this page"
      #expect(page.paragraphs.elements.contains { $0.text == warning } != isLetter)
      let named = page.counts.elements + page.paragraphs.elements
      #expect(named.contains { $0.text?.hasPrefix(words) == true } == isNamed)
      #expect(isLetter || page.bars.elements.contains { $0.text == "2026.11.20: 1" })
    }
  }

  @Test func `A catalogue from which all loans have gone is named`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    try desk.folder.write("<books/>", to: "books.xml")
    let result = try await desk.run("--format", "html", "--output", "page.html", "books.xml")
    #expect(result.status == 65)
    let page = try await reading(desk)
    #expect(
      page.counts.elements.first?.text?.hasPrefix("books.xml: ") == true,
      "\(page.counts.elements.map(\.text))")
  }

  @Test func `A row is in time as its catalogue's clock has it`() async throws {
    let desk = try Desk(now: nil)
    try desk.folder.write(
      """
      time-zone = "Pacific/Pago_Pago"
      [[catalogue]]
      path = "books.xml"
      time-zone = "Pacific/Kiritimati"
      """, to: "config.toml")
    // The clocks of the two are always more than a day apart.
    let result = try await desk.shell(
      """
      day=$(TZ=Pacific/Kiritimati date +%Y.%m.%d)
      echo "<books><book><title>Near</title><expiration>$day</expiration></book></books>" >books.xml
      exec "$0" check --config config.toml --format html --state none
      """)
    try #require(result.status == 0, "\(result.errorText)")
    let row = result.lines.first { $0.hasSuffix("<th scope=row>Near") } ?? ""
    #expect(row.hasPrefix("<tr class=today>") && row.contains("<td class=when>today<"), "\(row)")
  }

  @Test func `A screen shows no borrower`() async throws {
    let desk = try Desk()
    _ = try await read(desk, "--screen", "--all")
    let text = desk.folder.contents(of: "page.html")
    #expect(text.contains("Abigél") && text.contains("<th scope=row>Tüskevár"))
    let catalogue = desk.folder.contents(of: "books.xml")
    let names = catalogue.matches(of: #/<(?:borrower|email)>(.*?)</#).map(\.output.1)
    #expect(names.count > 10)
    #expect(names.filter { text.contains($0) } == [])
    #expect(!text.contains("@example"))
  }

  @Test func `A file that is new is for its owner alone, and another keeps its permissions`()
    async throws
  {
    let desk = try Desk()
    _ = try await read(desk)
    #expect(try desk.folder.status(of: "page.html").mode & 0o777 == 0o600)
    try desk.folder.setPermissions(of: "page.html", 0o644)
    _ = try await read(desk)
    #expect(try desk.folder.status(of: "page.html").mode & 0o777 == 0o644)
    let lists = ["lists", "call", "--format", "csv"]
    for (arguments, isPrivate) in [
      (["check", "--format", "csv"], true), (lists, true),
      (["check"] + Self.html + ["--screen"], false),
    ] {
      try await desk.run(arguments + ["--output", "file", "books.xml"])
      #expect(try desk.folder.status(of: "file").mode & 0o777 == (isPrivate ? 0o600 : 0o644))
      try desk.folder.remove("file")
    }
  }

  @Test func `Readers of one name without e-mail have a letter each`() async throws {
    let books = [("One", "Fő utca 1"), ("Two", "Kis tér 9"), ("Three", "Fő utca 1")].map {
      """
      <book><title>\($0)</title><borrower>Anna</borrower><address>\($1)</address>
      <expiration>2026.11.20</expiration></book>
      """
    }
    let desk = try Desk(catalogue: "<books>\(books.joined())</books>")
    let page = try await read(desk, "--format", "letters")
    #expect(page.address.elements.map(\.text) == ["Anna Fő utca 1", "Anna Kis tér 9"])
  }

  @Test(arguments: [
    (["--screen"], "--screen is for the page of --format html; add that, or leave it out"),
    (
      ["--refresh", "60", "--format", "json"],
      "--refresh is for the page of --format html; add that, or leave it out"
    ),
    (
      html + ["--screen", "--group-by", "borrower"],
      "--screen leaves out who has the books, and --group-by borrower shows it; leave out one"
    ),
    (
      html + ["--screen", "--sort", "borrower"],
      "--screen leaves out who has the books, and --sort borrower shows it; leave out one"
    ),
    (
      ["--screen", "--format", "letters"],
      "--screen leaves out who has the books, and --format letters shows it; leave out one"
    ),
    (
      ["--format", "letters", "--group-by", "day"],
      "letters have no groups; leave out --group-by"
    ),
  ])
  func `What a page cannot be is refused`(options: [String], message: String) async throws {
    let result = try await Desk().run(["check"] + options + ["books.xml"])
    #expect(result.status == 64)
    #expect(result.errorLines.first == "check-loans: \(message)")
    #expect(result.text == "")
  }

  @Test func `With notices a page is printed too, and alone on standard output`() async throws {
    let desk = try Desk()
    let result = try await desk.run(
      "--format", "html", "--notify", "exec:/bin/true", "--dry-run", "books.xml")
    #expect(result.text.hasPrefix("<!DOCTYPE html>") && result.text.hasSuffix("</html>\n"))
  }

  // MARK: - Letters

  @Test func `Each borrower has a letter, in the language of the loan`() async throws {
    func book(_ title: String, _ borrower: String, _ more: String = "") -> String {
      """
      <book><title>\(title)</title><borrower>\(borrower)</borrower>\(more)
      <expiration>2026.11.20</expiration></book>
      """
    }
    let desk = try Desk(
      catalogue: """
        <books>\(book("One", "Zoe", "<email>zoe@example.org</email>"))
        \(book("Two", "Anna", "<language>hu</language><address>Fő u. 1, 1011 Budapest</address>"))
        \(book("Three", "Zoe", "<email>zoe@EXAMPLE.org</email><address>Kis tér 9</address>"))
        \(book("Four", "Zoe", "<email>other@example.org</email>"))
        <book><title>Nobody's</title><expiration>2026.11.20</expiration></book>
        \(book("Far", "Ben").replacing("11.20", with: "12.24"))</books>
        """)
    let page = try await read(desk, "--format", "letters")
    #expect(page.languages.elements.map(\.text) == ["en", "hu", "en", "en"])
    #expect(
      page.address.elements.map(\.text) == [
        "Anna Fő u. 1 1011 Budapest", "Zoe Kis tér 9", "Zoe other@example.org",
      ])
    #expect(
      page.headings.elements.map(\.text) == [
        "3 letters", "1 visszahozandó könyv, határidő: 2026. november 20.",
        "2 books to return, the first due 20 November 2026",
        "1 book to return, due 20 November 2026",
      ])
    #expect(
      page.counts.elements.map(\.text) == [
        "„Two” határideje 1 napja lejárt (2026. november 20.)",
        "“One” is 1 day overdue (due 20 November 2026)",
        "“Three” is 1 day overdue (due 20 November 2026)",
        "“Four” is 1 day overdue (due 20 November 2026)",
      ])
    #expect(
      page.paragraphs.elements.first?.text
        == "1 loan names no borrower, so there is no letter about it")
  }
}

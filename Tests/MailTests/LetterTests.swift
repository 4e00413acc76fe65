import Languages
import Loans
import TestSupport
import Testing

@testable import Mail

@Suite struct LetterTests {
  private let today: CivilDate

  init() throws { today = try sampleDay(21) }

  private func notice(
    _ title: String?, on day: Int = 22, author: String? = nil, to borrower: String? = "Kovács Anna",
    email: String? = "anna@example.org"
  ) throws -> Notice {
    let loan = Loan(
      title: title, author: author, borrower: borrower, email: email,
      expiration: try sampleDay(day))
    return Notice(rung: day < 21 ? 1 : -1, loan: loan, catalogue: "books.xml")
  }

  private func letter(_ notices: [Notice]) -> Letter {
    Letter(about: notices, in: .english, today: today, sender: "Városi Könyvtár")
  }

  /// Notices of every kind that a letter knows, in no order.
  private func various() throws -> [Notice] {
    var soon = try notice("Abigél", author: "Szabó Magda")
    soon.library = "the Central Library"
    soon.loan.renewable = true
    soon.loan.expirationTime = CivilTime(secondOfDay: 18 * 3_600)
    var closed = try notice("Tüskevár & <Co>", on: 29)
    closed.openDays = OpenDays(before: try sampleDay(27), after: try sampleDay(30))
    var expired = try notice("Egri csillagok", on: 14)
    expired.loan.renewable = false
    var untitled = try notice(nil, on: 20)
    untitled.loan.barcode = "39001"
    return [closed, soon, try notice("Toldi", on: 21), untitled, expired]
  }

  @Test func `A letter lists what is overdue, what is due today and what is due later`() throws {
    let letter = letter(try various())
    #expect(letter.subject == "5 books to return, the first due 14 November 2026")
    try expectGolden(letter.text, "letter.txt")
  }

  @Test func `A letter as HTML has the same words, escaped, and fetches nothing`() throws {
    let style = try StyleSheet("strong { color: navy }")
    let letter = Letter(
      about: try various(), in: .english, today: today, sender: "Városi Könyvtár",
      givesReason: true, unsubscribe: "https://example.org/stop?a=1&b=2")
    let html = letter.html(style: style)
    try expectGolden(html, "letter.html")
    #expect(html.ranges(of: "http").count == 1)
    #expect(letter.text.hasSuffix("\nStop these messages:\nhttps://example.org/stop?a=1&b=2\n"))
  }

  @Test func `A message with a letter is the same to the byte`() throws {
    let notices = try various()
    let letter = letter(notices)
    var message = try sampleMessage(subject: letter.subject, text: letter.text)
    message.id = MessageID(
      about: notices, to: "kate@example.org", on: today, domain: "example.org")
    message.html = letter.html()
    try expectGolden(message.contents, "letter.eml")
  }

  @Test func `One book is told of as one`() throws {
    let letter = letter([try notice("Abigél")])
    #expect(letter.subject == "1 book to return, due 22 November 2026")
    #expect(
      letter.text == """
        Dear Kovács Anna,

        This book is due soon:

        - “Abigél” is due tomorrow, 22 November 2026

        Kind regards,
        Városi Könyvtár

        """)
  }

  @Test(arguments: [
    (14, "is 7 days overdue (due 14 November 2026)"),
    (20, "is 1 day overdue (due 20 November 2026)"), (21, "is due today, 21 November 2026"),
    (22, "is due tomorrow, 22 November 2026"), (28, "is due in 7 days, on 28 November 2026"),
  ])
  func `A letter says when a book is due`(day: Int, words: String) throws {
    #expect(letter([try notice("Abigél", on: day)]).text.contains("- “Abigél” \(words)\n"))
  }

  @Test(arguments: [
    (27, 30, "The library is closed that day; please return it by Friday, 27 November 2026."),
    (20, 22, "The library opens again on Sunday, 22 November 2026."),
    (18, 21, "The library was closed that day and opened again on Saturday, 21 November 2026."),
  ])
  func `A letter says what to do about a day on which the library is closed`(
    before: Int, after: Int, words: String
  ) throws {
    var notice = try notice("Abigél", on: before + 1)
    notice.openDays = OpenDays(before: try sampleDay(before), after: try sampleDay(after))
    #expect(letter([notice]).text.contains("\n  \(words)\n"))
  }

  @Test(arguments: [
    (LoanStatus.lost, "It is recorded as lost."),
    (.claimedReturned, "The library has been told that it is back."),
    (.recalled, "It was recalled: another reader is waiting for it."),
  ])
  func `A letter says what is known of a book`(status: LoanStatus, words: String) throws {
    var notice = try notice("Abigél")
    notice.loan.status = status
    #expect(letter([notice]).text.contains("\n  \(words)\n"))
  }

  @Test func `Fifty books are listed, the others counted`() throws {
    let notices = try (1...63).map { try notice("Book \($0)", on: $0 <= 20 ? 14 : 22) }
    let text = letter(notices).text
    #expect(text.ranges(of: "\n- ").count == 50)
    #expect(text.contains("These 43 books are due soon:"))
    #expect(text.contains("\nand 13 more books\n"))
    #expect(!letter(Array(notices.prefix(50))).text.contains("more"))
    #expect(letter(Array(notices.prefix(51))).text.contains("\nand 1 more book\n"))
  }

  @Test func `Several borrowers at one address each have their part`() throws {
    let text = letter([
      try notice("Toldi", on: 23, to: "Kovács Béla"), try notice("Abigél"),
      try notice("Egri csillagok", on: 14, to: "Kovács Béla"),
    ]).text
    #expect(
      text == """
        Dear reader,

        Kovács Béla

        This book is overdue. Please return it:

        - “Egri csillagok” is 7 days overdue (due 14 November 2026)

        This book is due soon:

        - “Toldi” is due in 2 days, on 23 November 2026

        Kovács Anna

        This book is due soon:

        - “Abigél” is due tomorrow, 22 November 2026

        Kind regards,
        Városi Könyvtár

        """)
  }

  @Test func `A borrower without a name has a part as well`() throws {
    let text = letter([
      try notice("Toldi", to: nil), try notice("Abigél", on: 14), try notice("Ábel", on: 15),
    ]).text
    #expect(
      text == """
        Dear reader,

        Kovács Anna

        These 2 books are overdue. Please return them:

        - “Abigél” is 7 days overdue (due 14 November 2026)
        - “Ábel” is 6 days overdue (due 15 November 2026)

        Borrower without a name

        This book is due soon:

        - “Toldi” is due tomorrow, 22 November 2026

        Kind regards,
        Városi Könyvtár

        """)
  }

  @Test func `A letter to nobody known is to any reader`() throws {
    #expect(letter([try notice("Abigél", to: nil)]).text.hasPrefix("Dear reader,\n"))
  }

  @Test func `Books of which nothing may be told are counted`() throws {
    let notices = try (22...24).map { try notice("Abigél", on: $0, author: "Szabó Magda") }
    let text = letter(notices.map { $0.hidingTitles(.none) }).text
    #expect(text.contains("\n- 3 books, the first due 22 November 2026\n"))
    #expect(text.ranges(of: "\n- ").count == 1)
    #expect(!text.contains("Abigél") && !text.contains("Szabó"))
    let one = letter([notices[0].hidingTitles(.none)]).text
    #expect(one.contains("\n- 1 book, due 22 November 2026\n"))
    var numbered = notices[0].hidingTitles(.none)
    numbered.loan.barcode = "39001"
    #expect(letter([numbered]).text.contains("\n- Book 39001 is due tomorrow, 22 November 2026\n"))
    let initials = letter([notices[0].hidingTitles(.initials)]).text
    #expect(initials.contains("\n- “A.” is due tomorrow, 22 November 2026\n  S. M.\n"))
  }

  @Test func `The library is told who could not be written to, and why`() throws {
    let letter = Letter(
      toDeskAbout: [
        try notice("Abigél"), try notice("Toldi", on: 23, to: "Nagy Pál", email: nil),
        try notice("Kőszívű", on: 14, to: "Kis Éva", email: "eva(at)example.org"),
        try notice("Tüskevár", on: 24, to: nil, email: nil), try notice("Ábel", on: 14),
      ], in: .english, today: today, sender: "Városi Könyvtár")
    #expect(letter.subject == "Reminders for 4 borrowers without a usable address")
    #expect(
      letter.text == """
        These borrowers could not be reached by e-mail. Please let them know in another way.

        Kis Éva

        The address eva(at)example.org is not valid.

        - “Kőszívű” is 7 days overdue (due 14 November 2026)

        Kovács Anna

        Nothing is sent to the address anna@example.org.

        - “Ábel” is 7 days overdue (due 14 November 2026)

        - “Abigél” is due tomorrow, 22 November 2026

        Nagy Pál

        The catalogue has no e-mail address.

        - “Toldi” is due in 2 days, on 23 November 2026

        Borrower without a name

        The catalogue has no e-mail address.

        - “Tüskevár” is due in 3 days, on 24 November 2026

        """)
  }

  @Test func `The library is told who the only one is`() throws {
    let letter = Letter(
      toDeskAbout: [try notice("Abigél"), try notice("Toldi")], in: .english, today: today,
      sender: "Városi Könyvtár")
    #expect(letter.text.hasPrefix("This borrower could not be reached by e-mail. "))
  }

  @Test func `The library is told the readers' telephone numbers, and no reader is`() throws {
    var notices = [try notice("Abigél"), try notice("Toldi"), try notice("Ábel")]
    notices[0].loan.phone = "+36 1 555 0123"
    notices[1].loan.phone = "+36 1 555 0123"
    notices[2].loan.phone = "30/1\u{1B}2"
    let desk = Letter(toDeskAbout: notices, in: .english, today: today, sender: "Desk")
    #expect(desk.text.contains("\n\nKovács Anna, +36 1 555 0123, 30/1\\u{1b}2\n\n"))
    #expect(!letter(notices).text.contains("555"))
    notices[2].loan.borrower = "Nagy Pál"
    #expect(!letter(notices).text.contains("555"), "nor a family")
  }

  @Test func `The library is told of all readers, however many`() throws {
    let notices = try (1...70).map { try notice("Book \($0)", to: "Reader \($0)") }
    let desk = Letter(toDeskAbout: notices, in: .english, today: today, sender: "Desk")
    for number in 1...70 { #expect(desk.text.contains("\n\nReader \(number)\n\n")) }
    #expect(!desk.text.contains("more book"))
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "\r\nBcc: evil@example.org", "\u{202E}kcab", "a\nb", "{borrower}",
    "{count} {date}", "&amp;", "'\"", String(repeating: "long ", count: 500),
  ])
  func `No text from the catalogue is more than text`(text: String) throws {
    var notice = try notice(text, author: text, to: text, email: text)
    notice.library = text
    notice.loan.barcode = text
    let letters = [
      letter([notice]),
      Letter(toDeskAbout: [notice], in: .english, today: today, sender: "Desk"),
    ]
    for letter in letters {
      let shown = text.shortened(to: 100).visible
      #expect(letter.text.contains("  \(shown)\n"), "the author is text")
      let title = text.shortened(to: 200).visible
      #expect(letter.text.contains("\n- “\(title)” is due tomorrow, 22 November 2026\n"))
      #expect(!letter.subject.contains(shown))
      let html = letter.html()
      #expect(html.contains("<br>\n\(shown.escapedAsMarkup)"))
      #expect(!html.contains("<script") && !html.contains("\r") && !html.contains("\u{202E}"))
      #expect(letter.text.utf8.count < 2_000)
    }
  }

  /// Fails unless the text is that of a file.
  private func expectGolden(_ text: String, _ name: String) throws {
    let expected = try File.text(of: "\(ownFolder)/Golden/\(name)")
    #expect(text == expected, "\(name)")
  }
}

@Suite struct StyleSheetTests {
  @Test func `Rules are taken as they are`() throws {
    let rules = "body { color: #222; background: white }\n@media print { h2 { page: x } }\n"
    #expect(try StyleSheet(rules).text == rules)
    #expect(throws: Never.self) { try StyleSheet(String(repeating: " ", count: 20_000)) }
  }

  @Test(arguments: [
    ("a { background: URL(x) }", "contains url("), ("@Import 'x'", "contains @import"),
    ("</style><script>", "contains <"), ("a { background: \\75rl(x) }", "contains \\"),
    ("a { background: image-set('x' 1x) }", "contains image-set("),
    (String(repeating: " ", count: 20_001), "is longer than 20 kB"),
  ])
  func `Rules that fetch something or end their element are refused`(
    rules: String, words: String
  ) throws {
    let fault = try #require(throws: StyleFault.self) { try StyleSheet(rules) }
    #expect(fault.description.hasPrefix(words))
  }
}

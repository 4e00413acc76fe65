import Languages
import Loans
import Testing

private let today = CivilDate(year: 2026, month: 11, day: 21) ?? .first

private func loan(_ days: Int, _ change: (inout Loan) -> Void = { _ in }) -> Loan {
  var loan = Loan(title: "Abigél", expiration: today.adding(days: days))
  change(&loan)
  return loan
}

struct LoanWordsTests {
  @Test(arguments: [
    (-2, "expired 2 days ago"), (-1, "expired yesterday"), (0, "expires today"),
    (1, "expires tomorrow"), (2, "expires in 2 days"),
  ])
  func `The days around today have words of their own`(days: Int, words: String) {
    #expect(loan(days).sentence("It", for: .report, today: today) == "It \(words)")
  }

  @Test(arguments: [
    (-2, "is 2 days overdue", " (due 19 November 2026)"),
    (-1, "is 1 day overdue", " (due 20 November 2026)"),
    (0, "is due today", ", 21 November 2026"), (1, "is due tomorrow", ", 22 November 2026"),
    (2, "is due in 2 days", ", on 23 November 2026"),
  ])
  func `A borrower is told that a book is due or overdue`(days: Int, words: String, date: String) {
    let loan = loan(days)
    #expect(loan.sentence("It", for: .message, today: today) == "It \(words)")
    let dated = loan.sentence("It", for: .message, today: today, isDated: true)
    #expect(dated == "It \(words)\(date)")
  }

  @Test func `All other days are counted`() {
    for days in 2...400 {
      let (soon, late) = (loan(days), loan(-days))
      #expect(soon.sentence("It", for: .report, today: today) == "It expires in \(days) days")
      #expect(late.sentence("It", for: .report, today: today) == "It expired \(days) days ago")
      #expect(soon.sentence("It", for: .message, today: today) == "It is due in \(days) days")
      #expect(late.sentence("It", for: .message, today: today) == "It is \(days) days overdue")
    }
  }

  @Test func `Days left are positive before the expiration and negative behind it`() {
    for days in -400...400 { #expect(loan(days).daysLeft(today: today) == days) }
  }

  @Test func `The farthest dates are counted too`() {
    let first = Loan(expiration: .first)
    let last = Loan(expiration: .last)
    let days = 3_652_058
    #expect(first.sentence("It", for: .report, today: .last) == "It expired \(days) days ago")
    #expect(last.sentence("It", for: .report, today: .first) == "It expires in \(days) days")
  }

  @Test func `A line tells label, fate and date`() {
    #expect(loan(1).line(today: today) == "\"Abigél\" expires tomorrow (2026.11.22)")
    #expect(loan(0).line(today: today) == "\"Abigél\" expires today (2026.11.21)")
    #expect(loan(-7).line(today: today) == "\"Abigél\" expired 7 days ago (2026.11.14)")
  }

  @Test func `A line tells author and borrower where known`() {
    let author = loan(1) { $0.author = "Szabó Magda" }
    #expect(
      author.line(today: today) == "\"Abigél\" expires tomorrow (2026.11.22), by Szabó Magda")
    let borrower = loan(1) { $0.borrower = "Kovács Anna" }
    #expect(
      borrower.line(today: today)
        == "\"Abigél\" expires tomorrow (2026.11.22), lent to Kovács Anna")
    let both = loan(1) {
      $0.author = "Szabó Magda"
      $0.borrower = "Kovács Anna"
    }
    #expect(
      both.line(today: today)
        == "\"Abigél\" expires tomorrow (2026.11.22), by Szabó Magda, lent to Kovács Anna")
  }

  @Test func `A line ends with the library where it has a name`() {
    let lent = loan(1) { $0.borrower = "Halmos Benedek" }
    let notice = Notice(
      rung: -1, loan: lent, catalogue: "books.xml", library: "the Central Library")
    let line = "\"Abigél\" expires tomorrow (2026.11.22), lent to Halmos Benedek"
    #expect(notice.line(today: today) == "\(line), at the Central Library")
    #expect(lent.line(today: today, library: "the Central Library") == notice.line(today: today))
    #expect(lent.line(today: today) == line)
  }

  @Test func `A loan's own library goes before the catalogue's`() {
    let lent = loan(1) { $0.library = "the \u{1B} Branch" }
    let notice = Notice(rung: -1, loan: lent, catalogue: "books.xml", library: "the Library")
    #expect(
      notice.line(today: today)
        == "\"Abigél\" expires tomorrow (2026.11.22), at the \\u{1b} Branch")
    #expect(notice.library == "the \u{1B} Branch")
  }

  @Test(arguments: [
    (true, ", at the Library, can be renewed"),
    (false, ", at the Library, cannot be renewed again"),
    (nil, ", at the Library"),
  ])
  func `A line says last whether the loan can be renewed`(renewable: Bool?, end: String) {
    let lent = loan(1) { $0.renewable = renewable }
    #expect(
      lent.line(today: today, library: "the Library")
        == "\"Abigél\" expires tomorrow (2026.11.22)\(end)")
  }

  @Test(arguments: Notice.Kind.allCases)
  func `A notice's line comes from the dates, not from its kind`(kind: Notice.Kind) {
    let notice = Notice(rung: kind == .expired ? 1 : -1, loan: loan(-1), catalogue: "books.xml")
    #expect(notice.line(today: today) == "\"Abigél\" expired yesterday (2026.11.20)")
  }

  @Test func `A line is one line and harmless whatever the catalogue says`() {
    let hostile = loan(1) {
      $0.title = "A\u{1B}[31m\nB"
      $0.author = "C\u{202E}D"
      $0.borrower = "E\u{85}F"
    }
    #expect(
      hostile.line(today: today, library: "G\n\u{9B}##[H") == """
        "A\\u{1b}[31m\\u{a}B" expires tomorrow (2026.11.22), by C\\u{202e}D, lent to E\\u{85}F, \
        at G\\u{a}\\u{9b}#\\u{23}[H
        """)
  }
}

/// The lines that borrowers are sent.
struct BookLineTests {
  private func line(
    _ loan: Loan, _ openDays: OpenDays? = nil, for medium: Medium = .message
  ) -> String {
    Notice(rung: -1, loan: loan, catalogue: "-", library: "the Library", openDays: openDays)
      .line(for: medium, today: today)
  }

  @Test func `A line names the author after the title, then borrower and library`() {
    let lent = loan(1) { ($0.author, $0.borrower) = ("Szabó Magda", "Kovács Anna") }
    let rest = ", lent to Kovács Anna, at the Library"
    #expect(line(lent) == "“Abigél” by Szabó Magda is due tomorrow, 22 November 2026\(rest)")
    #expect(
      line(lent, for: .calendar) == "“Abigél” by Szabó Magda is due on 22 November 2026\(rest)")
  }

  @Test(arguments: [Medium.message, .calendar])
  func `A line says that a book is overdue`(medium: Medium) {
    #expect(
      line(loan(-7), for: medium)
        == "“Abigél” is 7 days overdue (due 14 November 2026), at the Library")
  }

  @Test func `A line tells the time where the catalogue has one`() {
    let timed = loan(0) { $0.expirationTime = CivilTime(secondOfDay: 18 * 3_600) }
    let when = "21 November 2026 at 18:00, at the Library"
    #expect(line(timed) == "“Abigél” is due today, \(when)")
    #expect(line(timed, for: .calendar) == "“Abigél” is due on \(when)")
  }

  @Test(arguments: [(true, ", can be renewed"), (false, ", cannot be renewed"), (nil, "")])
  func `A line says last whether the book can be renewed`(renewable: Bool?, end: String) {
    let lent = loan(1) { $0.renewable = renewable }
    #expect(line(lent).hasSuffix("2026, at the Library\(end)"))
  }

  @Test func `A line says when to return a book that is due on a closed day`() {
    let days = OpenDays(before: today, after: today.adding(days: 2))
    #expect(
      line(loan(1), days).hasSuffix(
        "; the library is closed that day, so return it by Saturday (21 November 2026)"))
  }
}

struct LoanLabelTests {
  @Test(arguments: [
    (Loan(id: "bk1", title: "Abigél", barcode: "3004", expiration: today), "\"Abigél\""),
    (Loan(id: "bk1", barcode: "3004", expiration: today), "(untitled, id bk1)"),
    (Loan(id: "bk1", title: "", expiration: today), "(untitled, id bk1)"),
    (Loan(barcode: "3004", expiration: today), "(untitled, barcode 3004)"),
    (Loan(author: "Szabó Magda", expiration: today), "(untitled)"),
    (Loan(id: "b\u{7}k", expiration: today), "(untitled, id b\\u{7}k)"),
    (Loan(barcode: "3\u{9B}4", expiration: today), "(untitled, barcode 3\\u{9b}4)"),
    (Loan(title: "\u{200B}", expiration: today), "\"\\u{200b}\""),
  ])
  func `A loan is called by its title, else by its id or barcode`(loan: Loan, label: String) {
    #expect(loan.label() == label)
  }

  @Test(arguments: [
    (Loan(id: "bk1", title: "Abigél", barcode: "3004", expiration: today), "“Abigél”"),
    (Loan(id: "bk1", title: "", barcode: "3004", expiration: today), "Book 3004"),
    (Loan(id: "bk1", expiration: today), "Book bk1"), (Loan(expiration: today), "A book"),
    (Loan(barcode: "3\u{9B}4", expiration: today), "Book 3\\u{9b}4"),
  ])
  func `A book is called by its title, else by what is on it`(loan: Loan, label: String) {
    #expect(loan.label(for: .message) == label)
  }
}

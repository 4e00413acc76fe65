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
    #expect(loan(days).dueSentence("It", today: today) == "It \(words)")
  }

  @Test func `All other days are counted`() {
    for days in 2...400 {
      #expect(loan(days).dueSentence("It", today: today) == "It expires in \(days) days")
      #expect(loan(-days).dueSentence("It", today: today) == "It expired \(days) days ago")
    }
  }

  @Test func `Days left are positive before the expiration and negative behind it`() {
    for days in -400...400 { #expect(loan(days).daysLeft(today: today) == days) }
  }

  @Test func `The farthest dates are counted too`() {
    let first = Loan(expiration: .first)
    let last = Loan(expiration: .last)
    #expect(first.dueSentence("It", today: .last) == "It expired 3652058 days ago")
    #expect(last.dueSentence("It", today: .first) == "It expires in 3652058 days")
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
}

import Loans
import Testing

@Suite struct TitleDetailTests {
  private func notice(_ title: String?) throws -> Notice {
    let loan = Loan(
      id: "bk1", title: title, author: "Molnár Ferenc", isbn: "9789631190014", barcode: "39001",
      borrower: "Nemecsek Ernő", expiration: try #require(CivilDate(year: 2026, month: 11, day: 22))
    )
    return Notice(rung: -1, loan: loan, catalogue: "books.xml")
  }

  @Test func `Everything may be told of a book`() throws {
    let notice = try notice("A Pál utcai fiúk")
    #expect(notice.hidingTitles(.full) == notice)
  }

  @Test func `Only first letters may be told of a book`() throws {
    let loan = try notice("A Pál utcai fiúk").hidingTitles(.initials).loan
    #expect(loan.title == "A. P. U. F.")
    #expect(loan.author == "M. F.")
    #expect(loan.isbn == nil)
    #expect(loan.barcode == "39001")
  }

  @Test(arguments: [
    ("1984", "1."), ("„Szeretlek!” – mondta", "S. M."), ("战争与和平", "战."), ("ß", "SS."),
    ("— … —", nil as String?), ("", nil),
    (
      String(repeating: "x ", count: 30),
      [String](repeating: "X.", count: 20).joined(separator: " ")
    ),
  ])
  func `A first letter is a letter or a digit`(title: String, initials: String?) throws {
    #expect(try notice(title).hidingTitles(.initials).loan.title == initials)
  }

  @Test func `Nothing may be told of a book but its numbers`() throws {
    let hidden = try notice("A Pál utcai fiúk").hidingTitles(.none)
    #expect(hidden.loan.title == nil)
    #expect(hidden.loan.author == nil)
    #expect(hidden.loan.id == "bk1")
    #expect(hidden.loan.barcode == "39001")
    #expect(hidden.loan.isbn == nil)
  }
}

import Loans
import ReminderSchedule
import Testing

/// Whom a notice is for.
struct PersonTests {
  private func number(_ name: String) -> Int64 {
    Person.number(of: Loan(borrower: name, expiration: .last))
  }

  @Test(arguments: ["anna bel", "ANNA BEL", " Anna  Bel ", "Anna   Bel"])
  func `Case and more space make no other person`(name: String) {
    #expect(number(name) == number("Anna Bel"))
  }

  @Test(arguments: ["Ann Abel", "AnnaBel", "Anna Béla", "Bel Anna"])
  func `Where words end makes one`(name: String) {
    #expect(number(name) != number("Anna Bel"))
  }
}

import Loans
import Testing

struct LoanStatusTests {
  @Test(arguments: [
    ("lost", LoanStatus.lost), ("LOST", .lost), ("Lost--System Applied", .lost),
    ("Declared lost", .lost), ("LOST_LOAN", .lost), ("Lost and Paid", .lost),
    ("claimed-returned", .claimedReturned), ("CLAIM_RETURNED_LOAN", .claimedReturned),
    ("CLAIMSRETURNED", .claimedReturned), ("Lost, claims returned", .claimedReturned),
    ("recalled", .recalled), ("RECALL", .recalled), ("Recall Request", .recalled),
    ("", nil), ("Charged", nil), ("NORMAL", nil), ("Long Overdue", nil), ("On Loan", nil),
  ])
  func `The words of library systems mean a status`(words: String, status: LoanStatus?) {
    #expect(LoanStatus(words: words.utf8.span) == status)
  }

  @Test func `Nothing is sent about what is lost or claimed returned`() {
    #expect(LoanStatus.allCases.filter(\.isWithheld) == [.lost, .claimedReturned])
  }
}

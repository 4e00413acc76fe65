import Loans
import TestSupport
import Testing

@Suite struct `A packed loan` {
  private let day = CivilDate.first

  private static let loans: [(Loan, String)] = {
    let first = CivilDate.first
    let time = CivilTime(secondOfDay: 45_000)
    return [
      (Loan(expiration: first), "x"),
      (Loan(id: "bk1", expiration: first), "id bk1"),
      (Loan(id: "bk1", expiration: first, expirationTime: time), "id bk1\n#2"),
      (Loan(id: "", title: "", author: nil, email: "", expiration: first), ""),
      (Loan(barcode: "3001", expiration: first), "barcode 3001"),
      (Loan(id: "bk1", barcode: "3001", expiration: first), "barcode 3001"),
      (
        Loan(
          id: "1", title: String(repeating: "é", count: 300), author: "Molnár Ferenc",
          isbn: "9789631193619", barcode: "b", borrower: String(repeating: "x", count: 127),
          email: String(repeating: "y", count: 126), expiration: first, expirationTime: .midnight),
        "isbn 9789631193619\ntitle é"
      ),
    ]
  }()

  @Test(arguments: loans) func `It is what it was`(loan: Loan, identity: String) throws {
    var bytes: [UInt8] = [7]
    PackedLoan.append(loan, LoanIdentity(identity, of: loan), to: &bytes)
    let found = try #require(PackedLoan.unpack(bytes[1...], expiration: day))
    #expect(found.loan == loan)
    #expect(found.identity == identity)
  }

  @Test(arguments: loans)
  func `A part of one, or more than one, is none`(loan: Loan, identity: String) {
    var bytes: [UInt8] = []
    PackedLoan.append(loan, LoanIdentity(identity, of: loan), to: &bytes)
    for count in 0..<bytes.count {
      #expect(PackedLoan.unpack(bytes[..<count], expiration: day) == nil)
    }
    #expect(PackedLoan.unpack((bytes + [0])[...], expiration: day) == nil)
  }

  @Test func `Anything else is one or none, and never a crash`() {
    var dice = Dice(state: 5)
    var found = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &dice)).map { _ in
        UInt8.random(in: 0...(Bool.random(using: &dice) ? 6 : 255), using: &dice)
      }
      if PackedLoan.unpack(bytes[...], expiration: day) != nil { found += 1 }
    }
    #expect(found > 0)
  }
}

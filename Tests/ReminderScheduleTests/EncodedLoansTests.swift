import Loans
import Testing

@testable import ReminderSchedule

struct EncodedLoansTests {
  @Test func `Each loan has its own, whichever are around it`() {
    let titles = ["A", "B", nil, "A"]
    let loans = titles.map { title in
      title.map { Loan(title: $0, borrower: $0, expiration: day("2026-12-01")) }
    }
    let encoded = EncodedLoans(4) { loans[$0] }
    #expect(encoded.person(of: 1) == Person.number(of: Loan(borrower: "b", expiration: .last)))
    let texts = (0..<4).map { number in
      var bytes: [UInt8] = []
      encoded.appendTexts(of: number, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(texts[1] == #"[null,"B",null,null,null,"B"]"#)
    #expect(texts[2] == "")
  }
}

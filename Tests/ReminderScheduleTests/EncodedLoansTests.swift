import Loans
import Testing

@testable import ReminderSchedule

/// The hash by which a loan is known not to have changed.
struct EncodedLoansTests {
  private let loan = Loan(
    id: "a", title: "x", author: "x", isbn: "x", barcode: "x", borrower: "x", email: "x",
    language: "x", category: "x", type: "x", library: "x", phone: "x",
    expiration: day("2026-12-01"))

  private func hash(_ change: (inout Loan) -> Void = { _ in }) -> UInt64 {
    var loan = loan
    change(&loan)
    return EncodedLoans(1) { _ in loan }.hash(of: 0)
  }

  @Test func `Every field that is kept changes the hash, and so does its absence`() {
    let fields: [WritableKeyPath<Loan, String?>] = [
      \.id, \.title, \.author, \.isbn, \.barcode, \.borrower, \.email, \.language, \.category, \.type,
      \.library, \.phone,
    ]
    var hashes = [hash()]
    for field in fields {
      hashes.append(hash { $0[keyPath: field] = "y" })
      hashes.append(hash { $0[keyPath: field] = nil })
    }
    hashes.append(hash { $0.renewable = true })
    hashes.append(hash { $0.renewable = false })
    hashes.append(hash { $0.status = .recalled })
    hashes.append(hash { $0.expirationTime = moment("2026-12-01T18:00").time })
    hashes.append(hash { ($0.title, $0.author) = ("xx", nil) })
    hashes.append(hash { ($0.title, $0.author) = (nil, "xx") })
    #expect(Set(hashes).count == hashes.count)
  }

  @Test func `What is not kept changes nothing, nor does the day, of which the schedule has its own`() {
    let others = [
      hash { $0.address = "y" }, hash { $0.callNumber = "y" }, hash { $0.loaned = day("2026-11-01") },
      hash { $0.expiration = day("2026-12-02") },
    ]
    #expect(others.allSatisfy { $0 == hash() })
  }

  @Test func `Each loan has its own, whichever are around it`() {
    let titles = ["A", "B", nil, "A"]
    let loans = titles.map { title in
      title.map { Loan(title: $0, borrower: $0, expiration: day("2026-12-01")) }
    }
    let encoded = EncodedLoans(4) { loans[$0] }
    #expect(encoded.hash(of: 0) == encoded.hash(of: 3))
    #expect(encoded.hash(of: 0) != encoded.hash(of: 1))
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

import LoanRules
import Loans
import Testing

struct ISBNRuleTests {
  private func judge(_ text: String) -> String? {
    let finding = ISBNRule.judge(Array(text.utf8).span)
    if let finding { #expect(finding.code == .invalidISBN) }
    return finding?.message
  }

  @Test(arguments: [
    "9789631193619", "978-963-11-9361-9", "978 963 11 9361 9", "0306406152", "0-306-40615-2",
    "080442957X", "0-8044-2957-x", "979-10-90636-07-1", "9780306406157 (fűzött)",
    "080442957X(pbk.)",
  ])
  func `A right one is none`(text: String) {
    #expect(judge(text) == nil)
  }

  @Test func `Only one check digit fits`() {
    for digit in 0...9 {
      #expect((judge("978963119361\(digit)") == nil) == (digit == 9))
      #expect((judge("030640615\(digit)") == nil) == (digit == 2))
    }
    #expect(judge("030640615X") != nil)
  }

  @Test func `Every digit counts, and so does every swap of two unlike neighbours`() {
    let right = Array("0306406152")
    for index in right.indices {
      for digit in "0123456789" where digit != right[index] {
        var text = right
        text[index] = digit
        #expect(judge(String(text)) != nil)
      }
      guard index > 0, right[index] != right[index - 1] else { continue }
      var text = right
      text.swapAt(index, index - 1)
      #expect(judge(String(text)) != nil)
    }
  }

  @Test(arguments: [
    (
      "9789631193618",
      "has the check digit 8 where 9 would fit the others; compare it with the book"
    ),
    ("0804429571", "has the check digit 1 where X would fit the others; compare it with the book"),
    ("030640615X", "has the check digit X where 2 would fit the others; compare it with the book"),
    ("978963119361", "has 12 digits instead of 10 or 13; \(write)"),
    ("97896311936190", "has 14 digits instead of 10 or 13; \(write)"),
    ("-", "has 0 digits instead of 10 or 13; \(write)"),
    ("9779631193610", "does not begin with 978 or 979; \(write)"),
    ("ISBN 9789631193619", "has characters other than digits and hyphens; \(write)"),
    ("X306406152", "has characters other than digits and hyphens; \(write)"),
    ("９７８９６３１１９３６１９", "has characters other than digits and hyphens; \(write)"),
  ])
  func `A wrong one is told with what to do`(text: String, words: String) {
    #expect(judge(text) == "ISBN \"\(text)\" \(words)")
  }

  private static let write = "write the ISBN as it is in the book, or remove it"
}

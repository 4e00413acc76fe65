public import Loans

/// Checks an ISBN (ISO 2108): its length, its characters and its check digit.
public enum ISBNRule {
  /// A finding about an ISBN, or `nil`.
  ///
  /// Hyphens and spaces are passed over, and so is what cataloguers write after the number in
  /// parentheses.
  ///
  /// - Parameter text: UTF-8, not empty.
  public static func judge(_ text: Span<UInt8>) -> Finding? {
    var digits: [Int] = []
    digits.reserveCapacity(13)
    reading: for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "("): break reading
      case UInt8(ascii: "-"), UInt8(ascii: " "): continue
      case UInt8(ascii: "X"), UInt8(ascii: "x"): digits.append(10)
      case let byte where (0x30...0x39).contains(byte): digits.append(Int(byte - UInt8(ascii: "0")))
      default: digits.append(.max)
      }
    }
    guard let fault = fault(digits) else { return nil }
    let quoted = String(decoding: [UInt8](copying: text), as: UTF8.self).quoted()
    return Finding(.invalidISBN, "ISBN \(quoted) \(fault)")
  }

  private static func fault(_ digits: [Int]) -> String? {
    let advice = "write the ISBN as it is in the book, or remove it"
    for (index, digit) in digits.enumerated() where digit > 9 {
      // The last digit of ten may be an X.
      if digit == 10 && index == 9 && digits.count == 10 { continue }
      return "has characters other than digits and hyphens; \(advice)"
    }
    let expected: Int
    switch digits.count {
    case 10:
      let sum = digits.dropLast().enumerated().reduce(0) { $0 + $1.element * (10 - $1.offset) }
      expected = (11 - sum % 11) % 11
    case 13 where digits[0] == 9 && digits[1] == 7 && digits[2] >= 8:
      let sum = digits.dropLast().enumerated().reduce(0) {
        $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3)
      }
      expected = (10 - sum % 10) % 10
    case 13: return "does not begin with 978 or 979; \(advice)"
    case let count: return "has \(count) digits instead of 10 or 13; \(advice)"
    }
    guard let found = digits.last, found != expected else { return nil }
    let (wrong, right) = (found == 10 ? "X" : "\(found)", expected == 10 ? "X" : "\(expected)")
    return """
      has the check digit \(wrong) where \(right) would fit the others; compare it with the book
      """
  }
}

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
    if isRightAsItIs(text) { return nil }
    var number = Number()
    reading: for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "("): break reading
      case UInt8(ascii: "-"), UInt8(ascii: " "): continue
      case let byte: number.add(byte)
      }
    }
    guard let fault = number.fault else { return nil }
    let quoted = String(decoding: [UInt8](copying: text), as: UTF8.self).quoted()
    return Finding(.invalidISBN, "ISBN \(quoted) \(fault)")
  }

  /// Whether the text is thirteen digits that fit, as most are.
  private static func isRightAsItIs(_ text: Span<UInt8>) -> Bool {
    guard text.count == 13, text[0] == UInt8(ascii: "9"), text[1] == UInt8(ascii: "7"),
      text[2] >= UInt8(ascii: "8")
    else { return false }
    var (sum, weight) = (0, 1)
    for index in 0..<13 {
      let digit = text[index] &- UInt8(ascii: "0")
      if digit > 9 { return false }
      sum &+= Int(digit) &* weight
      weight = 4 &- weight
    }
    return sum % 10 == 0
  }
}

/// The digits of an ISBN, an X as 10.
private struct Number {
  private var digits = InlineArray<13, Int>(repeating: 0)
  private var count = 0
  private var hasOthers = false

  mutating func add(_ byte: UInt8) {
    let digit: Int
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "X") where count == 9, UInt8(ascii: "x") where count == 9: digit = 10
    default:
      digit = 0
      hasOthers = true
    }
    if count < digits.count { digits[count] = digit }
    count += 1
  }

  /// The reason why the number is not an ISBN; `nil` if it is one.
  var fault: String? {
    let advice = "write the ISBN as it is in the book, or remove it"
    // The tenth of thirteen cannot be an X.
    if hasOthers || digits[9] == 10 && count != 10 {
      return "has characters other than digits and hyphens; \(advice)"
    }
    let expected: Int
    switch count {
    case 10:
      expected = (11 - (0..<9).reduce(0) { $0 + digits[$1] * (10 - $1) } % 11) % 11
    case 13 where digits[0] == 9 && digits[1] == 7 && digits[2] >= 8:
      expected = (10 - (0..<12).reduce(0) { $0 + digits[$1] * ($1 % 2 == 0 ? 1 : 3) } % 10) % 10
    case 13: return "does not begin with 978 or 979; \(advice)"
    case let count: return "has \(count) digits instead of 10 or 13; \(advice)"
    }
    let found = digits[count - 1]
    if found == expected { return nil }
    let (wrong, right) = (found == 10 ? "X" : "\(found)", expected == 10 ? "X" : "\(expected)")
    return """
      has the check digit \(wrong) where \(right) would fit the others; compare it with the book
      """
  }
}

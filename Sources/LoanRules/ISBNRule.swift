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
    if isPlain(text) { return nil }
    var number = Number()
    for index in text.indices {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "("): return number.fault(text)
      case UInt8(ascii: "-"), UInt8(ascii: " "): continue
      default: number.append(byte)
      }
    }
    return number.fault(text)
  }

  /// Whether the ISBN is as nearly all are: thirteen digits that are right.
  private static func isPlain(_ text: Span<UInt8>) -> Bool {
    guard text.count == 13, text[0] == UInt8(ascii: "9"), text[1] == UInt8(ascii: "7"),
      text[2] == UInt8(ascii: "8") || text[2] == UInt8(ascii: "9")
    else { return false }
    var sum = 0
    for index in 0..<13 {
      let digit = Int(text[index] &- UInt8(ascii: "0"))
      guard digit < 10 else { return false }
      sum += index & 1 == 0 ? digit : digit * 3
    }
    return sum % 10 == 0
  }

  /// The digits of an ISBN, as far as they have been read.
  private struct Number {
    private var digits = InlineArray<13, UInt8>(repeating: 0)
    private var count = 0
    private var hasOther = false

    mutating func append(_ byte: UInt8) {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): append(digit: byte - UInt8(ascii: "0"))
      case UInt8(ascii: "X"), UInt8(ascii: "x"):
        if count == 9 { append(digit: 10) } else { hasOther = true }
      default: hasOther = true
      }
    }

    private mutating func append(digit: UInt8) {
      if count < 13 { digits[count] = digit }
      count += 1
    }

    func fault(_ text: Span<UInt8>) -> Finding? {
      if !hasOther {
        if count == 13 && isBookland { return check(expected13, digits[12], text) }
        if count == 10 { return check(expected10, digits[9], text) }
      }
      let quoted = String(decoding: Array(copying: text), as: UTF8.self).quoted()
      return Finding(
        .invalidISBN, "ISBN \(quoted) \(reason); write the ISBN as it is in the book, or remove it")
    }

    private var reason: String {
      if hasOther { return "has characters other than digits and hyphens" }
      if count == 13 { return "does not begin with 978 or 979" }
      return "has \(count) digits instead of 10 or 13"
    }

    private func check(
      _ expected: UInt8, _ found: UInt8, _ text: Span<UInt8>
    ) -> Finding? {
      if expected == found { return nil }
      let quoted = String(decoding: Array(copying: text), as: UTF8.self).quoted()
      return Finding(
        .invalidISBN,
        """
        ISBN \(quoted) has the check digit \(Self.word(found)) where \(Self.word(expected)) would \
        fit the others; compare it with the book
        """)
    }

    private static func word(_ digit: UInt8) -> String { digit == 10 ? "X" : String(digit) }

    private var isBookland: Bool {
      digits[0] == 9 && digits[1] == 7 && (digits[2] == 8 || digits[2] == 9)
    }

    private var expected13: UInt8 {
      var sum = 0
      for index in 0..<12 { sum += Int(digits[index]) * (index % 2 == 0 ? 1 : 3) }
      return UInt8((10 - sum % 10) % 10)
    }

    private var expected10: UInt8 {
      var sum = 0
      for index in 0..<9 { sum += Int(digits[index]) * (10 - index) }
      return UInt8((11 - sum % 11) % 11)
    }
  }
}

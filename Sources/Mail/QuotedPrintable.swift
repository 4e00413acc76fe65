internal import Loans

/// Text in the encoding quoted-printable, RFC 2045, section 6.7.
enum QuotedPrintable {
  private static let longestLine = 76

  /// The lines of a text, which ends with a line break or gets none.
  ///
  /// No line begins with `From ` or a full stop, which programs on the way take for their own marks,
  /// and none has white space at its end.
  static func encode(_ text: String) -> String {
    var lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard let last = lines.popLast() else { return "" }
    var encoded = ""
    for line in lines { encode(line, end: "\n", to: &encoded) }
    if !last.isEmpty { encode(last, end: "=\n", to: &encoded) }
    return encoded
  }

  private static func encode(
    _ line: Substring.UTF8View, end: String, to encoded: inout String
  ) {
    var width = 0
    var rest = line
    while let byte = rest.first {
      let unit = unit(of: byte, in: rest, isFirst: width == 0)
      // One place is for the = of a break that is not part of the text.
      let isAtEnd = rest.count == 1 && end == "\n"
      if width + unit.utf8.count > (isAtEnd ? longestLine : longestLine - 1) {
        encoded += "=\n"
        width = 0
        continue
      }
      encoded += unit
      width += unit.utf8.count
      rest = rest.dropFirst()
    }
    encoded += end
  }

  private static func unit(
    of byte: UInt8, in rest: Substring.UTF8View, isFirst: Bool
  ) -> String {
    let isPlain =
      switch byte {
      case UInt8(ascii: "="): false
      case UInt8(ascii: "."): !isFirst
      case UInt8(ascii: "F"): !isFirst || !rest.starts(with: "From ".utf8)
      case UInt8(ascii: " "), UInt8(ascii: "\t"): rest.count > 1
      default: (0x21...0x7E).contains(byte)
      }
    return isPlain ? String(Unicode.Scalar(byte)) : "=\(byte.digits(2, radix: 16).uppercased())"
  }
}

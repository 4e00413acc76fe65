internal import Loans

/// Text in the encoding quoted-printable, RFC 2045, section 6.7.
enum QuotedPrintable {
  private static let longestLine = 76

  /// The lines of a text, which ends with a line break or gets none.
  ///
  /// No line begins with `From ` or a full stop, which programs on the way take for their own marks,
  /// and none has white space at its end.
  static func encode(_ text: String) -> String {
    var encoded = ""
    for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
      .enumerated()
    {
      if index > 0 { encoded += "\n" }
      encode(line, to: &encoded)
    }
    // So that it ends with one where it is not part of the text.
    return encoded.isEmpty || encoded.utf8.last == 0x0A ? encoded : encoded + "=\n"
  }

  private static func encode(_ line: Substring.UTF8View, to encoded: inout String) {
    var width = 0
    var rest = line
    while let byte = rest.first {
      let unit = unit(of: byte, in: rest, isFirst: width == 0)
      let end = rest.count == 1 ? longestLine : longestLine - 1
      if width + unit.utf8.count > end {
        encoded += "=\n"
        width = 0
        continue
      }
      encoded += unit
      width += unit.utf8.count
      rest = rest.dropFirst()
    }
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

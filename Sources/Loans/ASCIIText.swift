extension UInt8 {
  /// Whether it is `a` to `z`, `A` to `Z` or `0` to `9` in ASCII.
  package var isASCIILetterOrDigit: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  /// Whether it is `0` to `9` in ASCII.
  package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

  /// `%0A`.
  package var percentEncoded: String { "%\(digits(2, radix: 16).uppercased())" }
}

extension String {
  /// All but letters, digits, `-._~` and what is named as `%XX`, RFC 3986, section 2.
  package func percentEncoded(keeping others: String = "") -> String {
    utf8.map { byte in
      byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte) || others.utf8.contains(byte)
        ? String(Unicode.Scalar(byte)) : byte.percentEncoded
    }.joined()
  }
}

extension String {
  /// The text with every character that could steer a terminal, reorder its line or hide in it
  /// written as `\u{1b}`: controls (C0, DEL, C1), line and paragraph separators, bidirectional
  /// controls, zero-width and other invisible characters.
  ///
  /// The joiners U+200C and U+200D stay, since Persian words and emoji need them.
  public var visible: String {
    guard utf8.contains(where: \.mayBeginUnsafeCharacter),
      unicodeScalars.contains(where: \.isUnsafeToShow)
    else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isUnsafeToShow {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// ``visible`` in quotation marks, at most `limit` characters of it, then `…`.
  public func quoted(limit: Int = 80) -> String {
    "\"\(shortened(to: limit).visible)\""
  }

  /// At most `limit` characters, then `…` if there were more; no character is cut in two.
  public func shortened(to limit: Int) -> String {
    guard utf8.count > limit, let end = index(startIndex, offsetBy: limit, limitedBy: endIndex),
      end != endIndex
    else { return self }
    return String(self[..<end]) + "…"
  }
}

extension UInt8 {
  /// Whether a character whose UTF-8 begins with this byte may be one that is not shown as it is.
  fileprivate var mayBeginUnsafeCharacter: Bool {
    switch self {
    case 0x20...0x7E: false
    case 0xC2, 0xD8, 0xE1, 0xE2, 0xEF, 0xF3: true
    default: self < 0x80
    }
  }
}

extension Unicode.Scalar {
  /// Whether showing the character as it is could steer, reorder or hide text.
  public var isUnsafeToShow: Bool {
    switch value {
    case 0x20...0x7E: false
    case 0x00...0x1F, 0x7F...0x9F: true  // C0, DEL, C1
    case 0xAD, 0x61C, 0x180E: true  // soft hyphen, Arabic letter mark, Mongolian separator
    case 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F: true
    case 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF: true
    default: false
    }
  }
}

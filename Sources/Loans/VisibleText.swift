extension String {
  /// The text with every character that could steer a terminal, reorder its line or hide in it
  /// written as `\u{1b}`: controls (C0, DEL, C1), line and paragraph separators, bidirectional
  /// controls, zero-width and other invisible characters.
  ///
  /// So is the second `#` of `##[`, `##vso[` and the like: some CI systems treat that as the
  /// beginning of a command wherever it is in a line of the log.
  ///
  /// The joiners U+200C and U+200D stay, since Persian words and emoji need them.
  public var visible: String {
    guard holdsUnsafeCharacter || holdsCommandMark else { return self }
    var text = ""
    for index in unicodeScalars.indices {
      let scalar = unicodeScalars[index]
      if scalar.isUnsafeToShow || isCommandMark(at: index) {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private var holdsUnsafeCharacter: Bool {
    utf8.contains(where: \.mayBeginUnsafeCharacter)
      && unicodeScalars.contains(where: \.isUnsafeToShow)
  }

  private var holdsCommandMark: Bool {
    utf8.contains(UInt8(ascii: "#")) && unicodeScalars.indices.contains(where: isCommandMark)
  }

  /// Whether the second `#` of `##`, letters and `[` is at `index`.
  private func isCommandMark(at index: Index) -> Bool {
    guard unicodeScalars[index] == "#", index > startIndex,
      unicodeScalars[unicodeScalars.index(before: index)] == "#"
    else { return false }
    let rest = unicodeScalars[index...].dropFirst()
    return rest.drop { ("a"..."z").contains($0) || ("A"..."Z").contains($0) }.first == "["
  }

  /// The text as the name of a catalogue, ``visible``; `-` is standard input.
  public var visibleCatalogue: String { self == "-" ? "standard input" : visible }

  /// ``visible`` in quotation marks, at most `limit` characters of it, then `…`; white space other
  /// than plain spaces is written as `\u{a0}` too.
  public func quoted(limit: Int = 80) -> String {
    if utf8.count <= limit, utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x23 }) {
      return "\"\(self)\""
    }
    var text = ""
    for scalar in shortened(to: limit).visible.unicodeScalars {
      if scalar != " " && scalar.properties.isWhitespace {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return "\"\(text)\""
  }

  /// The text with `&`, `<` and `>` written as entities, for where the text of an XML element is
  /// expected.
  public var escapedAsMarkup: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// At most `limit` characters, then `…` if there were more.
  ///
  /// No character is cut in two, unless it is one of those that hold thousands of combining marks:
  /// there are never more than eight times as many Unicode scalars.
  public func shortened(to limit: Int) -> String {
    guard utf8.count > limit else { return self }
    let scalars = unicodeScalars
    let most = scalars.index(scalars.startIndex, offsetBy: limit * 8, limitedBy: scalars.endIndex)
    let text = String(scalars[..<(most ?? scalars.endIndex)])
    let end =
      text.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex) ?? text.endIndex
    if end == text.endIndex && text.utf8.count == utf8.count { return self }
    return text[..<end] + "…"
  }
}

extension UInt8 {
  /// Whether a character whose UTF-8 begins with this byte may be one that is not shown as it is.
  var mayBeginUnsafeCharacter: Bool {
    switch self {
    case 0x20...0x7E: false
    case 0xC2, 0xCD, 0xD8, 0xE1...0xE3, 0xEF, 0xF0, 0xF3: true
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
    case 0xAD, 0x34F, 0x61C, 0x180E: true  // soft hyphen, joiner, Arabic mark, Mongolian separator
    case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x17B4, 0x17B5: true  // letters that are not drawn
    case 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F: true
    case 0xFEFF, 0xFFF9...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A: true
    case 0xE0100...0xE01EF: false  // variants of ideographs, in Japanese names
    case 0xE0000...0xE0FFF: true
    default: false
    }
  }
}

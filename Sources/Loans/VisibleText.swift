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
    guard !utf8.span.isVisible, unicodeScalars.contains(where: { $0 == "#" || $0.isUnsafeToShow })
    else { return self }
    var text = ""
    for index in unicodeScalars.indices {
      let scalar = unicodeScalars[index]
      let isHidden = scalar.isUnsafeToShow || isCommandMark(at: index)
      text += isHidden ? scalar.escape : String(scalar)
    }
    return text
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
    let text = shortened(to: limit).visible.escaped { scalar, _ in
      scalar != " " && scalar.properties.isWhitespace ? scalar.escape : nil
    }
    return "\"\(text)\""
  }

  /// The text with `&`, `<` and `>` written as entities, and what is no character as `\u{ffff}`, for where
  /// the text of an element is expected.
  public var escapedAsMarkup: String {
    guard utf8.contains(where: { "&<>".utf8.contains($0) || $0 >= 0xEF }) else { return self }
    return escaped { scalar, _ in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case _ where scalar.properties.isNoncharacterCodePoint: scalar.escape
      default: nil
      }
    }
  }

  /// The text with each character replaced for which there is a replacement.
  ///
  /// - Parameter replacement: gives it for a character and the one before.
  package func escaped(
    _ replacement: (_ scalar: Unicode.Scalar, _ previous: Unicode.Scalar?) -> String?
  ) -> String {
    var text = ""
    var previous: Unicode.Scalar?
    for scalar in unicodeScalars {
      text += replacement(scalar, previous) ?? String(scalar)
      previous = scalar
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

extension Unicode.Scalar {
  /// The character by its number, `\u{1b}`.
  package var escape: String { "\\u{\(String(value, radix: 16))}" }

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

extension StringProtocol {
  /// The text without the white space at its edges.
  package var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

internal import Loans

extension String {
  /// The text for one line of a notification: line breaks and tabs become one space, everything
  /// else that could steer or reorder text is removed, and the rest is shortened.
  ///
  /// - Parameters:
  ///   - limit: the most characters, before a closing `…`.
  ///   - byteLimit: the most bytes of UTF-8, since one character can hold thousands of combining
  ///     marks, and an argument of 128 KB cannot be passed to a program.
  func desktopLine(limit: Int, byteLimit: Int) -> String {
    withoutUnsafeCharacters.shortened(to: limit).shortened(toBytes: byteLimit)
  }

  /// The text as the body of a notification: markup taken literally, and every backslash doubled,
  /// because notify-send(1) passes the body through g_strcompress.
  var escapedForBody: String {
    var text = String.UnicodeScalarView()
    // Not by characters: a backslash with a combining mark on it is one to g_strcompress.
    for scalar in escapedAsMarkup.unicodeScalars {
      if scalar == "\\" { text.append(scalar) }
      text.append(scalar)
    }
    return String(text)
  }

  private var withoutUnsafeCharacters: String {
    var text = String.UnicodeScalarView()
    var isPastSpace = true
    for scalar in unicodeScalars {
      let isSpace = scalar == " " || scalar.separatesWords
      if isSpace {
        if !isPastSpace { text.append(" ") }
      } else if !scalar.isUnsafeToShow {
        text.append(scalar)
      } else {
        continue
      }
      isPastSpace = isSpace
    }
    if isPastSpace, !text.isEmpty { text.removeLast() }
    return String(text)
  }

  /// Whole characters up to `limit` bytes, then `…`; of a first character that is longer alone,
  /// as many scalars as fit.
  func shortened(toBytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var text = ""
    for character in self {
      guard text.utf8.count + character.utf8.count <= limit else { break }
      text.append(character)
    }
    // A scalar takes at most four bytes.
    if text.isEmpty { text.unicodeScalars.append(contentsOf: unicodeScalars.prefix(limit / 4)) }
    return text + "…"
  }
}

extension Unicode.Scalar {
  /// Tabs and everything that ends a line.
  fileprivate var separatesWords: Bool {
    switch value {
    case 0x09...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}

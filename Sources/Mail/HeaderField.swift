internal import Loans

/// A field of a message's header: RFC 5322, section 2.2, with words beyond ASCII by RFC 2047.
///
/// Every text from outside goes through ``Swift/String/visible`` here: no line break, no control
/// character and no mark of direction gets into a header.
struct HeaderField {
  /// The limits of a line, RFC 5322, section 2.1.1, and of one with an encoded word, RFC 2047, section 2.
  private static let (longestLine, longestEncodedLine) = (78, 76)

  /// The field as it is in the message, with its last line break.
  private(set) var lines: String
  private var width: Int
  private var hasEncodedWord = false

  /// A field with this name and nothing in it.
  private init(_ name: String) {
    lines = "\(name):"
    width = lines.utf8.count
  }

  /// A field of words that are a program's: they are not encoded, only folded.
  init(_ name: String, words: String) {
    self.init(name)
    append(words: words.visible)
    lines += "\n"
  }

  /// A field of one line, whatever its length: several programs lose an identifier that is on the line
  /// after its name.
  init(_ name: String, unfolded text: String) {
    self.init(name)
    lines += " \(text.visible)\n"
  }

  /// A field of any text, such as a subject.
  init(_ name: String, text: String) {
    self.init(name)
    let text = text.visible
    if text.needsEncoding { appendEncoded(text) } else { append(words: text) }
    lines += "\n"
  }

  /// A field with somebody's name and address.
  init(_ name: String, _ mailbox: Mailbox) {
    self.init(name)
    let display = (mailbox.name ?? "").visible
    let escaped = display.escaped { scalar, _ in
      scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : nil
    }
    if display.needsEncoding || escaped.utf8.count > 60 {
      appendEncoded(display)
    } else if display.utf8.allSatisfy(\.isAtomText) {
      append(words: display)
    } else {
      append("\"\(escaped)\"")
    }
    append(display.isEmpty ? "\(mailbox.address)" : "<\(mailbox.address)>")
    lines += "\n"
  }

  private mutating func append(words: String) {
    for word in words.split(separator: " ") { append(String(word)) }
  }

  /// Appends a word after a space, on a line of its own if this one would be too long.
  private mutating func append(_ word: String, isEncoded: Bool = false) {
    let count = word.utf8.count + 1
    let limit = hasEncodedWord || isEncoded ? Self.longestEncodedLine : Self.longestLine
    if width + count > limit {
      lines += "\n"
      (width, hasEncodedWord) = (0, false)
    }
    lines += " \(word)"
    width += count
    hasEncodedWord = hasEncodedWord || isEncoded
  }

  /// Appends a text as encoded words of 75 bytes at most, cut between characters.
  ///
  /// They are of the kind Q, since readers that use GMime or MimeKit lose what comes after a word of the
  /// kind B that ends with padding.
  private mutating func appendEncoded(_ text: String) {
    var word = ""
    for scalar in text.unicodeScalars {
      let unit = scalar.encodedInWord
      let left = Self.longestEncodedLine - width - 1
      let room = min(75, left < 24 ? 75 : left) - "=?UTF-8?Q??=".utf8.count
      if word.utf8.count + unit.utf8.count > room {
        append("=?UTF-8?Q?\(word)?=", isEncoded: true)
        word = ""
      }
      word += unit
    }
    append("=?UTF-8?Q?\(word)?=", isEncoded: true)
  }
}

extension Unicode.Scalar {
  /// The character as an encoded word may have it that is part of a name, RFC 2047, section 5.
  fileprivate var encodedInWord: String {
    if self == " " { return "_" }
    return String(self).utf8.map { byte in
      byte.isASCIILetterOrDigit || "!*+-/".utf8.contains(byte)
        ? String(self) : "=\(byte.digits(2, radix: 16).uppercased())"
    }.joined()
  }
}

extension String {
  /// Whether a header's reader would not get the text back as it is: beyond ASCII, with spaces that
  /// would be lost, with what looks like an encoded word, or with a word that makes a line too long.
  fileprivate var needsEncoding: Bool {
    let words = utf8.split(separator: 0x20, omittingEmptySubsequences: false)
    return !utf8.allSatisfy { $0 < 0x80 } || contains("=?")
      || !isEmpty && words.contains { $0.isEmpty || $0.count > 60 }
  }
}

extension UInt8 {
  /// Whether a word of a name may have the character without quotation marks, RFC 5322, section 3.2.3;
  /// so may a space be between two.
  fileprivate var isAtomText: Bool {
    isASCIILetterOrDigit || " !#$%&'*+-/=?^_`{|}~".utf8.contains(self)
  }
}

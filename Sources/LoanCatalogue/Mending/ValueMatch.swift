import Loans

/// Finds a value in the text of a catalogue at the place where the reader found it.
///
/// There must be the very characters, or character references to them; white space stands for
/// white space. With anything else inside (a comment, an entity, the edge of a CDATA section) there
/// is no telling what to keep, and the value is not found.
struct ValueMatch<Source: ByteSource & ~Copyable>: ~Copyable {
  private var text: DecodedText<Source>
  /// The character after those that are the value's, once it was looked at.
  private var token: Token?

  init(_ text: consuming DecodedText<Source>) {
    self.text = text
  }

  /// A character of the value, as it is or as a reference to it, and its bytes.
  private struct Token {
    var scalar: Unicode.Scalar
    var bytes: Range<Int>
    var isReference = false

    var isWhiteSpace: Bool { scalar.isXMLWhiteSpace }
  }

  /// The bytes of the value at a place that is not behind the ones asked for before.
  mutating func bytes(of mend: Mend) throws(Source.Failure) -> Range<Int>? {
    guard try moveTo(mend.location), isAfterBoundary else { return nil }
    try readToken()
    guard let first = token, !first.isWhiteSpace, let end = try matchEnd(of: mend.value),
      try isBeforeBoundary()
    else { return nil }
    return first.bytes.lowerBound..<end
  }

  private mutating func moveTo(_ place: SourceLocation) throws(Source.Failure) -> Bool {
    try text.move(toLine: place.line)
    while text.place < place, text.place.line == place.line {
      if try text.next() == nil { return false }
    }
    return text.place == place
  }

  /// Whether the value can begin here: behind a tag, a comment, a reference, or white space.
  private var isAfterBoundary: Bool {
    guard let previous = text.previous else { return false }
    return ">[;".unicodeScalars.contains(previous) || previous.isXMLWhiteSpace
  }

  /// - Returns: where the value's last character ends.
  private mutating func matchEnd(of value: String) throws(Source.Failure) -> Int? {
    var end: Int?
    for wanted in value.unicodeScalars {
      guard let found = token else { return nil }
      if wanted == " " {
        guard found.isWhiteSpace else { return nil }
        while token?.isWhiteSpace == true { try readToken() }
      } else {
        guard found.scalar == wanted else { return nil }
        end = found.bytes.upperBound
        try readToken()
      }
    }
    return end
  }

  /// Whether the value has ended: with white space, a tag, a comment, or its CDATA section.
  private mutating func isBeforeBoundary() throws(Source.Failure) -> Bool {
    guard let token else { return false }
    if token.isWhiteSpace { return true }
    guard !token.isReference else { return false }
    if token.scalar == "<" { return true }
    guard token.scalar == "]", try text.next()?.scalar == "]" else { return false }
    return try text.next()?.scalar == ">"
  }

  private mutating func readToken() throws(Source.Failure) {
    token = nil
    guard let next = try text.next() else { return }
    if next.scalar == "&" {
      token = try reference(from: next.bytes.lowerBound)
    } else {
      token = Token(scalar: next.scalar, bytes: next.bytes)
    }
  }

  /// A character reference (XML 1.0, production 66), behind its `&`.
  private mutating func reference(from start: Int) throws(Source.Failure) -> Token? {
    var name = ""
    // Longer ones there are only with leading zeros, endlessly.
    while name.utf8.count < 32, let next = try text.next(), next.scalar.isASCII {
      guard next.scalar == ";" else {
        name.unicodeScalars.append(next.scalar)
        continue
      }
      guard let scalar = Self.scalar(of: name) else { return nil }
      return Token(scalar: scalar, bytes: start..<next.bytes.upperBound, isReference: true)
    }
    return nil
  }

  private static func scalar(of name: String) -> Unicode.Scalar? {
    let number =
      name.hasPrefix("#x")
      ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
    return number.flatMap(Unicode.Scalar.init)
  }
}

extension Unicode.Scalar {
  /// XML white space: space, tab, carriage return, line feed (XML 1.0, production S).
  fileprivate var isXMLWhiteSpace: Bool {
    self == " " || self == "\n" || self == "\t" || self == "\r"
  }
}

/// Where in a settings file its keys and values are.
///
/// TOMLKit reads the values, but tells no positions of what is well-formed; so this finds them. It
/// understands only as much of TOML 1.0 as it takes not to be confused, and stops where the text is
/// not TOML, which TOMLKit then complains about.
struct SettingsText {
  /// A key with its value, by the offsets of their first bytes.
  struct Entry {
    var key: String
    var keyOffset: Int
    var valueOffset: Int
    /// Of the elements, if the value is an array.
    var elementOffsets: [Int] = []
    /// Whether the value is an array.
    var isArray = false

    /// Of the value, or of the elements if it is an array.
    var scalarOffsets: [Int] { isArray ? elementOffsets : [valueOffset] }
  }

  /// What is TOML, but has no place in a settings file.
  enum Misfit: Error {
    /// The header of a table.
    case table(offset: Int)
    /// A key of a table, as in `a.b = 1`.
    case dottedKey(String, offset: Int)
    /// A value that is an inline table or has one in it.
    case inlineTable(key: String, offset: Int)
    /// An escaped NUL character.
    case nul(offset: Int)
  }

  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The 1-based line of an offset, and its column in Unicode scalars.
  func place(of offset: Int) -> (line: Int, column: Int) {
    var place = (line: 1, column: 1)
    for (position, byte) in bytes.prefix(offset).enumerated() {
      if byte == UInt8(ascii: "\n") {
        place = (place.line + 1, 1)
      } else if byte & 0xC0 != 0x80 && !(position == 0 && hasByteOrderMark) {
        place.column += 1
      }
    }
    return place
  }

  /// A value without quotes, neither `true` nor `false`; `nil` for any other.
  func unquotedText(at offset: Int) -> String? {
    let value = bytes[offset...].prefix { !",]}#\n\r".utf8.contains($0) }
    guard let first = value.first, !"\"'[".utf8.contains(first) else { return nil }
    let end = value.lastIndex { $0 != 0x20 && $0 != 0x09 } ?? value.startIndex
    let text = String(decoding: value[...end], as: UTF8.self)
    return text == "true" || text == "false" ? nil : text
  }

  /// All entries, in order.
  ///
  /// - Throws: ``Misfit`` for the first of them.
  mutating func entries() throws(Misfit) -> [Entry] {
    var entries: [Entry] = []
    index = hasByteOrderMark ? 3 : 0
    while true {
      skipBlankLines()
      guard let byte = next else { return entries }
      if byte == UInt8(ascii: "[") { throw .table(offset: index) }
      guard let entry = try takeEntry() else { return entries }
      entries.append(entry)
    }
  }

  private var hasByteOrderMark: Bool { bytes.starts(with: [0xEF, 0xBB, 0xBF]) }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func begins(_ text: StaticString) -> Bool {
    bytes[index...].starts(with: "\(text)".utf8)
  }

  private mutating func skip(while matches: (UInt8) -> Bool) {
    while index < bytes.count, matches(bytes[index]) { index += 1 }
  }

  private mutating func skipSpaces() {
    skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  /// Skips line breaks and comments too.
  private mutating func skipBlankLines() {
    while true {
      skip { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
      guard next == UInt8(ascii: "#") else { return }
      skip { $0 != UInt8(ascii: "\n") }
    }
  }

  /// - Returns: `nil` where the text is not TOML.
  private mutating func takeEntry() throws(Misfit) -> Entry? {
    let keyOffset = index
    guard let key = try takeKey() else { return nil }
    guard next == UInt8(ascii: "=") else { return nil }
    index += 1
    skipSpaces()
    var entry = Entry(key: key, keyOffset: keyOffset, valueOffset: index)
    guard try takeValue(of: &entry) else { return nil }
    skipSpaces()
    if let byte = next, byte != 0x0A, byte != 0x0D, byte != UInt8(ascii: "#") { return nil }
    return entry
  }

  private mutating func takeKey() throws(Misfit) -> String? {
    let start = index
    guard let key = try takeKeyPart() else { return nil }
    skipSpaces()
    guard next == UInt8(ascii: ".") else { return key }
    skip { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "\n") }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    throw .dottedKey(String(text.prefix { $0 != " " }), offset: start)
  }

  private mutating func takeKeyPart() throws(Misfit) -> String? {
    let start = index
    switch next {
    case UInt8(ascii: "\""):
      guard try takeString() else { return nil }
      return bytes[start + 1..<index - 1].unescaped
    case UInt8(ascii: "'"):
      guard try takeString() else { return nil }
      return String(decoding: bytes[start + 1..<index - 1], as: UTF8.self)
    default:
      skip { $0.isBareKeyByte }
      return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }
  }

  private mutating func takeValue(of entry: inout Entry) throws(Misfit) -> Bool {
    // A loop rather than recursion: arrays may be nested as deep as the file is long.
    var depth = 0
    repeat {
      if depth > 0 { skipBlankLines() }
      switch next {
      case nil:
        return false
      case UInt8(ascii: "{"):
        throw .inlineTable(key: entry.key, offset: index)
      case UInt8(ascii: "["):
        if depth == 1 { entry.elementOffsets.append(index) }
        entry.isArray = true
        depth += 1
        index += 1
      case UInt8(ascii: "]") where depth > 0:
        depth -= 1
        index += 1
      case UInt8(ascii: ",") where depth > 0:
        index += 1
      default:
        if depth == 1 { entry.elementOffsets.append(index) }
        guard try takeScalar() else { return false }
      }
    } while depth > 0
    return true
  }

  private mutating func takeScalar() throws(Misfit) -> Bool {
    if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") { return try takeString() }
    let start = index
    // A date and a time may have a space between them.
    skip { !",]}#\n\r".utf8.contains($0) }
    return index > start
  }

  private mutating func takeString() throws(Misfit) -> Bool {
    guard let quote = next else { return false }
    let triple = begins("\"\"\"") || begins("'''")
    index += triple ? 3 : 1
    while let byte = next {
      if byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") {
        if begins("\\u0000") || begins("\\U00000000") { throw .nul(offset: index) }
        index = min(index + 2, bytes.count)
      } else if byte == quote && !triple {
        index += 1
        return true
      } else if byte == quote && (begins("\"\"\"") || begins("'''")) {
        // Up to two more belong to the string itself.
        index += 3
        for _ in 0..<2 where next == quote { index += 1 }
        return true
      } else if byte == UInt8(ascii: "\n") && !triple {
        return false
      } else {
        index += 1
      }
    }
    return false
  }
}

extension UInt8 {
  fileprivate var isBareKeyByte: Bool { isASCIILetterOrDigit || "_-".utf8.contains(self) }
}

extension ArraySlice<UInt8> {
  /// The content of a basic string; what is no escape of TOML stays as it is.
  fileprivate var unescaped: String {
    var text = String.UnicodeScalarView()
    var rest = String(decoding: self, as: UTF8.self).unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let escape = rest.popFirst() else {
        text.append(scalar)
        continue
      }
      switch escape {
      case "b": text.append("\u{8}")
      case "t": text.append("\t")
      case "n": text.append("\n")
      case "f": text.append("\u{C}")
      case "r": text.append("\r")
      case "u", "U":
        let digits = rest.prefix(escape == "u" ? 4 : 8)
        rest = rest.dropFirst(digits.count)
        text.append(UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}")
      default: text.append(escape)
      }
    }
    return String(text)
  }
}

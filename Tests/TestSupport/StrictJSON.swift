/// A JSON document, read as strictly as RFC 8259 has it, for tests of what the command writes.
///
/// Objects keep the order of their keys, which must be distinct; numbers must be integers.
@dynamicMemberLookup
public enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case int(Int)
  case string(String)
  case array([JSON])
  case object([Member])

  /// A key of an object, and what it stands for.
  public struct Member: Hashable, Sendable {
    /// The key.
    public var key: String
    /// What it stands for.
    public var value: JSON
  }

  /// Why a text is no JSON document.
  public struct Failure: Error, CustomStringConvertible {
    /// What was expected, and at which byte.
    public let description: String
  }

  /// Reads a text that holds one value and nothing else but white space.
  ///
  /// - Throws: ``Failure``.
  public init(parsing text: String) throws(Failure) {
    var parser = Parser(bytes: Array(text.utf8))
    self = try parser.document()
  }

  /// The value of a key; null if there is none, or if this is no object.
  public subscript(key: String) -> JSON {
    guard case .object(let members) = self else { return .null }
    return members.first { $0.key == key }?.value ?? .null
  }

  /// The value of a key; null if there is none, or if this is no object.
  public subscript(dynamicMember key: String) -> JSON { self[key] }

  /// An array's element; null if there is none.
  public subscript(index: Int) -> JSON {
    elements.indices.contains(index) ? elements[index] : .null
  }

  /// An array's elements; none if this is no array.
  public var elements: [JSON] {
    if case .array(let elements) = self { elements } else { [] }
  }

  /// An object's keys in the order written.
  public var keys: [String] {
    if case .object(let members) = self { members.map(\.key) } else { [] }
  }

  /// The text of a string; `nil` for anything else.
  public var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number; `nil` for anything else.
  public var number: Int? {
    if case .int(let number) = self { number } else { nil }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A number.
  public init(integerLiteral value: Int) { self = .int(value) }
  /// Null.
  public init(nilLiteral: ()) { self = .null }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// An object with its keys in this order.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member(key: $0.0, value: $0.1) })
  }
}

private struct Parser {
  let bytes: [UInt8]
  var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(JSON.Failure) -> JSON {
    let value = try value()
    skipSpace()
    guard position == bytes.count else { throw failure("the end") }
    return value
  }

  private func failure(_ expected: String) -> JSON.Failure {
    let rest = String(decoding: bytes[position...].prefix(20), as: UTF8.self)
    return JSON.Failure(description: "expected \(expected) at byte \(position), found \(rest)")
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func take(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func value() throws(JSON.Failure) -> JSON {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    default:
      if take("null") { return .null }
      if take("true") { return .bool(true) }
      if take("false") { return .bool(false) }
      return .int(try number())
    }
  }

  private mutating func number() throws(JSON.Failure) -> Int {
    let start = position
    _ = take("-")
    let digits = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    let hasLeadingZero = position - digits > 1 && bytes[digits] == UInt8(ascii: "0")
    guard let number = Int(text), !hasLeadingZero else {
      position = start
      throw failure("a value")
    }
    return number
  }

  private mutating func list(
    from open: String, to close: String, _ element: (inout Parser) throws(JSON.Failure) -> Void
  ) throws(JSON.Failure) {
    _ = take(open)
    skipSpace()
    if take(close) { return }
    repeat {
      try element(&self)
      skipSpace()
    } while take(",")
    guard take(close) else { throw failure("\(close) or a comma") }
  }

  private mutating func array() throws(JSON.Failure) -> JSON {
    var elements: [JSON] = []
    try list(from: "[", to: "]") { (parser) throws(JSON.Failure) in
      elements.append(try parser.value())
    }
    return .array(elements)
  }

  private mutating func object() throws(JSON.Failure) -> JSON {
    var members: [JSON.Member] = []
    try list(from: "{", to: "}") { (parser) throws(JSON.Failure) in
      parser.skipSpace()
      let key = try parser.string()
      guard !members.contains(where: { $0.key == key }) else {
        throw parser.failure("another key than \(key)")
      }
      parser.skipSpace()
      guard parser.take(":") else { throw parser.failure("a colon") }
      members.append(JSON.Member(key: key, value: try parser.value()))
    }
    return .object(members)
  }

  private mutating func string() throws(JSON.Failure) -> String {
    guard take("\"") else { throw failure("a string") }
    var units: [UInt16] = []
    var plain: [UInt8] = []
    var text = ""
    func flush(_ units: inout [UInt16], _ plain: inout [UInt8], _ text: inout String) -> Bool {
      guard let words = String(validating: plain, as: UTF8.self),
        let escapes = String(validating: units, as: UTF16.self)
      else { return false }
      text += escapes + words
      units = []
      plain = []
      return true
    }
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard flush(&units, &plain, &text) else { throw failure("well-formed text before") }
        return text
      case UInt8(ascii: "\\"):
        if !plain.isEmpty, !flush(&units, &plain, &text) { throw failure("UTF-8 before") }
        units.append(try escape())
      case 0x00...0x1F:
        throw failure("no control character before")
      default:
        if !units.isEmpty, !flush(&units, &plain, &text) { throw failure("UTF-16 before") }
        plain.append(byte)
      }
    }
    throw failure("the end of a string")
  }

  private mutating func escape() throws(JSON.Failure) -> UInt16 {
    let escapes: [(String, UInt16)] = [
      ("\"", 0x22), ("\\", 0x5C), ("/", 0x2F), ("b", 0x08), ("f", 0x0C), ("n", 0x0A), ("r", 0x0D),
      ("t", 0x09),
    ]
    for (letter, unit) in escapes where take(letter) { return unit }
    guard take("u"), position + 4 <= bytes.count else { throw failure("an escape") }
    let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
    guard digits.allSatisfy(\.isHexDigit), let unit = UInt16(digits, radix: 16) else {
      throw failure("four hexadecimal digits")
    }
    position += 4
    return unit
  }
}

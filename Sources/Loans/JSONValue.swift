/// A JSON value (RFC 8259) to be written; the keys of an object stay in the order given.
public indirect enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// An integer.
  case int(Int)
  /// A string, of any characters.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object; the keys must be distinct.
  case object([(key: String, value: JSONValue)])

  /// A string, or null for `nil`.
  public init(_ text: String?) {
    self = text.map { .string($0) } ?? .null
  }

  /// A number, or null for `nil`.
  public init(_ number: Int?) {
    self = number.map { .int($0) } ?? .null
  }

  /// The value as JSON (RFC 8259) on one line.
  ///
  /// Besides those that must be, characters that could steer a terminal or reorder text are escaped,
  /// and a `#` after another one, which some CI systems treat as the beginning of a command.
  public var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .int(let value): text += String(value)
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.key, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    if string.utf8.allSatisfy(standsForItself) {
      text += string
    } else {
      escape(string, to: &text)
    }
    text += "\""
  }

  /// Whether a byte never needs to be escaped: most texts have no others.
  private static func standsForItself(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "#"): false
    default: (0x20...0x7E).contains(byte)
    }
  }

  private static func escape(_ string: String, to text: inout String) {
    var previous: Unicode.Scalar?
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case _ where scalar.isUnsafeToShow || (scalar == "#" && previous == "#"):
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: text.unicodeScalars.append(scalar)
      }
      previous = scalar
    }
  }
}

// MARK: - Literals

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// An integer.
  public init(integerLiteral value: Int) { self = .int(value) }

  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// An object, with its keys in the order given.
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { (key: $0.0, value: $0.1) })
  }
}

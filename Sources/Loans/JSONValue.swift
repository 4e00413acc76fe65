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

  /// An object of the members that have a value.
  public init(present members: KeyValuePairs<String, JSONValue?>) {
    self = .object(members.compactMap { key, value in value.map { (key, $0) } })
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
    switch self {
    case .null: "null"
    case .bool(let value): String(value)
    case .int(let value): String(value)
    case .string(let value): "\"" + Self.escaped(value) + "\""
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { Self.string($0.key).text + ":" + $0.value.text }.joined(separator: ",")
        + "}"
    }
  }

  private static func escaped(_ string: String) -> String {
    // As most texts are.
    if string.utf8.allSatisfy({ (0x20...0x7E).contains($0) && !"\"\\#".utf8.contains($0) }) {
      return string
    }
    return string.escaped { scalar, previous in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\n": "\\n"
      case "\t": "\\t"
      case _ where scalar.isUnsafeToShow || (scalar == "#" && previous == "#"):
        String(scalar).utf16.map { "\\u" + $0.digits(4, radix: 16) }.joined()
      default: nil
      }
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

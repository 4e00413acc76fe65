/// The tokens of an XPath expression.
///
/// - SeeAlso: XML Path Language 1.0, 3.7 (lexical structure).
struct XPathTokens {
  enum Kind: Equatable {
    /// A name test, with its prefix; `*` for any.
    case name(prefix: String?, local: String)
    case function(String)
    case axis(String)
    case literal
    case number
    /// An operator or punctuation.
    case symbol(String)
  }

  struct Token {
    var kind: Kind
    /// Bytes of the text.
    var range: Range<Int>
  }

  private let bytes: [UInt8]
  private var index = 0
  private(set) var tokens: [Token] = []

  /// Reads as far as there are tokens; what else is there is for the compiler to find.
  init(_ text: String) {
    bytes = Array(text.utf8)
    while let token = next() { tokens.append(token) }
  }

  private mutating func next() -> Token? {
    while index < bytes.count, bytes[index].isXMLWhiteSpace { index += 1 }
    guard index < bytes.count else { return nil }
    let start = index
    guard let kind = kind() else { return nil }
    return Token(kind: kind, range: start..<index)
  }

  private mutating func kind() -> Kind? {
    let byte = bytes[index]
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return literal(byte) }
    let isNumber =
      byte.isASCIIDigit || byte == UInt8(ascii: ".") && at(index + 1)?.isASCIIDigit == true
    if isNumber {
      while let digit = at(index), digit.isASCIIDigit || digit == UInt8(ascii: ".") { index += 1 }
      return .number
    }
    if Self.isNameStart(byte) { return name() }
    for symbol in ["::", "//", "..", "!=", "<=", ">="]
    where bytes[index...].starts(with: symbol.utf8) {
      index += 2
      return .symbol(symbol)
    }
    index += 1
    let symbol = String(Unicode.Scalar(byte))
    return symbol == "*" && expectsOperand ? .name(prefix: nil, local: "*") : .symbol(symbol)
  }

  private mutating func literal(_ quote: UInt8) -> Kind? {
    guard let end = bytes[(index + 1)...].firstIndex(of: quote) else { return nil }
    index = end + 1
    return .literal
  }

  /// Whether what comes next is not an operator (3.7, the first rule).
  private var expectsOperand: Bool {
    switch tokens.last?.kind {
    case nil, .axis: true
    case .symbol(let symbol): ![")", "]", ".", ".."].contains(symbol)
    case .name, .function, .literal, .number: false
    }
  }

  private mutating func name() -> Kind {
    let isOperand = expectsOperand
    let first = plainName()
    if !isOperand { return .symbol(first) }
    if at(index) == UInt8(ascii: ":"), let next = at(index + 1), next != UInt8(ascii: ":") {
      if next == UInt8(ascii: "*") {
        index += 2
        return .name(prefix: first, local: "*")
      }
      if Self.isNameStart(next) {
        index += 1
        return .name(prefix: first, local: plainName())
      }
    }
    var next = index
    while at(next)?.isXMLWhiteSpace == true { next += 1 }
    if bytes[next...].starts(with: "::".utf8) {
      index = next + 2
      return .axis(first)
    }
    return at(next) == UInt8(ascii: "(") ? .function(first) : .name(prefix: nil, local: first)
  }

  private mutating func plainName() -> String {
    let start = index
    while let byte = at(index), Self.isNameCharacter(byte) { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private func at(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  private static func isNameStart(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
      || byte >= 0x80
  }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    isNameStart(byte) || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}

/// The tokens of an XPath expression.
///
/// - SeeAlso: XML Path Language 1.0, 3.7 (lexical structure).
struct XPathTokens {
  enum Kind: Equatable {
    /// A node test, with its prefix and the axis that is written before it: `*`, `x:book`.
    ///
    /// `@` is an axis, `..` and `.` are names on theirs; so is `text()`, on the axis `child` if it has
    /// none.
    case step(axis: String?, prefix: String?, name: String)
    case function(String)
    case literal
    case number
    /// An operator or punctuation.
    case symbol(String)
  }

  struct Token {
    var kind: Kind
    /// Bytes of the text.
    var range: Range<Int>
    /// Whether no operator can be here.
    var isInOperand: Bool

    /// Bytes of the name, with the prefix: it ends with them.
    var nameRange: Range<Int> {
      switch kind {
      case .step(_, let prefix?, let name): range.suffix(prefix.utf8.count + 1 + name.utf8.count)
      case .function(let name): range.suffix(name.utf8.count)
      default: range
      }
    }
  }

  static let nodeTypes = ["text", "node", "comment", "processing-instruction"]
  private let bytes: [UInt8]
  private var index = 0
  private(set) var tokens: [Token] = []

  /// Reads as far as there are tokens; what else is there is for the compiler to find.
  init(_ text: String) {
    bytes = Array(text.utf8)
    while let token = next() { tokens.append(token) }
  }

  private mutating func next() -> Token? {
    _ = take("")
    let start = index
    // 3.7, the first rule.
    let expectsOperand =
      switch tokens.last?.kind {
      case nil: true
      case .symbol(let symbol): ![")", "]"].contains(symbol)
      case .step, .function, .literal, .number: false
      }
    guard let byte = at(index), let kind = kind(byte, isOperand: expectsOperand) else { return nil }
    return Token(kind: kind, range: start..<index, isInOperand: expectsOperand)
  }

  private mutating func kind(_ byte: UInt8, isOperand: Bool) -> Kind? {
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      guard let end = bytes[(index + 1)...].firstIndex(of: byte) else { return nil }
      index = end + 1
      return .literal
    }
    if byte.isASCIIDigit || byte == UInt8(ascii: ".") && at(index + 1)?.isASCIIDigit == true {
      while let digit = at(index), digit.isASCIIDigit || digit == UInt8(ascii: ".") { index += 1 }
      return .number
    }
    if Self.isNameStart(byte) { return isOperand ? step(axis: nil) : .symbol(takeName()) }
    if byte == UInt8(ascii: "*") && isOperand { return step(axis: nil) }
    if take("..") { return .step(axis: "parent", prefix: nil, name: "..") }
    if take(".") { return .step(axis: "self", prefix: nil, name: ".") }
    if take("@") { return step(axis: "attribute") }
    for symbol in ["//", "!=", "<=", ">="] where take(symbol) { return .symbol(symbol) }
    index += 1
    return .symbol(String(Unicode.Scalar(byte)))
  }

  /// Takes a node test, or what is a function after all.
  private mutating func step(axis: String?) -> Kind {
    _ = take("")
    let name = takeName()
    if name.isEmpty { return .step(axis: axis, prefix: nil, name: "") }
    if axis == nil && take("::") { return step(axis: name) }
    if at(index) == UInt8(ascii: ":"), let next = at(index + 1),
      next == UInt8(ascii: "*") || Self.isNameStart(next)
    {
      index += 1
      return .step(axis: axis, prefix: name, name: takeName())
    }
    if Self.nodeTypes.contains(name) && take("(", ")") {
      return .step(axis: axis ?? "child", prefix: nil, name: "\(name)()")
    }
    let end = index
    guard name != "*" && take("(") else { return .step(axis: axis, prefix: nil, name: name) }
    index = end
    return .function(name)
  }

  /// Takes texts that come next, each with white space before it, if all do.
  private mutating func take(_ texts: String...) -> Bool {
    var next = index
    for text in texts {
      while at(next)?.isXMLWhiteSpace == true { next += 1 }
      guard bytes[next...].starts(with: text.utf8) else { return false }
      next += text.utf8.count
    }
    index = next
    return true
  }

  /// Takes a name without prefix, or a `*`.
  private mutating func takeName() -> String {
    let rest = bytes[index...]
    let name = rest.first == UInt8(ascii: "*") ? rest.prefix(1) : rest.prefix(while: Self.isInName)
    index = name.endIndex
    return String(decoding: name, as: UTF8.self)
  }

  private func at(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  private static func isNameStart(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
      || byte >= 0x80
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    isNameStart(byte) || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}

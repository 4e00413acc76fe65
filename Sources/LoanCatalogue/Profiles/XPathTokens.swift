import Loans

/// The tokens of an XPath expression.
///
/// - SeeAlso: XML Path Language 1.0, 3.7 (lexical structure).
struct XPathTokens {
  struct Token {
    /// A literal, a number, a name without prefix, or symbols.
    var text: Substring
    /// Bytes of the expression.
    var range: Range<Int>
    /// Whether no operator can be here.
    var isInOperand: Bool
    /// The number of brackets around it; a bracket itself is inside.
    var depth: Int
  }

  private(set) var all: [Token] = []

  /// - Parameter text: an expression; mistakes in it are for the compiler to find.
  init(_ text: String) {
    var (rest, start, isInOperand, depth) = (text[...], 0, true, 0)
    while let first = rest.utf8.first {
      let length = Self.length(of: rest.utf8, first)
      let token = rest.utf8.prefix(length)
      if !first.isXMLWhiteSpace {
        if first == UInt8(ascii: "[") { depth += 1 }
        all.append(
          Token(
            text: Substring(token), range: start..<start + length, isInOperand: isInOperand,
            depth: depth))
        if first == UInt8(ascii: "]") { depth -= 1 }
        let endsOperand = first.isASCIIDigit || "\"'.)]".utf8.contains(first)
        // A name after an operand is an operator.
        isInOperand = Self.beginsName(first) ? !isInOperand : !endsOperand
      }
      rest = rest[token.endIndex...]
      start += length
    }
  }

  /// The number of bytes of the token that a text begins with.
  private static func length(of text: Substring.UTF8View, _ first: UInt8) -> Int {
    if "\"'".utf8.contains(first) { return 2 + text.dropFirst().prefix { $0 != first }.count }
    if first != 0x2A && beginsName(first) { return text.prefix(while: isInName).count }
    if first.isASCIIDigit { return text.prefix { $0.isASCIIDigit || $0 == 0x2E }.count }
    return ["..", "//", "::", "!=", "<=", ">="].contains { text.starts(with: $0.utf8) } ? 2 : 1
  }

  /// Whether a byte begins a name, or is `*`.
  private static func beginsName(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80
      || "_*".utf8.contains(byte)
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    byte != 0x2A && beginsName(byte) || byte.isASCIIDigit || "-.".utf8.contains(byte)
  }
}

// MARK: - Kinds of token

extension XPathTokens {
  private static let nodeTypes = ["text", "node", "comment", "processing-instruction"]

  /// The text of a token; empty where there is none.
  subscript(_ index: Int) -> Substring { all.indices.contains(index) ? all[index].text : "" }

  /// Whether a token is a name or `*`, and no operator.
  func isName(at index: Int) -> Bool {
    all.indices.contains(index) && all[index].isInOperand
      && self[index].utf8.first.map(Self.beginsName) ?? false
  }

  func isNodeType(at index: Int) -> Bool {
    isName(at: index) && self[index + 1] == "(" && Self.nodeTypes.contains { $0 == self[index] }
  }

  func isFunction(at index: Int) -> Bool {
    isName(at: index) && self[index + 1] == "(" && !isNodeType(at: index)
  }

  /// Whether a token begins a path at the document.
  func beginsAtDocument(_ index: Int) -> Bool {
    all[index].isInOperand && (self[index] == "/" || self[index] == "//")
  }

  /// Whether a token is the name that an element or an attribute must have, or `*`.
  func isNameTest(at index: Int) -> Bool {
    isName(at: index) && !isNodeType(at: index) && ![":", "::"].contains { $0 == self[index + 1] }
  }

  /// Whether a token is the first of a path that begins elsewhere.
  func beginsPath(_ index: Int) -> Bool {
    all[index].isInOperand && !["/", "//", "::", ":", "@"].contains { $0 == self[index - 1] }
  }

  /// The number of `..` with which the path begins whose first token this is.
  func parents(at index: Int) -> Int {
    var count = 0
    while self[index + 2 * count] == "..", count == 0 || self[index + 2 * count - 1] == "/" {
      count += 1
    }
    return count
  }
}

// MARK: - Paths with conditions

extension XPathTokens {
  /// The names on a path from the document on, if it is nothing else, but for conditions.
  var steps: [String] {
    let own = all.indices.filter { all[$0].depth == 0 }
    let isPlain = own.allSatisfy { index in
      let isOperator = ["::", "("].contains { $0 == self[index + 1] }
      return self[index] == "/" || self[index] == ":" || isName(at: index) && !isOperator
    }
    guard isPlain, self[0] == "/" else { return [] }
    return own.filter { isName(at: $0) && self[$0 + 1] != ":" }.map { String(self[$0]) }
  }

  /// The conditions of ``steps``, each with the number of steps up to it.
  func conditions(of text: String) -> [(step: Int, text: String)] {
    var (step, start) = (0, 0)
    var found: [(Int, String)] = []
    for token in all where token.depth < 2 {
      switch token.text {
      case "/" where token.depth == 0: step += 1
      case "[": start = token.range.upperBound
      case "]":
        let condition = text.utf8.dropFirst(start).prefix(token.range.lowerBound - start)
        found.append((step, String(decoding: condition, as: UTF8.self)))
      default: break
      }
    }
    return found
  }

  /// The expression without what is in brackets, and without prefixes.
  var withoutConditions: String {
    all.indices.filter { all[$0].depth == 0 && self[$0] != ":" && self[$0 + 1] != ":" }
      .map { String(self[$0]) }.joined()
  }
}

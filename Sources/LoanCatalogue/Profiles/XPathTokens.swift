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

  /// The expression without what is in brackets, and without prefixes.
  var withoutConditions: String {
    all.indices.filter { all[$0].depth == 0 && self[$0] != ":" && self[$0 + 1] != ":" }
      .map { String(self[$0]) }.joined()
  }

  /// The expression with something before each path that begins at the document.
  func text(of expression: String, in envelope: String) -> String {
    var (bytes, before) = ([UInt8](), 0)
    for index in all.indices where beginsAtDocument(index) {
      bytes += expression.utf8.dropFirst(before).prefix(all[index].range.lowerBound - before)
      bytes += envelope.utf8
      before = all[index].range.lowerBound
      // Alone it is the document itself.
      let goesOn = isName(at: index + 1) || ["@", ".", ".."].contains { $0 == self[index + 1] }
      if !goesOn { before += 1 }
    }
    return String(decoding: bytes + expression.utf8.dropFirst(before), as: UTF8.self)
  }

  /// The least depth, counted from the document, of an element that must have ended for the conditions of
  /// the path, beside the records themselves.
  ///
  /// `Int.max` if there is none.
  var conditionDepth: Int {
    var (depth, least) = (0, Int.max)
    let count = steps.count
    for index in all.indices {
      if all[index].depth == 0 && self[index] == "/" { depth += 1 }
      guard all[index].depth == 1, self[index] == "[" else { continue }
      let condition = all[index...].dropFirst().prefix { $0.depth > 1 || $0.text != "]" }
      let inner = XPathTokens(tokens: Array(condition))
      let reach = max(XPathPaths(inner).reach, inner.isAboutPosition ? 1 : 0)
      if depth < count || reach > 0 { least = min(least, depth - min(reach, depth)) }
    }
    return least
  }

  private init(tokens: [Token]) { all = tokens }

  /// Whether a condition may be a number, or about one: the position of its node.
  private var isAboutPosition: Bool {
    let functions = [
      "position", "last", "count", "sum", "number", "string-length", "floor", "ceiling", "round",
    ]
    let first = all.first { $0.text != "(" && $0.text != "-" }
    return first?.text.first?.isWholeNumber == true
      || all.indices.contains { index in
        let isOperator =
          !all[index].isInOperand && ["+", "-", "*", "div", "mod"].contains(self[index])
        return isOperator || isFunction(at: index) && functions.contains { $0 == self[index] }
      }
  }

  /// Whether the expression, but for conditions, asks for all text in the element at which it is
  /// evaluated, or in one around it.
  var asksForOwnText: Bool {
    all.indices.contains { index in
      let isEnd = ![":", "::", "/", "//"].contains { $0 == self[index + 1] }
      let isContext = [".", ".."].contains { $0 == self[index] } && isEnd
      let isCall = isFunction(at: index) && self[index + 2] == ")"
      return all[index].depth == 0 && (isContext || isCall || isNodeType(at: index))
    }
  }

  /// Whether a path may lead to elements of this name, or anywhere.
  func mayLead(to name: String) -> Bool {
    all.indices.contains { index in
      let isAnything = self[index] == "//" || self[index] == "*" && isName(at: index) && index > 1
      let isFarAxis =
        self[index + 1] == "::"
        && ["descendant", "descendant-or-self", "following", "preceding"].contains(self[index])
      return isAnything || isFarAxis || self[index] == name
        || name == "*" && self[index - 1] == "/" && index > 2
    }
  }
}

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

  /// - Parameter text: an expression; faults in it are for the compiler to find.
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

// MARK: - What they mean

extension XPathTokens {
  private static let nodeTypes = ["text", "node", "comment", "processing-instruction"]
  private static let innerAxes = ["child", "attribute", "self", "descendant", "descendant-or-self"]

  /// The text of a token; empty where there is none.
  subscript(_ index: Int) -> Substring { all.indices.contains(index) ? all[index].text : "" }

  /// Whether a token is a name or `*`, and no operator.
  func isName(at index: Int) -> Bool {
    all.indices.contains(index) && all[index].isInOperand
      && self[index].utf8.first.map(Self.beginsName) ?? false
  }

  func isFunction(at index: Int) -> Bool {
    isName(at: index) && self[index + 1] == "(" && !Self.nodeTypes.contains { $0 == self[index] }
  }

  /// Whether a token leads to what is not inside the element at which the expression is evaluated.
  func leadsOutside(at index: Int) -> Bool {
    switch self[index] {
    case "..": true
    case "/", "//": all[index].isInOperand
    case "id": isFunction(at: index)
    case let text: self[index + 1] == "::" && !Self.innerAxes.contains { $0 == text }
    }
  }

  /// Whether every path begins at the document or with a step outward.
  var isSameForSiblings: Bool {
    all.indices.allSatisfy { index in
      let goesOn = ["/", "//", "::", ":", "@"].contains { $0 == self[index - 1] }
      if all[index].depth > 0 || !all[index].isInOperand || goesOn { return true }
      // Without arguments many functions are about the element itself.
      if isFunction(at: index) { return self[index + 2] != ")" }
      if self[index + 1] == "::" { return ["parent", "ancestor"].contains { $0 == self[index] } }
      return !isName(at: index) && self[index] != "@" && self[index] != "."
    }
  }

  /// The names of the root elements at which paths begin.
  var roots: Set<String> {
    Set(
      all.indices.compactMap { index in
        guard self[index] == "/", all[index].isInOperand, isName(at: index + 1),
          self[index + 2] != "::"
        else { return nil }
        return String(self[index + 2] == ":" ? self[index + 3] : self[index + 1])
      })
  }

  // MARK: Conditions

  /// The tokens from a bracket to the one that closes it; `nil` if none is opened there or closed.
  func condition(at start: Int) -> Range<Int>? {
    guard self[start] == "[" else { return nil }
    let end = all.indices[start...].first { self[$0] == "]" && all[$0].depth == all[start].depth }
    return end.map { start..<$0 + 1 }
  }

  /// Whether a condition is about the position of its element, or about what is around it.
  func looksAround(_ condition: Range<Int>) -> Bool {
    if condition.count == 3,
      self[condition.lowerBound + 1].allSatisfy({ ("0"..."9").contains($0) || $0 == "." })
    {
      return true
    }
    return condition.contains { index in
      let isPosition = isFunction(at: index) && ["position", "last"].contains { $0 == self[index] }
      return all[index].depth == 1 && isPosition || leadsOutside(at: index)
    }
  }

  /// Whether a condition distinguishes one kind of element from another: by its attributes, denying
  /// nothing.
  func isOfKind(_ condition: Range<Int>) -> Bool {
    condition.allSatisfy { index in
      if isFunction(at: index) { return self[index] != "not" }
      return !isName(at: index) || ["@", ":"].contains { $0 == self[index - 1] }
    }
  }
}

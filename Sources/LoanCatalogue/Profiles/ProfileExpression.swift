internal import Loans

/// An XPath 1.0 expression of a profile, and what of a document it looks at.
public struct ProfileExpression: Hashable, Sendable {
  /// The expression as it is written.
  public let text: String
  /// The expression as it is evaluated: without the prefixes of the profile's own namespaces, which
  /// elements lose as well, each replaced by spaces.
  private(set) var xpath: String
  /// Where in the profile it is written.
  let location: SourceLocation
  /// How many elements above its context it looks at; `.max` for the whole document.
  private(set) var reach = 0
  /// The names of elements that it looks at; `nil` for all.
  private(set) var names: Set<String>? = []
  /// The location paths that it consists of, each with the name of the root element if that is
  /// certain; empty if what comes later could change what an earlier part of the document gives.
  private(set) var paths: [Path] = []
  /// The path itself, where it is nothing but names from the root element on.
  private(set) var steps: [Step] = []

  /// A location path.
  struct Path: Hashable, Sendable {
    var xpath: String
    var root: String?
  }

  /// An element on a path from the root element on.
  struct Step: Hashable, Sendable {
    /// The namespace of its prefix; `nil` for the profile's own.
    var namespace: String?
    /// Its name, or `*`.
    var local: String
    /// What it has to fulfil to be one of its kind, each in its brackets.
    var conditions: [String] = []
    /// What it has to fulfil to be lent: what is about more than its attributes, or denies something.
    var lendingConditions: [String] = []
  }

  /// The functions of XPath 1.0, section 4.
  private static let functions: Set<String> = [
    "last", "position", "count", "id", "local-name", "namespace-uri", "name", "string", "concat",
    "starts-with", "contains", "substring-before", "substring-after", "substring", "string-length",
    "normalize-space", "translate", "boolean", "not", "true", "false", "lang", "number", "sum",
    "floor", "ceiling", "round",
  ]
  private static let nodeTypes: Set<String> = ["text", "node", "comment", "processing-instruction"]
  /// The functions whose result does not change where more nodes come later.
  private static let lastingFunctions: Set<String> = [
    "concat", "normalize-space", "string", "translate", "starts-with", "contains", "local-name",
  ]

  /// - Parameters:
  ///   - namespaces: those of the prefixes that may be used.
  ///   - own: the profile's own.
  /// - Throws: ``XPathFailure``, for what is wrong with the names in it.
  init(
    _ text: String, at location: SourceLocation, namespaces: [String: String], own: [String]
  ) throws(XPathFailure) {
    self.text = text
    self.location = location
    xpath = text
    let tokens = XPathTokens(text).tokens
    try check(tokens, namespaces)
    blankPrefixes(tokens) { prefix in namespaces[prefix].map(own.contains) == true }
    findReach(tokens)
    findPaths(tokens)
    findSteps(tokens) { prefix in
      prefix.flatMap { namespaces[$0] }.flatMap { own.contains($0) ? nil : $0 }
    }
  }

  private func check(
    _ tokens: [XPathTokens.Token], _ namespaces: [String: String]
  ) throws(XPathFailure) {
    if tokens.isEmpty { throw XPathFailure(message: "the expression is empty") }
    for token in tokens {
      switch token.kind {
      case .name(let prefix?, _) where namespaces[prefix] == nil:
        throw XPathFailure(
          message: """
            the prefix \(prefix.quoted()) is not bound; add xmlns:\(prefix.visible)="…" to <profile>
            """, offset: token.range.lowerBound)
      case .function(let name) where !Self.functions.union(Self.nodeTypes).contains(name):
        throw XPathFailure(
          message: "XPath 1.0 has no function \(name.quoted(limit: 40))",
          offset: token.range.lowerBound)
      case .symbol("$"):
        throw XPathFailure(
          message: "a profile has no variables", offset: token.range.lowerBound)
      default: break
      }
    }
  }

  private mutating func blankPrefixes(
    _ tokens: [XPathTokens.Token], where isOwn: (String) -> Bool
  ) {
    var bytes = Array(text.utf8)
    for token in tokens {
      guard case .name(let prefix?, _) = token.kind, isOwn(prefix) else { continue }
      for index in token.range.prefix(prefix.utf8.count + 1) { bytes[index] = 0x20 }
    }
    xpath = String(decoding: bytes, as: UTF8.self)
  }
}

// MARK: - What it looks at

extension ProfileExpression {
  private mutating func findReach(_ tokens: [XPathTokens.Token]) {
    var climb = 0
    for (index, token) in tokens.enumerated() {
      switch token.kind {
      case .symbol(".."), .axis("parent"):
        climb += Self.isOnlyOnTheWayToAttribute(tokens[index...]) ? 0 : 1
        reach = max(reach, climb)
      case .axis("following-sibling"), .axis("preceding-sibling"):
        reach = max(reach, climb + 1)
      case .axis("ancestor"), .axis("ancestor-or-self"):
        if !Self.isOnlyOnTheWayToAttribute(tokens[index...]) { reach = .max }
      case .axis("following"), .axis("preceding"), .function("id"):
        reach = .max
      case .symbol("/"), .symbol("//"):
        if Self.isAtBeginning(of: index, tokens) { reach = .max }
      case .name(_, "*"), .function("node"):
        if !Self.isAttribute(index, tokens) { names = nil }
      case .name(_, let local):
        names?.insert(local)
      default: break
      }
      if Self.endsPath(token.kind) { climb = 0 }
    }
  }

  /// Whether tokens go up and to an attribute, which is known as soon as an element has begun.
  private static func isOnlyOnTheWayToAttribute(_ tokens: ArraySlice<XPathTokens.Token>) -> Bool {
    var isAfterAxis = false
    for token in tokens {
      switch token.kind {
      case .symbol("@"), .axis("attribute"): return true
      case .symbol(".."), .symbol("/"), .function("node"), .symbol("("), .symbol(")"): break
      case .axis("parent"), .axis("ancestor"), .axis("ancestor-or-self"):
        isAfterAxis = true
        continue
      case .name where isAfterAxis: break
      default: return false
      }
      isAfterAxis = false
    }
    return false
  }

  /// Whether a path begins with the slash at an index.
  private static func isAtBeginning(of index: Int, _ tokens: [XPathTokens.Token]) -> Bool {
    guard index > 0 else { return true }
    switch tokens[index - 1].kind {
    case .name, .literal, .number: return false
    case .symbol(let symbol): return ![")", "]", ".", ".."].contains(symbol)
    case .function, .axis: return true
    }
  }

  private static func isAttribute(_ index: Int, _ tokens: [XPathTokens.Token]) -> Bool {
    guard index > 0 else { return false }
    return [.symbol("@"), .axis("attribute")].contains(tokens[index - 1].kind)
  }

  /// Whether no location path goes on after a token.
  private static func endsPath(_ kind: XPathTokens.Kind) -> Bool {
    switch kind {
    case .symbol(let symbol): !["/", "//", "..", ".", "@", "::", "(", ")"].contains(symbol)
    case .function(let name): !nodeTypes.contains(name)
    case .literal, .number: true
    case .name, .axis: false
    }
  }

  private mutating func findPaths(_ tokens: [XPathTokens.Token]) {
    var found: [Path] = []
    var first: Int?
    var brackets = 0
    for (index, token) in tokens.enumerated() {
      // The parentheses of text() and the like belong to their path.
      let isNodeTest = (1...2).contains { back in
        guard index >= back, case .function(let name) = tokens[index - back].kind else {
          return false
        }
        return Self.nodeTypes.contains(name)
      }
      if isNodeTest, [.symbol("("), .symbol(")")].contains(token.kind) { continue }
      switch token.kind {
      case .symbol("["): brackets += 1
      case .symbol("]"): brackets -= 1
      case .function(let name) where !Self.nodeTypes.contains(name):
        if !Self.lastingFunctions.contains(name) { return }
      case .number where brackets > 0: return
      case .function(let name) where Self.nodeTypes.contains(name):
        if brackets == 0 && first == nil { first = index }
      case .name, .axis, .symbol("/"), .symbol("//"), .symbol("."), .symbol(".."), .symbol("@"):
        if brackets == 0 && first == nil { first = index }
      case .symbol(","), .symbol(")"):
        if brackets == 0, let start = first {
          found.append(path(tokens[start..<index]))
          first = nil
        }
      case .symbol("("), .literal, .function, .number: break
      case .symbol: if brackets == 0 { return }
      }
    }
    if let first { found.append(path(tokens[first...])) }
    paths = found
  }

  private func path(_ tokens: ArraySlice<XPathTokens.Token>) -> Path {
    var path = Path(xpath: Self.text(of: tokens, in: Array(xpath.utf8)))
    if tokens.first?.kind == .symbol("/"),
      case .name(_, let local) = tokens.dropFirst().first?.kind,
      local != "*"
    {
      path.root = local
    }
    return path
  }

  private static func text(
    of tokens: ArraySlice<XPathTokens.Token>, in bytes: [UInt8]
  ) -> String {
    guard let first = tokens.first, let last = tokens.last else { return "" }
    return String(decoding: bytes[first.range.lowerBound..<last.range.upperBound], as: UTF8.self)
  }

  private mutating func findSteps(
    _ tokens: [XPathTokens.Token], _ namespace: (String?) -> String?
  ) {
    let bytes = Array(xpath.utf8)
    var found: [Step] = []
    var rest = tokens[...]
    while let slash = rest.popFirst() {
      guard slash.kind == .symbol("/"), case .name(let prefix, let local) = rest.popFirst()?.kind
      else { return }
      var step = Step(namespace: namespace(prefix), local: local)
      while rest.first?.kind == .symbol("[") {
        guard let predicate = Self.takePredicate(&rest) else { return }
        let text = Self.text(of: predicate, in: bytes)
        if Self.isOfKind(predicate) {
          step.conditions.append(text)
        } else {
          step.lendingConditions.append(text)
        }
      }
      found.append(step)
    }
    steps = found
  }

  /// Takes what is in brackets, with these; `nil` if they are not closed.
  private static func takePredicate(
    _ rest: inout ArraySlice<XPathTokens.Token>
  ) -> ArraySlice<XPathTokens.Token>? {
    let start = rest
    var depth = 0
    while let token = rest.popFirst() {
      if token.kind == .symbol("[") { depth += 1 }
      if token.kind == .symbol("]") { depth -= 1 }
      if depth == 0 { return start[..<rest.startIndex] }
    }
    return nil
  }

  /// Whether a predicate tells one kind of element from another: by its attributes, denying nothing.
  private static func isOfKind(_ predicate: ArraySlice<XPathTokens.Token>) -> Bool {
    let tokens = Array(predicate)
    return tokens.indices.allSatisfy { index in
      switch tokens[index].kind {
      case .name: isAttribute(index, tokens)
      case .function(let name): name != "not" && !nodeTypes.contains(name)
      default: true
      }
    }
  }
}

// MARK: - Records

extension ProfileExpression {
  /// The path as it is written, but for what has to be fulfilled on the way.
  public var withoutConditions: String {
    steps.map { "/\($0.local)" }.joined()
  }

  /// Whether an element at the other path may be inside an element at this one.
  func isOutside(_ other: ProfileExpression) -> Bool {
    steps.count < other.steps.count
      && zip(steps, other.steps).allSatisfy { own, other in
        own.local == other.local || own.local == "*" || other.local == "*"
      }
  }

  /// Looks whether it can be evaluated.
  ///
  /// - Throws: ``XPathFailure``.
  func check(prefixes: [String: String]) throws(XPathFailure) {
    let evaluator = try XPathEvaluator(namespaces: prefixes)
    _ = try evaluator.value(of: try evaluator.compile(xpath))
  }

  /// Whether it can have a value in a document with this root element.
  func mayBeBelow(root: String) -> Bool {
    paths.isEmpty || paths.contains { $0.root == nil || $0.root == root }
  }

  /// What an element at the end of the path has to fulfil to be a record, from the element.
  var recordCondition: String {
    var conditions: [String] = []
    for (climb, step) in steps.reversed().enumerated() {
      let predicates = step.conditions + (climb > 0 ? step.lendingConditions : [])
      if climb > 0 && predicates.isEmpty { continue }
      let way = String(repeating: "parent::*/", count: climb)
      conditions.append("boolean(\(way)self::*\(predicates.joined()))")
    }
    return conditions.joined(separator: " and ")
  }

  /// What a record has to fulfil to be lent, if there is anything.
  var lendingCondition: String? {
    let conditions = steps.last?.lendingConditions ?? []
    return conditions.isEmpty ? nil : "boolean(self::*\(conditions.joined()))"
  }
}

extension CatalogueProfile.FieldRule {
  /// How many elements above the record it looks at.
  var reach: Int { max(path.reach, time?.reach ?? 0) }
}

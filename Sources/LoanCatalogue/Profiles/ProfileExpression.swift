internal import Loans

/// An XPath 1.0 expression of a profile, and what of a document it looks at.
public struct ProfileExpression: Hashable, Sendable {
  /// The expression as it is written.
  public let text: String
  /// The expression as it is evaluated: without the prefixes of the profile's own namespaces, which
  /// elements lose as well, each replaced by spaces.
  let xpath: String
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
    let tokens = XPathTokens(text).tokens
    if tokens.isEmpty { throw XPathFailure(message: "the expression is empty") }
    var bytes = Array(text.utf8)
    for token in tokens {
      if let mistake = Self.mistake(in: token, namespaces) {
        throw XPathFailure(message: mistake, offset: token.nameRange.lowerBound)
      }
      guard case .step(_, let prefix?, _) = token.kind, let namespace = namespaces[prefix],
        own.contains(namespace)
      else { continue }
      for index in token.nameRange.prefix(prefix.utf8.count + 1) { bytes[index] = 0x20 }
    }
    xpath = String(decoding: bytes, as: UTF8.self)
    findReach(tokens)
    findPaths(tokens)
    findSteps(tokens) { prefix in
      prefix.flatMap { namespaces[$0] }.flatMap { own.contains($0) ? nil : $0 }
    }
  }

  private static func mistake(
    in token: XPathTokens.Token, _ namespaces: [String: String]
  ) -> String? {
    switch token.kind {
    case .step(_, let prefix?, _) where namespaces[prefix] == nil:
      """
      the prefix \(prefix.quoted()) is not bound; add xmlns:\(prefix.visible)="…" to <profile>
      """
    case .function(let name)
    where !functions.contains(name) && !XPathTokens.nodeTypes.contains(name):
      "XPath 1.0 has no function \(name.quoted(limit: 40))"
    case .symbol("$"): "a profile has no variables"
    default: nil
    }
  }
}

// MARK: - What it looks at

extension ProfileExpression {
  private typealias Tokens = ArraySlice<XPathTokens.Token>

  private mutating func findReach(_ tokens: [XPathTokens.Token]) {
    var climb = 0
    for (index, token) in tokens.enumerated() {
      switch token.kind {
      case .step(let axis, _, let name):
        switch axis {
        case "parent":
          climb += Self.leadToAttribute(tokens[index...]) ? 0 : 1
          reach = max(reach, climb)
        case "following-sibling", "preceding-sibling": reach = max(reach, climb + 1)
        case "ancestor", "ancestor-or-self":
          if !Self.leadToAttribute(tokens[index...]) { reach = .max }
        case "following", "preceding": reach = .max
        default: break
        }
        let isAny = ["*", "node()"].contains(name) && axis != "attribute"
        if isAny { names = nil } else { names?.insert(name) }
      case .symbol("/"), .symbol("//"):
        if token.isInOperand { reach = .max }
      case .symbol("("), .symbol(")"): break
      case .function("id"): reach = .max
      // No location path goes on after it.
      default: climb = 0
      }
    }
    // What it looks at may be inside of anything.
    if reach > 0 && tokens.contains(where: Self.isDeep) { names = nil }
  }

  /// Whether a token leads to elements without naming those around them.
  private static func isDeep(_ token: XPathTokens.Token) -> Bool {
    switch token.kind {
    case .symbol("//"), .function("id"): true
    case .step(let axis?, _, _):
      ["descendant", "descendant-or-self", "following", "preceding"].contains(axis)
    default: false
    }
  }

  /// Whether a condition of the path looks outside of the element that it is about: at what is
  /// around or beside it, or at its position.
  var looksAround: Bool {
    var depth = 0
    let tokens = XPathTokens(text).tokens
    for (index, token) in tokens.enumerated() {
      switch token.kind {
      case .symbol("["): depth += 1
      case .symbol("]"):
        depth -= 1
        let isNumber = tokens[index - 1].kind == .number && tokens[index - 2].kind == .symbol("[")
        if depth == 0 && isNumber { return true }
      case .function("position"), .function("last"): if depth == 1 { return true }
      case .step(let axis?, _, _) where depth > 0:
        if !["child", "attribute", "self"].contains(axis) && !axis.hasPrefix("descendant") {
          return true
        }
      case .symbol("/"), .symbol("//"): if depth > 0 && token.isInOperand { return true }
      default: break
      }
    }
    return false
  }

  /// Whether tokens go up and to an attribute, which is known as soon as an element has begun.
  private static func leadToAttribute(_ tokens: Tokens) -> Bool {
    for token in tokens {
      switch token.kind {
      case .step("parent", _, _), .step("ancestor", _, _), .step("ancestor-or-self", _, _),
        .symbol("/"), .symbol(")"):
        continue
      case .step("attribute", _, _): return true
      default: return false
      }
    }
    return false
  }

  private mutating func findPaths(_ tokens: [XPathTokens.Token]) {
    var found: [Path] = []
    var first: Int?
    var brackets = 0
    for (index, token) in tokens.enumerated() {
      switch token.kind {
      case .symbol("["): brackets += 1
      case .symbol("]"): brackets -= 1
      case .function(let name):
        if !Self.lastingFunctions.contains(name) { return }
      case .number where brackets > 0: return
      case _ where brackets > 0, .symbol("("), .literal, .number: break
      case .step, .symbol("/"), .symbol("//"): first = first ?? index
      case .symbol(","), .symbol(")"):
        if let first { found.append(path(tokens[first..<index])) }
        first = nil
      case .symbol: return
      }
    }
    if let first { found.append(path(tokens[first...])) }
    paths = found
  }

  private func path(_ tokens: Tokens) -> Path {
    var path = Path(xpath: xpath(of: tokens))
    if tokens.first?.kind == .symbol("/"),
      case .step(nil, _, let local) = tokens.dropFirst().first?.kind, local != "*"
    {
      path.root = local
    }
    return path
  }

  private func xpath(of tokens: Tokens) -> String {
    guard let first = tokens.first, let last = tokens.last else { return "" }
    let bytes = Array(xpath.utf8)[first.range.lowerBound..<last.range.upperBound]
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func findSteps(
    _ tokens: [XPathTokens.Token], _ namespace: (String?) -> String?
  ) {
    var found: [Step] = []
    var rest = tokens[...]
    while let slash = rest.popFirst() {
      guard slash.kind == .symbol("/"),
        case .step(nil, let prefix, let local) = rest.popFirst()?.kind
      else { return }
      var step = Step(namespace: namespace(prefix), local: local)
      while rest.first?.kind == .symbol("[") {
        guard let predicate = Self.takePredicate(&rest) else { return }
        if Self.isOfKind(predicate) {
          step.conditions.append(xpath(of: predicate))
        } else {
          step.lendingConditions.append(xpath(of: predicate))
        }
      }
      found.append(step)
    }
    steps = found
  }

  /// Takes what is in brackets, with these; `nil` if they are not closed.
  private static func takePredicate(_ rest: inout Tokens) -> Tokens? {
    var depth = 0
    let end = rest.firstIndex { token in
      if token.kind == .symbol("[") { depth += 1 }
      if token.kind == .symbol("]") { depth -= 1 }
      return depth == 0
    }
    guard let end else { return nil }
    defer { rest = rest[(end + 1)...] }
    return rest[...end]
  }

  /// Whether a predicate tells one kind of element from another: by its attributes, denying nothing.
  private static func isOfKind(_ predicate: Tokens) -> Bool {
    predicate.allSatisfy { token in
      switch token.kind {
      case .step(let axis, _, let name): axis == "attribute" || [".", ".."].contains(name)
      case .function(let name): name != "not"
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
    let tree = XMLTree.ofOneElement
    let evaluator = unsafe XPathEvaluator(tree.document, namespaces: prefixes)
    _ = try evaluator.value(of: evaluator.compile(xpath))
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

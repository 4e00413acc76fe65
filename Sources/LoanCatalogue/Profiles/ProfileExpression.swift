internal import Loans

/// An XPath 1.0 expression of a profile, and what of a document it looks at.
///
/// `concat(../@name, title)`, for example, looks outside of its record, so that the record is read
/// when the whole document is there; `../@name` also has the same value for all records in one
/// element.
public struct ProfileExpression: Hashable, Sendable {
  /// The expression as it is written.
  public let text: String
  /// The expression as it is evaluated: the prefixes of the profile's own namespaces, which elements
  /// lose as well, are replaced by spaces.
  let xpath: String
  /// The place in the profile where it is written.
  let location: SourceLocation
  /// Whether it looks at anything but the element at which it is evaluated and what is inside.
  let looksOutside: Bool
  /// Whether a condition in it is about the position of its element, or about what is around it.
  let looksAround: Bool
  /// Whether it has the same value at all elements in one.
  let isSameForSiblings: Bool
  /// The names of the root elements at which its paths begin.
  let roots: Set<String>
  /// The path itself, if it is nothing but names from the root element on.
  private(set) var steps: [Step] = []

  /// An element on a path from the root element on.
  struct Step: Hashable, Sendable {
    /// The namespace of its prefix; `nil` for the profile's own.
    var namespace: String?
    /// Its name, or `*`.
    var local: String
    /// Its name in XPath, with its prefix.
    var test: String
    /// The conditions that make it one of its kind, each in its brackets.
    var conditions: [String] = []
    /// The conditions that make it lent: about more than its attributes, or denying something.
    var lendingConditions: [String] = []
  }

  /// The functions of XPath 1.0, section 4.
  private static let functions: Set<String> = [
    "last", "position", "count", "id", "local-name", "namespace-uri", "name", "string", "concat",
    "starts-with", "contains", "substring-before", "substring-after", "substring", "string-length",
    "normalize-space", "translate", "boolean", "not", "true", "false", "lang", "number", "sum",
    "floor", "ceiling", "round",
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
    looksOutside = tokens.contains(where: Self.leadsOutside)
    looksAround = Self.looksAround(tokens)
    isSameForSiblings = Self.isSameForSiblings(tokens)
    roots = Self.roots(of: tokens)
    steps = Self.steps(tokens, xpath: bytes) { prefix in
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

  private static func leadsOutside(_ token: XPathTokens.Token) -> Bool {
    switch token.kind {
    case .step(let axis?, _, _):
      !["child", "attribute", "self", "descendant", "descendant-or-self"].contains(axis)
    case .symbol("/"), .symbol("//"): token.isInOperand
    case .function("id"): true
    default: false
    }
  }

  private static func looksAround(_ tokens: [XPathTokens.Token]) -> Bool {
    var depth = 0
    for (index, token) in tokens.enumerated() {
      switch token.kind {
      case .symbol("["): depth += 1
      case .symbol("]"):
        depth -= 1
        let isNumber = tokens[index - 1].kind == .number && tokens[index - 2].kind == .symbol("[")
        if depth == 0 && isNumber { return true }
      case .function("position"), .function("last"): if depth == 1 { return true }
      default: if depth > 0 && leadsOutside(token) { return true }
      }
    }
    return false
  }

  /// Whether every path begins at the document or with a step outward.
  private static func isSameForSiblings(_ tokens: [XPathTokens.Token]) -> Bool {
    var depth = 0
    for (index, token) in tokens.enumerated() {
      let isGoingOn = index > 0 && [.symbol("/"), .symbol("//")].contains(tokens[index - 1].kind)
      switch token.kind {
      case .symbol("["): depth += 1
      case .symbol("]"): depth -= 1
      case _ where depth > 0: break
      case .step("parent", _, _), .step("ancestor", _, _): break
      case .step: if !isGoingOn { return false }
      // Without arguments many functions are about the element itself.
      case .function: if tokens.dropFirst(index + 2).first?.kind == .symbol(")") { return false }
      default: break
      }
    }
    return true
  }

  private static func roots(of tokens: [XPathTokens.Token]) -> Set<String> {
    var roots: Set<String> = []
    for (token, next) in zip(tokens, tokens.dropFirst()) where token.isInOperand {
      guard token.kind == .symbol("/"), case .step(nil, _, let local) = next.kind else { continue }
      roots.insert(local)
    }
    return roots
  }

  private static func steps(
    _ tokens: [XPathTokens.Token], xpath: [UInt8], _ namespace: (String?) -> String?
  ) -> [Step] {
    func text(_ range: Range<Int>) -> String { String(decoding: xpath[range], as: UTF8.self) }
    var found: [Step] = []
    var rest = tokens[...]
    while let slash = rest.popFirst() {
      guard slash.kind == .symbol("/"), let name = rest.popFirst(),
        case .step(nil, let prefix, let local) = name.kind
      else { return [] }
      var step = Step(namespace: namespace(prefix), local: local, test: text(name.range))
      while rest.first?.kind == .symbol("[") {
        guard let predicate = takePredicate(&rest), let last = predicate.last else { return [] }
        let condition = text(
          predicate[predicate.startIndex].range.lowerBound..<last.range.upperBound)
        if isOfKind(predicate) {
          step.conditions.append(condition)
        } else {
          step.lendingConditions.append(condition)
        }
      }
      found.append(step)
    }
    return found
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

  /// Whether a predicate distinguishes one kind of element from another: by its attributes, denying
  /// nothing.
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
  /// The path as it is written, without conditions.
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

  /// Checks that it can be evaluated.
  ///
  /// - Throws: ``XPathFailure``.
  func check(prefixes: [String: String]) throws(XPathFailure) {
    let tree = XMLTree.ofOneElement
    let evaluator = unsafe XPathEvaluator(tree.document, namespaces: prefixes)
    _ = try evaluator.value(of: evaluator.compile(xpath))
  }

  /// The condition for an element at the end of the path, lent or not, from the element.
  var recordCondition: String {
    var path = ""
    for (climb, step) in steps.reversed().enumerated() {
      path += climb == 0 ? "self::" : "/parent::"
      path += step.test + step.conditions.joined()
      if climb > 0 { path += step.lendingConditions.joined() }
    }
    return "boolean(\(path)[not(parent::*)])"
  }

  /// The condition for a record that is lent; `nil` if all are.
  var lendingCondition: String? {
    let conditions = steps.last?.lendingConditions ?? []
    return conditions.isEmpty ? nil : "boolean(self::*\(conditions.joined()))"
  }
}

extension CatalogueProfile.FieldRule {
  /// Whether it looks outside of the record, and gives the same for all records in one element.
  var isSameForSiblings: Bool {
    path.looksOutside && path.isSameForSiblings && time?.isSameForSiblings ?? true
  }
}

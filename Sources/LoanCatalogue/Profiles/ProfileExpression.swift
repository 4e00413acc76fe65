internal import Loans

/// An XPath 1.0 expression of a profile, and what of a document it looks at.
///
/// `concat(../@name, title)`, for example, looks outside of its record, so that the record is read
/// when the whole document is there; `../@name` also has the same value for all records in one
/// element.
public final class ProfileExpression: Sendable {
  /// The expression as it is written.
  public let text: String
  /// The expression as it is evaluated: the prefixes of the profile's own namespaces, which elements
  /// lose as well, are replaced by spaces.
  let xpath: XPathExpression
  /// Whether there are such prefixes.
  let hasOwnPrefixes: Bool
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
  /// All names in it, those of functions and axes too.
  let names: Set<String>
  /// The path itself, if it is nothing but names from the root element on.
  let steps: [Step]
  /// The condition for an element at the end of that path, lent or not, from the element.
  let recordCondition: XPathExpression?
  /// The condition for a record that is lent; `nil` if all are.
  let lendingCondition: XPathExpression?

  /// An element on a path from the root element on.
  struct Step: Sendable {
    /// The namespace of its prefix; `nil` for the profile's own.
    var namespace: String?
    /// Its name, or `*`.
    var local: String
    /// Its name in XPath, with its prefix, and the conditions that make it one of its kind.
    var test: String
    /// The conditions that make it lent: about more than its attributes, or denying something.
    var lendingConditions = ""
  }

  /// - Parameters:
  ///   - namespaces: those of the prefixes that may be used.
  ///   - own: the profile's own.
  /// - Throws: ``XPathFailure`` for what is wrong with it.
  init(
    _ text: String, at location: SourceLocation, namespaces: [String: String], own: [String]
  ) throws(XPathFailure) {
    self.text = text
    self.location = location
    let tokens = XPathTokens(text)
    if tokens.all.isEmpty { throw XPathFailure(message: "the expression is empty") }
    let tree = XMLTree.ofOneElement
    let evaluator = unsafe XPathEvaluator(tree.document, namespaces: namespaces)
    var bytes = Array(text.utf8)
    for (index, token) in tokens.all.enumerated() {
      let name = String(token.text)
      let offset = token.range.lowerBound
      if tokens[index + 1] == ":" && namespaces[name] == nil {
        throw XPathFailure(
          message: """
            the prefix \(name.quoted()) is not bound; add xmlns:\(name.visible)="…" to <profile>
            """, offset: offset)
      }
      if tokens.isFunction(at: index) && !evaluator.hasFunction(name) {
        throw XPathFailure(
          message: "XPath 1.0 has no function \(name.quoted(limit: 40))", offset: offset)
      }
      if name == "$" { throw XPathFailure(message: "a profile has no variables", offset: offset) }
      if tokens[index + 1] == ":", own.contains(namespaces[name] ?? "") {
        for index in offset..<tokens.all[index + 1].range.upperBound { bytes[index] = 0x20 }
      }
    }
    let xpath = String(decoding: bytes, as: UTF8.self)
    hasOwnPrefixes = xpath != text
    // Alone first: "a) | (b" would be valid in parentheses.
    _ = try evaluator.compile(xpath)
    // In parentheses libxml2 goes to the nodes; else it streams over all that is in the record.
    self.xpath = try evaluator.compile("(\(xpath))")
    unsafe _ = try evaluator.value(of: self.xpath)
    looksOutside = tokens.all.indices.contains { tokens.leadsOutside(at: $0) }
    isSameForSiblings = tokens.isSameForSiblings
    roots = tokens.roots
    names = Set(tokens.all.indices.filter(tokens.isName).map { String(tokens[$0]) })
    (steps, looksAround) = Self.steps(tokens, bytes) { prefix in
      prefix.flatMap { namespaces[$0] }.flatMap { own.contains($0) ? nil : $0 }
    }
    var path = ""
    for (climb, step) in steps.reversed().enumerated() {
      path += climb == 0 ? "self::\(step.test)" : "/parent::\(step.test)\(step.lendingConditions)"
    }
    recordCondition =
      steps.isEmpty ? nil : try evaluator.compile("boolean(\(path)[not(parent::*)])")
    let conditions = steps.last?.lendingConditions ?? ""
    lendingCondition =
      conditions.isEmpty ? nil : try evaluator.compile("boolean(self::*\(conditions))")
  }

  /// The names on the path and the conditions in its brackets, if there is nothing else, and whether
  /// one looks around.
  private static func steps(
    _ tokens: XPathTokens, _ xpath: [UInt8], _ namespace: (String?) -> String?
  ) -> ([Step], Bool) {
    func text(_ range: Range<Int>) -> String {
      let (first, last) = (tokens.all[range.lowerBound], tokens.all[range.upperBound - 1])
      return String(decoding: xpath[first.range.lowerBound..<last.range.upperBound], as: UTF8.self)
    }
    var (steps, looksAround, index): ([Step], Bool, Int) = ([], false, 0)
    while tokens[index] == "/", tokens.isName(at: index + 1) {
      let hasPrefix = tokens[index + 2] == ":"
      let end = index + (hasPrefix ? 4 : 2)
      let prefix = hasPrefix ? String(tokens[index + 1]) : nil
      var step = Step(
        namespace: namespace(prefix), local: String(tokens[end - 1]), test: text(index + 1..<end))
      index = end
      while let condition = tokens.condition(at: index) {
        if tokens.isOfKind(condition) {
          step.test += text(condition)
        } else {
          step.lendingConditions += text(condition)
        }
        looksAround = looksAround || tokens.looksAround(condition)
        index = condition.upperBound
      }
      steps.append(step)
    }
    return index == tokens.all.count ? (steps, looksAround) : ([], false)
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
}

extension CatalogueProfile.FieldRule {
  /// Whether it looks outside of the record, and gives the same for all records in one element.
  var isSameForSiblings: Bool {
    path.looksOutside && path.isSameForSiblings && time?.isSameForSiblings ?? true
  }
}

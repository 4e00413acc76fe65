internal import Loans

/// An XPath 1.0 expression of a profile, and what of a document it looks at.
///
/// `concat(../@name, title)`, for example, is known when its record has ended (``XPathPaths``), so
/// that the record need not wait for anything else.
public final class ProfileExpression: Sendable {
  /// The expression as it is written.
  public let text: String
  /// The expression without conditions and prefixes.
  public var withoutConditions: String { tokens.withoutConditions }
  /// Its number among the expressions of its profile.
  let number: Int
  /// The expression as it is evaluated: the prefixes of the profile's own namespaces, which elements
  /// lose as well, are replaced by spaces.
  let xpath: XPathExpression
  let tokens: XPathTokens
  let paths: XPathPaths
  /// As ``XPathPaths/anchor``.
  let anchor: Int
  /// Whether its value is nodes.
  let isNodes: Bool
  /// How many elements outward it looks as a condition, which can be about the position of its node.
  let reachAsCondition: Int

  /// The expressions of a profile, each of them once.
  final class Context {
    fileprivate let evaluator: XPathEvaluator
    /// A document for expressions to be tried in.
    private let sample = XMLTree.ofOneElement
    fileprivate let namespaces: CatalogueProfile.Namespaces
    /// The expressions by their numbers.
    private(set) var expressions: [ProfileExpression] = []

    init(_ namespaces: CatalogueProfile.Namespaces) {
      evaluator = unsafe XPathEvaluator(sample.document, namespaces: namespaces.prefixes)
      self.namespaces = namespaces
    }

    /// The expression with a text.
    ///
    /// - Throws: ``XPathFailure`` for what is wrong with it.
    func expression(_ text: String) throws(XPathFailure) -> ProfileExpression {
      if let known = expressions.first(where: { $0.text == text }) { return known }
      expressions.append(try ProfileExpression(text, expressions.count, in: self))
      return expressions[expressions.count - 1]
    }
  }

  private init(_ text: String, _ number: Int, in context: Context) throws(XPathFailure) {
    self.text = text
    self.number = number
    tokens = XPathTokens(text)
    if tokens.all.isEmpty { throw XPathFailure(message: "the expression is empty") }
    let xpath = try Self.withoutOwnPrefixes(text, tokens, context)
    // Alone first: "a) | (b" would be valid in parentheses.
    _ = try context.evaluator.compile(xpath)
    // In parentheses libxml2 goes to the nodes; else it streams over all that is in the record.
    self.xpath = try context.evaluator.compile("(\(xpath))")
    let value = unsafe try context.evaluator.value(of: self.xpath)
    isNodes = value.isNodes
    paths = XPathPaths(tokens)
    anchor = paths.anchor
    reachAsCondition = max(paths.reach, value.isNumber || paths.areAboutPosition ? 1 : 0)
  }

  private static func withoutOwnPrefixes(
    _ text: String, _ tokens: XPathTokens, _ context: Context
  ) throws(XPathFailure) -> String {
    let namespaces = context.namespaces
    var bytes = Array(text.utf8)
    for (index, token) in tokens.all.enumerated() {
      let name = String(token.text)
      let offset = token.range.lowerBound
      if tokens[index + 1] == ":" && namespaces.prefixes[name] == nil {
        throw XPathFailure(
          message: """
            the prefix \(name.quoted()) is not bound; add xmlns:\(name.visible)="…" to <profile>
            """, offset: offset)
      }
      if tokens.isFunction(at: index) && !context.evaluator.hasFunction(name) {
        throw XPathFailure(
          message: "XPath 1.0 has no function \(name.quoted(limit: 40))", offset: offset)
      }
      if name == "$" { throw XPathFailure(message: "a profile has no variables", offset: offset) }
      if tokens[index + 1] == ":", namespaces.own.contains(namespaces.prefixes[name] ?? "") {
        for index in offset..<tokens.all[index + 1].range.upperBound { bytes[index] = 0x20 }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

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
  /// The root elements at which its paths begin.
  let roots: [Root]
  /// All names in it, those of functions and axes too.
  let names: Set<String>
  let tokens: XPathTokens
  let paths: XPathPaths
  /// Whether its value is nodes.
  let isNodes: Bool

  /// A root element at which a path begins.
  struct Root: Sendable {
    /// Its name; `*` for any.
    var name: String
    /// The namespace of its prefix; `nil` for the profile's own.
    var namespace: String?
  }

  /// The expressions of a profile, each of them once.
  final class Context {
    fileprivate let evaluator: XPathEvaluator
    fileprivate let namespaces: CatalogueProfile.Namespaces
    /// A path to the element around which paths from the document begin.
    fileprivate let envelope: String
    /// The expressions by their numbers.
    private(set) var expressions: [ProfileExpression] = []

    init(_ namespaces: CatalogueProfile.Namespaces, envelope: String = "") {
      evaluator = XPathEvaluator(namespaces: namespaces.prefixes)
      self.namespaces = namespaces
      self.envelope = envelope
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
    let tokens = XPathTokens(text)
    self.tokens = tokens
    if tokens.all.isEmpty { throw XPathFailure(message: "the expression is empty") }
    names = Set(tokens.all.indices.filter(tokens.isName).map { String(tokens[$0]) })
    roots = Self.roots(of: tokens, context.namespaces)
    paths = XPathPaths(tokens)
    let whole = context.envelope.isEmpty ? text : tokens.text(of: text, in: context.envelope)
    let xpath = try Self.withoutOwnPrefixes(whole, context)
    // Alone first: "a) | (b" would be valid in parentheses.
    _ = try context.evaluator.compile(xpath)
    // In parentheses libxml2 goes to the nodes; else it streams over all that is in the record.
    self.xpath = try context.evaluator.compile("(\(xpath))")
    isNodes = unsafe try context.evaluator.value(of: self.xpath).isNodes
  }

  private static func withoutOwnPrefixes(
    _ text: String, _ context: Context
  ) throws(XPathFailure) -> String {
    let (namespaces, tokens) = (context.namespaces, XPathTokens(text))
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

  private static func roots(
    of tokens: XPathTokens, _ namespaces: CatalogueProfile.Namespaces
  ) -> [Root] {
    tokens.all.indices.filter(tokens.beginsAtDocument).map { index in
      guard tokens[index] == "/", tokens.isName(at: index + 1), tokens[index + 2] != "::" else {
        return Root(name: "*")
      }
      guard tokens[index + 2] == ":" else { return Root(name: String(tokens[index + 1])) }
      let namespace = namespaces.prefixes[String(tokens[index + 1])] ?? ""
      return Root(
        name: String(tokens[index + 3]),
        namespace: namespaces.own.contains(namespace) ? nil : namespace)
    }
  }

  /// Whether one of its paths may begin at a root element of this name.
  func mayBegin(with name: String) -> Bool {
    roots.contains { $0.name == name || $0.name == "*" }
  }
}

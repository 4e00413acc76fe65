import CLibXML2
public import Loans

extension CatalogueProfile {
  /// A mistake in a profile.
  public struct Fault: Error, Hashable, Sendable {
    /// The place in the profile's document.
    public var location: SourceLocation
    /// One lower-case sentence: what was expected and what was found; harmless on a terminal.
    public var message: String
  }

  /// Reads a profile from its XML form.
  ///
  /// - Parameter bytes: the whole document, in any encoding that libxml2 knows.
  /// - Throws: ``Fault`` for the first thing that makes no sense.
  public init(reading bytes: [UInt8]) throws(Fault) {
    let tree = try PlacedDocument.tree(bytes)
    self.init(name: "", title: "")
    if let root = tree.root { try read(root) }
  }

  private mutating func read(_ root: XMLNode) throws(Fault) {
    guard root.name == "profile" else {
      throw root.fault("a profile's root element is <profile>, not <\(root.name.visible)>")
    }
    try readAttributes(of: root)
    let context = ProfileExpression.Context(namespaces)
    // The fields that all records have.
    var common: [FieldRule] = []
    for child in root.children {
      try read(ProfileElement(node: child, context: context), &common)
    }
    guard !records.isEmpty else { throw root.fault("the profile has no <record path=\"…\"/>") }
    for index in records.indices {
      records[index].fields += common
      guard records[index].fields.contains(where: { $0.field == .expiration }) else {
        throw root.fault("the profile has no <expiration path=\"…\" form=\"…\"/>")
      }
      records[index].findReach(context)
    }
    let names = Set(records.flatMap(\.fields).compactMap(\.dateName)).sorted()
    if !names.isEmpty {
      let isNamed = names.map { "local-name()='\($0)'" }.joined(separator: " or ")
      document.dates = try? context.expression(
        "descendant-or-self::*[\(isNamed)][translate(normalize-space(), '0-: ', '')]")
    }
    expressions = context.expressions
  }

  private mutating func readAttributes(of root: XMLNode) throws(Fault) {
    namespaces.prefixes = root.declaredPrefixes
    namespaces.prefixes["xml"] = "http://www.w3.org/XML/1998/namespace"
    try root.check(["name", "title", "namespace"], hasChildren: true)
    let attribute = try root.attribute("name")
    name = attribute.text
    let plain = "abcdefghijklmnopqrstuvwxyz0123456789-".utf8
    guard (1...40).contains(name.utf8.count), name.utf8.allSatisfy(plain.contains) else {
      throw attribute.fault(
        "a profile's name has small letters, digits and hyphens, at most 40: found "
          + name.quoted())
    }
    title = root["title"]?.text ?? name
    let own = root.words("namespace")
    namespaces.own = own.isEmpty ? rootNamespaces(root) : own
  }

  /// The namespaces that the root elements of records have by their prefixes: names without prefix
  /// are meant to be of the same.
  private func rootNamespaces(_ root: XMLNode) -> [String] {
    let namespaces = root.children.compactMap { element -> String? in
      guard element.name == "record", let path = element["path"]?.text else { return nil }
      let tokens = XPathTokens(path)
      return tokens[2] == ":" ? self.namespaces.prefixes[String(tokens[1])] : nil
    }
    return Set(namespaces).sorted()
  }

  private mutating func read(
    _ element: ProfileElement, _ common: inout [FieldRule]
  ) throws(Fault) {
    let node = element.node
    switch node.name {
    case "record":
      try node.check(["path", "lent"], hasChildren: true)
      var record = Record(path: try element.pathOfElements())
      record.lent = try element.expression(ifThere: "lent")
      record.fields = try element.fields()
      records.append(record)
    case "lookup": lookups.append(try element.lookup())
    case "problem":
      try node.check(["path", "unless", "borrower"])
      var problem = Problem(path: try element.documentPath())
      problem.yieldsToLoans = try node.flag("unless", "loans")
      problem.isAboutBorrower = try node.flag("borrower", "unknown")
      document.problems.append(problem)
    case "total": document.totals.append(try element.onlyPath())
    case "list": document.lists.append(try element.onlyPath())
    case "more": document.continuations.append(try element.onlyPath())
    case "detect": document.signs.append(try element.onlyPath())
    case "columns":
      try node.check(["name"])
      let name = try node.attribute("name")
      guard name.text == "name()" || name.text.hasPrefix("@") else {
        throw name.fault("expected \"name()\" or \"@ATTRIBUTE\", found \(name.text.quoted())")
      }
      columns = name.text
    default: common.append(try element.fieldRule())
    }
  }
}

extension CatalogueProfile.FieldRule {
  /// The name of the element that holds the expiration, if the path is only names.
  fileprivate var dateName: Substring? {
    guard field == .expiration, !countsFromLoan,
      path.text.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "/_-".utf8.contains($0) })
    else { return nil }
    return path.text.split(separator: "/").last
  }
}

// MARK: - Elements

private typealias Fault = CatalogueProfile.Fault

/// An element of a profile, among the expressions of that.
private struct ProfileElement {
  let node: XMLNode
  let context: ProfileExpression.Context

  func lookup() throws(Fault) -> CatalogueProfile.Lookup {
    try node.check(["path", "key", "reference"], hasChildren: true)
    let lookup = CatalogueProfile.Lookup(
      path: try pathOfElements(), key: try expression("key"),
      reference: try expression("reference"), fields: try fields())
    for child in node.children where ["expiration", "loaned"].contains(child.name) {
      throw child.fault("<\(child.name)> cannot be looked up; it is the loan's")
    }
    if lookup.fields.isEmpty {
      throw node.fault("<lookup> has no field inside, <title path=\"…\"/>")
    }
    return lookup
  }

  /// The fields inside.
  func fields() throws(Fault) -> [CatalogueProfile.FieldRule] {
    try node.children.map { child throws(Fault) in
      try ProfileElement(node: child, context: context).fieldRule()
    }
  }

  func fieldRule() throws(Fault) -> CatalogueProfile.FieldRule {
    guard let field = LoanField.allCases.first(where: { "\($0)" == node.name }) else {
      let known =
        ["record", "columns", "lookup", "problem", "total", "list", "more", "detect"]
        + LoanField.allCases.map { "\($0)" }
      throw node.fault(
        """
        <\(node.name.visible)> is not known in a profile; known are \
        \(known.joined(separator: ", "))
        """)
    }
    let isDate = field == .expiration || field == .loaned
    try node.check(
      ["path", "none"] + (isDate ? ["form", "time"] : [])
        + (field == .expiration ? ["plus", "empty", "day"] : []) + (field == .id ? ["shared"] : []))
    return CatalogueProfile.FieldRule(
      field, path: try expression("path"), time: try expression(ifThere: "time"),
      absences: node.words("none"), countsFromLoan: try node.flag("plus", "loan-days"),
      isShared: try node.flag("shared", "yes"), refusesEmpty: try node.flag("empty", "error"),
      forms: isDate ? try forms() : [])
  }

  private func forms() throws(Fault) -> [DateForm] {
    let attribute = try node.attribute("form")
    let takesUTCDay = try node.flag("day", "utc")
    let texts = attribute.text.split(separator: "|", omittingEmptySubsequences: false)
    return try texts.map { text throws(Fault) in
      do throws(DateForm.SyntaxError) {
        return try DateForm(String(text), takesUTCDay: takesUTCDay)
      } catch {
        throw attribute.fault(error.message)
      }
    }
  }
}

// MARK: - Expressions

extension ProfileElement {
  func expression(_ name: String) throws(Fault) -> ProfileExpression {
    let attribute = try node.attribute(name)
    do throws(XPathFailure) {
      return try context.expression(attribute.text)
    } catch {
      var fault = attribute.fault("path \(attribute.text.quoted(limit: 200)): \(error.message)")
      if attribute.place != nil {
        fault.location.column += attribute.text.utf8.prefix(error.offset).characterCount
      }
      throw fault
    }
  }

  func expression(ifThere name: String) throws(Fault) -> ProfileExpression? {
    node[name] == nil ? nil : try expression(name)
  }

  /// A path that leads to the same in the whole document.
  func documentPath() throws(Fault) -> ProfileExpression {
    let path = try expression("path")
    if path.anchor != XPathPaths.document { throw try fault(of: path, "begins with /") }
    return path
  }

  func onlyPath() throws(Fault) -> ProfileExpression {
    try node.check(["path"])
    return try documentPath()
  }

  /// A path that leads from the document to elements.
  func pathOfElements() throws(Fault) -> ProfileExpression {
    let path = try documentPath()
    if !path.isNodes { throw try fault(of: path, "leads to elements") }
    return path
  }

  private func fault(of path: ProfileExpression, _ need: String) throws(Fault) -> Fault {
    try node.attribute("path").fault(
      "path \(path.text.quoted(limit: 200)): the path of a \(node.name) \(need)")
  }
}

// MARK: - Attributes

extension XMLNode {
  private static let longestText = 4_000

  fileprivate func fault(_ message: String) -> Fault {
    let location = unsafe place ?? SourceLocation(of: node)
    return Fault(location: location ?? SourceLocation(line: 1, column: 1), message: message)
  }

  fileprivate subscript(name: String) -> XMLNode? {
    attributes.first { $0.qualifiedName == name }
  }

  fileprivate func words(_ name: String) -> [String] {
    (self[name]?.text ?? "").split(separator: " ").map(String.init)
  }

  fileprivate func attribute(_ name: String) throws(Fault) -> XMLNode {
    guard let attribute = self[name] else {
      throw fault("<\(self.name)> needs an attribute \(name)")
    }
    if attribute.text.utf8.count > Self.longestText {
      throw attribute.fault("an attribute has no more than \(Self.longestText) bytes")
    }
    return attribute
  }

  /// Whether it has an attribute, which can only have one value.
  fileprivate func flag(_ name: String, _ value: String) throws(Fault) -> Bool {
    guard let attribute = self[name] else { return false }
    guard attribute.text == value else {
      throw attribute.fault("expected \"\(value)\", found \(attribute.text.quoted())")
    }
    return true
  }

  /// Checks that it has nothing but attributes, and perhaps elements inside.
  fileprivate func check(_ known: [String], hasChildren: Bool = false) throws(Fault) {
    if hasText {
      throw fault("<\(name.visible)> has text inside, which means nothing; use attributes")
    }
    if let other = attributes.first(where: { !known.contains($0.qualifiedName) }) {
      throw other.fault(
        """
        <\(name)> has no attribute \(other.qualifiedName.visible); it may have \
        \(known.joined(separator: ", "))
        """)
    }
    if !hasChildren, let child = children.first {
      throw child.fault("<\(child.name.visible)> cannot be inside <\(name)>")
    }
  }
}

// MARK: - Places

/// A profile's document, with the places of its elements and of the values of attributes.
private enum PlacedDocument {
  /// - Throws: `CatalogueProfile.Fault` if it is not well-formed, or declares entities.
  static func tree(_ bytes: [UInt8]) throws(CatalogueProfile.Fault) -> XMLTree {
    let parser = unsafe XMLParser<Void>(setHandlers: { handlers in
      unsafe handlers.pointee.startElementNs = startElementHandler
      unsafe handlers.pointee.comment = nil
      unsafe handlers.pointee.processingInstruction = nil
    }) { _ in () }
    let tree = parser.parse(bytes[...])
    // What is in memory can be read.
    unsafe try? parser.session.pointee.finish()
    if let fault = unsafe parser.session.pointee.malformation {
      throw CatalogueProfile.Fault(location: fault.location, message: fault.message)
    }
    return tree
  }
}

private let startElementHandler: startElementNsSAX2Func = {
  context, name, _, _, namespaceCount, namespaces, attributeCount, defaultCount, attributes in
  let parser = unsafe parserContext(context)
  let session = unsafe session(of: parser)
  guard unsafe !session.pointee.isStopped else { return }
  unsafe xmlSAX2StartElementNs(
    context, name, nil, nil, namespaceCount, namespaces, attributeCount, defaultCount, attributes)
  guard let node = unsafe parser.pointee.node else { return }
  let (start, element) = unsafe (session.pointee.tagStart, XMLNode(node))
  element.place = start
  // Five pointers for each attribute; the fourth points to its value.
  for (index, attribute) in element.attributes.enumerated() {
    guard let value = unsafe attributes?[index * 5 + 3] else { continue }
    attribute.place = unsafe session.pointee.place(of: value, inTagAt: start)
  }
}

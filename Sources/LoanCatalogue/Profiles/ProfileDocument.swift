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
    try self.init(reading: bytes, envelopeDepth: 0)
  }

  private init(reading bytes: [UInt8], envelopeDepth: Int) throws(Fault) {
    let tree = try PlacedDocument.tree(bytes)
    self.init(name: "", title: "")
    (source, self.envelopeDepth) = (bytes, envelopeDepth)
    if let root = tree.root { try read(root) }
  }

  /// The profile of documents inside a SOAP envelope, so many elements below its root.
  func inEnvelope(depth: Int) -> CatalogueProfile {
    let document = isNative ? BuiltInProfiles.document(named: name) : source
    return (try? CatalogueProfile(reading: document ?? [], envelopeDepth: depth)) ?? self
  }

  private var context: ProfileExpression.Context {
    let inner = String(repeating: "/*", count: max(0, envelopeDepth - 2))
    let envelope = envelopeDepth == 0 ? "" : "/*/*[local-name()='Body']" + inner
    return ProfileExpression.Context(namespaces, envelope: envelope)
  }

  private mutating func read(_ root: XMLNode) throws(Fault) {
    guard root.name == "profile" else {
      throw root.fault("a profile's root element is <profile>, not <\(root.name.visible)>")
    }
    try readAttributes(of: root)
    let context = context
    // The fields that all records have.
    var common: [FieldRule] = []
    for element in root.children { try read(element, &common, context) }
    guard !records.isEmpty else { throw root.fault("the profile has no <record path=\"…\"/>") }
    for index in records.indices {
      records[index].fields += common
      guard records[index].fields.contains(where: { $0.field == .expiration }) else {
        throw root.fault("the profile has no <expiration path=\"…\" form=\"…\"/>")
      }
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
    let own = Self.words(root["namespace"])
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

  private static func words(_ attribute: XMLNode?) -> [String] {
    (attribute?.text ?? "").split(separator: " ").map(String.init)
  }

  private mutating func read(
    _ element: XMLNode, _ common: inout [FieldRule], _ context: ProfileExpression.Context
  ) throws(Fault) {
    switch element.name {
    case "record":
      try element.check(["path", "lent"], hasChildren: true)
      var record = Record(path: try element.placesOfElements(context))
      if element["lent"] != nil { record.lent = try element.expression("lent", context) }
      record.fields = try fields(in: element, context)
      records.append(record)
    case "lookup": lookups.append(try lookup(element, context))
    case "problem":
      try element.check(["path", "unless", "borrower"])
      var problem = Problem(path: try element.documentExpression(context))
      problem.yieldsToLoans = try element.flag("unless", "loans")
      problem.isAboutBorrower = try element.flag("borrower", "unknown")
      document.problems.append(problem)
    case "total": document.totals.append(try element.onlyExpression(context))
    case "list": document.lists.append(try element.onlyExpression(context))
    case "more": document.continuations.append(try element.onlyExpression(context))
    case "detect": document.signs.append(try element.onlyExpression(context))
    case "columns": columns = try columnName(element)
    default: common.append(try fieldRule(element, context))
    }
  }

  private func columnName(_ element: XMLNode) throws(Fault) -> String {
    try element.check(["name"])
    let name = try element.attribute("name")
    if name.text == "name()" || name.text.hasPrefix("@") { return name.text }
    throw name.fault("expected \"name()\" or \"@ATTRIBUTE\", found \(name.text.quoted())")
  }

  private func lookup(
    _ element: XMLNode, _ context: ProfileExpression.Context
  ) throws(Fault) -> Lookup {
    try element.check(["path", "key", "reference"], hasChildren: true)
    let lookup = Lookup(
      path: try element.placesOfElements(context), key: try element.expression("key", context),
      reference: try element.expression("reference", context),
      fields: try fields(in: element, context))
    for child in element.children where ["expiration", "loaned"].contains(child.name) {
      throw child.fault("<\(child.name)> cannot be looked up; it is the loan's")
    }
    if lookup.fields.isEmpty {
      throw element.fault("<lookup> has no field inside, <title path=\"…\"/>")
    }
    return lookup
  }
}

// MARK: - Fields

extension CatalogueProfile {
  private func fields(
    in element: XMLNode, _ context: ProfileExpression.Context
  ) throws(Fault) -> [FieldRule] {
    try element.children.map { child throws(Fault) in try fieldRule(child, context) }
  }

  private func fieldRule(
    _ element: XMLNode, _ context: ProfileExpression.Context
  ) throws(Fault) -> FieldRule {
    guard let field = LoanField.allCases.first(where: { "\($0)" == element.name }) else {
      let known =
        ["record", "columns", "lookup", "problem", "total", "list", "more", "detect"]
        + LoanField.allCases.map { "\($0)" }
      throw element.fault(
        """
        <\(element.name.visible)> is not known in a profile; known are \
        \(known.joined(separator: ", "))
        """)
    }
    let isDate = field == .expiration || field == .loaned
    try element.check(
      ["path", "none"] + (isDate ? ["form", "time"] : [])
        + (field == .expiration ? ["plus", "empty", "day"] : []) + (field == .id ? ["shared"] : []))
    var rule = FieldRule(field: field, path: try element.expression("path", context))
    rule.absences = Self.words(element["none"])
    if isDate { rule.forms = try forms(of: element) }
    if element["time"] != nil { rule.time = try element.expression("time", context) }
    rule.countsFromLoan = try element.flag("plus", "loan-days")
    rule.isShared = try element.flag("shared", "yes")
    rule.refusesEmpty = try element.flag("empty", "error")
    let takesUTCDay = try element.flag("day", "utc")
    for index in rule.forms.indices { rule.forms[index].takesUTCDay = takesUTCDay }
    return rule
  }

  private func forms(of element: XMLNode) throws(Fault) -> [DateForm] {
    let attribute = try element.attribute("form")
    var forms: [DateForm] = []
    for text in attribute.text.split(separator: "|", omittingEmptySubsequences: false) {
      do throws(DateForm.SyntaxError) {
        forms.append(try DateForm(String(text)))
      } catch {
        throw attribute.fault(error.message)
      }
    }
    return forms
  }
}

extension CatalogueProfile.FieldRule {
  /// The name of the element that holds the expiration, if the path is only names.
  fileprivate var dateName: Substring? {
    let names = path.text.split(separator: "/")
    let isPlain = path.text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "/_-".utf8.contains($0) }
    return field == .expiration && !countsFromLoan && isPlain ? names.last : nil
  }
}

// MARK: - Elements and their attributes

extension XMLNode {
  fileprivate typealias Fault = CatalogueProfile.Fault
  private static let longestText = 4_000

  fileprivate var location: SourceLocation {
    unsafe place ?? SourceLocation(of: node) ?? SourceLocation(line: 1, column: 1)
  }

  fileprivate func fault(_ message: String) -> Fault {
    Fault(location: location, message: message)
  }

  fileprivate subscript(name: String) -> XMLNode? {
    attributes.first { $0.qualifiedName == name }
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

// MARK: - Expressions

extension XMLNode {
  fileprivate func expression(
    _ name: String, _ context: ProfileExpression.Context
  ) throws(Fault) -> ProfileExpression {
    let attribute = try attribute(name)
    let (text, start) = (attribute.text, attribute.location)
    do throws(XPathFailure) {
      return try context.expression(text)
    } catch {
      let before = text.utf8.prefix(attribute.place == nil ? 0 : error.offset).characterCount
      throw Fault(
        location: SourceLocation(line: start.line, column: start.column + before),
        message: "path \(text.quoted(limit: 200)): \(error.message)")
    }
  }

  /// An expression that is the same for the whole document.
  fileprivate func documentExpression(
    _ context: ProfileExpression.Context
  ) throws(Fault) -> ProfileExpression {
    let path = try expression("path", context)
    guard path.paths.anchor() == XPathPaths.document else {
      throw try attribute("path").fault(
        "path \(path.text.quoted(limit: 200)): the path of a \(name) begins with /")
    }
    return path
  }

  fileprivate func onlyExpression(
    _ context: ProfileExpression.Context
  ) throws(Fault) -> ProfileExpression {
    try check(["path"])
    return try documentExpression(context)
  }

  /// An expression that leads from the document to elements.
  fileprivate func placesOfElements(
    _ context: ProfileExpression.Context
  ) throws(Fault) -> ProfileExpression {
    let path = try documentExpression(context)
    guard path.isNodes else {
      throw try attribute("path").fault(
        "path \(path.text.quoted(limit: 200)): the path of a \(name) leads to elements")
    }
    return path
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
  // Five pointers each, of which the fourth is that to the value.
  for (index, attribute) in element.attributes.enumerated() {
    guard let value = unsafe attributes?[index * 5 + 3] else { continue }
    attribute.place = unsafe session.pointee.place(of: value, inTagAt: start)
  }
}

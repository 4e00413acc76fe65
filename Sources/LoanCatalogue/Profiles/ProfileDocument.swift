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
    let tree = try XMLTree.profile(bytes)
    self.init(name: "", title: "")
    if let root = tree.root { try read(root) }
  }

  private mutating func read(_ root: XMLNode) throws(Fault) {
    guard root.name == "profile" else {
      throw root.fault("a profile's root element is <profile>, not <\(root.name.visible)>")
    }
    try readAttributes(of: root)
    // The fields that all records have.
    var common: [FieldRule] = []
    for element in root.children { try read(element, &common) }
    guard !records.isEmpty else { throw root.fault("the profile has no <record path=\"…\"/>") }
    for index in records.indices {
      records[index].fields += common
      guard records[index].fields.contains(where: { $0.field == .expiration }) else {
        throw root.fault("the profile has no <expiration path=\"…\" form=\"…\"/>")
      }
    }
    try checkPaths()
    let names = Set(records.flatMap(\.fields).compactMap(\.dateName)).sorted()
    if names.isEmpty { return }
    let isNamed = names.map { "local-name()='\($0)'" }.joined(separator: " or ")
    dates = try? ProfileExpression(
      "//*[\(isNamed)][translate(normalize-space(), '0-: ', '')]", at: root.location,
      namespaces: prefixes, own: namespaces)
  }

  private mutating func readAttributes(of root: XMLNode) throws(Fault) {
    prefixes = root.declaredPrefixes
    prefixes["xml"] = "http://www.w3.org/XML/1998/namespace"
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
    namespaces = own.isEmpty ? rootNamespaces(root) : own
  }

  /// The namespaces that the root elements of records have by their prefixes: names without prefix
  /// are meant to be of the same.
  private func rootNamespaces(_ root: XMLNode) -> [String] {
    let namespaces = root.children.compactMap { element -> String? in
      guard element.name == "record", let path = element["path"]?.text else { return nil }
      let tokens = XPathTokens(path)
      return tokens[2] == ":" ? prefixes[String(tokens[1])] : nil
    }
    return Set(namespaces).sorted()
  }

  private static func words(_ attribute: XMLNode?) -> [String] {
    (attribute?.text ?? "").split(separator: " ").map(String.init)
  }

  private mutating func read(_ element: XMLNode, _ common: inout [FieldRule]) throws(Fault) {
    switch element.name {
    case "record":
      try element.check(["path"], hasChildren: true)
      records.append(Record(path: try path(of: element), fields: try fields(in: element)))
    case "lookup":
      lookups.append(try lookup(element))
    case "problem":
      try element.check(["path", "unless", "borrower"])
      var problem = Problem(path: try expression("path", of: element))
      problem.yieldsToLoans = try element.flag("unless", "loans")
      problem.isAboutBorrower = try element.flag("borrower", "unknown")
      problems.append(problem)
    case "total": totals.append(try onlyExpression(of: element))
    case "list": lists.append(try onlyExpression(of: element))
    case "more": continuations.append(try onlyExpression(of: element))
    case "detect": signs.append(try onlyExpression(of: element))
    case "columns": columns = try columnName(element)
    default: common.append(try fieldRule(element))
    }
  }

  private func onlyExpression(of element: XMLNode) throws(Fault) -> ProfileExpression {
    try element.check(["path"])
    return try expression("path", of: element)
  }

  private func columnName(_ element: XMLNode) throws(Fault) -> String {
    try element.check(["name"])
    let name = try element.attribute("name")
    if name.text == "name()" || name.text.hasPrefix("@") { return name.text }
    throw name.fault("expected \"name()\" or \"@ATTRIBUTE\", found \(name.text.quoted())")
  }

  private func lookup(_ element: XMLNode) throws(Fault) -> Lookup {
    try element.check(["path", "key", "reference"], hasChildren: true)
    let lookup = Lookup(
      path: try path(of: element), key: try expression("key", of: element),
      reference: try expression("reference", of: element), fields: try fields(in: element))
    for rule in lookup.fields where [.expiration, .loaned].contains(rule.field) {
      throw Fault(
        location: rule.path.location,
        message: "<\(rule.field)> cannot be looked up; it is the loan's")
    }
    if lookup.fields.isEmpty {
      throw element.fault("<lookup> has no field inside, <title path=\"…\"/>")
    }
    return lookup
  }
}

// MARK: - Fields

extension CatalogueProfile {
  private func fields(in element: XMLNode) throws(Fault) -> [FieldRule] {
    try element.children.map { child throws(Fault) in try fieldRule(child) }
  }

  private func fieldRule(_ element: XMLNode) throws(Fault) -> FieldRule {
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
    var rule = FieldRule(field: field, path: try expression("path", of: element))
    rule.absences = Self.words(element["none"])
    if isDate { rule.forms = try forms(of: element) }
    if element["time"] != nil { rule.time = try expression("time", of: element) }
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

// MARK: - Expressions

extension CatalogueProfile {
  private func expression(
    _ name: String, of element: XMLNode
  ) throws(Fault) -> ProfileExpression {
    let attribute = try element.attribute(name)
    let (text, start) = (attribute.text, attribute.location)
    do throws(XPathFailure) {
      return try ProfileExpression(text, at: start, namespaces: prefixes, own: namespaces)
    } catch {
      let before = String(decoding: text.utf8.prefix(error.offset), as: UTF8.self)
      let column = start.column + before.unicodeScalars.count
      throw Fault(
        location: SourceLocation(line: start.line, column: column),
        message: "path \(text.quoted(limit: 200)): \(error.message)")
    }
  }

  /// An expression that leads by names from the root element to others.
  private func path(of element: XMLNode) throws(Fault) -> ProfileExpression {
    let path = try expression("path", of: element)
    guard !path.steps.isEmpty else {
      throw path.fault(
        """
        the path of a \(element.name) begins with / and has a name or * for every element on the \
        way, with conditions in brackets
        """)
    }
    if path.looksAround {
      throw path.fault(
        """
        a condition of the path of a \(element.name) is about what is inside its element; its \
        position, and what is around or beside it, cannot be asked for
        """)
    }
    return path
  }

  /// Records must not be inside each other.
  private func checkPaths() throws(Fault) {
    for inner in records.map(\.path) {
      guard let outer = records.map(\.path).first(where: { $0.isOutside(inner) }) else { continue }
      throw inner.fault("this record is inside another, \(outer.text.quoted(limit: 200))")
    }
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

extension ProfileExpression {
  fileprivate func fault(_ message: String) -> CatalogueProfile.Fault {
    CatalogueProfile.Fault(
      location: location, message: "path \(text.quoted(limit: 200)): \(message)")
  }
}

// MARK: - Elements and their attributes

extension XMLNode {
  fileprivate typealias Fault = CatalogueProfile.Fault
  private static let longestText = 4_000

  fileprivate var location: SourceLocation { place ?? SourceLocation(line: 1, column: 1) }

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

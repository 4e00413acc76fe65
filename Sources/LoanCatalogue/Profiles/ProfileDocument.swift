public import Loans

extension CatalogueProfile {
  /// What is wrong with a profile.
  public struct Fault: Error, Hashable, Sendable {
    /// Where in the profile's document.
    public var location: SourceLocation
    /// One lower-case sentence: what was expected and what was found; harmless on a terminal.
    public var message: String
  }

  /// Reads a profile from its XML form.
  ///
  /// - Parameter bytes: the whole document, in any encoding that libxml2 knows.
  /// - Throws: ``Fault`` for the first thing that makes no sense.
  public init(reading bytes: [UInt8]) throws(Fault) {
    var document = try ProfileDocument(bytes)
    self = try document.read()
  }
}

/// A profile's XML form, on its way to become a profile.
struct ProfileDocument {
  typealias Fault = CatalogueProfile.Fault
  private typealias Element = DocumentElements.Element
  private let root: Element
  private var elements: ArraySlice<Element>
  private var profile: CatalogueProfile
  /// The fields that all records have.
  private var common: [CatalogueProfile.FieldRule] = []
  private static let longestText = 4_000
  private static let mostPaths = 60

  init(_ bytes: [UInt8]) throws(Fault) {
    let document = try DocumentElements.of(bytes)
    root = document[0]
    elements = document.dropFirst()
    profile = CatalogueProfile(name: "", title: "")
    guard root.name == "profile" else {
      throw Fault(
        location: root.location,
        message: "a profile's root element is <profile>, not <\(root.name.visible)>")
    }
  }

  mutating func read() throws(Fault) -> CatalogueProfile {
    if let last = elements.last, elements.count >= DocumentElements.mostElements {
      throw Fault(
        location: last.location,
        message: "a profile has no more than \(DocumentElements.mostElements) elements")
    }
    try readRoot()
    while let element = elements.popFirst() { try readChild(element) }
    guard !profile.records.isEmpty else { throw missing("<record path=\"…\"/>") }
    for index in profile.records.indices {
      profile.records[index].fields += common
      guard profile.records[index].fields.contains(where: { $0.field == .expiration }) else {
        throw missing("<expiration path=\"…\" form=\"…\"/>")
      }
    }
    try checkPaths()
    return profile
  }

  private func missing(_ what: String) -> Fault {
    Fault(location: root.location, message: "the profile has no \(what)")
  }

  private mutating func readRoot() throws(Fault) {
    profile.prefixes["xml"] = "http://www.w3.org/XML/1998/namespace"
    for (prefix, namespace) in root.namespaces where !prefix.isEmpty {
      profile.prefixes[prefix] = namespace
    }
    if root.hasText { throw textFault(root) }
    try checkAttributes(of: root, ["name", "title", "namespace"])
    profile.name = try attribute("name", of: root).value
    guard profile.name.utf8.allSatisfy(Self.isPlain), !profile.name.isEmpty,
      profile.name.utf8.count <= 40
    else {
      throw fault(
        in: root, "name",
        "a profile's name has small letters, digits and hyphens, at most 40: found "
          + profile.name.quoted())
    }
    profile.title = root["title"]?.value ?? profile.name
    let own = Self.words(root["namespace"]?.value ?? "")
    profile.namespaces = own.isEmpty ? rootNamespaces : own
  }

  /// The namespaces that the root elements of records have by their prefixes: names without prefix
  /// are meant to be of the same.
  private var rootNamespaces: [String] {
    let namespaces = elements.compactMap { element -> String? in
      guard element.name == "record", let path = element["path"]?.value,
        case .name(let prefix?, _) = XPathTokens(path).tokens.dropFirst().first?.kind
      else { return nil }
      return profile.prefixes[prefix]
    }
    return Set(namespaces).sorted()
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || byte == UInt8(ascii: "-")
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r\n" }.map(String.init)
  }

  private mutating func readChild(_ element: Element) throws(Fault) {
    if element.hasText { throw textFault(element) }
    switch element.name {
    case "record":
      try checkAttributes(of: element, ["path"])
      var record = CatalogueProfile.Record(path: try path("path", of: element))
      record.fields = try children(of: element)
      profile.records.append(record)
    case "problem":
      try checkAttributes(of: element, ["path", "unless"])
      var problem = CatalogueProfile.Problem(path: try expression("path", of: element))
      problem.yieldsToLoans = try flag("unless", "loans", of: element)
      profile.problems.append(problem)
    case "total":
      try checkAttributes(of: element, ["path"])
      profile.totals.append(try expression("path", of: element))
    case "more":
      try checkAttributes(of: element, ["path"])
      profile.continuations.append(try expression("path", of: element))
    case "mark":
      try checkAttributes(of: element, ["path"])
      profile.marks.append(try expression("path", of: element))
    case "lookup":
      try readLookup(element)
    default:
      common.append(try fieldRule(element))
    }
    try refuseChildren(of: element)
  }

  private mutating func readLookup(_ element: Element) throws(Fault) {
    try checkAttributes(of: element, ["path", "key", "reference"])
    let lookup = CatalogueProfile.Lookup(
      path: try path("path", of: element), key: try expression("key", of: element),
      reference: try expression("reference", of: element), fields: try children(of: element))
    for (rule, name) in lookup.fields.map({ ($0, $0.field.name) })
    where [.expiration, .loaned].contains(rule.field) {
      throw Fault(
        location: rule.path.location, message: "<\(name)> cannot be looked up; it is the loan's")
    }
    if lookup.fields.isEmpty {
      throw Fault(
        location: element.location, message: "<lookup> has no field inside, <title path=\"…\"/>")
    }
    profile.lookups.append(lookup)
  }
}

// MARK: - Fields

extension ProfileDocument {
  private static let otherNames = ["record", "lookup", "problem", "total", "more", "mark"]

  /// The fields inside an element.
  private mutating func children(
    of element: Element
  ) throws(Fault) -> [CatalogueProfile.FieldRule] {
    var rules: [CatalogueProfile.FieldRule] = []
    while let child = elements.first, child.depth > element.depth {
      elements.removeFirst()
      if child.hasText { throw textFault(child) }
      rules.append(try fieldRule(child))
      try refuseChildren(of: child)
    }
    return rules
  }

  private mutating func fieldRule(
    _ element: Element
  ) throws(Fault) -> CatalogueProfile.FieldRule {
    guard let field = LoanField.allCases.first(where: { $0.name == element.name }) else {
      let known = Self.otherNames + LoanField.allCases.map(\.name)
      throw Fault(
        location: element.location,
        message: """
          <\(element.name.visible)> is not known in a profile; known are \
          \(known.joined(separator: ", "))
          """)
    }
    let isDate = field == .expiration || field == .loaned
    try checkAttributes(
      of: element,
      ["path", "none"] + (isDate ? ["form", "time"] : [])
        + (field == .expiration ? ["plus", "empty"] : []) + (field == .id ? ["shared"] : []))
    var rule = CatalogueProfile.FieldRule(field: field, path: try expression("path", of: element))
    rule.absences = Self.words(element["none"]?.value ?? "")
    if isDate { rule.forms = try forms(of: element) }
    if element["time"] != nil { rule.time = try expression("time", of: element) }
    rule.countsFromLoan = try flag("plus", "loan-days", of: element)
    rule.isShared = try flag("shared", "yes", of: element)
    if try flag("empty", "error", of: element) { profile.isStrict = true }
    return rule
  }

  private func flag(
    _ name: String, _ value: String, of element: Element
  ) throws(Fault) -> Bool {
    guard let found = element[name]?.value else { return false }
    guard found == value else {
      throw fault(in: element, name, "expected \"\(value)\", found \(found.quoted())")
    }
    return true
  }

  private func forms(of element: Element) throws(Fault) -> [DateForm] {
    let attribute = try attribute("form", of: element)
    var forms: [DateForm] = []
    for text in attribute.value.split(separator: "|", omittingEmptySubsequences: false) {
      do throws(DateForm.SyntaxError) {
        forms.append(
          try DateForm(String(decoding: Array(text.utf8).trimmed, as: UTF8.self)))
      } catch {
        throw Fault(location: attribute.location, message: error.message)
      }
    }
    return forms
  }
}

// MARK: - Expressions

extension ProfileDocument {
  private func expression(
    _ name: String, of element: Element
  ) throws(Fault) -> ProfileExpression {
    let attribute = try attribute(name, of: element)
    do throws(XPathFailure) {
      let expression = try ProfileExpression(
        attribute.value, at: attribute.location, namespaces: profile.prefixes,
        own: profile.namespaces)
      try expression.check(prefixes: profile.prefixes)
      return expression
    } catch {
      throw Self.fault(error, in: attribute.value, at: attribute.location)
    }
  }

  private static func fault(
    _ error: XPathFailure, in text: String, at location: SourceLocation
  ) -> Fault {
    let before = String(decoding: Array(text.utf8).prefix(error.offset), as: UTF8.self)
    return Fault(
      location: SourceLocation(
        line: location.line, column: location.column + before.unicodeScalars.count),
      message: "path \(text.quoted(limit: 200)): \(error.message)")
  }

  /// An expression that leads by names from the root element to others.
  private func path(_ name: String, of element: Element) throws(Fault) -> ProfileExpression {
    let path = try expression(name, of: element)
    guard !path.steps.isEmpty else {
      throw Fault(
        location: path.location,
        message: """
          path \(path.text.quoted(limit: 200)): the path of a \(element.name) begins with / and has \
          a name or * for every element on the way, with conditions in brackets
          """)
    }
    return path
  }

  /// Records must not be inside each other.
  private func checkPaths() throws(Fault) {
    let paths = profile.records.map(\.path)
    guard paths.count + profile.lookups.count <= Self.mostPaths else {
      throw Fault(
        location: root.location,
        message: "a profile has no more than \(Self.mostPaths) records and lookups")
    }
    for inner in paths {
      guard let outer = paths.first(where: { $0.isOutside(inner) }) else { continue }
      throw Fault(
        location: inner.location,
        message: """
          path \(inner.text.quoted(limit: 200)): this record is inside another, \
          \(outer.text.quoted(limit: 200))
          """)
    }
  }
}

// MARK: - What is wrong with an element

extension ProfileDocument {
  private func attribute(
    _ name: String, of element: Element
  ) throws(Fault) -> DocumentElements.Attribute {
    guard let attribute = element[name] else {
      throw Fault(
        location: element.location, message: "<\(element.name)> needs an attribute \(name)")
    }
    if attribute.value.utf8.count > Self.longestText {
      throw Fault(
        location: attribute.location,
        message: "an attribute has no more than \(Self.longestText) bytes")
    }
    return attribute
  }

  private func checkAttributes(of element: Element, _ known: [String]) throws(Fault) {
    guard let other = element.attributes.first(where: { !known.contains($0.name) }) else { return }
    throw Fault(
      location: other.location,
      message: """
        <\(element.name)> has no attribute \(other.name.visible); it may have \
        \(known.joined(separator: ", "))
        """)
  }

  private mutating func refuseChildren(of element: Element) throws(Fault) {
    guard let child = elements.first, child.depth > element.depth else { return }
    throw Fault(
      location: child.location,
      message: "<\(child.name.visible)> cannot be inside <\(element.name)>")
  }

  private func textFault(_ element: Element) -> Fault {
    Fault(
      location: element.location,
      message: "<\(element.name.visible)> has text inside, which means nothing; use attributes")
  }

  private func fault(in element: Element, _ name: String, _ message: String) -> Fault {
    Fault(location: element[name]?.location ?? element.location, message: message)
  }
}

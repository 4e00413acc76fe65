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
  private typealias Fault = CatalogueProfile.Fault
  private let root: SmallDocument.Element
  private var elements: ArraySlice<SmallDocument.Element>
  private var profile: CatalogueProfile
  private static let longestText = 4_000
  /// Where each path is written.
  private var places: [ProfilePath: SourceLocation] = [:]

  init(_ bytes: [UInt8]) throws(CatalogueProfile.Fault) {
    let document: SmallDocument
    do throws(SmallDocument.Fault) {
      document = try SmallDocument(bytes)
    } catch {
      throw Fault(location: error.location, message: error.message)
    }
    root = document.elements[0]
    elements = document.elements.dropFirst()
    profile = CatalogueProfile(name: "", title: "")
    guard root.name == "profile" else {
      throw Fault(
        location: root.location,
        message: "a profile's root element is <profile>, not <\(root.name.visible)>")
    }
  }

  mutating func read() throws(CatalogueProfile.Fault) -> CatalogueProfile {
    if let last = elements.last, elements.count >= SmallDocument.mostElements {
      throw Fault(
        location: last.location,
        message: "a profile has no more than \(SmallDocument.mostElements) elements")
    }
    try readRoot()
    while let element = elements.popFirst() { try readChild(element) }
    guard !profile.records.isEmpty else {
      throw Fault(
        location: root.location, message: "the profile has no <record path=\"…\"/>")
    }
    guard profile.fields.contains(where: { $0.field == .expiration }) else {
      throw Fault(
        location: root.location,
        message: "the profile has no <expiration path=\"…\" form=\"…\"/>")
    }
    if profile.namespaces.isEmpty { profile.namespaces = rootNamespaces }
    do throws(ProfileTree.Failure) {
      profile.tree = try ProfileTree(profile)
    } catch {
      let place = places[error.path] ?? root.location
      throw Fault(
        location: place, message: "path \("\(error.path)".quoted(limit: 200)): \(error.message)")
    }
    return profile
  }

  /// The namespaces that the root elements of records have by their prefixes: names without prefix
  /// are meant to be of the same.
  private var rootNamespaces: [String] {
    let prefixes = profile.records.compactMap { $0.steps.first?.name.prefix }
    return Set(prefixes.compactMap { profile.prefixes[$0] }).sorted()
  }

  private mutating func readRoot() throws(CatalogueProfile.Fault) {
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
    profile.namespaces = Self.words(root["namespace"]?.value ?? "")
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || byte == UInt8(ascii: "-")
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r\n" }.map(String.init)
  }

  private mutating func readChild(_ element: SmallDocument.Element) throws(CatalogueProfile.Fault) {
    if element.hasText { throw textFault(element) }
    switch element.name {
    case "record":
      try checkAttributes(of: element, ["path"])
      profile.records.append(try onePath("path", of: element))
      try refuseChildren(of: element)
    case "problem":
      try checkAttributes(of: element, ["path", "unless"])
      var problem = CatalogueProfile.Problem(paths: try absolutePaths(of: element))
      if let unless = element["unless"] {
        guard unless.value == "loans" else {
          throw fault(in: element, "unless", "expected \"loans\", found \(unless.value.quoted())")
        }
        problem.yieldsToLoans = true
      }
      profile.problems.append(problem)
      try refuseChildren(of: element)
    case "total":
      try checkAttributes(of: element, ["path"])
      profile.totals += try absolutePaths(of: element)
      try refuseChildren(of: element)
    case "more":
      try checkAttributes(of: element, ["path"])
      profile.continuations += try absolutePaths(of: element)
      try refuseChildren(of: element)
    case "mark":
      try checkAttributes(of: element, ["path"])
      profile.marks += try absolutePaths(of: element)
      try refuseChildren(of: element)
    case "lookup":
      try readLookup(element)
    default:
      profile.fields.append(try fieldRule(element))
      try refuseChildren(of: element)
    }
  }

  private func absolutePaths(
    of element: SmallDocument.Element
  ) throws(CatalogueProfile.Fault) -> [ProfilePath] {
    let paths = try self.paths("path", of: element)
    if let path = paths.first(where: { !$0.isAbsolute }) {
      throw fault(in: element, "path", "the path \("\(path)".quoted()) has to begin with /")
    }
    return paths
  }

  private mutating func readLookup(
    _ element: SmallDocument.Element
  ) throws(CatalogueProfile.Fault) {
    try checkAttributes(of: element, ["path", "key", "reference"])
    var lookup = CatalogueProfile.Lookup(
      path: try onePath("path", of: element), key: try onePath("key", of: element),
      reference: try onePath("reference", of: element), fields: [])
    places[lookup.path] = element["path"]?.location
    places[lookup.key] = element["key"]?.location
    places[lookup.reference] = element["reference"]?.location
    while let child = elements.first, child.depth > element.depth {
      elements.removeFirst()
      if child.hasText { throw textFault(child) }
      let rule = try fieldRule(child)
      try refuseChildren(of: child)
      guard ![.expiration, .loaned].contains(rule.field) else {
        throw Fault(
          location: child.location, message: "<\(child.name)> cannot be looked up; it is the loan's"
        )
      }
      lookup.fields.append(rule)
    }
    if lookup.fields.isEmpty {
      throw Fault(
        location: element.location, message: "<lookup> has no field inside, <title path=\"…\"/>")
    }
    profile.lookups.append(lookup)
  }
}

// Fields.
extension ProfileDocument {
  private static let otherNames = ["record", "lookup", "problem", "total", "more", "mark"]

  private mutating func fieldRule(
    _ element: SmallDocument.Element
  ) throws(CatalogueProfile.Fault) -> CatalogueProfile.FieldRule {
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
      ["path", "none"] + (isDate ? ["form"] : [])
        + (field == .expiration ? ["plus", "empty"] : [])
        + (field == .id ? ["shared"] : []))
    var rule = CatalogueProfile.FieldRule(field, try paths("path", of: element))
    for path in rule.paths { places[path] = element["path"]?.location }
    rule.absences = Self.words(element["none"]?.value ?? "")
    if isDate { rule.forms = try forms(of: element) }
    if let plus = element["plus"] {
      guard plus.value == "loan-days" else {
        throw fault(
          in: element, "plus", "expected \"loan-days\", found \(plus.value.quoted())")
      }
      rule.countsFromLoan = true
    }
    if let shared = element["shared"] {
      guard shared.value == "yes" else {
        throw fault(in: element, "shared", "expected \"yes\", found \(shared.value.quoted())")
      }
      rule.isShared = true
    }
    if let empty = element["empty"] {
      guard empty.value == "error" else {
        throw fault(in: element, "empty", "expected \"error\", found \(empty.value.quoted())")
      }
      profile.isStrict = true
    }
    return rule
  }

  private func forms(
    of element: SmallDocument.Element
  ) throws(CatalogueProfile.Fault) -> [DateForm] {
    let attribute = try attribute("form", of: element)
    var forms: [DateForm] = []
    for text in attribute.value.split(separator: "|", omittingEmptySubsequences: false) {
      do throws(DateForm.SyntaxError) {
        forms.append(try DateForm(Self.trimmed(text)))
      } catch {
        throw Fault(location: attribute.location, message: error.message)
      }
    }
    return forms
  }

  private static func trimmed(_ text: Substring) -> String {
    String(decoding: Array(text.utf8).trimmed, as: UTF8.self)
  }

  private func paths(
    _ name: String, of element: SmallDocument.Element
  ) throws(CatalogueProfile.Fault) -> [ProfilePath] {
    let attribute = try attribute(name, of: element)
    let paths: [ProfilePath]
    do throws(ProfilePath.SyntaxError) {
      paths = try ProfilePath.list(attribute.value)
    } catch {
      throw Fault(
        location: attribute.location,
        message: "path \(attribute.value.quoted(limit: 200)): \(error.message)")
    }
    for prefix in paths.flatMap(\.prefixes) where profile.prefixes[prefix] == nil {
      throw Fault(
        location: attribute.location,
        message:
          "the prefix \(prefix.quoted()) is not bound; add xmlns:\(prefix.visible)=\"…\" to <profile>"
      )
    }
    return paths
  }

  private mutating func onePath(
    _ name: String, of element: SmallDocument.Element
  ) throws(CatalogueProfile.Fault) -> ProfilePath {
    let paths = try paths(name, of: element)
    guard paths.count == 1 else {
      throw fault(in: element, name, "one path is expected here, not \(paths.count)")
    }
    places[paths[0]] = element[name]?.location
    return paths[0]
  }
}

// What is wrong with an element.
extension ProfileDocument {
  private func attribute(
    _ name: String, of element: SmallDocument.Element
  ) throws(CatalogueProfile.Fault) -> SmallDocument.Attribute {
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

  private func checkAttributes(
    of element: SmallDocument.Element, _ known: [String]
  ) throws(CatalogueProfile.Fault) {
    guard let other = element.attributes.first(where: { !known.contains($0.name) }) else { return }
    throw Fault(
      location: other.location,
      message: """
        <\(element.name)> has no attribute \(other.name.visible); it may have \
        \(known.joined(separator: ", "))
        """)
  }

  private mutating func refuseChildren(
    of element: SmallDocument.Element
  ) throws(CatalogueProfile.Fault) {
    guard let child = elements.first, child.depth > element.depth else { return }
    throw Fault(
      location: child.location,
      message: "<\(child.name.visible)> cannot be inside <\(element.name)>")
  }

  private func textFault(_ element: SmallDocument.Element) -> CatalogueProfile.Fault {
    Fault(
      location: element.location,
      message: "<\(element.name.visible)> has text inside, which means nothing; use attributes")
  }

  private func fault(
    in element: SmallDocument.Element, _ name: String, _ message: String
  ) -> CatalogueProfile.Fault {
    Fault(location: element[name]?.location ?? element.location, message: message)
  }
}

extension SmallDocument.Element {
  fileprivate subscript(name: String) -> SmallDocument.Attribute? {
    attributes.first { $0.name == name }
  }
}

extension ProfilePath {
  /// The prefixes that it has anywhere.
  fileprivate var prefixes: [String] {
    steps.flatMap { step in
      [step.name.prefix].compactMap(\.self) + step.conditions.flatMap(\.operand.prefixes)
    } + [attribute?.prefix].compactMap(\.self)
  }
}

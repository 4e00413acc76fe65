public import Loans

/// The meaning of a document's elements and attributes: everything the reader needs to know
/// about one form of catalogue.
///
/// A profile is read from a small XML document (``init(reading:)``), as the built-in ones are
/// (``BuiltInProfiles``), in which every place is an XPath 1.0 expression.
public struct CatalogueProfile: Sendable {
  /// The form's name, as a user gives it: small letters, digits and hyphens.
  public internal(set) var name: String
  /// The program whose documents these are, in a few words.
  public internal(set) var title: String
  /// The namespaces of names.
  public internal(set) var namespaces = Namespaces()
  /// The kinds of element that are records.
  public internal(set) var records: [Record] = []
  /// The elements whose fields records refer to.
  public internal(set) var lookups: [Lookup] = []
  /// The places of what a document says of itself.
  public internal(set) var document = DocumentPlaces()
  /// The name of the elements directly inside a record where these are the columns of a query: `name()`,
  /// or an attribute, `@name`, whose value takes the place of their name.
  public internal(set) var columns: String?
  /// Whether it is the tool's own form: what people write by hand, and slip in.
  let isNative: Bool
  /// The number of elements in an envelope around the root element of its documents.
  var envelopeDepth = 0
  /// All its expressions, by their numbers.
  var expressions: [ProfileExpression] = []

  /// The namespaces of a profile's names.
  public struct Namespaces: Sendable {
    /// Those of names without prefix; none if they are in that of the root element.
    public internal(set) var own: [String] = []
    /// Those of prefixes.
    public internal(set) var prefixes: [String: String] = [:]
  }

  /// The places of what a document says of itself, from the document on.
  public struct DocumentPlaces: Sendable {
    /// The places of the texts of an error answer.
    public internal(set) var problems: [Problem] = []
    /// The places of the number of records in the whole list.
    public internal(set) var totals: [ProfileExpression] = []
    /// The places of what is only there if the document is one part of a longer list.
    public internal(set) var continuations: [ProfileExpression] = []
    /// The places of the elements that loans are in, which say that nothing is lent if they are there and
    /// empty.
    public internal(set) var lists: [ProfileExpression] = []
    /// The places of dates with a name of an expiration, in loans or not; `nil` if names do not tell them.
    public internal(set) var dates: ProfileExpression?
    /// The places by which the form is detected, where its root element is too common.
    public internal(set) var signs: [ProfileExpression] = []
  }

  /// A kind of record.
  public struct Record: Sendable {
    /// The place of the records, from the document on.
    public var path: ProfileExpression
    /// From a record: whether it is lent; `nil` if all are.
    public var lent: ProfileExpression?
    /// The places of a record's fields; the first of a field's that gives a value counts.
    public var fields: [FieldRule] = []
    /// The names on the way to the elements at whose end all is known of the records in them; none if
    /// that is the end of the document.
    private(set) var unit: [String] = []
    /// The names on the way to records whose expressions never ask for the white space between their
    /// fields; `nil` if they may.
    private(set) var spacedWay: [String]?
  }

  /// The place of a field, and its form.
  public final class FieldRule: Sendable {
    /// The field.
    public let field: LoanField
    /// From the record: nodes, the first of which with a text counts, or a text.
    public let path: ProfileExpression
    /// The place of a date's time, if it is elsewhere.
    public let time: ProfileExpression?
    /// Values that mean nothing.
    public let absences: [String]
    /// Whether the date is the day of lending, to which the loan period is added.
    public let countsFromLoan: Bool
    /// Whether it is an id that other loans can have too, a title's for example: then the title counts
    /// with it.
    public let isShared: Bool
    /// Whether an expiration that is present but empty is an error.
    public let refusesEmpty: Bool
    /// The forms of a date; none for any other field.
    public let forms: [DateForm]

    init(
      _ field: LoanField, path: ProfileExpression, time: ProfileExpression?, absences: [String],
      countsFromLoan: Bool, isShared: Bool, refusesEmpty: Bool, forms: [DateForm]
    ) {
      (self.field, self.path, self.time, self.absences) = (field, path, time, absences)
      (self.countsFromLoan, self.isShared) = (countsFromLoan, isShared)
      (self.refusesEmpty, self.forms) = (refusesEmpty, forms)
    }
  }

  /// The text of an error answer.
  public struct Problem: Sendable {
    /// Nodes whose texts are joined, or a text.
    public var path: ProfileExpression
    /// Whether it counts only in a document in which no loan was found.
    public var yieldsToLoans = false
    /// Whether it means that the server does not know the borrower.
    public var isAboutBorrower = false
  }

  /// Elements that records refer to by a key.
  public struct Lookup: Sendable {
    /// The place of the elements.
    public var path: ProfileExpression
    /// An element's key, from the element.
    public var key: ProfileExpression
    /// The key that a record refers to, from the record.
    public var reference: ProfileExpression
    /// The places of the fields, from the element.
    public var fields: [FieldRule]
  }

  /// A form about which only the name and the title are known.
  init(name: String, title: String, isNative: Bool = false) {
    self.name = name
    self.title = title
    self.isNative = isNative
  }

  /// The tool's own form: `<books><book id="…"><title>…<expiration>2026.11.28</expiration>`.
  public static let native = CatalogueProfile(
    name: "native", title: "the tool's own list of loans", isNative: true)
}

extension CatalogueProfile {
  private var rules: [FieldRule] { records.flatMap(\.fields) + lookups.flatMap(\.fields) }

  private var documentExpressions: [ProfileExpression] {
    document.problems.map(\.path) + document.totals + document.continuations + document.lists
  }

  /// Whether its documents may have this first element, whose namespace is gone if it is the
  /// profile's own.
  func knows(_ root: XMLNode) -> Bool {
    mayBegin(with: root.name) && root.namespace.map(namespaces.prefixes.values.contains) ?? true
  }

  /// Whether its documents may have a first element of this name.
  func mayBegin(with root: String) -> Bool {
    mayHaveLoans(below: root)
      || (documentExpressions + document.signs).contains { $0.paths.mayBegin(with: root) }
  }

  /// Whether there may be records in a document with this root element.
  func mayHaveLoans(below root: String) -> Bool {
    isNative
      ? ["books", "Books"].contains(root) : records.contains { $0.path.paths.mayBegin(with: root) }
  }

  /// The names of all that the fields may come from, and some more.
  var namesOfFields: Set<String> {
    let paths = rules.flatMap { [$0.path, $0.time].compactMap(\.self) }
    return Set(
      (paths + lookups.map(\.reference)).flatMap(\.paths.all).flatMap(\.names).map(String.init))
  }

  /// Whether it says where a field is.
  func mayGive(_ field: LoanField) -> Bool { rules.contains { $0.field == field } }

  /// The ways to the elements at whose end all is known of the records in them, in a document with this
  /// root element; `nil` if that is the end of the document.
  func units(below root: String) -> [[String]]? {
    let units = records.filter { $0.path.paths.mayBegin(with: root) }.map(\.unit)
    let isWhole = units.contains { unit in
      unit.last.map(isAsked) ?? true
        || document.problems.contains { $0.path.paths.mayAskForText(around: unit) }
    }
    return isWhole || !lookups.isEmpty ? nil : units
  }

  /// Whether what the document says of itself may be in elements of this name.
  func isAsked(for name: String) -> Bool {
    documentExpressions.contains { $0.paths.mayLead(to: name) }
  }
}

extension CatalogueProfile.Record {
  private var expressions: [ProfileExpression] {
    [lent].compactMap(\.self) + fields.flatMap { [$0.path, $0.time].compactMap(\.self) }
  }

  /// Whether only the day of lending says when a loan expires.
  var isDatedByLoan: Bool { !fields.contains { $0.field == .expiration && !$0.countsFromLoan } }

  /// Finds out when all is known of the records, and whether white space between fields may be a part
  /// of a text.
  mutating func findReach(_ context: ProfileExpression.Context) {
    let (way, text) = (path.tokens.steps, path.text)
    let conditions = path.tokens.conditions(of: text).map { step, text in
      (step, (try? context.expression(text))?.reachAsCondition ?? XPathPaths.document)
    }
    let reaches = conditions + expressions.map { (way.count, $0.paths.reach) }
    unit = Array(way.prefix(max(0, reaches.map { $0 - $1 }.min() ?? 0)))
    let asksForSpace = expressions.contains {
      $0.paths.mayLead(to: way.last ?? "*") || $0.paths.mayBeOwnText
    }
    spacedWay = asksForSpace ? nil : way
  }
}

// MARK: - Documents without loans

extension CatalogueProfile {
  /// The message for a document without loans.
  ///
  /// - Parameters:
  ///   - isForced: whether the user has chosen the form.
  ///   - date: a date that may be an expiration all the same.
  func emptiness(
    of root: RootElement, isForced: Bool, date: (text: String, place: SourceLocation)?
  ) -> String {
    let name = root.name.visible
    guard root.isKnown else { return strangeness(of: root, isForced: isForced) }
    if isNative {
      return """
        no book record was found: <\(name)> holds no <book>; expected <books> with <book> records
        """
    }
    if records.isEmpty {
      return """
        no loan was found: this is \(title), and its content is not in a known format; check-loans \
        profiles lists the known ones, and --profile FILE.xml describes another
        """
    }
    let here = records.filter { $0.path.paths.mayBegin(with: root.name) }
    let advice =
      date.map {
        "but there is a date at line \($0.place.line), \($0.text.quoted()); has the format changed?"
      }
      ?? "if nothing is lent, add --allow-empty"
    return """
      no loan was found: <\(name)>, read as \(self.name), has no \
      \(Self.paths(here.isEmpty ? records : here).visible); \(advice)
      """
  }

  private func strangeness(of root: RootElement, isForced: Bool) -> String {
    var top = "the root is <\(root.name.visible)>"
    if let namespace = root.namespace { top += " in the namespace \(namespace.quoted())" }
    if let child = root.firstChild { top += ", with <\(child.visible)> inside" }
    guard isForced else {
      return """
        no book record was found: \(top), which is not a known format; check-loans profiles lists \
        the known ones, --profile selects one, and --profile FILE.xml describes another
        """
    }
    let namespaces = namespaces.own.map { $0.quoted() }.joined(separator: " or ")
    let expected = isNative ? "/books/book" : Self.paths(records)
    return """
      no loan was found: \(top), but the profile \(name) expects \(expected.visible)\
      \(namespaces.isEmpty ? "" : " in the namespace " + namespaces)
      """
  }

  /// The paths of records as they are written, or without conditions if they would be too long.
  private static func paths(_ records: [Record]) -> String {
    let text = records.map(\.path.text).joined(separator: " or ")
    if text.utf8.count <= 120 { return text }
    return Set(records.map(\.path.withoutConditions)).sorted().joined(separator: " or ")
  }
}

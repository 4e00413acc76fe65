/// Which elements and attributes of a document mean what: everything the reader needs to know
/// about one form of catalogue.
///
/// A profile is read from a small XML document (``init(reading:)``), as the built-in ones are
/// (``BuiltInProfiles``).
public struct CatalogueProfile: Sendable {
  /// The form's name, as a user gives it: small letters, digits and hyphens.
  public internal(set) var name: String
  /// Whose documents these are, in a few words.
  public internal(set) var title: String
  /// The namespaces of names without prefix; none if they are in that of the root element.
  public internal(set) var namespaces: [String] = []
  /// The namespaces of prefixes.
  public internal(set) var prefixes: [String: String] = [:]
  /// Where records are: absolute paths.
  public internal(set) var records: [ProfilePath] = []
  /// Where a record's fields are; of several of one field the first that gives a value counts.
  public internal(set) var fields: [FieldRule] = []
  /// Where fields are that records refer to.
  public internal(set) var lookups: [Lookup] = []
  /// Where the texts of an error answer are.
  public internal(set) var problems: [Problem] = []
  /// Where the document tells how many records there are: absolute paths.
  public internal(set) var totals: [ProfilePath] = []
  /// Where something is only if there are more loans than the document holds: absolute paths.
  public internal(set) var continuations: [ProfilePath] = []
  /// By what the form is known where its root element is too common: absolute paths.
  public internal(set) var marks: [ProfilePath] = []
  /// Whether an expiration that is present but empty is an error.
  public internal(set) var isStrict = false

  /// Where a field is, and how it is written.
  public struct FieldRule: Hashable, Sendable {
    /// The field.
    public var field: LoanField
    /// Paths whose texts are joined by spaces, from the record or absolute; at least one.
    public var paths: [ProfilePath]
    /// What the first path may have that means nothing is there.
    public var absences: [String] = []
    /// The forms of a date.
    public var forms: [DateForm] = []
    /// Whether it is an id that other loans can have too, a title's for example: then the title counts
    /// with it.
    public var isShared = false
    /// Whether the date is the day of lending, to which the days of a loan are added.
    public var countsFromLoan = false

    /// A field at these paths.
    public init(_ field: LoanField, _ paths: [ProfilePath], forms: [DateForm] = []) {
      self.field = field
      self.paths = paths
      self.forms = forms
    }
  }

  /// The text of an error answer.
  public struct Problem: Hashable, Sendable {
    /// Absolute paths, whose texts are joined.
    public var paths: [ProfilePath]
    /// Whether it makes an error answer only of a document in which no loan was found.
    public var yieldsToLoans = false
  }

  /// Elements that records refer to by a key.
  public struct Lookup: Hashable, Sendable {
    /// Where the elements are: an absolute path.
    public var path: ProfilePath
    /// Where an element's key is, from the element.
    public var key: ProfilePath
    /// Where the key is that a record refers to, from the record.
    public var reference: ProfilePath
    /// Where the fields are, from the element.
    public var fields: [FieldRule]
  }

  /// The paths, as the reader follows them.
  var tree: ProfileTree

  /// A form of this name, of which nothing else is known.
  init(name: String, title: String) {
    self.name = name
    self.title = title
    tree = .empty
  }

  /// Whether it knows where a field is.
  func tells(_ field: LoanField) -> Bool {
    (fields + lookups.flatMap(\.fields)).contains { $0.field == field }
  }

  /// Whether it is the tool's own form: what people write by hand, and slip in.
  private(set) var isNative = false

  /// The tool's own form: `<books><book id="…"><title>…<expiration>2026.11.28</expiration>`.
  public static let native: CatalogueProfile = {
    var profile = CatalogueProfile(name: "native", title: "the tool's own list of loans")
    let names = [("books", "book"), ("Books", "Book"), ("books", "Book"), ("Books", "book")]
    profile.records = names.map { ProfilePath(elements: [$0, $1], isAbsolute: true) }
    profile.fields = [
      FieldRule(.id, [ProfilePath(attribute: "id")]),
      FieldRule(.title, [ProfilePath(elements: ["title"])]),
      FieldRule(.author, [ProfilePath(elements: ["author"])]),
      FieldRule(.isbn, [ProfilePath(elements: ["isbn"])]),
      FieldRule(.barcode, [ProfilePath(elements: ["barcode"])]),
      FieldRule(.borrower, [ProfilePath(elements: ["borrower"])]),
      FieldRule(.email, [ProfilePath(elements: ["email"])]),
      FieldRule(.loaned, [ProfilePath(elements: ["loaned"])], forms: [.dotted]),
      FieldRule(.expiration, [ProfilePath(elements: ["expiration"])], forms: [.dotted]),
    ]
    profile.isStrict = true
    profile.isNative = true
    do { profile.tree = try ProfileTree(profile) } catch { preconditionFailure("\(error)") }
    return profile
  }()
}

extension ProfilePath {
  fileprivate init(elements: [String], isAbsolute: Bool = false) {
    self.isAbsolute = isAbsolute
    steps = elements.map { Step(name: Name(prefix: nil, local: $0)) }
  }

  fileprivate init(attribute: String) {
    self.attribute = Name(prefix: nil, local: attribute)
  }
}

/// A field of a record.
///
/// The numbers are part of every stored identity and never change.
public enum LoanField: Int, CaseIterable, Sendable {
  /// The record's own identifier.
  case id = 0
  /// The book's title.
  case title = 1
  /// The book's author; the first one, where several are given.
  case author = 2
  /// The book's ISBN.
  case isbn = 3
  /// The copy's barcode.
  case barcode = 4
  /// To whom the book is lent.
  case borrower = 5
  /// The borrower's e-mail address.
  case email = 6
  /// The last day the book may be kept.
  case expiration = 7
  /// The day on which the book was lent; only judged, and not a part of the loan.
  case loaned = 8

  /// Its place in a set of fields.
  @inline(__always)
  var bit: UInt16 { 1 &<< UInt16(truncatingIfNeeded: rawValue) }

  /// The field's name, as it is stored in identities: it never changes.
  var name: String {
    switch self {
    case .id: "id"
    case .title: "title"
    case .author: "author"
    case .isbn: "isbn"
    case .barcode: "barcode"
    case .borrower: "borrower"
    case .email: "email"
    case .expiration: "expiration"
    case .loaned: "loaned"
    }
  }
}

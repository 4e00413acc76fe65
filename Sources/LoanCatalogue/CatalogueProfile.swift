/// Which elements and attributes of a document mean what: everything the reader needs to know
/// about one form of catalogue.
public struct CatalogueProfile: Hashable, Sendable {
  /// The form's name, as a user would give it.
  public var name: String
  /// The names that the root element may have.
  public var roots: [String]
  /// The names that a record, a child of the root, may have.
  public var records: [String]
  /// The record's attributes that hold fields; an expiration is read from elements only.
  public var attributes: [FieldName]
  /// The record's child elements that hold fields.
  public var elements: [FieldName]

  /// A field and what it is called.
  public struct FieldName: Hashable, Sendable {
    /// The field.
    public var field: LoanField
    /// The name of the attribute or element.
    public var name: String

    /// A field of this name.
    public init(_ field: LoanField, _ name: String) {
      self.field = field
      self.name = name
    }
  }

  /// A form that these names describe.
  public init(
    name: String, roots: [String], records: [String], attributes: [FieldName],
    elements: [FieldName]
  ) {
    self.name = name
    self.roots = roots
    self.records = records
    self.attributes = attributes
    self.elements = elements
  }

  /// The tool's own form: `<books><book id="…"><title>…<expiration>2026.11.28</expiration>`.
  public static let native = CatalogueProfile(
    name: "native",
    roots: ["books", "Books"],
    records: ["book", "Book"],
    attributes: [FieldName(.id, "id")],
    elements: [
      FieldName(.title, "title"), FieldName(.author, "author"), FieldName(.isbn, "isbn"),
      FieldName(.barcode, "barcode"), FieldName(.borrower, "borrower"),
      FieldName(.email, "email"), FieldName(.loaned, "loaned"),
      FieldName(.expiration, "expiration"),
    ])
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

/// Which elements and attributes of a document mean what: everything the reader needs to know
/// about one form of catalogue.
public struct CatalogueProfile: Hashable, Sendable {
  /// The form's name, as a user would give it.
  public var name: String
  /// The names that the root element may have.
  public var roots: [String]
  /// The names that a record, a child of the root, may have.
  public var records: [String]
  /// The record's attribute that holds each field.
  public var attributes: [LoanField: String]
  /// The record's child element that holds each field.
  public var elements: [LoanField: String]

  /// A form that these names describe.
  public init(
    name: String, roots: [String], records: [String], attributes: [LoanField: String],
    elements: [LoanField: String]
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
    attributes: [.id: "id"],
    elements: [
      .title: "title", .author: "author", .isbn: "isbn", .barcode: "barcode",
      .borrower: "borrower", .email: "email", .expiration: "expiration",
    ])
}

/// A field of a record.
public enum LoanField: Int, CaseIterable, Sendable {
  /// The record's own identifier.
  case id
  /// The book's title.
  case title
  /// The book's author; the first one, where several are given.
  case author
  /// The book's ISBN.
  case isbn
  /// The copy's barcode.
  case barcode
  /// To whom the book is lent.
  case borrower
  /// The borrower's e-mail address.
  case email
  /// The last day the book may be kept.
  case expiration

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
    }
  }
}

/// A book lent to someone, according to the catalogue.
///
/// Texts are as written, with leading and trailing white space removed and inner runs of it
/// folded into one space. They are untrusted: use `String.visible` before showing one.
public struct Loan: Hashable, Sendable {
  /// The record's own identifier, unique within its catalogue.
  public var id: String?
  /// The book's title.
  public var title: String?
  /// The book's author.
  public var author: String?
  /// The book's ISBN.
  public var isbn: String?
  /// The copy's barcode.
  public var barcode: String?
  /// The person to whom the book is lent.
  public var borrower: String?
  /// The borrower's e-mail address.
  public var email: String?
  /// The last day the book may be kept.
  public var expiration: CivilDate
  /// The time of that day at which the loan ends, where the catalogue has one: only for display,
  /// since a loan is good through its expiration.
  public var expirationTime: CivilTime?

  /// A loan with this expiration; every other field is optional.
  public init(
    id: String? = nil, title: String? = nil, author: String? = nil, isbn: String? = nil,
    barcode: String? = nil, borrower: String? = nil, email: String? = nil, expiration: CivilDate,
    expirationTime: CivilTime? = nil
  ) {
    self.id = id
    self.title = title
    self.author = author
    self.isbn = isbn
    self.barcode = barcode
    self.borrower = borrower
    self.email = email
    self.expiration = expiration
    self.expirationTime = expirationTime
  }

  /// The loan's name in a message: its title in quotation marks, harmless on a terminal, or else its
  /// id or barcode; never empty.
  public var label: String {
    var label: [UInt8] = []
    appendLabel(to: &label)
    return String(decoding: label, as: UTF8.self)
  }
}

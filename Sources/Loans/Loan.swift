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
  /// The borrower's language, a tag as of BCP 47 or whatever the catalogue has.
  public var language: String?
  /// The borrower's kind, such as student or staff.
  public var category: String?
  /// The item's kind, such as DVD or reference.
  public var type: String?
  /// The name of the library to which the book has to be returned.
  public var library: String?
  /// Whether the loan can be renewed; `nil` if the catalogue does not say so.
  public var renewable: Bool?
  /// Whether it is lost, claimed returned or recalled; `nil` for an ordinary loan.
  public var status: LoanStatus?
  /// The borrower's telephone number, for the staff of the library alone.
  public var phone: String?
  /// The borrower's postal address, on one line; the schedule does not keep it.
  public var address: String?
  /// The place of the copy on the shelves; the schedule does not keep it.
  public var callNumber: String?
  /// The day of lending, where the catalogue has one that can be read; the schedule does not keep it.
  public var loaned: CivilDate?
  /// The last day the book may be kept.
  public var expiration: CivilDate
  /// The time of that day at which the loan ends, where the catalogue has one: only for display,
  /// since a loan is good through its expiration.
  public var expirationTime: CivilTime?

  /// A loan with this expiration; every other field is optional.
  public init(
    id: String? = nil, title: String? = nil, author: String? = nil, isbn: String? = nil,
    barcode: String? = nil, borrower: String? = nil, email: String? = nil,
    language: String? = nil, category: String? = nil, type: String? = nil, library: String? = nil,
    renewable: Bool? = nil, status: LoanStatus? = nil, phone: String? = nil,
    address: String? = nil, callNumber: String? = nil, loaned: CivilDate? = nil,
    expiration: CivilDate, expirationTime: CivilTime? = nil
  ) {
    self.id = id
    self.title = title
    self.author = author
    self.isbn = isbn
    self.barcode = barcode
    self.borrower = borrower
    self.email = email
    self.language = language
    self.category = category
    self.type = type
    self.library = library
    self.renewable = renewable
    self.status = status
    self.phone = phone
    self.address = address
    self.callNumber = callNumber
    self.loaned = loaned
    self.expiration = expiration
    self.expirationTime = expirationTime
  }
}

/// The identity of a loan, the same in every version of its catalogue.
public struct LoanIdentity: Hashable, Sendable {
  /// A 64-bit hash of its id, else its barcode, else ISBN, title, author and borrower.
  public var hash: UInt64
  /// 1, or 2, 3, … where earlier records of the catalogue have the same hash.
  public var ordinal: Int

  /// An identity with these parts.
  public init(hash: UInt64, ordinal: Int = 1) {
    self.hash = hash
    self.ordinal = ordinal
  }
}

// MARK: - Words

extension Loan {
  /// The members of a JSON object about the loan: all that the schedule keeps but its dates
  /// and the telephone number.
  ///
  /// - Parameter library: the name of the catalogue's library, where the loan has none of its own.
  package func members(library: String?) -> [(key: String, value: JSONValue)] {
    [
      ("id", JSONValue(id)), ("title", JSONValue(title)), ("author", JSONValue(author)),
      ("isbn", JSONValue(isbn)), ("barcode", JSONValue(barcode)),
      ("borrower", JSONValue(borrower)), ("email", JSONValue(email)),
      ("language", JSONValue(language)), ("category", JSONValue(category)),
      ("type", JSONValue(type)), ("library", JSONValue(self.library ?? library)),
      ("renewable", renewable.map { .bool($0) } ?? .null),
      ("loanStatus", JSONValue(status?.rawValue)),
    ]
  }

  /// Days from `today` to the expiration; negative once the loan has expired.
  public func daysLeft(today: CivilDate) -> Int {
    today.days(until: expiration)
  }
}

// MARK: - Storing

/// A field of a record, by its name in a profile.
///
/// The numbers are part of every stored identity and never change.
@frozen public enum LoanField: UInt8, CaseIterable, BitwiseCopyable, Sendable {
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
  /// The day on which the book was lent.
  case loaned = 8
  /// The borrower's language.
  case language = 9
  /// The borrower's kind.
  case category = 10
  /// The item's kind.
  case type = 11
  /// The library to which the book has to be returned.
  case library = 12
  /// Whether the loan can be renewed, or how often.
  case renewable = 13
  /// The borrower's telephone number.
  case phone = 14
  /// The borrower's postal address.
  case address = 15
  /// The place of the copy on the shelves.
  case callNumber = 16
  /// Whether it is lost, claimed returned or recalled.
  case status = 17
}

/// A loan as it is stored, wherever its texts are.
package protocol LoanParts {
  /// The last day the book may be kept.
  var lastDay: CivilDate { get }
  /// The time of that day at which the loan ends, if it is known.
  var lastTime: CivilTime? { get }
  /// The day of lending, if it is known.
  var loanedOn: CivilDate? { get }
  /// Whether it is lost, claimed returned or recalled; `nil` for an ordinary loan.
  var status: LoanStatus? { get }

  /// Calls `body` with a text as UTF-8, if there is one.
  func withText(of field: LoanField, _ body: (Span<UInt8>) -> Void)

  /// Calls `body` with each text that there is of some fields, in their order, and the field's place among
  /// them.
  func forEachText(of fields: [LoanField], _ body: (Int, Span<UInt8>) -> Void)
}

extension LoanParts {
  package func forEachText(of fields: [LoanField], _ body: (Int, Span<UInt8>) -> Void) {
    for (place, field) in fields.enumerated() { withText(of: field) { body(place, $0) } }
  }

  /// Whether the loan can be renewed: `yes`, `true`, `no`, `false` in any case, or the number of
  /// renewals that are left; `nil` for any other text.
  package var isRenewable: Bool? {
    var isRenewable: Bool?
    withText(of: .renewable) { text in
      switch String(decoding: [UInt8](copying: text), as: UTF8.self).lowercased() {
      case "yes", "true": isRenewable = true
      case "no", "false": isRenewable = false
      case let number where number.utf8.allSatisfy { (0x30...0x39).contains($0) }:
        isRenewable = number.contains { $0 != "0" }
      default: break
      }
    }
    return isRenewable
  }

  /// Whether a notice offers to renew it: a book that somebody is waiting for cannot be renewed.
  package var mayBeRenewed: Bool? { status == .recalled ? false : isRenewable }
}

extension Loan: LoanParts {
  package var lastDay: CivilDate { expiration }
  package var lastTime: CivilTime? { expirationTime }
  package var loanedOn: CivilDate? { loaned }

  package func withText(of field: LoanField, _ body: (Span<UInt8>) -> Void) {
    let text =
      switch field {
      case .id: id
      case .title: title
      case .author: author
      case .isbn: isbn
      case .barcode: barcode
      case .borrower: borrower
      case .email: email
      case .language: language
      case .category: category
      case .type: type
      case .library: library
      case .renewable: renewable.map { $0 ? "yes" : "no" }
      case .phone: phone
      case .address: address
      case .callNumber: callNumber
      case .status: status?.rawValue
      case .expiration, .loaned: nil as String?
      }
    if let text { body(text.utf8.span) }
  }
}

package import Languages
package import Loans
import ReminderSchedule

/// The reason why a borrower cannot be written to.
enum AddressFault: Hashable {
  /// The catalogue has no e-mail address.
  case missing
  /// What it has is not an address.
  case invalid
  /// The address was refused, with what the channel said.
  case refused(String)

  /// What is wrong with an address; `nil` for nothing.
  ///
  /// - Parameter unusable: the addresses that were refused, or are those of too many.
  init?(_ email: String?, _ unusable: UnusableAddresses) {
    if email == nil {
      self = .missing
    } else if let key = EmailAddress.key(of: email) {
      guard let words = unusable[key] else { return nil }
      self = .refused(words)
    } else {
      self = .invalid
    }
  }

  /// The name by which programs know it.
  var name: String {
    switch self {
    case .missing: "no-address"
    case .invalid: "invalid-address"
    case .refused: "refused"
    }
  }

  /// What the channel said.
  var error: String? { if case .refused(let words) = self { words } else { nil } }
}

/// A loan of a list for staff.
package struct ListedLoan {
  /// The loan, also with what only its catalogue has.
  let loan: Loan
  let catalogue: String
  /// The library to which the book has to be returned.
  let library: String?
  let today: CivilDate
  /// The day on which the expired notice is sent, in a list of the shelf.
  var noticeOn: CivilDate?
  /// Why the borrower cannot be written to, in the other lists.
  var fault: AddressFault?

  /// The place of the book among those of the library.
  var place: [String] {
    [library, loan.callNumber, loan.barcode, loan.title].map { ($0 ?? "").lowercased() }
  }
}

// MARK: - For programs

extension ListedLoan {
  package static let columns = [
    "library", "callNumber", "barcode", "title", "author", "borrower", "phone", "email", "reason",
    "error", "expiration", "daysLeft", "noticeOn", "catalogue", "loanStatus",
  ]

  /// The values of the columns.
  package var values: [JSONValue] {
    let texts = [
      library, loan.callNumber, loan.barcode, loan.title, loan.author, loan.borrower, loan.phone,
      loan.email, fault?.name, fault?.error, "\(loan.expiration)",
    ]
    return texts.map { JSONValue($0) } + [
      .int(loan.daysLeft(today: today)), JSONValue(noticeOn?.description), .string(catalogue),
      JSONValue(loan.status?.rawValue),
    ]
  }

  static let letterColumns = [
    "borrower", "address", "phone", "email", "language", "books", "firstExpiration", "titles",
  ]

  /// The values of the columns for a letter.
  ///
  /// - Parameter loans: those of the borrower.
  func letterValues(_ loans: ArraySlice<ListedLoan>) -> [JSONValue] {
    let texts = [
      loan.borrower, loans.known(\.address), loans.known(\.phone), loan.email,
      loans.known(\.language),
    ]
    return texts.map { JSONValue($0) } + [
      .int(loans.count), .string("\(loan.expiration)"),
      .array(loans.map { .string($0.loan.shownTitle()) }),
    ]
  }
}

// MARK: - For people

// What is made here is harmless on a terminal.

extension ListedLoan {
  package func name(in language: Language) -> String {
    loan.borrower?.visible ?? language.text(.noBorrowerGroup)
  }

  /// The borrower's name and telephone number, and why the borrower cannot be written to.
  func borrowerHeading(in language: Language) -> String {
    let values = ["address": (loan.email ?? "").visible]
    let reason =
      switch fault {
      case .missing, nil: language.text(.deskNoAddress)
      case .invalid: language.text(.deskInvalidAddress, values)
      case .refused(let words): language.text(.deskUnusableAddress, values) + " (\(words))"
      }
    let phone = loan.phone.map { ", \($0.visible)" } ?? ""
    return "\(name(in: language))\(phone). \(reason)"
  }
}

extension ArraySlice<ListedLoan> {
  /// What the catalogue has of their borrower, who may have it at one of the loans alone.
  package func known(_ value: (Loan) -> String?) -> String? {
    for listed in self { if let value = value(listed.loan) { return value } }
    return nil
  }
}

extension Loan {
  /// The values that identify the borrower, in sorting order.
  ///
  /// The first of e-mail address, postal address and telephone number that the catalogue has distinguishes
  /// people of one name.
  var identity: [String] {
    [
      borrower?.lowercased() ?? "",
      EmailAddress.key(of: email) ?? email ?? address ?? phone ?? "",
    ]
  }
}

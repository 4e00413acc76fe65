internal import Loans

/// The JSON document that a program is given: a contract, to which keys are only ever added.
struct NoticeDocument {
  /// The notices of one message.
  var notices: ArraySlice<Notice>
  /// The time at which it is sent, and the number of open notices.
  var context: DeliveryContext
  /// The channel's name.
  var channel: String

  /// One line of UTF-8, with its end.
  var bytes: [UInt8] { Array((json.text + "\n").utf8) }

  /// How many bytes a notice has in a document, or a few more: its text is longer on some days than
  /// on others.
  static func mostBytes(of notice: Notice) -> Int {
    notice.json(today: notice.loan.expiration).text.utf8.count + 64
  }

  private var json: JSONValue {
    .object([
      ("version", .int(1)),
      ("now", .string(context.now.description)),
      ("channel", .string(channel)),
      ("openCount", .int(context.openCount)),
      ("notices", .array(notices.map { $0.json(today: context.now.date) })),
    ])
  }
}

extension Notice {
  fileprivate func json(today: CivilDate) -> JSONValue {
    .object([
      ("kind", .string(kind.rawValue)),
      ("urgency", .string(urgency.rawValue)),
      ("text", .string(line(today: today))),
      ("expiration", .string(loan.expiration.description)),
      ("daysLeft", .int(loan.daysLeft(today: today))),
      ("catalogue", .string(catalogue)),
      ("loan", loan.json),
      ("expirationTime", JSONValue(loan.expirationTime?.hoursAndMinutes)),
      ("library", JSONValue(library)),
    ])
  }
}

extension Loan {
  fileprivate var json: JSONValue {
    .object([
      ("id", JSONValue(id)),
      ("title", JSONValue(title)),
      ("author", JSONValue(author)),
      ("isbn", JSONValue(isbn)),
      ("barcode", JSONValue(barcode)),
      ("borrower", JSONValue(borrower)),
      ("email", JSONValue(email)),
    ])
  }
}

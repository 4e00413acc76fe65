internal import Languages
internal import Loans

/// The JSON document in which a program gets notices, and how it can answer.
///
/// The document is one line; its keys are only ever added to:
///
/// ```json
/// {"version":1,"now":"2026-11-21T07:00:00","channel":"exec:tell","openCount":12,"notices":[
///   {"kind":"reminder","urgency":"normal",
///    "text":"“Abigél” by Szabó Magda is due tomorrow, 22 November 2026, lent to Kovács Anna",
///    "expiration":"2026-11-22","daysLeft":1,"catalogue":"/srv/books.xml",
///    "loan":{"id":"bk101","title":"Abigél","author":"Szabó Magda","isbn":null,"barcode":null,
///            "borrower":"Kovács Anna","email":"anna@example.org","language":"hu",
///            "category":"student","type":null,"library":null,"renewable":true},
///    "expirationTime":null,"library":null,"rung":-1,"openDays":null}]}
/// ```
///
/// `kind` is `reminder` or `expired`, `urgency` is `normal` or `critical`, and `daysLeft` is
/// negative once the loan has expired. `library` is what people call it, `the Central Library`, if it
/// was named: the loan's own, or else the catalogue's. `rung` is the day of the ladder, −7 a week before
/// the expiration and 1 on the first day after it. `openDays` are the open days `before` and `after` an
/// expiration on which the library is closed. A field that the catalogue does not give is null. `text`
/// is harmless on a terminal; the fields of the loan are as the catalogue has them.
///
/// What the program answers decides what counts as delivered: the lines
///
///     ok 0
///     ok 2
///
/// on standard output are the first and the third of the notices; without any such line, status 0 is
/// all of them.
enum NoticeDocument {
  private static let mostNotices = 1_000
  /// The most bytes that the notices of a message have in their document; the rest of 8 MB is for what
  /// is around them.
  static let mostBytes = 7_900_000

  /// Cuts notices into messages for a document each: up to 1,000 notices, and up to 8 MB unless a single
  /// notice is longer.
  static func messages(
    for notices: [Notice], mostBytes: Int = mostBytes
  ) -> [ArraySlice<Notice>] {
    var messages: [ArraySlice<Notice>] = []
    var (start, bytes) = (0, 0)
    for (index, notice) in notices.enumerated() {
      // A few more than it has: its text is longer on some days than on others.
      let more = notice.json(today: notice.loan.expiration).text.utf8.count + 64
      if index - start == mostNotices || index > start && bytes + more > mostBytes {
        messages.append(notices[start..<index])
        (start, bytes) = (index, 0)
      }
      bytes += more
    }
    if start < notices.count { messages.append(notices[start...]) }
    return messages
  }

  /// The document, and the end of its line.
  static func text(
    of notices: ArraySlice<Notice>, channel: String, _ context: DeliveryContext
  ) -> String {
    let document = JSONValue.object([
      ("version", .int(1)),
      ("now", .string(context.now.description)),
      ("channel", .string(channel)),
      ("openCount", .int(context.openCount)),
      ("notices", .array(notices.map { $0.json(today: context.now.date) })),
    ])
    return document.text + "\n"
  }
}

extension Notice {
  fileprivate func json(today: CivilDate) -> JSONValue {
    .object([
      ("kind", .string(kind.rawValue)),
      ("urgency", .string(urgency.rawValue)),
      ("text", .string(line(for: .message, today: today))),
      ("expiration", .string(loan.expiration.description)),
      ("daysLeft", .int(loan.daysLeft(today: today))),
      ("catalogue", .string(catalogue)),
      ("loan", .object(loan.members(library: library))),
      ("expirationTime", JSONValue(loan.expirationTime?.description)),
      ("library", JSONValue(library)),
      ("rung", .int(rung)),
      ("openDays", openDays?.json ?? .null),
    ])
  }
}

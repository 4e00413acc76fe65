internal import Languages
internal import Loans

/// The JSON document in which a program gets notices, as ``ExecNotifier`` describes it.
enum NoticeDocument {
  private static let mostNotices = 1_000
  /// The most bytes that the notices of a message have in their document.
  static let mostBytes = 7_900_000

  /// Cuts notices into messages for a document each.
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
      ("text", .string(line(today: today))),
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

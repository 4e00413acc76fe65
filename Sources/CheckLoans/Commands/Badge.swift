import Loans
import ReminderSchedule

/// The number of open notices, for a status bar: reminders that have fired for loans that have not
/// expired, and loans that have.
struct Badge {
  private static let shown = 10

  private var reminders = 0
  private var expired = 0
  private var mostUrgent: [(notice: Notice, today: CivilDate)] = []

  /// - Parameter groups: the catalogues in each time zone.
  init(_ schedule: ScheduleReader, _ groups: [ZoneGroup]) throws(ScheduleError) {
    for (_, now, names) in groups {
      let open = try schedule.openCount(at: now, catalogues: names)
      reminders += open.reminders
      expired += open.expired
      mostUrgent += try schedule.openNotices(at: now, catalogues: names, limit: Self.shown)
        .map { ($0, now.date) }
    }
    mostUrgent.sort { $0.notice.loan.expiration < $1.notice.loan.expiration }
  }

  private var count: Int { reminders + expired }

  private var kind: String { expired > 0 ? "expired" : count > 0 ? "reminder" : "none" }

  /// One JSON object, waybar-custom(5); the tooltip is Pango markup.
  var waybar: String {
    JSONValue.object([
      ("text", .string(count > 0 ? "\(count)" : "")),
      ("alt", .string(kind)),
      ("tooltip", .string(tooltip)),
      ("class", .string(kind)),
    ]).text
  }

  private var tooltip: String {
    var lines = mostUrgent.prefix(Self.shown).map { notice, today in
      let title = notice.loan.label.shortened(toColumns: 60)
      let line = "\(title) \(notice.loan.dueDescription(today: today))"
      let place = notice.library.map { ", at \($0.visible.shortened(toColumns: 60))" } ?? ""
      return (line + place).escapedAsMarkup
    }
    if count > lines.count { lines.append("and \(count - lines.count) more") }
    return lines.joined(separator: "\n")
  }

  /// The long text, the short text and, once a loan has expired, the colour, each in a line of its
  /// own; see i3blocks(1).
  ///
  /// Empty lines hide the block.
  var i3blocks: String {
    if count == 0 { return "\n" }
    let loans = counted(count, "loan")
    let long = expired > 0 ? "\(loans), \(expired) expired" : loans
    return "\(long)\n\(count)" + (expired > 0 ? "\n#FF0000" : "")
  }
}

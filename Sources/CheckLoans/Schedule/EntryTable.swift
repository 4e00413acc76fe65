import CommandOutput
import Languages
import Loans
import ReminderSchedule
import ReminderService
import Reports

/// The entries of a schedule as a table for a terminal, with each channel's failure once below it.
struct EntryTable {
  private var rows: ReportLines
  private var failures: [String: (first: String, count: Int)] = [:]

  /// - Parameter directory: where rows are kept that are too many for memory.
  init(directory: String) { rows = ReportLines(directory: directory) }

  /// Adds a row.
  mutating func add(_ entry: ScheduleEntry) {
    let scheduled = entry.scheduled
    let loan = scheduled.loan
    let row = TablePrinter.row([
      (entry.state == .failed ? Urgency.late : .later).rawValue, String(scheduled.id),
      scheduled.leftOn.map { "\($0)" } ?? entry.fireAt.words, entry.state.rawValue,
      entry.kind.rawValue, loan.shownTitle(), loan.expiration.dotted,
      loan.borrower?.visible ?? "",
      scheduled.library?.visible ?? scheduled.catalogue.visibleCatalogue,
      entry.later.map { "\($0.fireAt.date)" } ?? "",
      entry.silence.map { "silenced \($0.words())" } ?? "",
    ])
    rows.add(ReportKey(day: 0)) { $0 += row.utf8 }
    for delivery in entry.deliveries where delivery.hasFailed && delivery.isInUse {
      failures[delivery.channel, default: (delivery.failure, 0)].count += 1
    }
  }

  /// - Throws: ``CommandError`` with the status `inputOutput`.
  func print(
    isReturned: Bool, isColored: Bool, _ terminal: Terminal, _ output: ResultsOutput
  ) throws(CommandError) {
    let columns = [
      TextTable.Column("ID"), TextTable.Column(isReturned ? "RETURNED" : "FROM"),
      TextTable.Column("STATE"), TextTable.Column("KIND", rank: 2),
      TextTable.Column("TITLE", least: 20), TextTable.Column("EXPIRES", rank: 1),
      TextTable.Column("BORROWER", least: 12, rank: 4),
      TextTable.Column("CATALOGUE", least: 12, rank: 5), TextTable.Column("NEXT", rank: 3),
    ]
    let printer = TablePrinter(
      columns: columns, terminal: terminal, isColored: isColored, language: .english)
    try printer.print(rows, end: lastLines, output)
  }

  private var lastLines: [String] {
    failures.sorted { $0.key < $1.key }.map { channel, failure in
      let more = failure.count > 1 ? ", the first of \(failure.count) failures" : ""
      return "\(channel.visible): \(failure.first)\(more)"
    }
  }
}

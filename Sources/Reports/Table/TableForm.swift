import CommandOutput
import Languages
import LoanCatalogue
import LoanRules
import Loans
import ReminderService

/// The form for a terminal: a table whose rows are grouped under headings.
struct TableForm: ReportForm {
  let language: Language
  let isColored: Bool
  let grouping: ReportGrouping
  let terminal: Terminal

  /// The headings of its columns.
  static let headings: [Message] = [
    .dateColumn, .daysColumn, .titleColumn, .authorColumn, .borrowerColumn, .libraryColumn,
  ]

  func append(_ loan: ReadLoan, of catalogue: ReportedCatalogue, to line: inout [UInt8]) {
    let today = catalogue.now.date
    line += Urgency(loan, today: today).rawValue.utf8
    line.append(TablePrinter.separator)
    language.append(loan.expiration, to: &line)
    if let time = loan.record.lastTime { line += " \(time)".utf8 }
    line.append(TablePrinter.separator)
    let days = today.days(until: loan.expiration)
    let status = loan.record.status
    if loan.status.isWithheld, let status {
      line += language.text(status.word).utf8
      // Otherwise the heading says it.
    } else if grouping != .day || (days != 0 && days != 1) {
      line += language.days(until: loan.expiration, from: today).utf8
    }
    line.append(TablePrinter.separator)
    loan.record.appendTitle(to: &line, in: language)
    for field in [LoanField.author, .borrower, .library] {
      line.append(TablePrinter.separator)
      // The heading says it.
      if field == groupField { continue }
      let end = line.count
      loan.record.withText(of: field) { line.append(visible: $0) }
      if field == .library, line.count == end, let library = catalogue.library {
        line += library.visible.utf8
      }
    }
    line.append(TablePrinter.separator)
    let notes = [
      status == .recalled ? language.text(.recalled) : nil,
      loan.day.plan.openDays.map { language.closedClause($0, today: today) },
    ]
    line += notes.compactMap(\.self).joined(separator: "; ").utf8
    line.append(UInt8(ascii: "\n"))
  }

  /// What all loans below a heading have in common.
  private var groupField: LoanField? {
    switch grouping {
    case .day: nil
    case .borrower: .borrower
    case .library, .visit: .library
    }
  }

  func print(_ report: CheckReport, _ output: ResultsOutput) throws(CommandError) {
    let columns = zip(Self.headings, [(.max, 0), (.max, 2), (20, 0), (12, 3), (12, 1), (8, 4)]).map
    {
      TextTable.Column(language.text($0), least: $1.0, rank: $1.1)
    }
    let printer = TablePrinter(
      columns: columns, terminal: terminal, isColored: isColored, language: language,
      grouping: grouping)
    try printer.print(report.lines, end: [report.summary, report.hint], output)
  }
}

import Languages
import LoanCatalogue
import LoanRules
import Loans
import ReminderService

/// A form of the report: what is kept of each loan while catalogues are read, and what is printed at
/// the end.
protocol ReportForm {
  /// Appends what is kept of a loan, which ends with a line break.
  func append(_ loan: ReadLoan, of catalogue: CatalogueToRead, to line: inout [UInt8])

  func print(_ report: CheckReport, _ output: ResultsOutput) throws(CommandError)
}

/// The form for people who read, and for mail: a sentence for each loan, and one about all.
struct SentenceForm: ReportForm {
  let language: Language
  let isColored: Bool

  func append(_ loan: ReadLoan, of catalogue: CatalogueToRead, to line: inout [UInt8]) {
    let today = catalogue.now.date
    let color = isColored ? Urgency(loan, today: today).color : ""
    line += color.utf8
    loan.record.appendLine(
      to: &line, today: today, library: catalogue.source.library, openDays: loan.plan.openDays,
      in: language)
    line += (color.isEmpty ? "\n" : "\(Style.end)\n").utf8
  }

  func print(_ report: CheckReport, _ output: ResultsOutput) throws(CommandError) {
    try report.lines.forEach { _, text throws(CommandError) in try output.print(text) }
    if let summary = report.summary { try output.print("\(summary)\n") }
  }
}

/// How soon something has to be done about a loan.
enum Urgency: String {
  case late
  case today
  case tomorrow
  case later

  /// That of a loan.
  init(_ loan: ReadLoan, today: CivilDate) {
    self =
      switch today.days(until: loan.expiration) {
      case _ where loan.status.isWithheld: .later
      case ..<0: .late
      case 0: .today
      case 1: .tomorrow
      default: .later
      }
  }

  /// The beginning of its colour on a terminal; empty for none.
  var color: String {
    switch self {
    case .late: Style.red
    case .today: Style.yellow
    case .tomorrow: Style.cyan
    case .later: ""
    }
  }
}

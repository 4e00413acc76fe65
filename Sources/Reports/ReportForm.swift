package import CommandOutput
import Languages
import LoanCatalogue
import LoanRules
import Loans
package import ReminderService

/// A form of the report: what is kept of each loan while catalogues are read, and what is printed at
/// the end.
package protocol ReportForm {
  /// Appends what is kept of a loan.
  func append(_ loan: ReadLoan, of catalogue: ReportedCatalogue, to line: inout [UInt8])

  /// Prints the whole report.
  ///
  /// - Throws: ``CommandError`` if the output fails.
  func print(_ report: CheckReport, _ output: ResultsOutput) throws(CommandError)
}

/// The form for people who read, and for mail: a sentence for each loan, and one about all.
final class SentenceForm: ReportForm {
  private let language: Language
  private let isColored: Bool
  /// The words about each day of the catalogue at hand, by its number.
  private var words: [(day: JudgedDay, words: LineWords)?] = []

  init(language: Language, isColored: Bool) {
    (self.language, self.isColored) = (language, isColored)
  }

  func append(_ loan: ReadLoan, of catalogue: ReportedCatalogue, to line: inout [UInt8]) {
    let color = isColored ? Urgency(loan, today: catalogue.now.date).color : ""
    if !color.isEmpty { line += color.utf8 }
    words(about: loan, of: catalogue).append(loan.record, to: &line)
    if !color.isEmpty { line += Style.end.utf8 }
    line.append(UInt8(ascii: "\n"))
  }

  private func words(about loan: ReadLoan, of catalogue: ReportedCatalogue) -> LineWords {
    let (day, time) = (loan.day, loan.record.lastTime)
    while words.count <= day.number { words.append(nil) }
    if let known = words[day.number], known.day === day, known.words.time == time {
      return known.words
    }
    let new = LineWords(
      loan.expiration, time, openDays: day.plan.openDays, today: catalogue.now.date,
      library: catalogue.library, in: language)
    words[day.number] = (day, new)
    return new
  }

  /// Prints the whole report.
  ///
  /// - Throws: ``CommandError`` if the output fails.
  func print(_ report: CheckReport, _ output: ResultsOutput) throws(CommandError) {
    try report.lines.forEach { _, text throws(CommandError) in try output.print(text) }
    if let summary = report.summary { try output.print("\(summary)\n") }
  }
}

/// How soon something has to be done about a loan.
package enum Urgency: String {
  case late
  case today
  case tomorrow
  case later

  /// The urgency of a loan.
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
  package var color: String {
    switch self {
    case .late: Style.red
    case .today: Style.yellow
    case .tomorrow: Style.cyan
    case .later: ""
    }
  }
}

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
final class SentenceForm: ReportForm {
  private let language: Language
  private let isColored: Bool
  /// The words of the catalogue at hand.
  private var words: LineWords?
  /// Those about its days, for loans that end at no known time.
  private var days = DayValues<LineWords.Day>()

  init(language: Language, isColored: Bool) {
    (self.language, self.isColored) = (language, isColored)
  }

  func append(_ loan: ReadLoan, of catalogue: CatalogueToRead, to line: inout [UInt8]) {
    let today = catalogue.now.date
    let color = isColored ? Urgency(loan, today: today).color : ""
    if !color.isEmpty { line += color.utf8 }
    let words = words(today, catalogue.source.library)
    words.append(loan.record, day(of: loan, words), to: &line)
    if !color.isEmpty { line += Style.end.utf8 }
    line.append(UInt8(ascii: "\n"))
  }

  private func words(_ today: CivilDate, _ library: String?) -> LineWords {
    if let words, words.today == today, words.library == library { return words }
    let words = LineWords(today: today, library: library, in: language)
    (self.words, days) = (words, DayValues())
    return words
  }

  private func day(of loan: ReadLoan, _ words: LineWords) -> LineWords.Day {
    let plan = loan.day.plan
    if let time = loan.record.lastTime {
      return words.day(plan.expiration, time, openDays: plan.openDays)
    }
    if let day = days[loan.day] { return day }
    let day = words.day(plan.expiration, nil, openDays: plan.openDays)
    days[loan.day] = day
    return day
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

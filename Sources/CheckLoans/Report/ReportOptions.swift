import ArgumentParser
import LoanCatalogue
import LoanRules
import Loans
import ReminderSchedule
import ReminderService

/// The form of the report of `check`.
enum ReportFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case table
  case json
  case csv
  /// A page for browsers and printers.
  case html
  /// A page for the printer: a letter for each borrower.
  case letters

  /// Whether it can go on with other lines that people read.
  var isForPeople: Bool { self == .text || self == .table }
}

/// What the loans of one part of a report have in common.
enum ReportGrouping: String, CaseIterable, ExpressibleByArgument {
  case day
  case borrower
  case library
  case visit
}

/// What the loans of a report, or of one part of it, are sorted by.
enum ReportSorting: String, CaseIterable, ExpressibleByArgument {
  case expiration
  case title
  case author
  case borrower
  case library

  /// The field; `nil` for the expiration.
  var field: LoanField? {
    switch self {
    case .expiration: nil
    case .title: .title
    case .author: .author
    case .borrower: .borrower
    case .library: .library
    }
  }
}

/// The options for what a report shows, and how.
struct ReportOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] =
    [
      OptionFact("format", .text, .file), OptionFact("all", .flag, .file),
      OptionFact("within", .number, .file), OptionFact("borrower", .text, .file),
      OptionFact("sort", .text, .file), OptionFact("group-by", .text, .file),
      OptionFact("output", .text, .run, path: .file),
    ] + PagerOptions.facts + [
      OptionFact("screen", .flag, .run), OptionFact("refresh", .number, .run),
    ]

  @Option(
    help: ArgumentHelp(
      """
      Format of the report; text is a table at a terminal, and sentences elsewhere.
      """))
  var format = ReportFormat.text

  @Flag(help: "Report every loan, not only what needs attention.")
  var all = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Report what has expired or expires within N days.", valueName: "days"),
    transform: TimeSpan.parseDays(0...36_500))
  var within: Int?

  @Option(
    help: ArgumentHelp(
      "Report loans to borrowers whose names contain this.", valueName: "name"))
  var borrower: String?

  @Option(help: ArgumentHelp("What to sort loans by.", valueName: "field"))
  var sort = ReportSorting.expiration

  @Option(
    help: ArgumentHelp(
      "What to group loans by; visit: loans that can be returned in one trip.", valueName: "what"))
  var groupBy: ReportGrouping?

  @Option(
    help: ArgumentHelp(
      "Write the report to this file.", valueName: "file"), completion: .file())
  var output: String?

  @OptionGroup var pager: PagerOptions

  @Flag(
    help: ArgumentHelp(
      "With --format html: leave out who has the books, for a screen that everybody sees.",
      visibility: .hidden))
  var screen = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --format html: have browsers read the page again every N seconds, 10 to 86400.",
      valueName: "seconds", visibility: .hidden),
    transform: number(10...86_400))
  var refresh: Int?

  func validate() throws {
    if all && within != nil {
      throw ValidationError("--all reports every loan, and --within only some; leave out one")
    }
  }

  /// - Throws: `ValidationError` if something is asked of the page that there is not, or that it cannot
  ///   show.
  func checkPage() throws {
    let ofPage = [("--screen", screen), ("--refresh", refresh != nil)]
    if format != .html && format != .letters, let (name, _) = ofPage.first(where: \.1) {
      throw ValidationError("\(name) is for the page of --format html; add that, or leave it out")
    }
    let ofBorrowers = [
      ("--format letters", format == .letters), ("--group-by borrower", groupBy == .borrower),
      ("--sort borrower", sort == .borrower),
    ]
    if screen, let (name, _) = ofBorrowers.first(where: \.1) {
      throw ValidationError(
        "--screen leaves out who has the books, and \(name) shows it; leave out one")
    }
    if format == .letters && groupBy != nil {
      throw ValidationError("letters have no groups; leave out --group-by")
    }
  }

  /// The loans that are reported.
  var selection: LoanSelection {
    LoanSelection(
      isWhole: all, days: within ?? (groupBy == .visit ? Visit.days : nil), borrower: borrower)
  }
}

/// The loans that a report is about.
struct LoanSelection {
  /// Whether they are all of those borrowers.
  let isWhole: Bool
  /// The most days until their expiration; `nil` for loans that need attention.
  let days: Int?
  /// What their borrowers' names contain; `nil` for any borrower.
  let borrower: String?

  /// Whether a loan is of one of the borrowers.
  func isWanted(_ loan: ReadLoan) -> Bool {
    borrower == nil || loan.record.text(of: .borrower).fits(anyCase: borrower)
  }

  /// Whether a loan's time has come to be reported.
  func isTime(for loan: ReadLoan, today: CivilDate) -> Bool {
    if isWhole { return true }
    if loan.status.isWithheld { return false }
    if let days { return today.days(until: loan.expiration) <= days }
    return loan.status.needsAttention
  }
}

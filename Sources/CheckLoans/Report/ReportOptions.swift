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
  case html

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
      OptionFact("per-borrower", .flag, .run), OptionFact("screen", .flag, .run),
      OptionFact("refresh", .number, .run),
    ]

  @Option(
    help: ArgumentHelp(
      """
      Format of the report; text is a table at a terminal, and sentences elsewhere, and html a page \
      for browsers and printers.
      """))
  var format = ReportFormat.text

  @Flag(help: "Report every loan, not only those that need attention.")
  var all = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Report what has expired or expires within N days, 0 to 36500.", valueName: "days"),
    transform: number(0...36_500))
  var within: Int?

  @Option(
    help: ArgumentHelp(
      "Report only loans to borrowers whose names contain this, in upper or lower case.",
      valueName: "name"))
  var borrower: String?

  @Option(help: ArgumentHelp("What to sort loans by.", valueName: "field"))
  var sort = ReportSorting.expiration

  @Option(
    help: ArgumentHelp(
      """
      What to group loans by; visit puts together what can be returned on one way to a library. \
      (default: day in a table or page, none elsewhere)
      """, valueName: "what"))
  var groupBy: ReportGrouping?

  @Option(
    help: ArgumentHelp(
      "Write the report to this file, which is replaced once the report is whole.",
      valueName: "file"), completion: .file())
  var output: String?

  @OptionGroup var pager: PagerOptions

  @Flag(help: "With --format html: a letter for each borrower, on a page of its own.")
  var perBorrower = false

  @Flag(help: "With --format html: leave out who has the books, for a screen that everybody sees.")
  var screen = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --format html: have browsers read the page again every N seconds, 10 to 86400.",
      valueName: "seconds"),
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
    let ofPage = [
      ("--per-borrower", perBorrower), ("--screen", screen), ("--refresh", refresh != nil),
    ]
    if format != .html, let (name, _) = ofPage.first(where: \.1) {
      throw ValidationError("\(name) is for the page of --format html; add that, or leave it out")
    }
    let ofBorrowers = [
      ("--per-borrower", perBorrower), ("--group-by borrower", groupBy == .borrower),
      ("--sort borrower", sort == .borrower),
    ]
    if screen, let (name, _) = ofBorrowers.first(where: \.1) {
      throw ValidationError(
        "--screen leaves out who has the books, and \(name) shows it; leave out one")
    }
    if perBorrower && groupBy != nil {
      throw ValidationError(
        "--per-borrower makes letters, which have no groups; leave out --group-by")
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

package import ArgumentParser
import LoanRules
package import Reports
import Settings

/// The options for what a report shows, and how.
package struct ReportOptions: ParsableArguments, DescribedOptions {
  package init() {}

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
      "Format of the report; text is a table at a terminal, otherwise sentences."))
  package var format = ReportFormat.text

  @Flag(help: "Report all loans, not only those that need attention.")
  var all = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Report loans expired or expiring within N days.", valueName: "days"),
    transform: TimeSpan.parseDays(0...36_500))
  var within: Int?

  @Option(
    help: ArgumentHelp(
      "Report loans to borrowers whose name contains this.", valueName: "name"))
  var borrower: String?

  @Option(help: ArgumentHelp("Sort loans by this field.", valueName: "field"))
  var sort = ReportSorting.expiration

  @Option(
    help: ArgumentHelp(
      "Group loans by this; visit groups books that can be returned on one trip.",
      valueName: "what"))
  var groupBy: ReportGrouping?

  @Option(
    help: ArgumentHelp(
      "Write the report to this file.", valueName: "file"), completion: .file())
  package var output: String?

  @OptionGroup var pager: PagerOptions

  @Flag(
    help: ArgumentHelp(
      "With --format html, leave out the borrowers, for a public screen.",
      visibility: .hidden))
  var screen = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --format html, have browsers reload the page every N seconds, 10 to 86400.",
      valueName: "seconds", visibility: .hidden),
    transform: number(10...86_400))
  var refresh: Int?

  package func validate() throws {
    if all && within != nil {
      throw ValidationError("--all reports every loan, and --within only some; leave out one")
    }
  }

  /// - Throws: `ValidationError` if something is asked of the page that there is not, or that it cannot
  ///   show.
  package func checkPage() throws {
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

// What a room that knows no options has for them.

extension ReportFormat: ExpressibleByArgument {}
extension ReportGrouping: ExpressibleByArgument {}
extension ReportSorting: ExpressibleByArgument {}

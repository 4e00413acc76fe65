import ArgumentParser
import CommandOutput
import Loans
import ReminderSchedule
import ReminderService
import Reports
import Runs
import Settings
import SystemPackage
import Validation

/// The form of a list for staff.
enum StaffListFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
  case csv
}

/// `check-loans lists`.
struct ListsCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "lists",
    abstract: "List books to look for, and borrowers to call or write to.",
    discussion: """
      Reads catalogues as check does, and finds in the schedule what was sent before; the schedule \
      stays unchanged. Silenced loans are left out, and those reported as returned.

      shelf lists, in shelf order, the books whose expired notice is due within two days and was \
      not sent, and those lost or claimed returned: a book found there has been returned. call \
      lists the borrowers, with their telephone numbers, who have loans that need attention but no \
      e-mail address, or one that was refused; letters lists them once each, with their postal \
      addresses.

      Examples:
        check-loans lists shelf books.xml
        check-loans lists call
        check-loans lists letters --format csv --output letters.csv
      """)

  static let facts: [OptionFact] =
    [
      OptionFact("days", .number, .line),
      OptionFact("format", .text, .run), OptionFact("borrower", .text, .line),
      OptionFact("output", .text, .line),
    ] + CatalogueOptions.facts + StateOptions.facts + NowOptions.facts + LanguageOptions.facts
    + ColorOptions.facts + PagerOptions.facts

  @Argument(
    help: ArgumentHelp("List to print.", valueName: "shelf|call|letters"))
  var kind: StaffList.Kind

  @Argument(
    help: "Catalogues to read. (default: those of the settings file)", completion: .file())
  var catalogues: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With shelf, list books whose notice is due within N days, 0 to 400. (default: 2)",
      valueName: "days"), transform: number(0...400))
  var days: Int?

  @Option(help: "Format of the list.")
  var format = StaffListFormat.text

  @Option(
    help: ArgumentHelp(
      "List only borrowers whose name contains this, ignoring case.", valueName: "name"))
  var borrower: String?

  @Option(
    help: ArgumentHelp(
      "Write the list to this file, and replace it only with a complete list.",
      valueName: "file"), completion: .file())
  var output: String?

  @OptionGroup(visibility: .hidden) var catalogue: CatalogueOptions
  @OptionGroup var state: StateOptions
  @OptionGroup var now: NowOptions
  @OptionGroup var language: LanguageOptions
  @OptionGroup var color: ColorOptions
  @OptionGroup var pager: PagerOptions

  func validate() throws {
    if days != nil && kind != .shelf { throw ValidationError("--days is only for shelf") }
  }

  var files: [String] { catalogues }
  var readingOptions: CatalogueOptions? { catalogue }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let language = try language.language(environment)
    let terminal = Terminal(environment.variables)
    let path = try state.optionalPath(environment)
    let read = try environment.catalogues(
      catalogues, catalogue, now: now.now, schedule: path,
      example: "check-loans lists shelf books.xml")
    let output = try environment.output(output, sparing: read.map(\.file), state: path)
    if output != nil { try environment.refuseDryRun() }
    let results = try ResultsOutput(
      console, file: output,
      permissions: .ownerReadWrite, pager: pager.pager(terminal, environment))
    let (list, status) = try list(of: read, path, environment, console)
    switch format {
    case .json: try results.print(list.json.text + "\n")
    case .csv: try results.print(list.csv)
    case .text:
      var lines = ReportLines(directory: environment.temporaryDirectory)
      var group = LoanGroup.whole
      for (heading, cells) in list.tableRows(in: language) {
        if heading != group.heading { group = LoanGroup(rank: group.rank + 1, heading: heading) }
        // There is no note after the cells.
        let row = TablePrinter.row([Urgency.later.rawValue] + cells + [""])
        lines.add(ReportKey(group: group, day: 0)) { $0 += row.utf8 }
      }
      let printer = TablePrinter(
        columns: list.tableColumns(in: language), terminal: terminal,
        isColored: color.isColored(environment), language: language,
        grouping: group.heading.isEmpty ? nil : list.kind == .shelf ? .library : .borrower)
      try printer.print(lines, end: [], results)
    }
    try results.commit()
    if list.loans.isEmpty && status == .done { console.printError(list.emptyWords) }
    return status
  }

  /// The list, and the status of reading the catalogues.
  private func list(
    of read: [CatalogueToRead], _ schedule: String?, _ environment: Environment, _ console: Console
  ) throws -> (StaffList, ExitStatus) {
    // What will be sent is what a run would send that read them now.
    let copy = try Schedule.copy(of: schedule)
    defer { withExtendedLifetime(copy) {} }
    var list = StaffList(
      kind, days: days ?? 2, borrower: borrower, mostBorrowers: environment.mostBorrowers)
    var reading = CatalogueReadings(copy, console)
    reading.isKept = schedule != nil
    for entry in read {
      let findings = try reading.read(
        entry, onLoan: { list.note($0, of: entry.source.name, today: entry.now.date) })
      if findings.isUsable || schedule == nil { continue }
      console.printError(
        """
        \(entry.path.visible): its loans are those of the schedule, without postal addresses and call \
        numbers
        """)
    }
    for (_, now, names) in KnownCatalogues(read).zones { try list.add(names, at: now, copy.reader) }
    list.sort()
    return (list, reading.status)
  }
}

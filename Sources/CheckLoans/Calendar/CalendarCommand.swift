import ArgumentParser
import Calendar
import CommandOutput
import Loans
import ReminderSchedule
import Reports
import Runs
import Settings
import SystemPackage
import Validation

/// `check-loans calendar`.
struct CalendarCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "calendar",
    abstract: "Write the loans as an iCalendar file.",
    discussion: """
      Makes an all-day event for each loan, on its expiration or on the last open day before it. \
      An expired loan is shown today, or on the next open day. Prints the calendar, or updates a \
      file if it has changed. Leaves the schedule unchanged, and writes nothing if a catalogue \
      cannot be read.

      Examples:
        check-loans calendar books.xml > loans.ics
        check-loans calendar --borrower "Halmos Benedek" books.xml
        check-loans calendar --directory /srv/www/loans --list books.xml
      """)

  static let facts: [OptionFact] =
    [
      OptionFact("output", .text, .line), OptionFact("borrower", .text, .line),
      OptionFact("directory", .text, .line), OptionFact("list", .flag, .line),
      OptionFact("per-visit", .flag, .line), OptionFact("alarm", .text, .line),
      OptionFact("todo", .flag, .line), OptionFact("titles", .list, .file),
    ] + ClosedDayOptions.facts + RecordOptions.facts + ProfileOptions.facts + JobOptions.facts
    + ClockOptions.facts + StateOptions.facts + LanguageOptions.facts

  @Argument(
    help: "Catalogues to read. (default: those of the settings file)", completion: .file())
  var catalogues: [String] = []

  @Option(
    help: ArgumentHelp(
      "Write the calendar to this file if it has changed.", valueName: "file"),
    completion: .file(extensions: ["ics"]))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Include only loans to the borrower whose name contains this, or with this e-mail address.",
      valueName: "name"))
  var borrower: String?

  @Option(
    help: ArgumentHelp(
      "Write a file for each borrower into this directory, with a name too long to guess.",
      valueName: "directory"), completion: .directory)
  var directory: String?

  @Flag(
    help: "Print the name, the e-mail address and the file of each borrower, separated by tabs.")
  var list = false

  @Flag(
    help: "Make one event of all books that a borrower can return to a library on the same day.")
  var perVisit = false

  @Option(
    help: ArgumentHelp(
      """
      Set an alarm this long before the day, or none; 16h is 08:00 on the day before. (default: 16h)
      """,
      valueName: "hours|none"),
    transform: AlarmLead.parse)
  var alarm = AlarmLead(hours: 16)

  @Flag(help: "Write tasks instead of events; few programs show them.")
  var todo = false

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "How much to show of titles and authors: full, initials or none. (default: full)",
      valueName: "detail"))
  var titles: [TitleChoice] = []

  @OptionGroup(visibility: .hidden) var closed: ClosedDayOptions
  @OptionGroup var records: RecordOptions
  @OptionGroup var form: ProfileOptions
  @OptionGroup var jobs: JobOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions
  @OptionGroup var language: LanguageOptions

  var files: [String] { catalogues }

  /// The most entries of one file, which programs can still show.
  private static let most = 50_000

  func validate() throws {
    if directory != nil && (borrower != nil || output != nil) {
      throw ValidationError(
        "--directory writes a file for each, and cannot go with --borrower or --output")
    }
    if list && directory == nil {
      throw ValidationError("--list prints the files of --directory; give that too")
    }
  }

  /// - Throws: ``CommandError`` with the status `usage` for a choice of the command line that is for a
  ///   channel, and so would hide nothing here.
  private func checkTitles(_ environment: Environment) throws(CommandError) {
    guard environment.given["titles"]?.isFromCommandLine == true,
      let choice = titles.first(where: { $0.channel != nil })
    else { return }
    throw CommandError(
      .usage,
      """
      --titles \(choice.defaultValueDescription.visible) is for notices through a channel, and a \
      calendar is none; write --titles \(choice.detail.rawValue)
      """)
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    try checkTitles(environment)
    let writer = try LoanCalendarWriter(self, environment)
    let state = try directory == nil ? state.optionalPath(environment) : state.path(environment)
    let read = try environment.catalogues(
      catalogues, environment.given.catalogueOptions(), now: clock.now.now, schedule: state,
      findsGone: false,
      example: "check-loans calendar books.xml")
    let output = try environment.output(output, sparing: read.map(\.file), state: state)
    if output != nil || directory != nil { try environment.refuseDryRun() }
    var reading = CatalogueReadings(nil, console)
    reading.remembered = try state.map { path throws(ScheduleError) in
      try ScheduleReader(opening: path)
    }
    let parts = try read.map { try $0.calendarLoans(hidingTitles: writer.titles, &reading) }
    var (loans, status) = (parts.flatMap { $0 ?? [] }, reading.status)
    if parts.contains(where: { $0 == nil }) {
      console.printError("no calendar was written; correct the catalogue and run again")
      return status.worse(.invalidData)
    }
    if let directory, let state {
      let files = try BorrowerCalendars(directory, besideSchedule: state, writer)
      return status.worse(try files.update(with: loans, lists: list, console))
    }
    if let borrower { loans = try loans.of(borrower, mayBeNone: records.allowEmpty) }
    let calendar = writer.calendar(of: loans, isPersonal: borrower != nil)
    if borrower == nil && calendar.count > Self.most {
      throw CommandError(
        .usage,
        """
        a calendar of \(calendar.count) entries is more than programs can show, at most \
        \(Self.most); use --directory for a file for each borrower, or --borrower for one
        """)
    }
    if let output {
      try CalendarFile(output).replace(with: calendar.bytes, permissions: .ownerReadWrite)
    } else {
      try console.print(calendar.bytes.span)
    }
    return status
  }
}

/// How long before a day an alarm goes off, `16h` or `none`.
struct AlarmLead {
  let hours: Int?

  @Sendable static func parse(_ text: String) throws -> AlarmLead {
    if text == "none" { return AlarmLead(hours: nil) }
    if text == "0h" { return AlarmLead(hours: 0) }
    guard let span = TimeSpan(text, "hd"), span.seconds <= 1_000 * 3_600 else {
      throw ValidationError("write hours, as in 16h, or none")
    }
    return AlarmLead(hours: span.seconds / 3_600)
  }
}

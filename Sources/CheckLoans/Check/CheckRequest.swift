import CommandOutput
import Languages
import Loans
import ReminderService
import Reports
import Settings
import SystemPackage

/// A run of `check` as it was asked for, with everything looked up that its options name.
struct CheckRequest {
  private(set) var options: CheckOptions
  var catalogues: [CatalogueToRead]
  /// How old the files of the catalogues may be, by name.
  let staleLimits: [String: TimeSpan?]
  let channels: [ChannelName]
  let clock: LocalClock
  let now: CivilDateTime
  let isDryRun: Bool
  /// Where the schedule is kept; `nil` for no schedule.
  let state: String?
  /// The file that takes the report; `nil` for standard output.
  let output: String?
  let isColored: Bool
  let terminal: Terminal
  let notifiers: ChannelNotifiers

  /// - Parameter example: shows how to name a catalogue.
  /// - Throws: ``CommandError`` if something that an option names is not there, or no catalogue is
  ///   named.
  init(
    _ options: CheckOptions, _ once: OneRunOptions, _ environment: Environment,
    example: String = "check-loans books.xml"
  ) throws(CommandError) {
    self.options = options
    self.options.report.format = try options.format(environment)
    isDryRun = once.dryRun.dryRun
    clock = try options.catalogue.zone.clock(environment)
    now = try clock.now(once.now.now)
    channels = try options.channels.channels(environment)
    state = try options.state.optionalPath(environment)
    notifiers = try ChannelNotifiers(
      channels, options.channels, options.language, environment, state: options.state,
      isDryRun: isDryRun)
    isColored = options.printing.color.isColored(environment)
    terminal = Terminal(environment.variables)
    catalogues = try environment.catalogues(
      options.catalogues, options.catalogue, now: once.now.now, jobs: options.jobs.count,
      schedule: state, example: example)
    staleLimits = environment.staleLimits(
      of: catalogues.map(\.source.name), options.stale)
    output = try environment.output(
      options.report.output, sparing: catalogues.map(\.file), state: state)
  }

  /// The language of the report.
  var language: Language { notifiers.language }

  /// Whether only the loans are wanted.
  var isQuiet: Bool { options.printing.quiet.quiet }

  /// Whether the report goes to standard output, rather than notices.
  var reports: Bool {
    channels.isEmpty || !options.report.format.isForPeople || output != nil
  }

  /// The report that is wanted.
  var report: ReportRequest {
    let report = options.report
    var request = ReportRequest(
      language: language, now: now, zone: clock.name, terminal: terminal)
    (request.format, request.groupBy, request.sorting) =
      (report.format, report.groupBy, report.sort)
    request.isTable =
      report.format == .table
      || report.format == .text && ProcessSetup.isOutputATerminal && output == nil
    (request.selection, request.isColored, request.isQuiet) =
      (report.selection, isColored, isQuiet)
    (request.run.reports, request.run.isDryRun, request.run.hasSchedule) =
      (reports, isDryRun, state != nil)
    (request.page.hidesBorrowers, request.page.refresh) = (report.screen, report.refresh)
    request.page.sender = options.channels.mail.mailFrom?.name
    request.page.titles = notifiers.titles(of: .mail)
    request.page.languageOf = { [borrowers = notifiers.borrowers] in borrowers.language(of: $0) }
    return request
  }
}

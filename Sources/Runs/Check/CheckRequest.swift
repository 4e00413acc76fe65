package import CommandOutput
import Languages
import Loans
import ReminderService
package import Reports
package import Settings

/// A run of `check` as it was asked for, with its report.
package struct CheckRequest {
  private(set) var options: CheckOptions
  package var run: RunSettings
  let isDryRun: Bool
  /// The file that takes the report; `nil` for standard output.
  package let output: String?
  let isColored: Bool
  let terminal: Terminal

  /// - Throws: ``CommandError`` if something that an option names is not there, or no catalogue is
  ///   named.
  package init(
    _ options: CheckOptions, _ once: OneRunOptions, _ environment: Environment
  ) throws(CommandError) {
    self.options = options
    self.options.report.format = try options.format(environment)
    isDryRun = once.dryRun.dryRun
    run = try RunSettings(
      options, environment, now: once.now.now, makesSecrets: !isDryRun,
      example: "check-loans books.xml")
    isColored = options.printing.color.isColored(environment)
    terminal = Terminal(environment.variables)
    output = try environment.output(
      options.report.output, sparing: run.catalogues.map(\.file), state: run.state)
  }

  /// The language of the report.
  var language: Language { run.notifiers.language }

  /// Whether only the loans are wanted.
  var isQuiet: Bool { options.printing.quiet.quiet }

  /// Whether all warnings are wanted.
  var isVerbose: Bool { options.printing.verbose.verbose }

  /// Whether the report goes to standard output, rather than notices.
  var reports: Bool {
    run.channels.isEmpty || !options.report.format.isForPeople || output != nil
  }

  /// The report that is wanted.
  package var report: ReportRequest {
    let report = options.report
    var request = ReportRequest(
      language: language, now: run.now, zone: run.clock.name, terminal: terminal)
    (request.format, request.groupBy, request.sorting) =
      (report.format, report.groupBy, report.sort)
    request.isTable =
      report.format == .table
      || report.format == .text && ProcessSetup.isOutputATerminal && output == nil
    (request.selection, request.isColored, request.isQuiet) =
      (report.selection, isColored, isQuiet)
    (request.run.reports, request.run.isDryRun, request.run.hasSchedule) =
      (reports, isDryRun, run.state != nil)
    (request.page.hidesBorrowers, request.page.refresh) = (report.screen, report.refresh)
    request.page.sender = options.channels.mail.mailFrom?.name
    request.page.titles = run.notifiers.titles(of: .mail)
    request.page.languageOf = { [borrowers = run.notifiers.borrowers] in borrowers.language(of: $0)
    }
    return request
  }
}

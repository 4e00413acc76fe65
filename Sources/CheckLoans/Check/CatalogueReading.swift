import CommandOutput
import LoanRules
import Loans
import ReminderSchedule
import ReminderService
import System

/// Reads catalogues one after the other, each with the closed days of its library, and prints what is
/// wrong with them.
struct CatalogueReading {
  /// Where their parts are replaced; `nil` for none.
  let schedule: Schedule?
  let console: Console
  /// Whether all warnings are printed.
  var isVerbose = false
  var onEvent: @Sendable (ScheduleEvent) -> Void = { _ in }
  /// Where closed days are looked up that cannot be read, besides the schedule.
  var remembered: ScheduleReader?
  private(set) var closedDays = ClosedDaysReader()
  /// The worst of what was wrong.
  private(set) var status = ExitStatus.done

  init(_ schedule: Schedule?, _ console: Console) {
    (self.schedule, self.console) = (schedule, console)
  }

  /// Reads a catalogue.
  ///
  /// - Parameters:
  ///   - onBegin: gets the closed days of its library.
  ///   - onDiagnostic: gets each problem.
  ///   - onLoan: gets each loan that is read; see ``CatalogueToRead/read``.
  /// - Throws: `ScheduleError`.
  mutating func read(
    _ catalogue: CatalogueToRead, onBegin: (ClosedDays) -> Void = { _ in },
    onDiagnostic: (LocatedDiagnostic) -> Void = { _ in }, onLoan: (ReadLoan) -> Void = { _ in }
  ) throws -> CatalogueFindings {
    let findings: CatalogueFindings
    do {
      if let fault = catalogue.fault { throw fault }
      if let fetch = catalogue.fetch, !FileSystem.exists(catalogue.file) {
        let name = fetch.name
        let command = "check-loans \(name.shellQuoted.visible)"
        throw CommandError(.noInput, "\(name.visible) has not been fetched yet; run \(command)")
      }
      let days = try closedDays.read(
        catalogue.closed, today: catalogue.now.date, schedule, remembered
      ) {
        result in
        let warnings = isVerbose ? result.warnings : result.news
        for line in result.errors + result.unused + warnings { console.printError(line) }
        status = status.worse(result.status)
      }
      onBegin(days)
      findings = try catalogue.read(
        into: schedule, at: catalogue.now, days, showsAll: isVerbose, onEvent: onEvent,
        onDiagnostic: onDiagnostic, onLoan: onLoan, print: { console.printError(line: $0) })
    } catch let error as CommandError {
      if let message = error.message { console.printError(message) }
      findings = CatalogueFindings(error)
    }
    status = status.worse(findings.status)
    return findings
  }
}

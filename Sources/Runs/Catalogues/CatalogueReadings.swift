package import CommandOutput
package import LoanRules
package import Loans
package import ReminderSchedule
package import ReminderService
import System

/// Reads catalogues one after the other, each with the closed days of its library, and says what is
/// wrong with them.
package struct CatalogueReadings {
  /// Where their parts are replaced; `nil` for none.
  let schedule: Schedule?
  /// Prints a line to standard error.
  let print: (String) -> Void
  /// Whether all warnings are printed.
  var isVerbose = false
  var onEvent: @Sendable (ScheduleEvent) -> Void = { _ in }
  /// Where closed days are looked up that cannot be read, besides the schedule.
  package var remembered: ScheduleReader?
  var closedDays = ClosedDaysReader()
  /// The worst of what was wrong.
  package private(set) var status = ExitStatus.done

  package init(_ schedule: Schedule?, print: @escaping (String) -> Void) {
    (self.schedule, self.print) = (schedule, print)
  }

  package init(_ schedule: Schedule?, _ console: Console) {
    self.init(schedule) { console.printError(line: $0) }
  }

  /// Prints a sentence of the program.
  package func say(_ words: String) { print("check-loans: \(words)") }

  /// Reads a catalogue.
  ///
  /// - Parameters:
  ///   - now: the time in its library, if that has changed since it was looked up.
  ///   - onBegin: gets the closed days of its library.
  ///   - onDiagnostic: gets each problem.
  ///   - onLoan: gets each loan that is read; see ``CatalogueToRead/read``.
  /// - Throws: `ScheduleError`.
  package mutating func read(
    _ catalogue: CatalogueToRead, at now: CivilDateTime? = nil,
    onBegin: (ClosedDays) -> Void = { _ in },
    onDiagnostic: (LocatedDiagnostic) -> Void = { _ in }, onLoan: (ReadLoan) -> Void = { _ in }
  ) throws -> CatalogueFindings {
    let findings: CatalogueFindings
    let now = now ?? catalogue.now
    do {
      if let fault = catalogue.fault { throw fault }
      if let fetch = catalogue.fetch, !FileSystem.exists(catalogue.file) {
        let name = fetch.name
        let command = "check-loans \(name.shellQuoted.visible)"
        throw CommandError(.noInput, "\(name.visible) has not been fetched yet; run \(command)")
      }
      var said: [String] = []
      let days = try closedDays.read(catalogue.closed, today: now.date, schedule, remembered) {
        result in
        said = result.errors + result.unused + (isVerbose ? result.warnings : result.news)
        status = status.worse(result.status)
      }
      said.forEach(say)
      onBegin(days)
      findings = try catalogue.read(
        into: schedule, at: now, days, showsAll: isVerbose, onEvent: onEvent,
        onDiagnostic: onDiagnostic, onLoan: onLoan, print: print)
    } catch let error as CommandError {
      if let message = error.message { say(message) }
      findings = CatalogueFindings(error)
    }
    status = status.worse(findings.status)
    return findings
  }
}

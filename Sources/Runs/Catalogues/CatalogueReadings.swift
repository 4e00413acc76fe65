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
  /// Where closed days are looked up that cannot be read, if there is no schedule.
  package var remembered: ScheduleReader?
  var closedDays = ClosedDaysReader()
  /// Whether the schedule is kept, so that catalogues have reminders in it.
  package var isKept = true
  /// Whether programs have fetched the catalogues that are not files.
  var hasFetched = false
  /// Gets what there is to say about closed days when they are first read, in place of printing it.
  var onClosedDays: ((ClosedDaySetting, [String]) -> Void)?
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
    let now = now ?? catalogue.now
    if let fault = catalogue.fault ?? (hasFetched ? nil : catalogue.faultOfFetch) {
      if let message = fault.message { say(message) }
      status = status.worse(fault.status)
      return CatalogueFindings(fault)
    }
    let days: ClosedDays
    do { days = try readClosedDays(of: catalogue, today: now.date) } catch let error as CommandError
    {
      sayOfClosedDays(catalogue.closed, [error.message].compactMap(\.self))
      status = status.worse(error.status)
      return CatalogueFindings(error)
    }
    onBegin(days)
    let findings = try catalogue.read(
      into: schedule, at: now, days, isKept: isKept, showsAll: isVerbose, onEvent: onEvent,
      onDiagnostic: onDiagnostic, onLoan: onLoan, print: print)
    status = status.worse(findings.status)
    return findings
  }

  private mutating func readClosedDays(
    of catalogue: CatalogueToRead, today: CivilDate
  ) throws -> ClosedDays {
    var said: [String]?
    let days = try closedDays.read(catalogue.closed, today: today, schedule, remembered) { result in
      said = result.errors + result.unused + (isVerbose ? result.warnings : result.news)
      status = status.worse(result.status)
    }
    if let said { sayOfClosedDays(catalogue.closed, said) }
    return days
  }

  private func sayOfClosedDays(_ setting: ClosedDaySetting, _ sentences: [String]) {
    if let onClosedDays { onClosedDays(setting, sentences) } else { sentences.forEach(say) }
  }
}

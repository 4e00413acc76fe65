import CommandOutput
import LoanRules
import Loans
import ReminderSchedule
import ReminderService
import System

extension CatalogueToRead {
  /// Reads the catalogue into a copy of the schedule, or only to have its loans, and says what is wrong
  /// with it.
  ///
  /// - Parameters:
  ///   - schedule: the copy; `nil` for none.
  ///   - remembered: where the closed days are looked up that cannot be read; by default, the copy.
  ///   - onLoan: gets each loan that is read, and the closed days of its library.
  /// - Returns: whether all its loans are known now, and the status.
  func reload(
    in schedule: Schedule?, remembering remembered: ScheduleReader? = nil, _ console: Console,
    onLoan: (ReadLoan, ClosedDays) -> Void = { _, _ in }
  ) throws -> (isUsable: Bool, status: ExitStatus) {
    if let fault {
      if let message = fault.message { console.printError(message) }
      return (false, fault.status)
    }
    if let fetch, !FileSystem.exists(file) {
      let name = fetch.name.visible
      let command = "check-loans \(fetch.name.shellQuoted.visible)"
      console.printError("\(name) has not been fetched yet; run \(command)")
      return (false, .noInput)
    }
    var settings = self.settings
    let closed = try closed.closedDays(today: now.date, schedule: remembered ?? schedule?.reader)
    settings.policy.closedDays = closed.days
    closed.errors.forEach { console.printError($0) }
    var status = closed.status
    var findings = CatalogueFindings(path: path, showsAll: false, hasReminders: schedule != nil)
    let center = ReminderCenter(schedule: schedule, civilTime: clock.civilTime)
    do throws(ReminderError) {
      findings.note(
        try center.reload(
          source, at: now, settings: settings,
          onDiagnostic: { found in
            findings.note(found)
            if found.severity == .error { status = status.worse(.invalidData) }
          },
          onLoan: { onLoan($0, closed.days) }))
      if !findings.isUsable { status = status.worse(.invalidData) }
    } catch {
      guard case .catalogue(let fault) = error else { throw error }
      findings.note(fault)
      status = status.worse(CommandError(error).status)
    }
    for line in findings.lines { console.printError(line: line) }
    return (findings.isUsable, status)
  }
}

/// Why a catalogue without any loan did not replace one that had loans.
///
/// - Parameters:
///   - stored: the number of its loans in the schedule.
///   - mayBeEmpty: whether it may be right.
func emptinessWords(stored: Int, mayBeEmpty: Bool) -> String {
  """
  no loan with an expiration, but \(counted(stored, "loan")) in the schedule; nothing was changed, and \
  \(stored == 1 ? "its" : "their") notices will still be delivered\
  \(mayBeEmpty ? "; if all books are back, run again with --allow-empty" : "")
  """
}

import Loans
import ReminderSchedule
import ReminderService

extension Schedule {
  /// The schedule in a file, or a copy of it to try things out on.
  convenience init(_ path: String, isDryRun: Bool) throws(ScheduleError) {
    if isDryRun { try self.init(rehearsing: path) } else { try self.init(opening: path) }
  }

  /// The warning for a clock that was set back: what a later run has sent is not sent again.
  func clockSetBackWarning(now: CivilDateTime) throws(ScheduleError) -> String? {
    guard let days = try daysSetBack(at: now) else { return nil }
    return """
      the clock (\(now.date)) is \(counted(days, "day")) behind the last run (or its --now); what that \
      run sent counts as sent; all else goes by today
      """
  }
}

extension Console {
  /// Prints the events of a schedule to standard error, if that is wanted.
  func eventPrinter(isVerbose: Bool) -> @Sendable (ScheduleEvent) -> Void {
    { event in if isVerbose { self.printError("\(event)") } }
  }
}

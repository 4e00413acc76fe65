import CommandOutput
package import Loans
package import ReminderSchedule
package import ReminderService

extension Schedule {
  /// The schedule in a file, or a copy of it to try things out on.
  package convenience init(_ path: String, isDryRun: Bool) throws(ScheduleError) {
    if isDryRun { try self.init(rehearsing: path) } else { try self.init(opening: path) }
  }

  /// A copy of the schedule in a file, to try things out on; an empty one without a file.
  package static func copy(of path: String?) throws(ScheduleError) -> Schedule {
    if let path { try Schedule(rehearsing: path) } else { try Schedule() }
  }

  /// The warning for a clock that was set back by days: until the date of a later run has come, what that
  /// run has sent counts as not sent.
  package func clockSetBackWarning(now: CivilDateTime) throws(ScheduleError) -> String? {
    guard let days = try daysSetBack(at: now) else { return nil }
    return """
      the last run (or its --now) was \(counted(days, "day")) after this clock (\(now.date)); what it sent \
      does not count until then, and may be sent again
      """
  }
}

extension Console {
  /// Prints the events of a schedule to standard error, if that is wanted.
  package func eventPrinter(isVerbose: Bool) -> @Sendable (ScheduleEvent) -> Void {
    { event in if isVerbose { self.printError("\(event)") } }
  }
}

import Loans
import ReminderSchedule

extension Schedule {
  /// The schedule in a file, or a copy of it to try things out on.
  convenience init(_ path: String, isDryRun: Bool) throws(ScheduleError) {
    if isDryRun { try self.init(rehearsing: path) } else { try self.init(opening: path) }
  }

  /// Tells that the clock is behind, since then nothing is due that should be.
  func warnOfClockSetBack(now: CivilDateTime, _ console: Console) throws(ScheduleError) {
    guard let days = try daysSetBack(at: now) else { return }
    console.complain(
      """
      the clock says \(now.date), \(counted(days, "day")) before the last run; if that is wrong, set \
      it, since reminders wait for it
      """)
  }
}

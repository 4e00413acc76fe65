import CommandOutput
import ReminderSchedule
import System
import SystemPackage

/// The knowledge of `watch` about the schedule between two uses: which one it was, whether it works, and
/// when to try again.
struct ScheduleAccess {
  /// The features by which two schedules differ.
  private struct Identity: Equatable {
    /// A copy of it, from yesterday perhaps, is another file.
    var file: FileID?
    /// One that was created again may be the same file again.
    var schedule: Int64
  }

  private var used: Identity?
  /// Whether it could be used once.
  private var hasWorked = false
  private var pause = RetryPause()
  /// Since when another run has held the lock.
  private var lockedSince: Duration?

  /// The time that another run may hold the lock before that is reported.
  private static let longestLock = Duration.seconds(5)

  /// Notes which schedule is used.
  ///
  /// - Returns: whether it is another than the last time, and so may not know the loans.
  mutating func noteUse(of schedule: Schedule, at path: String) -> Bool {
    let identity = Identity(file: (try? Stat(of: path))?.fileID, schedule: schedule.identity)
    defer { used = identity }
    return identity != used
  }

  /// Notes that the schedule could be used.
  mutating func noteSuccess() {
    hasWorked = true
    lockedSince = nil
    pause = RetryPause()
  }

  /// Notes that the schedule could not be used.
  ///
  /// - Returns: when to try again, and the line to report, if any.
  /// - Throws: ``CommandError`` if it has never worked, and so will not work soon.
  mutating func noteFailure(
    _ error: ScheduleError, at moment: Duration
  ) throws(CommandError) -> (retry: Duration, line: String?) {
    let failure = CommandError(error)
    let line = failure.message.map { "\($0); trying again" }
    switch error.code {
    case .locked:
      let since = lockedSince ?? moment
      lockedSince = since
      let isLong = moment - since >= Self.longestLock
      return (
        moment + .seconds(1),
        isLong ? "another run is using the schedule; waiting for it" : nil
      )
    default:
      guard hasWorked else { throw failure }
      return (pause.noteFailure(at: moment), line)
    }
  }
}

internal import Failpoints
internal import Synchronization

/// Messages on their way through a channel, none of which a killed run repeats, but for the one
/// that was being sent.
///
/// ``Schedule/beginSending(_:channel:at:utcOffset:)`` puts all of them into the outbox, in one
/// commit. Each one sent is then counted by ``noteSent()`` with a single write to the lock file,
/// which needs no commit and survives the end of the process, though not a power cut. ``finish()`` or
/// ``fail(error:)`` moves the outbox into the ledger, in one commit. If the process is killed in
/// between, whoever opens the schedule next does so from the count: those sent are delivered, the
/// next one may have been and is due again, and the rest is as if it had never been begun. If the
/// count was lost all of them are due again: nothing is ever lost.
public final class Sending: Sendable {
  private struct Progress {
    var sent = 0
    var isOpen = true
  }

  private let schedule: Schedule
  private let number: Int64
  private let count: Int
  private let progress = Mutex(Progress())

  init(_ schedule: Schedule, number: Int64, count: Int) {
    self.schedule = schedule
    self.number = number
    self.count = count
  }

  /// Counts the next message as sent; costs no commit.
  ///
  /// - Throws: ``ScheduleError`` if the count cannot be written; it is known to ``finish()`` and
  ///   ``fail(error:)`` all the same.
  public func noteSent() throws(ScheduleError) {
    let sent = progress.withLock { progress in
      precondition(progress.isOpen && progress.sent < count, "more was sent than was begun")
      progress.sent += 1
      return progress.sent
    }
    try schedule.write(OutboxCount(sending: number, sent: sent))
    failpoint("sent-noted")
  }

  /// Notes those sent as delivered; the others are as they were before.
  ///
  /// - Throws: ``ScheduleError``; then whoever opens the schedule next does it.
  public func finish() throws(ScheduleError) {
    try end(.untried)
  }

  /// Notes those sent as delivered and the next one as failed; the rest is as it was before.
  ///
  /// - Parameter error: what the channel said; untrusted.
  /// - Throws: ``ScheduleError``; then whoever opens the schedule next does it, without the error.
  public func fail(error: String) throws(ScheduleError) {
    try end(.failed(error))
  }

  private func end(_ next: NextMessage) throws(ScheduleError) {
    let sent = progress.withLock { progress in
      precondition(progress.isOpen, "messages were sent to their end twice")
      progress.isOpen = false
      return progress.sent
    }
    if count == 0 { return }
    try schedule.write { database in
      try database.emptyOutbox(OutboxCount(sending: number, sent: sent), next: next)
      failpoint("outbox-before-commit")
    }
    failpoint("outbox-committed")
  }
}

internal import Failpoints

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
public struct Sending: ~Copyable, Sendable {
  private let schedule: Schedule
  private let number: Int64
  private let count: Int
  private var sent = 0

  init(_ schedule: Schedule, number: Int64, count: Int) {
    self.schedule = schedule
    self.number = number
    self.count = count
  }

  /// Counts the next message as sent; costs no commit.
  ///
  /// - Throws: ``ScheduleError`` if the count cannot be written; it is known to ``finish()`` and
  ///   ``fail(error:)`` all the same.
  public mutating func noteSent() throws(ScheduleError) {
    precondition(sent < count, "more than \(count) messages were sent")
    sent += 1
    try schedule.write(OutboxCount(sending: number, sent: sent))
    failpoint("sent-noted")
  }

  /// Notes those sent as delivered; the others are as they were before.
  ///
  /// - Throws: ``ScheduleError``; then whoever opens the schedule next does it.
  public consuming func finish() throws(ScheduleError) {
    try end(.untried)
  }

  /// Notes those sent as delivered and the next one as failed; the rest is as it was before.
  ///
  /// - Parameter error: what the channel said; untrusted.
  /// - Throws: ``ScheduleError``; then whoever opens the schedule next does it, without the error.
  public consuming func fail(error: String) throws(ScheduleError) {
    try end(.failed(error))
  }

  private func end(_ next: NextMessage) throws(ScheduleError) {
    if count == 0 { return }
    let outcome = OutboxCount(sending: number, sent: sent)
    try schedule.write { database in
      try database.emptyOutbox(outcome, next: next)
      failpoint("outbox-before-commit")
    }
    failpoint("outbox-committed")
  }
}

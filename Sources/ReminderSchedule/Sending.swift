internal import Failpoints
internal import Loans
internal import Synchronization

/// Messages on their way through a channel, none of which a killed run repeats, but for the one
/// in flight.
///
/// ``Schedule/beginSending(_:channel:at:)`` notes all of them as being sent, in one commit. Each
/// one sent is then counted by ``noteSent()`` with a single write to the lock file, which needs no
/// commit and survives the end of the process, though not a power cut. ``finish()`` or
/// ``fail(error:)`` writes the outcome into the ledger, in one commit. If the process is killed in
/// between, whoever opens the schedule next does so from the count: those sent are delivered, the
/// next one may have been and is due again, and the rest is as if it had never been begun. If the
/// count was lost, or the value just goes away, all of them are due again: nothing is ever lost.
public final class Sending: Sendable {
  private struct Progress {
    var sent = 0
    var isOpen = true
  }

  private let schedule: Schedule
  private let batch: Int64
  /// Where it is counted; `nil` if there is nothing to count.
  private let slot: Int?
  private let count: Int
  private let now: CivilDateTime
  private let progress = Mutex(Progress())

  init(_ schedule: Schedule, batch: Int64, slot: Int?, count: Int, now: CivilDateTime) {
    self.schedule = schedule
    self.batch = batch
    self.slot = slot
    self.count = count
    self.now = now
  }

  deinit {
    if let slot { schedule.free(slot: slot) }
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
    if let slot { try schedule.record(sent: sent, of: batch, slot: slot) }
    failpoint("sent-noted")
  }

  /// Notes those sent as delivered; the others are as they were before.
  ///
  /// - Throws: ``ScheduleError``; then whoever opens the schedule next does it.
  public func finish() throws(ScheduleError) {
    let sent = close()
    if count == 0 { return }
    try schedule.write { database in
      try database.endFlight(batch, sent: sent, next: .untried)
      failpoint("finish-before-commit")
    }
    failpoint("finish-committed")
  }

  /// Notes those sent as delivered and the next one as failed; the rest is as it was before.
  ///
  /// - Parameter error: what the channel said; untrusted.
  /// - Throws: ``ScheduleError``; then whoever opens the schedule next does it, without the error.
  public func fail(error: String) throws(ScheduleError) {
    let sent = close()
    if count == 0 { return }
    try schedule.write { database in
      try database.endFlight(batch, sent: sent, next: .failed(error, now))
      failpoint("fail-before-commit")
    }
    failpoint("fail-committed")
  }

  private func close() -> Int {
    progress.withLock { progress in
      precondition(progress.isOpen, "messages were sent to their end twice")
      progress.isOpen = false
      return progress.sent
    }
  }
}

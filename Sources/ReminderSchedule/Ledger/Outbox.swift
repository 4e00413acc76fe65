internal import Failpoints
internal import Loans

/// Messages on their way through a channel, none of which a killed run repeats, but for the one
/// that was being sent.
///
/// ``Schedule/beginSending(_:channel:at:utcOffset:)`` stores all of them, in one commit. Each one sent is then counted by ``noteSent()`` with a single write to the lock file,
/// which needs no commit and survives the end of the process, though not a power cut. ``finish()`` or
/// ``fail(error:)`` moves them into the ledger, in one commit. If the process is killed in between,
/// whoever opens the schedule next does so from the count. Of five messages, two of them counted, the
/// first two are then delivered, the third may have been sent and is due again, and the others are as
/// if they had never been begun. If the count was lost all of them are due again: nothing is ever
/// lost.
public struct Outbox: ~Copyable, Sendable {
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

/// The state of the message after those that were sent.
enum NextMessage {
  /// It was not begun.
  case untried
  /// It was tried, and the channel refused it.
  case failed(String)
  /// The run was killed; it may have been sent.
  case unknown
}

extension Database {
  /// Puts the notices of some messages into the outbox.
  func fillOutbox(
    _ sending: Int64, _ messages: [ArraySlice<DueNotice>], channel: Int64, at now: CivilDateTime,
    utcOffset: Int?
  ) throws {
    let insertion = try statement(
      "INSERT INTO outbox VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    for (number, message) in messages.enumerated() {
      for due in message {
        insertion.bind(sending, number)
        insertion.bind(due, channel, now, utcOffset)
        try insertion.run()
      }
    }
  }

  /// Whether something is being sent, or was when a run was killed.
  func hasOutbox() throws -> Bool { try integer("SELECT 1 FROM outbox LIMIT 1") != nil }

  /// Moves the outbox into the ledger: what was sent is delivered, one message may have failed, and
  /// the rest is as it was before.
  ///
  /// - Parameters:
  ///   - count: how many messages were sent; where that is another sending's, or not known, all of
  ///     them may have been, and are due again.
  ///   - next: the state of the message after them.
  func emptyOutbox(_ count: OutboxCount?, next: NextMessage) throws {
    guard let sending = try integer("SELECT sending FROM outbox LIMIT 1") else { return }
    let sent = count.flatMap { $0.sending == sending ? Int64($0.sent) : nil }
    let state: Delivery.State
    var last = sent ?? .max
    var reason: Int64?
    switch next {
    case .untried: (state, last) = (.sending, last - 1)
    case .failed(let error): (state, reason) = (.failed, try reasonID(error))
    case .unknown: state = .sending
    }
    let insertion = try statement(Self.outboxToLedger)
    insertion.bind(sent ?? 0, last, state.stored, reason)
    try insertion.run()
    try execute("DELETE FROM outbox")
  }

  /// In the order of the ledger, so that it is written from beginning to end.
  private static let outboxToLedger = """
    INSERT INTO delivery (\(ledgerColumns))
    SELECT catalogue, identity, expiration, channel, copy, rung,
      iif(message < ?1, \(Delivery.State.delivered.stored), ?3), 1, at, utc_offset,
      iif(message < ?1, at, NULL), iif(message < ?1, NULL, ?4)
    FROM outbox WHERE message <= ?2
    ORDER BY catalogue, identity, expiration, channel, copy, rung
    ON CONFLICT (catalogue, identity, expiration, channel, copy, rung) DO UPDATE SET
      attempts = attempts + excluded.attempts, state = excluded.state, at = excluded.at,
      utc_offset = excluded.utc_offset, reason = excluded.reason,
      delivered_at = coalesce(excluded.delivered_at, delivered_at)
    """

  private static let ledgerColumns = """
    catalogue, identity, expiration, channel, copy, rung, state, attempts, at, utc_offset,
    delivered_at, reason
    """

  /// Notes in the ledger that notices were not tried; counts no attempt.
  func markUntried(
    _ notices: [DueNotice], channel: Int64, at now: CivilDateTime, utcOffset: Int?, error: String
  ) throws {
    let reason = try reasonID(error)
    let insertion = try statement(
      """
      INSERT INTO delivery (\(Self.ledgerColumns))
      VALUES (?, ?, ?, ?, ?, ?, \(Delivery.State.failed.stored), 0, ?, ?, NULL, ?)
      ON CONFLICT (catalogue, identity, expiration, channel, copy, rung) DO UPDATE SET
        state = excluded.state, at = excluded.at, utc_offset = excluded.utc_offset,
        reason = excluded.reason
      """)
    for due in notices {
      insertion.bind(due, channel, now, utcOffset)
      insertion.bind(reason)
      try insertion.run()
    }
  }

  /// The number of a channel's error, which is stored once.
  private func reasonID(_ text: String) throws -> Int64 {
    if let id = try integer("SELECT id FROM reason WHERE text = ?", text) { return id }
    try run("INSERT INTO reason (text) VALUES (?)", text)
    return lastInsertedRowID
  }

  /// The number of a channel, which is made if it is new, and is in use today.
  func channelID(_ name: String, today: CivilDate) throws -> Int64 {
    if let id = try knownChannelID(name) {
      try run(
        "UPDATE channel SET last_used = ?1 WHERE id = ?2 AND last_used <> ?1", today, id)
      return id
    }
    try run("INSERT INTO channel (last_used, name) VALUES (?, ?)", today, name)
    return lastInsertedRowID
  }

  /// The number of a channel; `nil` if nothing was ever sent through it.
  func knownChannelID(_ name: String) throws -> Int64? {
    try integer("SELECT id FROM channel WHERE name = ?", name)
  }
}

extension Statement {
  /// Gives the next parameters the key of a notice in the ledger, and the time at which it is sent.
  fileprivate func bind(
    _ due: DueNotice, _ channel: Int64, _ now: CivilDateTime, _ utcOffset: Int?
  ) {
    let key = due.key
    bind(
      key.catalogue, key.identity, key.expiration, channel, key.copy, due.rung, now, utcOffset)
  }
}

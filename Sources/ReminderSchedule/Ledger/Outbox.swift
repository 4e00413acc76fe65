internal import Failpoints
public import Loans

/// Messages on their way through a channel; a killed run repeats only the one that was being
/// sent.
///
/// ``Schedule/beginSending(_:to:channel:at:utcOffset:after:)`` stores all of them, in one commit. Each
/// one sent is then counted by ``noteSent()`` with a single write to the lock file, which needs no
/// commit and survives the end of the process, though not a power cut (then all are due again).
/// ``finish()``, or the next ones that are begun after it, moves them into the ledger, in one commit.
/// If the process is killed in between, whoever opens the schedule next does so from the count. Of five
/// messages, two of them counted, the first two are then delivered, the third may have been sent and is
/// due again, and the others are as if they had never been begun. If the count was lost all of them are
/// due again: nothing is ever lost.
public struct Outbox: Sendable {
  fileprivate let schedule: Schedule
  fileprivate let number: Int64
  fileprivate let count: Int
  fileprivate var sent = 0
  /// Why the message after those sent has failed, and which of its notices were delivered all the same.
  fileprivate var failure: (error: String, delivered: [Int])?

  /// Counts the next message as sent; costs no commit.
  ///
  /// - Throws: ``ScheduleError`` if the count cannot be written; it is known to ``finish()`` all the same.
  public mutating func noteSent() throws(ScheduleError) {
    precondition(sent < count, "more than \(count) messages were sent")
    sent += 1
    try writeCount()
    failpoint("sent-noted")
  }

  fileprivate func writeCount() throws(ScheduleError) {
    try schedule.lock?.write(OutboxCount(sending: number, sent: sent))
  }

  /// Remembers that the next message has failed, after which no other of these is sent.
  ///
  /// - Parameters:
  ///   - error: what the channel said; untrusted.
  ///   - delivered: the notices of that message that were delivered all the same, by their places in
  ///     it.
  public mutating func noteFailed(error: String, delivered: [Int] = []) {
    failure = (error, delivered)
  }

  /// Notes those sent as delivered, and what became of the next one; the others are as they were before.
  ///
  /// - Throws: ``ScheduleError``; then whoever opens the schedule next does it, without the error.
  public func finish() throws(ScheduleError) {
    if count == 0 { return }
    try schedule.write { database in
      try note(in: database)
      failpoint("outbox-before-commit")
    }
    failpoint("outbox-committed")
  }

  fileprivate func note(in database: Database) throws {
    for place in failure?.delivered ?? [] { try database.noteSent(place, ofMessage: sent) }
    try database.emptyOutbox(
      OutboxCount(sending: number, sent: sent), next: failure == nil ? nil : .failed, failure?.error
    )
  }
}

extension Schedule {
  /// Prepares for a delivery through a channel: settles what a killed run was sending, and records
  /// the run, and that the channel is in use.
  public func beginDelivery(
    through channel: String, at now: CivilDateTime, utcOffset: Int? = nil
  ) throws(ScheduleError) {
    try emptyOutbox()
    try write { database in
      try database.noteRun(at: ClockTime(now, utcOffset: utcOffset))
      _ = try database.channelID(channel, today: now.date)
    }
  }

  /// Notes that a channel is in use although its notices are held, so that its status is shown.
  public func noteHeld(through channel: String, at now: CivilDateTime) throws(ScheduleError) {
    try write { database in _ = try database.channelID(channel, today: now.date) }
  }

  /// Notes that the notices of some messages are about to be sent in this order, in one commit.
  ///
  /// Only one outbox can be open at a time, so the one before is finished in the same commit.
  ///
  /// - Parameters:
  ///   - messages: the notices of each message; the schedule's own, see
  ///     ``ScheduleReader/due(at:channel:catalogues:)``.
  ///   - addresses: the address of each message, for a channel that sends one a day to each; empty for
  ///     the library's own.
  ///   - channel: the channel's name.
  ///   - now: the library's civil time.
  ///   - utcOffset: the number of seconds by which that is ahead of UTC, if it is known.
  ///   - previous: the outbox of the messages before these.
  /// - Returns: the outbox, which counts the messages sent and finally notes them in the ledger.
  public func beginSending(
    _ messages: [ArraySlice<DueNotice>], to addresses: [String] = [], channel: String,
    at now: CivilDateTime, utcOffset: Int? = nil, after previous: Outbox? = nil
  ) throws(ScheduleError) -> Outbox {
    let number = Int64.random(in: 1...Int64.max)
    let outbox = Outbox(schedule: self, number: number, count: messages.count)
    if messages.isEmpty { return outbox }
    // What an outbox holds that never came to its end.
    if previous == nil { try emptyOutbox() }
    try write { database in
      try previous?.note(in: database)
      let channel = try database.channelID(channel, today: now.date)
      let insertion = try database.statement(
        """
        INSERT INTO outbox SELECT NULL, ?, ?, loan.id, \(Schema.ledgerKey), ?, ?, ?, ?, ?
        FROM (\(LoanTable.keys)) AS loan WHERE loan.id = ?
        """)
      for (place, message) in messages.enumerated() {
        for due in message {
          let loan = due.notice.loan
          let name = addresses.isEmpty ? loan.borrower ?? loan.email : addresses[place]
          insertion.bind(
            number, place, channel, due.notice.rung, now.ordinal, utcOffset, name, due.due.id)
          try insertion.run()
        }
      }
      try database.noteRun(at: ClockTime(now, utcOffset: utcOffset))
      failpoint("sending-before-commit")
    }
    failpoint("sending-committed")
    // Not before: until then it counts what the previous outbox has sent.
    try outbox.writeCount()
    return outbox
  }

  /// Notes the state of notices that were not tried.
  ///
  /// They have failed, since their channel cannot be used at all, are undeliverable, count as delivered,
  /// since the user wants nothing sent, or are to be sent, though nobody expects them. No attempt is
  /// counted.
  ///
  /// - Parameters:
  ///   - rungs: the schedule's own, none of which is being sent.
  ///   - state: their state; what has it for the same reason keeps the time at which it came to it.
  ///   - channel: the channel's name.
  ///   - now: the library's civil time.
  ///   - utcOffset: the number of seconds by which that is ahead of UTC, if it is known.
  ///   - error: the channel's error for the one that was tried; untrusted.
  public func note(
    _ rungs: some Collection<DueRung> & Sendable, as state: Delivery.State, channel: String,
    at now: CivilDateTime, utcOffset: Int? = nil, error: String? = nil
  ) throws(ScheduleError) {
    if rungs.isEmpty { return }
    try write { database in
      let channel = try database.channelID(channel, today: now.date)
      let reason = try error.flatMap(database.reasonID)
      let insertion = try database.statement(
        """
        INSERT INTO delivery
        SELECT \(Schema.ledgerKey), ?1, ?2, ?3, ?4, NULL, ?5, 0,
          iif(?5 = \(Delivery.State.delivered.stored), ?3, NULL), ?6
        FROM loan WHERE id = ?7
        ON CONFLICT (catalogue, identity, expiration, copy, person, channel, rung) DO UPDATE SET
          state = excluded.state, at = excluded.at, utc_offset = excluded.utc_offset,
          attempts = iif(?5 = \(Delivery.State.failed.stored) OR \(Database.isRefused), attempts, 0),
          reason = iif(\(Database.isRefused), reason, excluded.reason),
          delivered_at = coalesce(excluded.delivered_at, delivered_at)
        WHERE (state <> excluded.state OR reason IS NOT excluded.reason
            OR excluded.delivered_at < delivered_at)
          AND NOT (\(Database.isHeldAgainstAddress))
        """)
      for due in rungs {
        insertion.bind(channel, due.rung, now.ordinal, utcOffset, state.stored, reason, due.id)
        try insertion.run()
      }
    }
  }
}

extension Database {
  /// Moves the outbox into the ledger: what was sent is delivered, one message may have failed, and
  /// the rest is as it was before.
  ///
  /// - Parameters:
  ///   - count: how many messages were sent; where that is another sending's, or not known, all of
  ///     them may have been, and are due again.
  ///   - next: the state of the message after them; `nil` if it was not begun.
  ///   - error: what the channel said of it.
  func emptyOutbox(
    _ count: OutboxCount?, next: Delivery.State?, _ error: String? = nil
  ) throws {
    guard let sending = try integer("SELECT sending FROM outbox LIMIT 1") else { return }
    let sent = count.flatMap { $0.sending == sending ? $0.sent : nil }
    let last = (sent ?? .max) - (next == nil ? 1 : 0)
    let reason = try error.flatMap(reasonID)
    let isForLibrary = try integer("SELECT 1 FROM outbox WHERE sent_to = '' LIMIT 1") != nil
    let library = isForLibrary ? try reasonID(Delivery.toLibrary) : nil
    try run(Self.outboxToLedger, sent ?? 0, last, (next ?? .sending).stored, reason, library)
    try execute("DELETE FROM outbox")
  }

  /// Counts a notice of the outbox as sent though its message was not, by its place in that.
  fileprivate func noteSent(_ place: Int, ofMessage message: Int) throws {
    try run(
      """
      UPDATE outbox SET message = -1
      WHERE message = ?1 AND id = ?2 + (SELECT min(id) FROM outbox WHERE message IN (-1, ?1))
      """, message, place)
  }

  /// In the order of the ledger, so that it is written from beginning to end.
  ///
  /// Where the library was written to, the reason why the borrower was not is kept; and where that was
  /// in vain, that the borrower's address has refused it. What fails after a delivery, by a clock that was
  /// ahead, does not change to whom that went.
  private static let outboxToLedger = """
    INSERT INTO delivery
    SELECT catalogue, identity, expiration, copy, person, channel, rung, at, utc_offset,
      nullif(sent_to, ''), iif(message < ?1, \(Delivery.State.delivered.stored), ?3), 1,
      iif(message < ?1, at, NULL), iif(message >= ?1, ?4, iif(sent_to = '', ?5, NULL))
    FROM outbox WHERE message <= ?2
    ORDER BY catalogue, identity, expiration, copy, person, channel, rung
    ON CONFLICT (catalogue, identity, expiration, copy, person, channel, rung) DO UPDATE SET
      attempts = attempts + excluded.attempts, at = excluded.at, utc_offset = excluded.utc_offset,
      sent_to = iif(
        excluded.delivered_at IS NULL AND delivered_at IS NOT NULL, sent_to, excluded.sent_to),
      reason = iif(
        excluded.reason = ?5 AND attempts > 0 AND state <> \(Delivery.State.failed.stored)
          OR \(isHeldAgainstAddress), coalesce(reason, ?5), excluded.reason),
      state = iif(\(isHeldAgainstAddress), \(Delivery.State.undeliverable.stored), excluded.state),
      delivered_at = coalesce(excluded.delivered_at, delivered_at)
    """

  /// An SQL condition of a conflict: whether the address has refused a message for ever, which another
  /// failure does not undo; then the library alone was written to.
  fileprivate static let isHeldAgainstAddress =
    "excluded.state <> \(Delivery.State.delivered.stored) AND (\(isRefused))"

  /// The number of a channel's error, which is stored once.
  func reasonID(_ text: String) throws -> Int64? {
    try run("INSERT OR IGNORE INTO reason (text) VALUES (?)", text)
    return try integer("SELECT id FROM reason WHERE text = ?", text)
  }

  /// The number of a channel, which is made if it is new, and is in use today.
  func channelID(_ name: String, today: CivilDate) throws -> Int64 {
    try run(
      """
      INSERT INTO channel (name, first_used, last_used) VALUES (?1, ?2, ?2)
      ON CONFLICT (name) DO UPDATE SET last_used = ?2 WHERE last_used <> ?2
      """, name, today.dayNumber)
    guard let id = try knownChannelID(name) else {
      throw DatabaseError.damage("the name of a channel")
    }
    return id
  }

  /// The number of a channel; `nil` if nothing was ever sent through it.
  func knownChannelID(_ name: String) throws -> Int64? {
    try integer("SELECT id FROM channel WHERE name = ?", name)
  }
}

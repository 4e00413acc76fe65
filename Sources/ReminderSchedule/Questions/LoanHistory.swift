public import Loans

/// Everything known about a loan: its state, and the deliveries of its notices.
@dynamicMemberLookup
public struct LoanHistory: Hashable, Sendable {
  /// The deliveries of one kind of notice for one expiration of the loan.
  public struct NoticeHistory: Hashable, Sendable {
    /// The expiration that the notice was about: the loan's own, or an earlier one.
    public var expiration: CivilDate
    /// The kind of notice.
    public var kind: Notice.Kind
    /// The deliveries, by channel name; never empty.
    public var deliveries: [Delivery]
  }

  /// The loan as the schedule has it, whose properties the history has too.
  public let scheduled: ScheduledLoan
  /// The notices that were attempted, by expiration, the reminder first.
  public let notices: [NoticeHistory]
  /// The silences that hold for the notice that it has now, the one that ends last first.
  public let silences: [Silence]

  /// A property of the loan.
  public subscript<Value>(dynamicMember property: KeyPath<ScheduledLoan, Value>) -> Value {
    scheduled[keyPath: property]
  }
}

extension ScheduleReader {
  /// All that is known of a loan, also of one that has left within the last 400 days; `nil` if no
  /// loan has the number.
  ///
  /// What a run is sending, or was when it was killed, is shown as it will be noted: as delivered if
  /// it was sent, as before if it was not begun. Only the message on its way is `sending`.
  public func history(of id: Int, at now: CivilDateTime) throws(ScheduleError) -> LoanHistory? {
    try connection.read { database in
      guard let row = try database.rowID(ofLoan: id), let scheduled = try database.loan(row)
      else { return nil }
      return LoanHistory(
        scheduled: scheduled,
        notices: try database.notices(
          of: scheduled.key, today: now.date, sent: try? LockFile.count(beside: connection.file)),
        silences: try database.silences(of: scheduled, row, today: now.date))
    }
  }
}

extension Database {
  /// What the ledger and the outbox hold of a loan, by expiration, reminders first.
  ///
  /// - Parameters:
  ///   - expirations: those wanted; all but the loan's own have everything sent for the same identity.
  ///   - sent: how many messages of the outbox were sent, and are delivered, while those that were not
  ///     begun are as they were before; if it is `nil`, all of them are being sent.
  func notices(
    of key: LedgerKey, expirations: ClosedRange<Int64> = .min ... .max, today: CivilDate,
    sent: OutboxCount? = nil
  ) throws -> [LoanHistory.NoticeHistory] {
    var notices: [LoanHistory.NoticeHistory] = []
    _ = try rows(
      Self.ledgerQuery, key.catalogue, key.identity, key.expiration, key.copy,
      expirations.lowerBound, expirations.upperBound
    ) { row in
      guard let delivery = Delivery(row, today: today, sent: sent) else { return }
      guard let expiration = row.day(0) else {
        throw DatabaseError.damage("an expiration in the ledger")
      }
      let kind: Notice.Kind = row.integer(1) > 0 ? .expired : .reminder
      if notices.last?.expiration != expiration || notices.last?.kind != kind {
        notices.append(.init(expiration: expiration, kind: kind, deliveries: []))
      }
      notices[notices.count - 1].deliveries.add(delivery, today: today)
    }
    return notices
  }

  /// What belongs together is side by side; what is on its way comes last, so that it is the latest.
  private static let ledgerQuery = """
    WITH found AS (
      SELECT expiration, rung, channel, state, at, utc_offset, attempts, reason, delivered_at,
        NULL AS sending, NULL AS message
      FROM delivery WHERE \(isOfLoan)
      UNION ALL
      SELECT expiration, rung, channel, \(Delivery.State.sending.stored), at, utc_offset, 1, NULL,
        NULL, sending, message
      FROM outbox WHERE \(isOfLoan)
    )
    SELECT expiration, rung, name, last_used, state, at, utc_offset, attempts, text, delivered_at,
      sending, message
    FROM found JOIN channel ON channel.id = found.channel
      LEFT JOIN reason ON reason.id = found.reason
    ORDER BY expiration, rung > 0, name, sending IS NOT NULL, rung
    """

  private static let isOfLoan = """
    catalogue = ?1 AND identity = ?2 AND expiration BETWEEN ?5 AND ?6
        AND (expiration <> ?3 OR copy = ?4)
    """
}

extension Delivery {
  /// For how many days after its last use a channel counts as one in use.
  static let daysInUse = 7

  /// The delivery in a row of the ledger or the outbox; `nil` for a message that was not begun.
  fileprivate init?(_ row: Statement, today: CivilDate, sent: OutboxCount?) {
    self.init(
      channel: row.text(2) ?? "",
      isInUse: Int(row.integer(3)) >= today.adding(days: -Self.daysInUse).dayNumber,
      state: .init(stored: row.integer(4)), at: row.time(5),
      utcOffset: row.offset(6), attempts: Int(row.integer(7)),
      error: row.text(8), deliveredAt: row.time(9), rung: Int(row.integer(1)))
    if let sent, sent.sending == row.optionalInteger(10) {
      let message = row.integer(11)
      if message > sent.sent { return nil }
      if message < sent.sent { (state, deliveredAt) = (.delivered, at) }
    }
    if let deliveredAt {
      let isWrong = deliveredAt >= CivilDateTime(today.adding(days: 2))
      deliveredRung = isWrong ? min(rung, 1) : rung
    }
  }
}

extension [Delivery] {
  /// Adds another rung of the same kind of notice, or another attempt: there is one delivery for each
  /// channel.
  fileprivate mutating func add(_ other: Delivery, today: CivilDate) {
    guard let known = last, known.channel == other.channel else { return append(other) }
    let isLater = known.at.map { at in other.at.map { at <= $0 } ?? false } ?? true
    var delivery = isLater ? other : known
    delivery.earlier = known.earlier
    if known.rung == other.rung {
      delivery.attempts = known.attempts &+ other.attempts
    } else if let before = (isLater ? known : other).deliveredAt, delivery.deliveredAt != nil {
      delivery.earlier.append(before)
    }
    delivery.deliveredRung = [known.deliveredRung, other.deliveredRung].compactMap(\.self).max()
    // The last one that counts: later ones are those of a clock that was wrong.
    let future = CivilDateTime(today.adding(days: 2))
    delivery.deliveredAt = [known.deliveredAt, other.deliveredAt].compactMap(\.self)
      .max { ($0 < future ? 1 : 0, $0) < ($1 < future ? 1 : 0, $1) }
    self[count - 1] = delivery
  }
}

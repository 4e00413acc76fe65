public import Loans

/// A notice that is due and has not been delivered through a channel.
public struct DueNotice: Hashable, Sendable {
  /// The number of the loan in the schedule, as `schedule list` shows it.
  public let reminderID: Int
  /// The notice.
  public let notice: Notice
  /// The number of days from the expiration by which the ledger distinguishes the notices of a loan:
  /// 0 or less for a reminder, −1 on the day before; 1 for an expired notice, and where it is repeated
  /// every N days 1 + N, 1 + 2N and so on.
  public let rung: Int
  let key: LedgerKey

  fileprivate init(_ scheduled: ScheduledLoan, at now: CivilDateTime, repeatExpired: Int?) {
    let expiration = scheduled.loan.expiration
    let late = expiration.days(until: now.date)
    reminderID = scheduled.id
    notice = Notice(
      kind: late > 0 ? .expired : .reminder, loan: scheduled.loan, catalogue: scheduled.catalogue,
      library: scheduled.library)
    rung =
      late > 0
      ? 1 + (repeatExpired.map { (late - 1) / $0 * $0 } ?? 0)
      : min(0, expiration.days(until: scheduled.fireAt.date))
    key = scheduled.key
  }
}

extension ScheduleReader {
  /// The notices that are due at `now` and have not been delivered through a channel.
  ///
  /// A reminder is due from its fire date until the loan has expired; the expired notice from the
  /// day after the expiration. Loans that were cancelled or have left their catalogue have none.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - channel: the channel's name.
  ///   - catalogues: the catalogues whose loans count; `nil` for all.
  ///   - repeatExpired: an expired notice is due again once this many civil days, 1 or more, have
  ///     passed since the day of its last delivery through the channel; a delivery dated later than
  ///     tomorrow is one by a wrong clock and does not count. `nil` if it is due once only.
  /// - Returns: the notices by expiration, so the longest expired first, then by number.
  public func due(
    at now: CivilDateTime, channel: String, catalogues: [String]? = nil, repeatExpired: Int? = nil
  ) throws(ScheduleError) -> [DueNotice] {
    try connection.read { database in
      let channel = try database.knownChannelID(channel)
      return try database.due(at: now, channel: channel, catalogues, repeatExpired)
    }
  }

  /// The most urgent of the notices that ``openCount(at:catalogues:)`` counts, in the order of
  /// ``due(at:channel:catalogues:repeatExpired:)``.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - catalogues: the catalogues whose loans count; `nil` for all.
  ///   - limit: the most wanted.
  public func openNotices(
    at now: CivilDateTime, catalogues: [String]? = nil, limit: Int
  ) throws(ScheduleError) -> [Notice] {
    try connection.read { database in
      let open = try database.due(at: now, channel: nil, catalogues, nil, limit: limit)
      return open.prefix(limit).map(\.notice)
    }
  }
}

extension Database {
  /// The notices that are due, or where `channel` is `nil` all that are open, delivered or not.
  fileprivate func due(
    at now: CivilDateTime, channel: Int64?, _ catalogues: [String]?, _ repeatExpired: Int?,
    limit: Int = .max
  ) throws -> [DueNotice] {
    let done = repeatExpired.map { Delivery.timesDone(today: now.date, repeatExpired: $0) }
    let ranges = try ranges(catalogues)
    let found = try ranges.flatMap { range in
      try rows(
        Self.dueQuery, range.lowerBound, range.upperBound, now.date.dayNumber, now.ordinal,
        channel ?? 0,
        done?.lowerBound ?? .min, done?.upperBound ?? .max, limit
      ) { row in
        DueNotice(try ScheduledLoan(row), at: now, repeatExpired: repeatExpired)
      }
    }
    if ranges.count < 2 { return found }
    return found.sorted {
      ($0.key.expiration, $0.reminderID) < ($1.key.expiration, $1.reminderID)
    }
  }

  /// A reminder is done once it was delivered on any rung; an expired notice if it was delivered
  /// within the time that counts.
  private static let dueQuery = """
    \(ScheduledLoan.query)
    WHERE loan.id BETWEEN ?1 AND ?2 AND left_on IS NULL AND cancelled = 0
      AND (expiration < ?3 OR fire_at <= ?4)
      AND NOT EXISTS (
        SELECT 1 FROM delivery
        WHERE delivery.catalogue = loan.id >> \(LoanID.shift)
          AND delivery.identity = loan.identity AND delivery.expiration = loan.expiration
          AND delivery.channel = ?5 AND delivery.copy = loan.copy
          AND iif(
            loan.expiration < ?3, rung > 0 AND delivered_at >= ?6 AND delivered_at < ?7,
            rung <= 0 AND delivered_at IS NOT NULL))
    ORDER BY expiration, number, loan.id LIMIT ?8
    """
}

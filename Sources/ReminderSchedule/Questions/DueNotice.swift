public import Loans

/// A notice that is due and has not been delivered through a channel.
public struct DueNotice: Hashable, Sendable {
  /// The number of the loan in the schedule, as `schedule list` shows it.
  public let reminderID: Int
  /// The notice.
  public let notice: Notice
  let key: LedgerKey

  fileprivate init(_ scheduled: ScheduledLoan, rung: Int) {
    reminderID = scheduled.id
    notice = Notice(
      rung: rung, loan: scheduled.loan, catalogue: scheduled.catalogue, library: scheduled.library,
      openDays: scheduled.plan.openDays)
    key = scheduled.key
  }
}

extension ScheduleReader {
  /// The notices that are due at `now` and have not been delivered through a channel.
  ///
  /// That is the notice of the furthest rung that a loan has reached, unless one as far was delivered
  /// through the channel for this expiration, see `LoanPlan.reached(at:)`. Loans that were cancelled or
  /// have left their catalogue have none. A delivery dated later than tomorrow is one by a clock that
  /// was wrong: it counts as that of the first day after the expiration at most.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - channel: the channel's name.
  ///   - catalogues: the catalogues whose loans count; `nil` for all.
  /// - Returns: the notices by expiration, so the longest expired first, then by number.
  public func due(
    at now: CivilDateTime, channel: String, catalogues: [String]? = nil
  ) throws(ScheduleError) -> [DueNotice] {
    try connection.read { database in
      let ladders = try Ladders(database)
      let channel = try database.knownChannelID(channel) ?? 0
      return try database.due(at: now, channel: channel, catalogues, ladders).compactMap { due in
        try database.loan(due.id, ladders).map { DueNotice($0, rung: due.rung) }
      }
    }
  }

  /// The most urgent of the notices that ``openCount(at:catalogues:)`` counts, in the order of
  /// ``due(at:channel:catalogues:)``.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - catalogues: the catalogues whose loans count; `nil` for all.
  ///   - limit: the most wanted.
  public func openNotices(
    at now: CivilDateTime, catalogues: [String]? = nil, limit: Int
  ) throws(ScheduleError) -> [Notice] {
    try connection.read { database in
      let ladders = try Ladders(database)
      let open = try database.ranges(catalogues).flatMap { range in
        try database.rows(
          Self.openQuery, range.lowerBound, range.upperBound, now.date.dayNumber, now.ordinal, limit
        ) { row in try ScheduledLoan(row, ladders) }
      }
      return open.sorted { ($0.loan.expiration, $0.id) < ($1.loan.expiration, $1.id) }
        .prefix(limit).map { scheduled in
          let late = scheduled.loan.expiration.days(until: now.date)
          let rung = scheduled.plan.reached(at: now) ?? late
          return DueNotice(scheduled, rung: late > 0 ? max(1, rung) : min(0, rung)).notice
        }
    }
  }

  private static let openQuery = """
    \(ScheduledLoan.query)
    WHERE loan.id BETWEEN ?1 AND ?2 AND left_on IS NULL AND cancelled = 0
      AND (expiration < ?3 OR fire_at <= ?4)
    ORDER BY expiration, number LIMIT ?5
    """
}

extension Database {
  /// The loans of which a notice is due and its rung, by expiration and number.
  fileprivate func due(
    at now: CivilDateTime, channel: Int64, _ catalogues: [String]?, _ ladders: Ladders
  ) throws -> [(id: Int64, rung: Int)] {
    var due: [(expiration: CivilDate, number: Int64, id: Int64, rung: Int)] = []
    let query = try statement(Self.candidates)
    defer { query.reset() }
    let wrong = CivilDateTime(now.date.adding(days: 2)).ordinal
    for range in try ranges(catalogues) {
      query.bind(range.lowerBound, range.upperBound, now.ordinal, channel, wrong)
      while try query.step() {
        let number = query.integer(1)
        let plan = try ladders.plan(
          expiration: query, 2, fireAt: 3, ladder: 4, openDays: 5, of: Int(number))
        guard let rung = plan.reached(at: now) else { continue }
        if let told = query.optionalInteger(7), told >= rung { continue }
        due.append((plan.expiration, number, query.integer(0), rung))
      }
    }
    due.sort { ($0.expiration, $0.number, $0.id) < ($1.expiration, $1.number, $1.id) }
    return due.map { ($0.id, $0.rung) }
  }

  /// Loans whose first notice has fired, each with the furthest rung that was delivered.
  private static let candidates = """
    SELECT id, number, expiration, fire_at, ladder, open_before, open_after, (
      SELECT max(iif(delivered_at >= ?5, min(rung, 1), rung)) FROM delivery
      WHERE delivery.catalogue = loan.id >> \(LoanID.shift)
        AND delivery.identity = loan.identity AND delivery.expiration = loan.expiration
        AND delivery.channel = ?4 AND delivery.copy = loan.copy AND delivered_at IS NOT NULL)
    FROM loan
    WHERE id BETWEEN ?1 AND ?2 AND left_on IS NULL AND cancelled = 0 AND fire_at <= ?3
    """
}

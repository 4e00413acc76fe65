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
    var notice = Notice(
      rung: rung, loan: scheduled.loan, catalogue: scheduled.catalogue, library: scheduled.library,
      openDays: scheduled.plan.openDays)
    notice.number = scheduled.id
    self.notice = notice
    key = scheduled.key
  }
}

extension ScheduleReader {
  /// The notices that are due at `now` and have not been delivered through a channel.
  ///
  /// That is the notice of the furthest rung that a loan has reached, unless one as far was delivered
  /// through the channel for this expiration, see `LoanPlan.reached(at:)`. Loans that were cancelled or
  /// have left their catalogue have none, nor has what is silenced. A delivery dated later than
  /// tomorrow is one by a clock that was wrong: it counts as that of the first day after the expiration
  /// at most.
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
      try database.due(at: [now], channel: channel, catalogues).map(\.notice)
    }
  }

  /// The notices that runs would send at some times if nothing else happened: those that are due at the
  /// first of them, then what becomes due until each of the others.
  ///
  /// - Parameters:
  ///   - times: the times, in ascending order; none is empty.
  ///   - channel: the channel's name; `nil` for any: then a notice counts as sent that was sent through
  ///     one of the channels.
  ///   - catalogues: the catalogues whose loans count; `nil` for all.
  /// - Returns: the notices by time, then as ``due(at:channel:catalogues:)`` has them.
  public func planned(
    at times: [CivilDateTime], channel: String?, catalogues: [String]? = nil
  ) throws(ScheduleError) -> [(time: CivilDateTime, notice: DueNotice)] {
    if times.isEmpty { return [] }
    return try connection.read { database in
      try database.due(at: times, channel: channel, catalogues)
    }
  }

  /// The number of notices that would be due if they were not silenced, see
  /// ``due(at:channel:catalogues:)``.
  public func silencedCount(
    at now: CivilDateTime, channel: String, catalogues: [String]? = nil
  ) throws(ScheduleError) -> Int {
    try connection.read { database in
      guard try database.hasSilences else { return 0 }
      return try database.due(at: [now], channel: channel, catalogues, isSilenced: true).count
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
    WHERE \(isOpen) AND NOT \(Silence.isSilenced(today: "?3"))
    ORDER BY expiration, number LIMIT ?5
    """
}

extension Database {
  /// A notice that is due at one of some times.
  private struct Due {
    var time: Int
    var expiration: CivilDate
    var number: Int64
    var id: Int64
    var rung: Int
  }

  /// The notices that become due at some times, each at the first of them, by time, expiration and
  /// number.
  ///
  /// - Parameter isSilenced: whether they are to be those that are silenced then.
  func due(
    at times: [CivilDateTime], channel name: String?, _ catalogues: [String]?,
    isSilenced: Bool = false
  ) throws -> [(time: CivilDateTime, notice: DueNotice)] {
    let ladders = try Ladders(self)
    let hasSilences = try hasSilences
    let channel = try name.map { try knownChannelID($0) ?? 0 }
    var due: [Due] = []
    let query = try statement(Self.candidates)
    defer { query.reset() }
    let wrong = CivilDateTime(times[0].date.adding(days: 2)).ordinal
    for range in try ranges(catalogues) {
      query.bind(
        range.lowerBound, range.upperBound, times[times.count - 1].ordinal, channel, wrong)
      while try query.step() {
        let number = query.integer(1)
        let plan = try ladders.plan(
          expiration: query, 2, fireAt: 3, ladder: 4, openDays: 5, of: Int(number))
        var told = query.optionalInteger(7).map { Int($0) } ?? .min
        for (index, time) in times.enumerated() {
          guard let rung = plan.reached(at: time), rung > told,
            try !hasSilences || self.isSilenced(query.integer(0), time.date, name) == isSilenced
          else { continue }
          due.append(
            Due(
              time: index, expiration: plan.expiration, number: number, id: query.integer(0),
              rung: rung))
          told = rung
        }
      }
    }
    due.sort {
      ($0.time, $0.expiration, $0.number, $0.id) < ($1.time, $1.expiration, $1.number, $1.id)
    }
    return try due.compactMap { due in
      try loan(due.id, ladders).map { (times[due.time], DueNotice($0, rung: due.rung)) }
    }
  }

  /// Loans whose first notice has fired, each with the furthest rung that was delivered.
  private static let candidates = """
    SELECT id, number, expiration, fire_at, ladder, open_before, open_after, (
      SELECT max(iif(delivered_at >= ?5, min(rung, 1), rung)) FROM delivery
      WHERE delivery.catalogue = loan.id >> \(LoanID.shift)
        AND delivery.identity = loan.identity AND delivery.expiration = loan.expiration
        AND delivery.channel = coalesce(?4, delivery.channel) AND delivery.copy = loan.copy
        AND delivered_at IS NOT NULL)
    FROM loan
    WHERE id BETWEEN ?1 AND ?2 AND left_on IS NULL AND cancelled = 0 AND fire_at <= ?3
    """
}

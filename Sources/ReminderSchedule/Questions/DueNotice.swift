public import Loans

/// A notice that is due and has not been delivered through a channel.
public struct DueNotice: Hashable, Sendable {
  /// The notice as it was found.
  public let due: DueRung
  /// The notice.
  public let notice: Notice
  let key: LedgerKey

  /// The number of the loan in the schedule, as `schedule list` shows it.
  public var reminderID: Int { due.reminderID }

  fileprivate init(_ scheduled: ScheduledLoan, _ due: DueRung) {
    self.due = due
    notice = scheduled.notice(rung: due.rung)
    key = scheduled.key
  }
}

extension ScheduledLoan {
  /// The notice of a rung.
  fileprivate func notice(rung: Int) -> Notice {
    var notice = Notice(
      rung: rung, loan: loan, catalogue: catalogue, library: library, openDays: plan.openDays)
    notice.number = id
    return notice
  }
}

/// A notice that is due and has not been delivered through a channel, without the texts of its loan.
///
/// So a run that has a hundred thousand to send reads the texts of a message when it is its turn.
public struct DueRung: Hashable, Sendable {
  /// The row number of the loan.
  let id: Int64
  /// The number of the loan in the schedule.
  public let reminderID: Int
  /// The loan's expiration.
  public let expiration: CivilDate
  /// The rung of the notice, see `Ladder`.
  public let rung: Int
  /// The time at which it became due.
  public let fireAt: CivilDateTime

  /// Whether it has been due for so long that a new channel may not be meant to send it: an expired
  /// notice of another day than today, or a reminder of more than a week ago.
  public func isBacklog(today: CivilDate) -> Bool {
    rung > 0 ? fireAt.date < today : fireAt.date.days(until: today) > 7
  }
}

/// The notices that are due through a channel.
public struct DueRungs: Sendable {
  /// By expiration, so the longest expired first, then by number.
  public private(set) var rungs: [DueRung]
  /// The number of those that would be due too if they were not silenced.
  public private(set) var silenced: Int

  /// Adds those of other catalogues.
  public mutating func add(_ others: DueRungs) {
    rungs = (rungs + others.rungs).sorted()
    silenced += others.silenced
  }
}

extension ScheduleReader {
  /// The notices that are due at `now` and have not been delivered through a channel, as
  /// ``due(at:channel:catalogues:)`` has them.
  public func dueRungs(
    at now: CivilDateTime, channel: String, catalogues: [String]? = nil
  ) throws(ScheduleError) -> DueRungs {
    try connection.read { database in
      let (due, silenced) = try database.due(at: [now], channel: channel, catalogues)
      return DueRungs(rungs: due.map(\.rung), silenced: silenced)
    }
  }

  /// The notices with the texts of their loans.
  public func notices(
    of rungs: some Collection<DueRung> & Sendable
  ) throws(ScheduleError) -> [DueNotice] {
    try connection.read { database in
      let ladders = try Ladders(database)
      return try rungs.compactMap { try database.notice(of: $0, ladders) }
    }
  }

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
    try notices(of: dueRungs(at: now, channel: channel, catalogues: catalogues).rungs)
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
      let ladders = try Ladders(database)
      return try database.due(at: times, channel: channel, catalogues).due.compactMap { due in
        try database.notice(of: due.rung, ladders).map { (due.time, $0) }
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
    try openLoans(at: now, catalogues: catalogues, limit: limit).map { scheduled in
      let late = scheduled.loan.expiration.days(until: now.date)
      let rung = scheduled.plan.reached(at: now) ?? late
      return scheduled.notice(rung: late > 0 ? max(1, rung) : min(0, rung))
    }
  }

  /// The loans that ``openCount(at:catalogues:)`` counts, by expiration and number.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - catalogues: the catalogues whose loans count; `nil` for all.
  ///   - limit: the most wanted.
  ///   - withoutExpiredNotice: whether only those count for which no such notice was delivered through any
  ///     channel.
  public func openLoans(
    at now: CivilDateTime, catalogues: [String]? = nil, limit: Int = .max,
    withoutExpiredNotice: Bool = false
  ) throws(ScheduleError) -> [ScheduledLoan] {
    try connection.read { database in
      let ladders = try Ladders(database)
      let open = try database.ranges(catalogues).flatMap { range in
        try database.rows(
          Self.openQuery, range.lowerBound, range.upperBound, now.date.dayNumber, now.ordinal,
          limit, withoutExpiredNotice ? 1 : 0
        ) { row in try ScheduledLoan(row, ladders) }
      }
      return Array(
        open.sorted { ($0.loan.expiration, $0.id) < ($1.loan.expiration, $1.id) }.prefix(limit))
    }
  }

  private static let openQuery = """
    \(ScheduledLoan.query)
    WHERE \(isOpen) AND NOT \(Silence.isSilenced(today: "?3"))
      AND NOT (?6 AND EXISTS (
        SELECT 1 FROM delivery
        WHERE \(Schema.isDeliveryOfLoan) AND rung > 0 AND delivered_at IS NOT NULL))
    ORDER BY expiration, number LIMIT ?5
    """
}

extension Database {
  /// The notices that become due at some times, each at the first of them, by time, expiration and
  /// number; and the number of those that are silenced then.
  func due(
    at times: [CivilDateTime], channel name: String?, _ catalogues: [String]?
  ) throws -> (due: [(time: CivilDateTime, rung: DueRung)], silenced: Int) {
    let ladders = try Ladders(self)
    let hasSilences = try hasSilences
    let channel = try name.map { try knownChannelID($0) ?? 0 }
    var due: [(time: CivilDateTime, rung: DueRung)] = []
    var silenced = 0
    let query = try statement(Self.candidates)
    defer { query.reset() }
    let wrong = CivilDateTime(times[0].date.adding(days: 2)).ordinal
    for range in try ranges(catalogues) {
      query.bind(
        range.lowerBound, range.upperBound, times[times.count - 1].ordinal, channel, wrong)
      while try query.step() {
        let (id, number) = (query.integer(0), Int(query.integer(1)))
        let plan = try ladders.plan(
          expiration: query, 2, fireAt: 3, ladder: 4, openDays: 5, of: number)
        var told = query.optionalInteger(7).map { Int($0) } ?? .min
        for time in times {
          guard let rung = plan.reached(at: time), rung > told else { continue }
          if try hasSilences && isSilenced(id, time.date, name) {
            silenced += 1
            continue
          }
          let found = DueRung(
            id: id, reminderID: number, expiration: plan.expiration, rung: rung,
            fireAt: plan.fireDate(rung))
          due.append((time, found))
          told = rung
        }
      }
    }
    due.sort { ($0.time, $0.rung) < ($1.time, $1.rung) }
    return (due, silenced)
  }

  /// A notice with the texts of its loan.
  fileprivate func notice(of due: DueRung, _ ladders: Ladders) throws -> DueNotice? {
    try loan(due.id, ladders).map { DueNotice($0, due) }
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

extension DueRung: Comparable {
  /// Whether it is sent before another one of the same time.
  public static func < (left: DueRung, right: DueRung) -> Bool {
    (left.expiration, left.reminderID, left.id) < (right.expiration, right.reminderID, right.id)
  }
}

public import Loans

/// A notice that is due and has not been delivered through a channel.
public struct DueNotice: Hashable, Sendable {
  /// The notice as it was found.
  public let due: DueRung
  /// The notice.
  public let notice: Notice

  /// The number of the loan in the schedule, as `schedule list` shows it.
  public var reminderID: Int { due.reminderID }

  fileprivate init(_ scheduled: ScheduledLoan, _ due: DueRung) {
    self.due = due
    notice = scheduled.notice(rung: due.rung)
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
  /// The first day on which a run could have sent it: it was due, its loan known as it is, and after any
  /// delivery that is to be repeated.
  public let dueSince: CivilDate
  /// The likely reason why nobody expects the notice; `nil` if somebody does.
  ///
  /// It fell due more than two days before its loan was first scheduled as it is, or its channel first used,
  /// and nobody has ordered it to be sent, nor has that been tried.
  public let backlog: BacklogReason?
  /// Whether it was ordered to be sent though nobody expects it, and has not been tried since.
  public let isOrdered: Bool
  /// When a notice of the loan was last tried through the channel in vain; 0 for never.
  public let triedAt: Int
}

/// The most likely reason why notices are due that are old.
public enum BacklogReason: Hashable, Sendable, CaseIterable {
  /// The channel is new.
  case newChannel
  /// The catalogue is new, or has another name.
  case newCatalogue
  /// Its loans, their readers or the days of their notices are others than before.
  case newLoans
}

/// The notices that are due through a channel.
public struct DueRungs: Sendable {
  /// By expiration, so the longest expired first, then by number.
  public var rungs: [DueRung] = []
  /// The number of those that would be due too if they were not silenced.
  public fileprivate(set) var silenced = 0

  /// None.
  public init() {}

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
    try connection.transact { database in
      var found = DueRungs()
      let (due, silenced) = try database.due(at: [now], channel: channel, catalogues)
      (found.rungs, found.silenced) = (due.map(\.rung), silenced)
      return found
    }
  }

  /// The notices with the texts of their loans.
  public func notices(
    of rungs: some Collection<DueRung> & Sendable
  ) throws(ScheduleError) -> [DueNotice] {
    try connection.transact { database in
      let ladders = try Ladders(database)
      return try rungs.compactMap { try database.notice(of: $0, ladders) }
    }
  }

  /// The notices that are due at `now` and have not been delivered through a channel.
  ///
  /// That is the notice of the furthest rung that a loan has reached, unless one as far was delivered
  /// through the channel to the same person for this expiration, see `LoanPlan.reached(at:)`. Loans that
  /// were cancelled or have left their catalogue have none, nor has what is silenced. A delivery dated
  /// more than 26 hours later than `now` is one by a clock that was wrong, and does not count.
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
    return try connection.transact { database in
      let ladders = try Ladders(database)
      return try database.due(at: times, channel: channel, catalogues).due.compactMap { due in
        try database.notice(of: due.rung, ladders).map { (due.time, $0) }
      }
    }
  }

  /// The numbers of the loans with a due notice that nobody expects, see ``DueRung/backlog``, through
  /// channels in use that have more of these than a run sends unasked, and through no other.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - catalogues: the catalogues whose notices are delivered.
  ///   - most: the most that a run sends unasked.
  public func loansInBacklog(
    at now: CivilDateTime, catalogues: [String], beyond most: Int
  ) throws(ScheduleError) -> Set<Int> {
    try connection.transact { database in
      var (asked, sent) = (Set<Int>(), Set<Int>())
      for channel in try database.channels().values where channel.isInUse(on: now.date) {
        let due = try database.due(at: [now], channel: channel.name, catalogues).due.map(\.rung)
        let isAsked = due.count { $0.backlog != nil } > most
        for rung in due {
          if isAsked, rung.backlog != nil {
            asked.insert(rung.reminderID)
          } else {
            sent.insert(rung.reminderID)
          }
        }
      }
      return asked.subtracting(sent)
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
    try connection.transact { database in
      var open: [(expiration: CivilDate, id: Int64)] = []
      let standings = try Standings(database, at: now)
      try standings.forEachOpen(catalogues) { standing in
        let wasTold = standing.deliveries.contains { $0.rung > 0 && $0.deliveredAt != nil }
        if withoutExpiredNotice && wasTold { return }
        open.append((standing.plan.expiration, standing.id))
      }
      return try open.sorted(by: <).prefix(limit).compactMap {
        try database.loan($0.id, standings.ladders)
      }
    }
  }

  /// The loans that are lost or claimed returned, whether or not a rule has notices for them.
  public func withheldLoans(catalogues: [String]) throws(ScheduleError) -> [ScheduledLoan] {
    let names = LoanStatus.allCases.filter(\.isWithheld).map { "'\($0.rawValue)'" }
    return try connection.transact { database in
      let ladders = try Ladders(database)
      return try database.ranges(catalogues).flatMap { range in
        try database.rows(
          """
          \(ScheduledLoan.query(.present)) WHERE loan.id BETWEEN ?1 AND ?2
            AND \(StoredTexts.column(.status)) IN (\(names.joined(separator: ", ")))
          """, range
        ) { row in try ScheduledLoan(row, ladders) }
      }
    }
  }

  /// The numbers of loans whose reminder has fired and of those that have expired, for a badge.
  ///
  /// Loans that were cancelled, are silenced or have left their catalogue do not count; whether a notice
  /// was delivered makes no difference.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - catalogues: the catalogues whose loans count; `nil` for all.
  public func openCount(
    at now: CivilDateTime, catalogues: [String]? = nil
  ) throws(ScheduleError) -> (reminders: Int, expired: Int) {
    try connection.transact { database in
      var count = (reminders: 0, expired: 0)
      // Deliveries make no difference; no channel has the number 0.
      try Standings(database, at: now).forEachOpen(catalogues, channel: 0) { standing in
        if standing.plan.expiration < now.date { count.expired += 1 } else { count.reminders += 1 }
      }
      return count
    }
  }
}

extension Standings {
  /// Calls `body` with each loan that is open, and silenced or not.
  func forEachOpen(
    _ catalogues: [String]?, silenced: Bool = false, channel: Int64? = nil,
    _ body: (Standing) throws -> Void
  ) throws {
    try forEach(
      in: database.ranges(catalogues), where: "loan.expiration < ?4 OR fire_at <= ?5",
      now.date.dayNumber, now.ordinal, channel: channel
    ) { standing in
      guard standing.isOpen(at: now) else { return }
      if try isSilenced(standing, on: now.date, through: nil) == silenced { try body(standing) }
    }
  }
}

extension Database {
  /// The notices that become due at some times, each at the first of them, by time, expiration and
  /// number; and the number of those that are silenced then.
  func due(
    at times: [CivilDateTime], channel name: String?, _ catalogues: [String]?
  ) throws -> (due: [(time: CivilDateTime, rung: DueRung)], silenced: Int) {
    let standings = try Standings(self, at: times[0])
    let number = try name.flatMap(knownChannelID)
    let channel = number.flatMap { standings.channels[$0] }
    let added = try values("SELECT id, added_on FROM catalogue") { Int($0.integer(1)) }
    var due: [(time: CivilDateTime, rung: DueRung)] = []
    var silenced = 0
    try standings.forEach(
      in: ranges(catalogues), where: "fire_at <= ?4 AND hash <> \(LoanRow.cancelled)",
      times[times.count - 1].ordinal, channel: name == nil ? nil : number ?? 0
    ) { standing in
      if standing.isBorrowerUnknown { return }
      var told = standing.told(through: name) ?? .min
      for time in times {
        if time != times[0] { told = max(told, standing.told(through: name, by: time) ?? .min) }
        guard let rung = standing.plan.reached(at: time), rung > told else { continue }
        if try standings.isSilenced(standing, on: time.date, through: name) {
          silenced += 1
          continue
        }
        let fireAt = standing.plan.fireDate(rung)
        let added = added[standing.catalogue] ?? .min
        let last = standing.deliveries.first {
          $0.rung == rung && name.map($0.isThrough) == true
        }
        let first = standing.plan.firstOwed(of: rung, after: told)
        let backlog = standing.backlog(
          last, firedOn: standing.plan.fireDate(first).date, channel, today: times[0].date,
          addedOn: added)
        let sentOn = last?.state == .delivered ? last?.at?.date : nil
        let found = DueRung(
          id: standing.id, reminderID: standing.number, expiration: standing.plan.expiration,
          rung: rung, fireAt: fireAt,
          dueSince: max(fireAt.date, standing.armedOn, sentOn ?? fireAt.date), backlog: backlog,
          isOrdered: last?.isOrdered == true, triedAt: standing.triedAt(through: name))
        due.append((time, found))
        told = rung
      }
    }
    due.sort { ($0.time, $0.rung) < ($1.time, $1.rung) }
    return (due, silenced)
  }

  /// A notice with the texts of its loan.
  fileprivate func notice(of due: DueRung, _ ladders: Ladders) throws -> DueNotice? {
    try loan(due.id, ladders).map { DueNotice($0, due) }
  }
}

extension Standing {
  /// See ``DueRung/backlog``.
  fileprivate func backlog(
    _ last: Delivery?, firedOn day: CivilDate, _ channel: Channel?, today: CivilDate, addedOn: Int
  ) -> BacklogReason? {
    if let last, last.state != .delivered || last.deliveredAt == nil { return nil }
    let (armed, used) = (armedOn.dayNumber, channel?.firstUsed ?? today.dayNumber)
    // A clock that was ahead may have noted a day that is still to come.
    let expected = min(max(armed, used), today.dayNumber)
    if day.dayNumber >= expected - 2 { return nil }
    return used >= armed || channel == nil
      ? .newChannel : armed <= addedOn ? .newCatalogue : .newLoans
  }

  /// When a notice was last tried through a channel in vain; 0 for never.
  fileprivate func triedAt(through channel: String?) -> Int {
    deliveries.lazy.filter {
      $0.attempts > 0 && [.failed, .sending].contains($0.state) && channel.map($0.isThrough) == true
    }.compactMap(\.at?.ordinal).max() ?? 0
  }
}

extension DueRung: Comparable {
  /// Whether it is sent before another one of the same time.
  public static func < (left: DueRung, right: DueRung) -> Bool {
    (left.expiration, left.reminderID, left.id) < (right.expiration, right.reminderID, right.id)
  }
}

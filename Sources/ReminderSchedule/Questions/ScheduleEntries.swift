public import Loans

/// One line of the schedule: a kind of notice about a loan.
@dynamicMemberLookup
public struct ScheduleEntry: Hashable, Sendable {
  /// The state of an entry over all channels.
  public enum State: String, CaseIterable, Sendable {
    /// Not delivered through any channel; in the future, or due.
    case pending
    /// Delivered through every channel that was tried.
    case delivered
    /// The last attempt through some channel that is in use failed; still due there.
    case failed
    /// Due or to come, and silenced through all channels.
    case silenced
    /// Cancelled by the user, until the next reload, or by the return of the loan.
    case cancelled
  }

  /// The loan as the schedule has it, whose properties the entry has too.
  public let scheduled: ScheduledLoan
  /// The rung that was reached, or else the one to come.
  public let rung: Int
  /// Its deliveries, by channel name; those of earlier rungs of its kind are among them.
  public let deliveries: [Delivery]
  /// Its state, which follows from the deliveries.
  public let state: State
  /// The silence that keeps it from being sent; of several, the one that ends last.
  public let silence: Silence?
  /// The civil time in its library at which the schedule was asked.
  public let now: CivilDateTime

  /// The kind of its notice.
  public var kind: Notice.Kind { Notice.Kind(rung: rung) }

  /// The time from which it is due.
  public var fireAt: CivilDateTime { scheduled.plan.shownFireAt(rung) }

  /// A property of the loan.
  public subscript<Value>(dynamicMember property: KeyPath<ScheduledLoan, Value>) -> Value {
    scheduled[keyPath: property]
  }
}

/// Which entries of a schedule are wanted.
public struct EntryFilter: Sendable {
  /// Whether the loans are those that have left their catalogues.
  public var haveLeft = false
  /// The only state, of what is still sent; `nil` for any, and all.
  public var state: ScheduleEntry.State?
  /// Whether only what is due and was not delivered is listed.
  public var isDue = false

  /// All entries of the loans in catalogues.
  public init() {}
}

/// Entries of a schedule in their order, one at a time.
///
/// Only their order is kept, 24 bytes for each; what they hold is read some hundreds at a time.
/// No lock is held in between, so that a list left open in a pager keeps no run waiting; an
/// entry whose loan has left its catalogue meanwhile, or come back to it, is passed over.
public struct ScheduleEntries {
  /// An entry to be read.
  private struct Key {
    /// The row number of its loan.
    var id: Int64
    var rung: Int
    /// Whether its notice is not sent any longer.
    var isOver = false
    /// The place of its catalogue's time.
    var zone: Int32
  }

  private let connection: Connection
  private let table: LoanTable
  private let times: [CivilDateTime]
  private var keys: ArraySlice<Key>
  /// Those that were read, the next one last.
  private var batch: [ScheduleEntry] = []

  /// How many entries are read at a time.
  private static let batchSize = 500

  fileprivate init(
    _ connection: Connection, _ filter: EntryFilter, _ zones: [ZonedCatalogues]
  ) throws(ScheduleError) {
    self.connection = connection
    let table = filter.haveLeft ? LoanTable.left : .present
    self.table = table
    times = zones.map(\.now)
    keys = try connection.transact { database in
      var found: [(at: CivilDateTime, key: Key)] = []
      for (zone, (now, catalogues)) in zones.enumerated() {
        let standings = try Standings(database, at: now)
        try standings.forEach(in: database.ranges(catalogues), of: table) { standing in
          for key in Self.keys(of: standing, at: now, zone: Int32(zone)) {
            if filter.isDue || filter.state != nil {
              let isSilenced =
                try !key.isOver && standings.isSilenced(standing, on: now.date, through: nil)
              let state = standing.state(key.rung, isOver: key.isOver, isSilenced: isSilenced)
              let reason = standing.reason(isSilenced: isSilenced, at: now)
              // What is over is not tried again.
              if key.isOver || state != filter.state ?? state { continue }
              if filter.isDue, ![.due, .failed, .undeliverable].contains(reason) { continue }
            }
            let day = standing.leftOn.map { CivilDateTime($0) }
            found.append((day ?? standing.plan.shownFireAt(key.rung), key))
          }
        }
      }
      func number(_ key: Key) -> Int64 { key.id & (LoanID.numbers - 1) }
      if filter.haveLeft {
        found.sort { ($1.at, number($1.key)) < ($0.at, number($0.key)) }
      } else {
        found.sort { ($0.at, number($0.key), $0.key.id) < ($1.at, number($1.key), $1.key.id) }
      }
      return found.map(\.key)[...]
    }
  }

  /// A loan has the notice of its kind, and once it has expired also its reminder if one was ever
  /// attempted; one that has left, its expired notice, or its reminder if it was returned in time.
  private static func keys(
    of standing: Standing, at now: CivilDateTime, zone: Int32
  ) -> [Key] {
    let plan = standing.plan
    if let leftOn = standing.leftOn {
      let rung = plan.expiration < leftOn ? 1 : 0
      return [Key(id: standing.id, rung: rung, isOver: true, zone: zone)]
    }
    var keys: [Key] = []
    let isLate = plan.expiration < now.date
    let wasTried = standing.deliveries.contains { $0.rung <= 0 && $0.attempts > 0 }
    if isLate, wasTried, let rung = plan.ladder.reminders.last {
      keys.append(Key(id: standing.id, rung: rung, isOver: true, zone: zone))
    }
    let rung = plan.reached(at: now) ?? plan.next(after: now)?.rung
    if let rung = rung ?? (isLate ? plan.ladder.expired.last : nil) {
      keys.append(Key(id: standing.id, rung: rung, zone: zone))
    }
    return keys
  }

  /// The next entry, or `nil` after the last one.
  ///
  /// - Throws: ``ScheduleError`` if the schedule cannot be read.
  public mutating func next() throws(ScheduleError) -> ScheduleEntry? {
    while batch.isEmpty, !keys.isEmpty {
      let part = keys.prefix(Self.batchSize)
      keys = keys.dropFirst(Self.batchSize)
      batch = try connection.transact { [table, times] database in
        let standings = try times.map { try Standings(database, at: $0) }
        return try part.reversed().compactMap { key in
          let (now, standings) = (times[Int(key.zone)], standings[Int(key.zone)])
          guard let standing = try standings.standing(of: key.id),
            (standing.leftOn != nil) == (table == .left),
            let scheduled = try database.loan(key.id, standings.ladders)
          else { return nil }
          let silence =
            key.isOver
            ? nil
            : try standings.silences(of: scheduled)
              .first { $0.conditions.channel == nil }
          let state = standing.state(key.rung, isOver: key.isOver, isSilenced: silence != nil)
          return ScheduleEntry(
            scheduled: scheduled, rung: key.rung,
            deliveries: standing.deliveries(of: Notice.Kind(rung: key.rung)), state: state,
            silence: state == .silenced ? silence : nil, now: now)
        }
      }
    }
    return batch.popLast()
  }
}

extension Standing {
  /// The state of the notice of a rung.
  ///
  /// - Parameter isOver: whether nothing of its kind is sent any longer, since the loan has expired or
  ///   left.
  func state(_ rung: Int, isOver: Bool, isSilenced: Bool) -> ScheduleEntry.State {
    let deliveries = deliveries(of: Notice.Kind(rung: rung))
    let isCancelled = isCancelled || leftOn != nil
    let isDelivered = deliveries.contains { delivery in
      delivery.deliveredRung.map { isOver || $0 >= rung } ?? false
    }
    let hasFailed = deliveries.contains {
      $0.hasFailed && $0.isInUse && $0.deliveredRung ?? .min < rung
    }
    if isDelivered && (!hasFailed || isCancelled) { return .delivered }
    if isCancelled { return .cancelled }
    if isSilenced { return .silenced }
    return hasFailed ? .failed : .pending
  }
}

extension LoanPlan {
  /// The time from which a rung is shown as due: never before the first that is not passed over.
  fileprivate func shownFireAt(_ rung: Int) -> CivilDateTime { max(fireDate(rung), firstFireAt) }
}

extension ScheduleReader {
  /// The schedule in fire order; loans that have left within the last 400 days the last first.
  ///
  /// A loan in a catalogue has the notice of the rung that it has reached, or else of the next one;
  /// and, once it has expired, the last reminder if one was ever attempted. One that has left has the
  /// notice that it had then.
  ///
  /// - Parameter zones: the catalogues whose loans are listed.
  public func entries(
    in zones: [ZonedCatalogues], _ filter: EntryFilter = EntryFilter()
  ) throws(ScheduleError) -> ScheduleEntries {
    try ScheduleEntries(connection, filter, zones)
  }
}

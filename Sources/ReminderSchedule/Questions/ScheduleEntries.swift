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
  /// Whether nothing of its kind is sent any longer, since the loan has expired or left.
  let isOver: Bool
  /// Its deliveries, by channel name; those of earlier rungs of its kind are among them.
  public let deliveries: [Delivery]
  /// The silence that holds for it through all channels; of several, the one that ends last.
  let holding: Silence?

  /// The kind of its notice.
  public var kind: Notice.Kind { Notice.Kind(rung: rung) }

  /// The time from which it is due.
  public var fireAt: CivilDateTime { scheduled.plan.shownFireAt(rung) }

  /// Its state, which follows from the deliveries.
  public var state: State {
    let isCancelled = scheduled.isCancelled || scheduled.leftOn != nil
    let isDelivered = deliveries.contains { delivery in
      delivery.deliveredRung.map { isOver || $0 >= rung } ?? false
    }
    let hasFailed = deliveries.contains { $0.hasFailed && $0.isInUse }
    if isDelivered && (!hasFailed || isCancelled) { return .delivered }
    if isCancelled { return .cancelled }
    if holding != nil { return .silenced }
    return hasFailed ? .failed : .pending
  }

  /// The silence that keeps it from being sent.
  public var silence: Silence? { state == .silenced ? holding : nil }

  /// A property of the loan.
  public subscript<Value>(dynamicMember property: KeyPath<ScheduledLoan, Value>) -> Value {
    scheduled[keyPath: property]
  }
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
  }

  private let connection: Connection
  /// Whether the loans are those that have left their catalogues.
  private let haveLeft: Bool
  private let now: CivilDateTime
  private var keys: ArraySlice<Key>
  /// Those that were read, the next one last.
  private var batch: [ScheduleEntry] = []

  /// How many entries are read at a time.
  private static let batchSize = 500

  fileprivate init(
    _ connection: Connection, haveLeft: Bool, at now: CivilDateTime
  ) throws(ScheduleError) {
    self.connection = connection
    self.haveLeft = haveLeft
    self.now = now
    keys = try connection.read { database in
      try haveLeft ? Self.left(database) : Self.present(database, now)
    }[...]
  }

  /// The entries in fire order: a loan has the notice of its kind, and once it has expired also its
  /// reminder if one was ever attempted.
  private static func present(
    _ database: Database, _ now: CivilDateTime
  ) throws -> ArraySlice<Key> {
    let ladders = try Ladders(database)
    var found: [(fireAt: CivilDateTime, number: Int64, key: Key)] = []
    _ = try database.rows(presentQuery, now.date.dayNumber) { row in
      let (id, number) = (row.integer(0), row.integer(1))
      let plan = try ladders.plan(
        expiration: row, 2, fireAt: 3, ladder: 4, openDays: 5, of: Int(number))
      let wasTried = row.integer(7) != 0
      if wasTried, let rung = plan.ladder.reminders.last {
        found.append((plan.shownFireAt(rung), number, Key(id: id, rung: rung, isOver: true)))
      }
      let isLate = plan.expiration < now.date
      let rung = plan.reached(at: now) ?? plan.next(after: now)?.rung
      if let rung = rung ?? (isLate ? plan.ladder.expired.last : nil) {
        found.append((plan.shownFireAt(rung), number, Key(id: id, rung: rung)))
      }
    }
    found.sort { ($0.fireAt, $0.number, $0.key.id) < ($1.fireAt, $1.number, $1.key.id) }
    return found.map(\.key)[...]
  }

  /// The loans that have expired say whether a reminder was attempted.
  private static let presentQuery = """
    SELECT id, number, expiration, fire_at, ladder, open_before, open_after, expiration < ?1 AND (
      EXISTS (
        SELECT 1 FROM delivery
        WHERE delivery.catalogue = loan.id >> \(LoanID.shift)
          AND delivery.identity = loan.identity AND delivery.expiration = loan.expiration
          AND delivery.copy = loan.copy AND rung <= 0 AND attempts > 0)
      OR (identity, expiration, copy, catalogue) IN (
        SELECT identity, expiration, copy, catalogue FROM outbox WHERE rung <= 0))
    FROM loan WHERE left_on IS NULL
    """

  /// A loan that has left has its expired notice, or its reminder if it was returned in time.
  private static func left(_ database: Database) throws -> ArraySlice<Key> {
    try database.rows(
      """
      SELECT id, expiration < left_on FROM loan
      WHERE left_on IS NOT NULL ORDER BY left_on DESC, number DESC
      """
    ) { row in Key(id: row.integer(0), rung: Int(row.integer(1)), isOver: true) }[...]
  }

  /// The next entry, or `nil` after the last one.
  ///
  /// - Throws: ``ScheduleError`` if the schedule cannot be read.
  public mutating func next() throws(ScheduleError) -> ScheduleEntry? {
    while batch.isEmpty, !keys.isEmpty {
      let part = keys.prefix(Self.batchSize)
      keys = keys.dropFirst(Self.batchSize)
      batch = try connection.read { [haveLeft, now] database in
        let ladders = try Ladders(database)
        return try part.reversed().compactMap { key in
          guard let scheduled = try database.loan(key.id, ladders),
            (scheduled.leftOn != nil) == haveLeft
          else { return nil }
          let ledger = scheduled.key
          let notices = try database.notices(
            of: ledger, expirations: ledger.expiration...ledger.expiration, today: now.date)
          let kind = Notice.Kind(rung: key.rung)
          let silences =
            key.isOver ? [] : try database.silences(of: scheduled, key.id, today: now.date)
          return ScheduleEntry(
            scheduled: scheduled, rung: key.rung, isOver: key.isOver,
            deliveries: notices.first { $0.kind == kind }?.deliveries ?? [],
            holding: silences.first { $0.conditions.channel == nil })
        }
      }
    }
    return batch.popLast()
  }
}

extension LoanPlan {
  /// The time from which a rung is shown as due: never before the first that is not passed over.
  fileprivate func shownFireAt(_ rung: Int) -> CivilDateTime { max(fireDate(rung), firstFireAt) }
}

extension ScheduleReader {
  /// The whole schedule in fire order.
  ///
  /// A loan in a catalogue has the notice of the rung that it has reached, or else of the next one;
  /// and, once it has expired, the last reminder if one was ever attempted.
  public func entries(at now: CivilDateTime) throws(ScheduleError) -> ScheduleEntries {
    try ScheduleEntries(connection, haveLeft: false, at: now)
  }

  /// The loans that have left their catalogue within the last 400 days, the last first: each with the
  /// notice that it had then.
  public func returned(at now: CivilDateTime) throws(ScheduleError) -> ScheduleEntries {
    try ScheduleEntries(connection, haveLeft: true, at: now)
  }
}

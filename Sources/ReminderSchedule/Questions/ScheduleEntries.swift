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
    /// Cancelled by the user, until the next reload, or by the return of the loan.
    case cancelled
  }

  /// The loan as the schedule has it, whose properties the entry has too.
  public let scheduled: ScheduledLoan
  /// The kind of its notice.
  public let kind: Notice.Kind
  /// Its deliveries, by channel name.
  public let deliveries: [Delivery]

  /// The time from which it is due.
  public var fireAt: CivilDateTime {
    kind == .expired ? CivilDateTime(scheduled.loan.expiration.adding(days: 1)) : scheduled.fireAt
  }

  /// Its state, which follows from the deliveries.
  public var state: State {
    let isCancelled = scheduled.isCancelled || scheduled.leftOn != nil
    let isDelivered = deliveries.contains { $0.state == .delivered }
    let hasFailed = deliveries.contains { $0.state == .failed && $0.isInUse }
    if isDelivered && (!hasFailed || isCancelled) { return .delivered }
    if isCancelled { return .cancelled }
    return hasFailed ? .failed : .pending
  }

  /// A property of the loan.
  public subscript<Value>(dynamicMember property: KeyPath<ScheduledLoan, Value>) -> Value {
    scheduled[keyPath: property]
  }
}

/// Entries of a schedule in their order, one at a time.
///
/// Only their order is kept, 8 bytes for each; what they hold is read some hundreds at a time.
/// No lock is held in between, so that a list left open in a pager keeps no run waiting; an
/// entry whose loan has left its catalogue meanwhile, or come back to it, is passed over.
public struct ScheduleEntries {
  private let connection: Connection
  /// Whether the loans are those that have left their catalogues.
  private let haveLeft: Bool
  private let today: CivilDate
  /// Twice the row number of each entry's loan, plus one for its expired notice.
  private var keys: ArraySlice<Int64>
  /// Those that were read, the next one last.
  private var batch: [ScheduleEntry] = []

  /// How many entries are read at a time.
  private static let batchSize = 500

  fileprivate init(
    _ connection: Connection, haveLeft: Bool, at now: CivilDateTime
  ) throws(ScheduleError) {
    self.connection = connection
    self.haveLeft = haveLeft
    today = now.date
    let query = haveLeft ? Self.leftQuery : Self.presentQuery
    let all = try connection.read { database in
      try database.rows(query, now.date.dayNumber) { $0.integer(0) }
    }
    keys = all[...]
  }

  /// Which entries there are, in fire order: a loan has its reminder, unless it has expired and no
  /// reminder was ever attempted, and once it has expired its expired notice.
  private static let presentQuery = """
    SELECT id * 2, number, fire_at FROM loan
    WHERE left_on IS NULL AND (
      expiration >= ?1
      OR EXISTS (
        SELECT 1 FROM delivery
        WHERE delivery.catalogue = loan.id >> \(LoanID.shift)
          AND delivery.identity = loan.identity AND delivery.expiration = loan.expiration
          AND delivery.copy = loan.copy AND rung <= 0 AND attempts > 0)
      OR (identity, expiration, copy, catalogue) IN (
        SELECT identity, expiration, copy, catalogue FROM outbox WHERE rung <= 0))
    UNION ALL
    SELECT id * 2 + 1, number, (expiration + 1) * 86400 FROM loan
    WHERE left_on IS NULL AND expiration < ?1
    ORDER BY 3, 2, 1
    """

  /// A loan that has left has its expired notice, or its reminder if it was returned in time.
  private static let leftQuery = """
    SELECT id * 2 + (expiration < left_on), ?1 FROM loan
    WHERE left_on IS NOT NULL ORDER BY left_on DESC, number DESC
    """

  /// The next entry, or `nil` after the last one.
  ///
  /// - Throws: ``ScheduleError`` if the schedule cannot be read.
  public mutating func next() throws(ScheduleError) -> ScheduleEntry? {
    while batch.isEmpty, !keys.isEmpty {
      let part = keys.prefix(Self.batchSize)
      keys = keys.dropFirst(Self.batchSize)
      batch = try connection.read { [haveLeft, today] database in
        try part.reversed().compactMap { key in
          guard let scheduled = try database.loan(key >> 1),
            (scheduled.leftOn != nil) == haveLeft
          else { return nil }
          let (kind, ledger) = (key & 1 == 1 ? Notice.Kind.expired : .reminder, scheduled.key)
          let notices = try database.notices(
            of: ledger, expirations: ledger.expiration...ledger.expiration, today: today)
          return ScheduleEntry(
            scheduled: scheduled, kind: kind,
            deliveries: notices.first { $0.kind == kind }?.deliveries ?? [])
        }
      }
    }
    return batch.popLast()
  }
}

extension ScheduleReader {
  /// The whole schedule in fire order.
  ///
  /// A loan in a catalogue has its reminder, unless it has expired and no reminder was ever
  /// attempted; and, once it has expired, its expired notice.
  public func entries(at now: CivilDateTime) throws(ScheduleError) -> ScheduleEntries {
    try ScheduleEntries(connection, haveLeft: false, at: now)
  }

  /// The loans that have left their catalogue within the last 400 days, the last first: each with the
  /// notice that it had then.
  public func returned(at now: CivilDateTime) throws(ScheduleError) -> ScheduleEntries {
    try ScheduleEntries(connection, haveLeft: true, at: now)
  }
}

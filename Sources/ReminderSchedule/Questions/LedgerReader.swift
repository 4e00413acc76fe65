public import Loans

/// Reads what became of the notices of one loan after the other.
struct LedgerReader {
  /// How the notices are shown that are being sent, or were when a run was killed.
  enum OutboxView {
    /// Each as being sent.
    case asItIs
    /// As they will be noted: those sent as delivered, the next one as being sent.
    case asItEnds(OutboxCount?)
  }

  private let database: Database
  private let today: CivilDate
  private let outbox: OutboxView

  /// For how many days after its last use a channel counts as one in use.
  static let daysInUse = 7

  init(_ database: Database, today: CivilDate, outbox: OutboxView) {
    self.database = database
    self.today = today
    self.outbox = outbox
  }

  /// The entry at a place of ``ScheduleEntries``; `nil` if its loan is gone.
  ///
  /// A returned loan has its expired notice, or its reminder if it was returned in time.
  func entry(at place: Int64, of source: ScheduleEntries.Source) throws -> ScheduleEntry? {
    let isReturned = source == .returned
    let query = try database.statement(
      isReturned
        ? "SELECT \(LoanRow.columns), left_on FROM returned WHERE place = ?"
        : "SELECT \(LoanRow.columns) FROM loan WHERE id = ?")
    query.bind(isReturned ? place : place >> 1)
    defer { query.reset() }
    guard try query.step() else { return nil }
    let row = try LoanRow(query)
    let leftOn = isReturned ? query.day(LoanRow.end) : nil
    let isExpired = leftOn.map { row.loan.expiration < $0 } ?? (place & 1 == 1)
    let deliveries = try deliveries(of: row.key, isExpired ? .expired : .reminder)
    let (path, library) = try database.catalogue(row.id.catalogue)
    return ScheduleEntry(
      id: Int(row.id.number), catalogue: path, library: library, loan: row.loan,
      kind: isExpired ? .expired : .reminder,
      fireAt: isExpired ? CivilDateTime(row.loan.expiration.adding(days: 1)) : row.fireAt,
      state: .init(isCancelled: row.isCancelled || isReturned, deliveries: deliveries),
      deliveries: deliveries, leftOn: leftOn)
  }

  private func deliveries(of key: LedgerKey, _ kind: Notice.Kind) throws -> [Delivery] {
    var deliveries = Deliveries(today: today)
    try forEach(key, expiration: key.expiration) { _, found, delivery in
      if found == kind { deliveries.add(delivery) }
    }
    return deliveries.sorted
  }

  /// What the ledger and the outbox hold of a loan, by expiration, reminders first.
  ///
  /// For other expirations than its own, everything sent for the same identity is shown.
  func history(of key: LedgerKey) throws -> [LoanHistory.NoticeHistory] {
    struct Group: Hashable {
      var day: Int64
      var kind: Notice.Kind
      var place: (Int64, Int) { (day, kind == .expired ? 1 : 0) }
    }
    var found: [Group: Deliveries] = [:]
    try forEach(key, expiration: nil) { day, kind, delivery in
      found[Group(day: day, kind: kind), default: Deliveries(today: today)].add(delivery)
    }
    return try found.sorted { $0.key.place < $1.key.place }.map { group, deliveries in
      guard let expiration = CivilDate(dayNumber: Int(group.day)) else {
        throw DatabaseError.damage("an expiration in the ledger")
      }
      return LoanHistory.NoticeHistory(
        expiration: expiration, kind: group.kind, deliveries: deliveries.sorted)
    }
  }

  /// Calls `body` with each delivery of a loan's notices, and with what is on its way.
  private func forEach(
    _ key: LedgerKey, expiration: Int64?, _ body: (Int64, Notice.Kind, Delivery) -> Void
  ) throws {
    let rows = try database.statement(Self.query)
    rows.bind(
      key.catalogue, key.identity, key.expiration, key.copy, expiration ?? .min, expiration ?? .max)
    while try rows.step() {
      var delivery = delivery(rows)
      if let sending = rows.optionalInteger(10), case .asItEnds(let count) = outbox, let count,
        count.sending == sending
      {
        let message = rows.integer(11)
        if message > count.sent { continue }
        if message < count.sent {
          (delivery.state, delivery.deliveredAt) = (.delivered, delivery.at)
        }
      }
      body(rows.integer(0), rows.integer(1) > 0 ? .expired : .reminder, delivery)
    }
  }

  /// What is on its way comes last, so that it is the latest.
  private static let query = """
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
    ORDER BY sending IS NOT NULL, expiration, rung
    """

  private static let isOfLoan = """
    catalogue = ?1 AND identity = ?2 AND expiration BETWEEN ?5 AND ?6
        AND (expiration <> ?3 OR copy = ?4)
    """

  private func delivery(_ row: Statement) -> Delivery {
    Delivery(
      channel: row.text(2) ?? "",
      isInUse: Int(row.integer(3)) >= today.adding(days: -Self.daysInUse).dayNumber,
      state: .init(stored: row.integer(4)), at: row.moment(5),
      utcOffset: row.optionalInteger(6).map { Int($0) }, attempts: Int(row.integer(7)),
      error: row.text(8), deliveredAt: row.moment(9))
  }
}

extension ScheduleReader {
  /// All that is known of a loan, also of one that was returned within the last 400 days; `nil` if
  /// no loan has the number.
  ///
  /// What a run is sending, or was when it was killed, is shown as it will be noted: as delivered
  /// if it was sent, as before if it was not begun. Only the message on its way is `sending`.
  public func history(of id: Int, at now: CivilDateTime) throws(ScheduleError) -> LoanHistory? {
    guard let connection else { return nil }
    return try connection.read { database in
      guard let (row, leftOn) = try database.loan(Int64(id)) else { return nil }
      let count = try database.hasOutbox() ? connection.sentCount() : nil
      let reader = LedgerReader(database, today: now.date, outbox: .asItEnds(count))
      let (path, library) = try database.catalogue(row.id.catalogue)
      return LoanHistory(
        id: id, catalogue: path, library: library, loan: row.loan, fireAt: row.fireAt,
        isCancelled: row.isCancelled, leftOn: leftOn, notices: try reader.history(of: row.key))
    }
  }
}

extension Database {
  /// The loan of a number, and when it left its catalogue if it did.
  func loan(_ number: Int64) throws -> (LoanRow, leftOn: CivilDate?)? {
    guard (0..<LoanID.numbers).contains(number) else { return nil }
    for (table, leftOn) in [("loan", "NULL"), ("returned", "left_on")] {
      let query = try statement(
        """
        SELECT \(LoanRow.columns), \(leftOn) FROM \(table)
        WHERE id IN (SELECT (id << \(LoanID.shift)) | ? FROM catalogue)
        """)
      query.bind(number)
      defer { query.reset() }
      guard try query.step() else { continue }
      return (try LoanRow(query), query.day(LoanRow.end))
    }
    return nil
  }
}

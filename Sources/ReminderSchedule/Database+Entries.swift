internal import Loans

extension Database {
  /// Which entries there are, in no order.
  func places(
    at now: CivilDateTime, catalogues: [String]?
  ) throws -> ContiguousArray<ScheduleEntries.Place> {
    let ids = try self.catalogues(catalogues).keys.map { String($0) }.joined(separator: ", ")
    let rows = try RowStatement(
      self,
      sql: """
        SELECT id, expiration, fire_at,
          expiration >= ?1 OR EXISTS (
            SELECT 1 FROM delivery
            WHERE delivery.loan = loan.id AND delivery.kind = \(Notice.Kind.reminder.stored)
              AND delivery.expiration = loan.expiration AND delivery.attempts > 0)
        FROM loan WHERE left_on IS NULL AND catalogue IN (\(ids))
        """)
    rows.query { $0.bind(now.date.dayNumber) }
    var places: ContiguousArray<ScheduleEntries.Place> = []
    while try rows.next() {
      let (id, expiration) = (rows.integer(0), rows.integer(1))
      if rows.integer(3) != 0 {
        places.append(.init(fireAt: rows.integer(2), loan: id, kind: .reminder))
      }
      if expiration < now.date.dayNumber, let day = CivilDate(dayNumber: Int(expiration)) {
        let fireAt = Int64(CivilDateTime(day.adding(days: 1)).ordinal)
        places.append(.init(fireAt: fireAt, loan: id, kind: .expired))
      }
    }
    return places
  }

  /// The entries at some places, in their order, without those that are gone.
  func entries(_ places: some Sequence<ScheduleEntries.Place>) throws -> [ScheduleEntry] {
    let paths = try catalogues(nil)
    let reader = try EntryReader(self)
    var entries: [ScheduleEntry] = []
    for place in places {
      if let entry = try reader.entry(at: place, catalogues: paths) { entries.append(entry) }
    }
    return entries
  }
}

/// The statements that read one entry.
private struct EntryReader {
  private let loan: RowStatement
  private let deliveries: RowStatement

  init(_ database: Database) throws {
    loan = try RowStatement(
      database,
      sql: """
        SELECT catalogue, expiration, fire_at, cancelled,
          loan_id, title, author, isbn, barcode, borrower, email, expiration_time
        FROM loan CROSS JOIN detail ON detail.loan = loan.id
        WHERE loan.id = ? AND left_on IS NULL
        """)
    deliveries = try RowStatement(
      database,
      sql: """
        SELECT name, state, at, attempts, error, delivered_at
        FROM delivery CROSS JOIN channel ON channel.id = delivery.channel
        WHERE loan = ? AND kind = ? AND expiration = ? ORDER BY name
        """)
  }

  func entry(
    at place: ScheduleEntries.Place, catalogues: [Int64: String]
  ) throws -> ScheduleEntry? {
    loan.query { $0.bind(place.loan) }
    defer { loan.reset() }
    guard try loan.next(), let catalogue = catalogues[loan.integer(0)],
      let expiration = CivilDate(dayNumber: Int(loan.integer(1))),
      let fireAt = CivilDateTime(ordinal: Int(place.fireAt))
    else { return nil }
    let deliveries = try deliveries(of: place, expiration: loan.integer(1))
    return ScheduleEntry(
      id: Int(place.loan), catalogue: catalogue, loan: loan.loan(from: 4, expiration: expiration),
      kind: place.kind, fireAt: fireAt,
      state: .init(isCancelled: loan.integer(3) != 0, deliveries: deliveries),
      deliveries: deliveries)
  }

  private func deliveries(
    of place: ScheduleEntries.Place, expiration: Int64
  ) throws -> [Delivery] {
    deliveries.query { parameters in
      parameters.bind(place.loan)
      parameters.bind(place.kind.stored)
      parameters.bind(expiration)
    }
    var found: [Delivery] = []
    while try deliveries.next() {
      found.append(deliveries.delivery(from: 0))
    }
    return found
  }
}

extension RowStatement {
  /// The delivery in six columns of the current row: channel, state, moment, attempts, error, last
  /// success.
  func delivery(from first: Int32) -> Delivery {
    Delivery(
      channel: text(first) ?? "", state: .init(stored: integer(first + 1)),
      at: CivilDateTime(ordinal: Int(integer(first + 2))), attempts: Int(integer(first + 3)),
      error: text(first + 4),
      deliveredAt: optionalInteger(first + 5).flatMap { CivilDateTime(ordinal: Int($0)) })
  }
}

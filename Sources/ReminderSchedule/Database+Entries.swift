internal import Loans

extension Database {
  /// Which entries there are, in no order.
  func places(
    at now: CivilDateTime, catalogues: [String]?
  ) throws -> ContiguousArray<ScheduleEntries.Place> {
    let today = Int32(now.date.dayNumber)
    var places: ContiguousArray<ScheduleEntries.Place> = []
    for catalogue in try self.catalogues(catalogues).keys {
      var ledger = try LedgerReader(self, from: 0)
      try forEachLoan(ofCatalogue: catalogue) { loan in
        if loan.hasLeft { return }
        let hasExpired = loan.expiration < today
        let hasReminder =
          try !hasExpired
          || ledger.contains(loan.id) { row in
            row.kind == .reminder && row.expiration == loan.expiration && row.attempts > 0
          }
        if hasReminder { places.append(.init(fireAt: loan.fireAt, loan: loan.id, kind: .reminder)) }
        if hasExpired, let day = CivilDate(dayNumber: Int(loan.expiration)) {
          let fireAt = Int64(CivilDateTime(day.adding(days: 1)).ordinal)
          places.append(.init(fireAt: fireAt, loan: loan.id, kind: .expired))
        }
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
  private let loans: LoanLookup
  private let deliveries: RowStatement

  init(_ database: Database) throws {
    loans = LoanLookup(database)
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
    guard let (loan, catalogue) = try loans.loan(place.loan), !loan.hasLeft,
      let path = catalogues[catalogue], let fireAt = CivilDateTime(ordinal: Int(place.fireAt))
    else { return nil }
    let deliveries = try deliveries(of: place, expiration: Int64(loan.expiration))
    return ScheduleEntry(
      id: Int(place.loan), catalogue: path,
      loan: try loans.whole(loan, catalogue: catalogue).loan, kind: place.kind, fireAt: fireAt,
      state: .init(isCancelled: loan.marks.contains(.cancelled), deliveries: deliveries),
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

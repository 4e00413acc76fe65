internal import Loans

extension Database {
  /// Which entries there are, in no order.
  func places(
    at now: CivilDateTime, catalogues: [String]?
  ) throws -> ContiguousArray<ScheduleEntries.Place> {
    let today = Int32(now.date.dayNumber)
    var places: ContiguousArray<ScheduleEntries.Place> = []
    let flying = try flyingNotices()
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
          || flying[FlyingKey(loan.id, .reminder, Int64(loan.expiration))] != nil
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
    let places = ContiguousArray(places)
    var entries = [ScheduleEntry?](repeating: nil, count: places.count)
    // Loans of one page one after the other.
    for index in places.indices.sorted(by: { places[$0].loan < places[$1].loan }) {
      entries[index] = try reader.entry(at: places[index], catalogues: paths)
    }
    return entries.compactMap(\.self)
  }
}

/// The statements that read one entry.
private struct EntryReader {
  private let loans: LoanLookup
  private let deliveries: RowStatement
  private let flying: [FlyingKey: [Delivery]]

  init(_ database: Database) throws {
    flying = try database.flyingNotices()
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
    guard let attempts = flying[FlyingKey(place.loan, place.kind, expiration)] else { return found }
    for attempt in attempts { found.note(attempt) }
    return found.sorted { $0.channel < $1.channel }
  }
}

/// What a notice in flight is found by.
private struct FlyingKey: Hashable {
  private let loan: Int64
  private let kind: Notice.Kind
  private let expiration: Int64

  init(_ loan: Int64, _ kind: Notice.Kind, _ expiration: Int64) {
    (self.loan, self.kind, self.expiration) = (loan, kind, expiration)
  }
}

extension Database {
  /// The attempts that are under way, or were when a run was killed.
  fileprivate func flyingNotices() throws -> [FlyingKey: [Delivery]] {
    var found: [FlyingKey: [Delivery]] = [:]
    guard try hasFlight() else { return found }
    let names = try channelNames()
    for flight in try flights() {
      guard let name = names[flight.channel] else { continue }
      let attempt = Delivery(
        channel: name, state: .sending, at: CivilDateTime(ordinal: Int(flight.at)), attempts: 1)
      for notice in flight.notices {
        let key = FlyingKey(notice.loan, notice.kind, notice.expiration)
        found[key, default: []].append(attempt)
      }
    }
    return found
  }
}

extension [Delivery] {
  /// Adds another attempt to what is known, which it takes the place of.
  mutating func note(_ attempt: Delivery) {
    guard let index = firstIndex(where: { $0.channel == attempt.channel }) else {
      return append(attempt)
    }
    var delivery = attempt
    delivery.attempts &+= self[index].attempts
    delivery.deliveredAt = attempt.deliveredAt ?? self[index].deliveredAt
    self[index] = delivery
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

internal import Loans

/// Entries of a schedule in their order, one at a time.
///
/// Only their order is kept, 8 bytes for each; what they hold is read some hundreds at a time.
/// No lock is held in between, so that a list left open in a pager keeps no run waiting; an
/// entry whose loan has left its catalogue meanwhile is passed over.
public struct ScheduleEntries {
  private let connection: Connection?
  private let now: CivilDateTime
  /// Where entries are.
  enum Source {
    /// Those of loans that their catalogues have; each place is twice the row number, and one more
    /// for the expired notice.
    case scheduled
    /// Those of loans that were returned; each place is the `place` of its row.
    case returned
  }

  private let source: Source
  private var places: ContiguousArray<Int64> = []
  private var position = 0
  private var batch: [ScheduleEntry] = []

  /// How many entries are read at a time.
  private static let batchSize = 500

  init(
    _ connection: Connection?, _ source: Source, at now: CivilDateTime
  ) throws(ScheduleError) {
    self.connection = connection
    self.source = source
    self.now = now
    places =
      try connection?.read { database in
        switch source {
        case .scheduled: try database.scheduledPlaces(at: now)
        case .returned: try database.returnedPlaces()
        }
      } ?? []
  }

  /// The next entry, or `nil` after the last one.
  ///
  /// - Throws: ``ScheduleError`` if the schedule cannot be read.
  public mutating func next() throws(ScheduleError) -> ScheduleEntry? {
    while batch.isEmpty {
      guard position < places.count, let connection else { return nil }
      let end = min(position + Self.batchSize, places.count)
      let part = places[position..<end]
      position = end
      batch = try connection.read { [now, source] database in
        let reader = LedgerReader(database, today: now.date, outbox: .asItIs)
        return try part.compactMap { place in try reader.entry(at: place, of: source) }
      }.reversed()
    }
    return batch.removeLast()
  }
}

extension Database {
  /// Which entries there are, in fire order: a loan has its reminder, unless it has expired and none
  /// was ever attempted, and once it has expired its expired notice.
  fileprivate func scheduledPlaces(at now: CivilDateTime) throws -> ContiguousArray<Int64> {
    let query = try statement(
      """
      SELECT fire_at, number, id * 2 FROM loan
      WHERE expiration >= ?1
        OR EXISTS (
          SELECT 1 FROM delivery
          WHERE delivery.catalogue = loan.id >> \(LoanID.shift)
            AND delivery.identity = loan.identity AND delivery.expiration = loan.expiration
            AND delivery.copy = loan.copy AND rung <= 0 AND attempts > 0)
        OR (identity, expiration, copy, catalogue) IN (
          SELECT identity, expiration, copy, catalogue FROM outbox WHERE rung <= 0)
      UNION ALL
      SELECT (expiration + 1) * 86400, number, id * 2 + 1 FROM loan
      WHERE expiration < ?1
      ORDER BY 1, 2, 3
      """)
    query.bind(now.date)
    var places: ContiguousArray<Int64> = []
    while try query.step() { places.append(query.integer(2)) }
    return places
  }

  fileprivate func returnedPlaces() throws -> ContiguousArray<Int64> {
    let query = try statement("SELECT place FROM returned ORDER BY left_on DESC, number DESC")
    var places: ContiguousArray<Int64> = []
    while try query.step() { places.append(query.integer(0)) }
    return places
  }
}

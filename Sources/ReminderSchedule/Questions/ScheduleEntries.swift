internal import Loans

/// Entries of a schedule in their order, one at a time.
///
/// Only their order is kept, 8 bytes for each; what they hold is read some hundreds at a time.
/// No lock is held in between, so that a list left open in a pager keeps no run waiting; an
/// entry whose loan has left its catalogue meanwhile, or come back to it, is passed over.
public struct ScheduleEntries {
  /// Which loans are listed.
  enum Scope {
    /// Those that their catalogues have.
    case present
    /// Those that have left.
    case left
  }

  private let connection: Connection?
  private let scope: Scope
  private let today: CivilDate
  /// Twice the row number of each entry's loan, plus one for its expired notice.
  private var keys: ContiguousArray<Int64> = []
  private var position = 0
  private var batch: [ScheduleEntry] = []

  /// How many entries are read at a time.
  private static let batchSize = 500

  init(
    _ connection: Connection?, _ scope: Scope, at now: CivilDateTime
  ) throws(ScheduleError) {
    self.connection = connection
    self.scope = scope
    today = now.date
    keys =
      try connection?.read { [today] database in
        let query = try database.statement(
          scope == .left ? Self.leftQuery : Self.presentQuery)
        query.bind(today)
        var keys: ContiguousArray<Int64> = []
        while try query.step() { keys.append(query.integer(0)) }
        return keys
      } ?? []
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
    while batch.isEmpty {
      guard position < keys.count, let connection else { return nil }
      let end = min(position + Self.batchSize, keys.count)
      let part = keys[position..<end]
      position = end
      batch = try connection.read { [scope, today] database in
        let ledger = LedgerReader(database, today: today)
        return try part.compactMap { key -> ScheduleEntry? in
          guard let row = try database.loan(key >> 1), (row.leftOn == nil) == (scope == .present)
          else { return nil }
          return try ledger.entry(row, key & 1 == 1 ? .expired : .reminder)
        }
      }.reversed()
    }
    return batch.removeLast()
  }
}

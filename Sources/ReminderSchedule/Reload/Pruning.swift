internal import Loans

extension Database {
  /// Forgets what left a catalogue long ago, with what was delivered of it.
  ///
  /// Everything is kept for 400 days. Of a catalogue from which loans leave in great numbers only the
  /// latest are kept, though never for less than a week: 25,000 loans, or a quarter as many as it has;
  /// and 100,000 deliveries, or twice as many as it has loans, beside those of loans that are kept.
  ///
  /// - Parameter loans: how many loans the catalogue has.
  func prune(_ catalogue: Int64, loans: Int, last: LastRun, today: CivilDate) throws {
    guard let oldest = last.oldestKept(today: today.dayNumber) else { return }
    let youngest = last.dayOfLeaving(today: today).adding(days: -7).dayNumber
    let firstDay = try firstKept(
      of: "left_on", in: "loan", catalogue, count: max(25_000, loans / 4), from: Int64(oldest),
      through: Int64(youngest))
    if let firstDay {
      try run("DELETE FROM loan WHERE catalogue = ? AND left_on < ?", catalogue, firstDay)
    }
    let firstTime = try firstKept(
      of: "at", in: "delivery", catalogue, count: max(100_000, loans * 2),
      from: Int64(oldest) * 86_400, through: Int64(youngest) * 86_400)
    if let firstTime { try forgetDeliveries(catalogue, before: firstTime) }
  }

  /// The first value that is kept of a column; `nil` if all of them are.
  ///
  /// - Parameters:
  ///   - count: how many of the latest are kept in any case; none is forgotten for their number until
  ///     there are an eighth more, so that this is not done every day.
  ///   - oldest: what is before this is never kept, and what is from `youngest` on always.
  private func firstKept(
    of column: String, in table: String, _ catalogue: Int64, count: Int, from oldest: Int64,
    through youngest: Int64
  ) throws -> Int64? {
    let rows = "FROM \(table) WHERE catalogue = ? AND \(column) IS NOT NULL"
    guard let first = try integer("SELECT min(\(column)) \(rows)", catalogue), first < youngest,
      let known = try integer("SELECT count(*) \(rows)", catalogue)
    else { return nil }
    if known <= count + count / 8 { return first < oldest ? oldest : nil }
    let last = try integer(
      "SELECT \(column) \(rows) ORDER BY \(column) DESC LIMIT 1 OFFSET ?", catalogue, count)
    return last.map { max(oldest, min($0, youngest)) }
  }

  /// Forgets what was delivered before a time, except for loans that are there or left.
  private func forgetDeliveries(_ catalogue: Int64, before time: Int64) throws {
    let all = LoanID.all(of: catalogue)
    // Not with NOT IN: for each pair that is not found, SQLite would look through all for a NULL.
    try run(
      """
      DELETE FROM delivery
      WHERE catalogue = ?1 AND at < ?2 AND (identity, expiration) IN (
        SELECT identity, expiration FROM delivery WHERE catalogue = ?1 AND at < ?2
        EXCEPT SELECT identity, expiration FROM loan WHERE id BETWEEN ?3 AND ?4)
      """, catalogue, time, all.lowerBound, all.upperBound)
    if changes > 0 { try forgetReasons() }
  }

  /// Forgets reasons to which nothing in the ledger refers any longer.
  func forgetReasons() throws {
    try execute(
      """
      DELETE FROM reason
      WHERE id NOT IN (SELECT reason FROM delivery WHERE reason IS NOT NULL)
      """)
  }
}

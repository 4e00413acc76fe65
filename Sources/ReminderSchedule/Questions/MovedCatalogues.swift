internal import Loans
internal import System

extension ScheduleReader {
  /// The catalogues that were probably moved: nothing was ever sent of them, and they have loans that
  /// somebody was told of under another name, whose file is gone.
  ///
  /// - Parameter names: the names of the catalogues that may have been moved.
  /// - Returns: each with its old name.
  public func movedCatalogues(
    among names: [String]
  ) throws(ScheduleError) -> [(name: String, oldName: String)] {
    try connection.transact { database in
      let new = try Set(names).compactMap { name in
        try database.knownCatalogueID(name).map { (id: $0, name: name) }
      }.filter { try database.isUntold($0.id) }
      if new.isEmpty { return [] }
      let gone = try database.rows("SELECT id, path FROM catalogue ORDER BY id") { row in
        (id: row.integer(0), name: row.text(1) ?? "")
      }.filter { $0.name.hasPrefix("/") && !FileSystem.exists($0.name) }
      return try new.sorted { $0.id < $1.id }.compactMap { catalogue in
        try gone.first { try database.hasLoans(catalogue.id, of: $0.id) }
          .map { (catalogue.name, $0.name) }
      }
    }
  }
}

extension Database {
  /// Whether the ledger has nothing of a catalogue.
  fileprivate func isUntold(_ catalogue: Int64) throws -> Bool {
    try integer("SELECT 1 FROM delivery WHERE catalogue = ? LIMIT 1", catalogue) == nil
  }

  /// Whether a catalogue has at least half of the loans of another one that somebody was told of, of the
  /// first 1,000: the same books of the same people, renewed or not.
  fileprivate func hasLoans(_ catalogue: Int64, of other: Int64) throws -> Bool {
    if catalogue == other { return false }
    let (own, others) = (LoanID.all(of: catalogue), LoanID.all(of: other))
    let told = """
      SELECT DISTINCT identity, person, \(StoredTexts.column(.title)) AS title FROM (
        SELECT * FROM loan WHERE id BETWEEN ?1 AND ?2 AND EXISTS (
          SELECT 1 FROM delivery WHERE \(Schema.isOfLoan("delivery")) AND delivered_at IS NOT NULL)
        ORDER BY id LIMIT 1000)
      """
    let known = try integer("SELECT count(*) FROM (\(told))", others.lowerBound, others.upperBound)
    guard let known, known > 0 else { return false }
    let shared = try integer(
      """
      SELECT count(*) FROM (
        SELECT DISTINCT identity, person FROM loan WHERE id BETWEEN ?3 AND ?4
          AND (identity, person, coalesce(\(StoredTexts.column(.title)), '')) IN (
            SELECT identity, person, coalesce(title, '') FROM (\(told))))
      """, others.lowerBound, others.upperBound, own.lowerBound, own.upperBound)
    return 2 * (shared ?? 0) >= known
  }
}

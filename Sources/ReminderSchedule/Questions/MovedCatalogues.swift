public import Loans
internal import System

extension ScheduleReader {
  /// The catalogues that were probably moved, or copied: nothing was ever sent of them, something is due,
  /// and they have loans that somebody was told of under another name.
  ///
  /// - Parameters:
  ///   - names: the names of the catalogues that may have been moved.
  ///   - now: the library's civil time.
  /// - Returns: each with its old name, and whether the file of that is gone.
  public func movedCatalogues(
    among names: [String], at now: CivilDateTime
  ) throws(ScheduleError) -> [(name: String, oldName: String, isGone: Bool)] {
    try connection.transact { database in
      let new = try Set(names).compactMap { name in
        try database.knownCatalogueID(name).map { (id: $0, name: name) }
      }.filter { try database.isUntold($0.id) && database.hasDue($0.id, at: now) }
      if new.isEmpty { return [] }
      // Those whose files are gone first.
      let known = try database.rows("SELECT id, path FROM catalogue ORDER BY id") { row in
        let name = row.text(1) ?? ""
        let isGone = name.hasPrefix("/") && !FileSystem.exists(name)
        return (id: row.integer(0), name: name, isGone: isGone)
      }.filter { try !database.isUntold($0.id) }
      let others = known.filter(\.isGone) + known.filter { !$0.isGone }
      return try new.sorted { $0.id < $1.id }.compactMap { catalogue in
        try others.first { try database.hasLoans(catalogue.id, of: $0.id) }
          .map { (catalogue.name, $0.name, $0.isGone) }
      }
    }
  }
}

extension Database {
  /// Whether the ledger has nothing of a catalogue.
  fileprivate func isUntold(_ catalogue: Int64) throws -> Bool {
    try integer("SELECT 1 FROM delivery WHERE catalogue = ? LIMIT 1", catalogue) == nil
  }

  /// Whether a notice of a catalogue may be due.
  fileprivate func hasDue(_ catalogue: Int64, at now: CivilDateTime) throws -> Bool {
    try integer(
      "SELECT 1 FROM loan WHERE id BETWEEN ? AND ? AND fire_at <= ? LIMIT 1",
      LoanID.all(of: catalogue), now.ordinal) != nil
  }

  /// Whether a catalogue has at least half of the loans of another one that somebody was told of, of the
  /// first 1,000, or half of its own are these: the same books of the same people, renewed or not.
  fileprivate func hasLoans(_ catalogue: Int64, of other: Int64) throws -> Bool {
    let (own, others) = (LoanID.all(of: catalogue), LoanID.all(of: other))
    let told = """
      SELECT DISTINCT identity, person, \(StoredTexts.column(.title)) AS title FROM (
        SELECT * FROM loan WHERE id BETWEEN ?1 AND ?2 AND EXISTS (
          SELECT 1 FROM delivery WHERE \(Schema.isOfLoan("delivery")) AND delivered_at IS NOT NULL)
        ORDER BY id LIMIT 1000)
      """
    let known = try count("(\(told))", others)
    if known == 0 { return false }
    let shared = try count(
      """
      (SELECT DISTINCT identity, person FROM loan WHERE id BETWEEN ?3 AND ?4
        AND (identity, person, coalesce(\(StoredTexts.column(.title)), '')) IN (
          SELECT identity, person, coalesce(title, '') FROM (\(told))))
      """, others, own)
    let ownCount = try count("(SELECT 1 FROM loan WHERE id BETWEEN ? AND ? LIMIT 1000)", own)
    return 2 * shared >= min(known, ownCount)
  }
}

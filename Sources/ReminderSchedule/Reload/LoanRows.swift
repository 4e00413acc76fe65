internal import Loans

/// The statements by which a reload changes the rows of a catalogue's loans.
struct LoanRows {
  private let database: Database
  private let catalogue: Int64
  private var insertion: Statement?
  /// Whether there are returned loans that may come back; `nil` until that is asked.
  private var hasReturned: Bool?

  /// For how many days a loan that comes back has its number again, even if it was renewed.
  private static let daysOfAbsence = 7

  init(_ database: Database, catalogue: Int64) {
    self.database = database
    self.catalogue = catalogue
  }

  /// Stores a loan that has no row yet.
  mutating func insert(_ loan: StoredLoan, _ parts: some LoanParts, as id: Int64) throws {
    let statement = try insertion ?? database.statement("INSERT INTO loan \(Self.values)")
    insertion = statement
    do {
      try run(statement, loan, parts, id)
    } catch let error as DatabaseError where error.resultCode == .constraint {
      throw DatabaseError.damage("the highest number of a loan")
    }
  }

  /// Stores a loan in place of what its row holds, if there is one.
  func put(_ loan: StoredLoan, _ parts: some LoanParts, as id: Int64) throws {
    try run(try database.statement("INSERT OR REPLACE INTO loan \(Self.values)"), loan, parts, id)
  }

  private static let values = """
    (id, identity, ordinal, copy, fingerprint, expiration, fire_at, cancelled, expiration_time,
     loan_id, title, author, isbn, barcode, borrower, email)
    VALUES (?, ?, ?, 1, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  private static let texts: InlineArray<7, LoanPart> = [
    .id, .title, .author, .isbn, .barcode, .borrower, .email,
  ]

  private func run(
    _ statement: Statement, _ loan: StoredLoan, _ parts: some LoanParts, _ id: Int64
  ) throws {
    statement.bind { parameters in
      parameters.bind(id)
      parameters.bind(Int64(bitPattern: loan.identity))
      parameters.bind(Int64(loan.ordinal))
      parameters.bind(Int64(bitPattern: loan.fingerprint))
      parameters.bind(Int64(loan.expiration))
      parameters.bind(loan.fireAt)
      parameters.bind(parts.lastTime.map { Int64($0.secondOfDay) })
      for index in Self.texts.indices {
        var isThere = false
        parts.withPart(Self.texts[index]) { text in
          isThere = true
          parameters.bind(copying: text)
        }
        if !isThere { parameters.bind(nil) }
      }
    }
    try statement.run()
  }

  /// Moves a loan that the catalogue no longer has to the returned ones.
  func moveAway(_ id: Int64, leftOn: CivilDate) throws {
    try database.run(
      """
      INSERT INTO returned (\(Self.columns), left_on)
      SELECT \(Self.columns), ? FROM loan WHERE id = ?
      """, leftOn, id)
    try database.run("DELETE FROM loan WHERE id = ?", id)
  }

  private static let columns = """
    id, identity, ordinal, copy, fingerprint, expiration, fire_at, cancelled, expiration_time,
    loan_id, title, author, isbn, barcode, borrower, email
    """

  /// Takes a loan that has come back from the returned ones.
  ///
  /// One with another expiration may be another lending of the book, unless it was away for some
  /// days only.
  ///
  /// - Returns: its row number; `nil` if it is none of them.
  mutating func takeBack(_ loan: StoredLoan, today: CivilDate) throws -> Int64? {
    let isPossible =
      try hasReturned
      ?? (database.integer("SELECT 1 FROM returned WHERE catalogue = ? LIMIT 1", catalogue) != nil)
    hasReturned = isPossible
    guard isPossible else { return nil }
    let identity = Int64(bitPattern: loan.identity)
    let found = try database.integer(
      """
      SELECT id FROM returned
      WHERE identity = ?1 AND ordinal = ?2 AND catalogue = ?3
        AND (expiration = ?4 OR left_on >= ?5)
      ORDER BY expiration = ?4 DESC, left_on DESC, id LIMIT 1
      """,
      identity, Int(loan.ordinal), catalogue, Int(loan.expiration),
      today.adding(days: -Self.daysOfAbsence))
    if let found {
      // By its identity, which has an index.
      try database.run("DELETE FROM returned WHERE identity = ? AND id = ?", identity, found)
    }
    return found
  }

  /// Counts loans alike in identity and expiration, in the order of the catalogue: by that number
  /// each finds what was told of it, whichever of them leaves.
  func countCopies() throws {
    let all = LoanID.all(of: catalogue)
    let rows = try database.statement(
      """
      SELECT id, copy, row_number() OVER (PARTITION BY identity, expiration ORDER BY ordinal, id)
      FROM loan
      WHERE id BETWEEN ?1 AND ?2 AND identity IN (
        SELECT identity FROM loan WHERE id BETWEEN ?1 AND ?2 AND ordinal > 1)
      """)
    rows.bind(all.lowerBound, all.upperBound)
    var changed: [(id: Int64, copy: Int64)] = []
    while try rows.step() {
      if rows.integer(1) != rows.integer(2) { changed.append((rows.integer(0), rows.integer(2))) }
    }
    for row in changed {
      try database.run("UPDATE loan SET copy = ? WHERE id = ?", row.copy, row.id)
    }
  }
}

internal import Loans

/// The statements by which a reload changes the rows of a catalogue's loans.
struct LoanRows {
  private let database: Database
  private let catalogue: Int64
  private let insertion: Statement
  private let replacement: Statement
  /// Whether there are loans that left and may come back.
  private let hasLeft: Bool

  /// For how many days a loan that comes back gets its number again, even if it was renewed.
  private static let daysOfAbsence = 7

  init(_ database: Database, catalogue: Int64) throws {
    self.database = database
    self.catalogue = catalogue
    insertion = try database.statement("INSERT INTO loan \(Self.values)")
    replacement = try database.statement("INSERT OR REPLACE INTO loan \(Self.values)")
    hasLeft =
      try database.integer(
        "SELECT 1 FROM loan WHERE catalogue = ? AND left_on IS NOT NULL LIMIT 1", catalogue) != nil
  }

  /// Stores a loan that has no row yet.
  func insert(_ loan: StoredLoan, _ parts: some LoanParts, as id: Int64) throws {
    do {
      try run(insertion, loan, parts, id)
    } catch let error as DatabaseError where error.resultCode == .constraint {
      throw DatabaseError.damage("the highest number of a loan")
    }
  }

  /// Stores a loan in place of what its row holds.
  func replace(_ loan: StoredLoan, _ parts: some LoanParts, as id: Int64) throws {
    try run(replacement, loan, parts, id)
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

  /// Notes that the catalogue no longer has a loan.
  func markLeft(_ id: Int64, on day: CivilDate) throws {
    try database.run("UPDATE loan SET left_on = ? WHERE id = ?", day, id)
  }

  /// The row of a loan that left and has come back; `nil` if it is none of them.
  ///
  /// One with another expiration may be another lending of the book, unless it was away for a few
  /// days only.
  func returning(_ loan: StoredLoan, today: CivilDate) throws -> Int64? {
    guard hasLeft else { return nil }
    return try database.integer(
      """
      SELECT id FROM loan
      WHERE left_on IS NOT NULL AND identity = ?1 AND ordinal = ?2 AND catalogue = ?3
        AND (expiration = ?4 OR left_on >= ?5)
      ORDER BY expiration = ?4 DESC, left_on DESC, id LIMIT 1
      """,
      Int64(bitPattern: loan.identity), Int(loan.ordinal), catalogue, Int(loan.expiration),
      today.adding(days: -Self.daysOfAbsence))
  }

  /// Numbers loans alike in identity and expiration, in the order of the catalogue: by that number
  /// each finds its deliveries, whichever of them leaves.
  func numberCopies() throws {
    let all = LoanID.all(of: catalogue)
    let rows = try database.statement(
      """
      SELECT id, copy, row_number() OVER (PARTITION BY identity, expiration ORDER BY ordinal, id)
      FROM loan
      WHERE id BETWEEN ?1 AND ?2 AND left_on IS NULL AND identity IN (
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

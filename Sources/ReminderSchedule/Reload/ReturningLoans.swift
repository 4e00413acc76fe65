internal import Loans

/// New loans of a reading that are known again: as one that has left and is back, or as one that is gone
/// and has the same title, author, ISBN, person and expiration, whose book was given an id for example, or
/// that of another.
///
/// Of the loans 1 "Abigél" of Anna, 2 "Toldi" of Béla and a catalogue with 1 "Toldi" of Béla, 2 "Toldi" is
/// known as 1 from now on, with what was told of it, and 1 "Abigél" is gone. Where the identity of a loan
/// is another's, what was told of it is set apart under the number of its row: of one that is recognised
/// until ``moveDeliveries()``, and of one that leaves for good, unless it is recognised later.
struct ReturningLoans {
  typealias Pair = (new: Int64, old: Int64)
  fileprivate typealias Row = (id: Int64, key: UInt64, identity: Int64)

  private let database: Database
  private let all: ClosedRange<Int64>
  private let today: CivilDate
  /// The rows recognised by what they are, whose deliveries are set apart.
  private var recognised: [Int64] = []

  /// For how many days a loan that comes back gets its number again, even if it was renewed, and stays
  /// silenced: later it may be another lending.
  private static let daysOfAbsence = 7

  init(_ database: Database, catalogue: Int64, today: CivilDate) {
    (self.database, self.today) = (database, today)
    all = LoanID.all(of: catalogue)
  }

  /// Gives new loans the numbers, and the deliveries and silences, of those that they are.
  ///
  /// - Parameters:
  ///   - new: the row numbers of the loans that are new.
  ///   - gone: those of loans that are no longer in the catalogue.
  ///   - replaced: new loans with the identity of one that is gone, and was of another book or person: unless
  ///     one of the two is recognised, they are the same loan, corrected. If there are any, ids may have
  ///     moved, and loans are recognised by what they are among all that have left before, and else among
  ///     those that were set apart.
  /// - Returns: the row numbers of those gone that are there again.
  mutating func recognise(
    _ new: ClosedRange<Int64>, among gone: [Int64], or replaced: [Pair]
  ) throws -> Set<Int64> {
    let back = try findBack(new, isReplacing: Set(replaced.map(\.new)))
    let isBack = Set(back.map(\.new))
    var known: [UInt64: [Row]] = [:]
    let condition = replaced.isEmpty ? "identity = id" : "1"
    for row in try rows(.left, in: all, where: condition) {
      known[row.key, default: []].append(row)
    }
    // The first one last.
    for id in gone.reversed() {
      for row in try rows(.present, in: id...id) { known[row.key, default: []].append(row) }
    }
    var pairs: [Pair] = []
    for row in known.isEmpty ? [] : try rows(.present, in: new) where !isBack.contains(row.id) {
      if let old = known[row.key]?.take(likest: row.identity) { pairs.append((row.id, old)) }
    }
    recognised = pairs.map(\.old)
    let isGone = Set(gone)
    for old in recognised where !isGone.contains(old) { try comeBack(old) }
    let (taken, found) = (Set(pairs.map(\.new)), Set(recognised))
    let corrected = replaced.filter { !taken.contains($0.new) && !found.contains($0.old) }
    let again = found.union(corrected.map(\.old))
    let leaving = replaced.map(\.old).filter { !again.contains($0) }
    for old in recognised + leaving { try database.setApart(old, in: .present) }
    for (new, old) in back + pairs + corrected {
      for statement in Self.takeover { try database.run(statement, new, old) }
    }
    for old in recognised { try database.run(Self.arrivalOfSilence, old) }
    return again.intersection(isGone)
  }

  /// Finds new loans among those that have left by their identity, and has these come back.
  ///
  /// One with another expiration may be another lending of the book, unless it was away for a few
  /// days only. What another book was told that had the identity is set apart.
  private func findBack(
    _ new: ClosedRange<Int64>, isReplacing: Set<Int64>
  ) throws -> [Pair] {
    let hasLeft = "SELECT 1 FROM left_loan WHERE id BETWEEN ? AND ? LIMIT 1"
    if try database.integer(hasLeft, all) == nil { return [] }
    let found = try database.rows(Self.back, new, firstDay) { row in
      (
        new: row.integer(0), old: row.integer(1), isSameDay: row.integer(2) != 0,
        isSameBook: StoredTexts.areOfOneBook(row.text(3), row.text(4))
      )
    }
    var pairs: [Pair] = []
    for (new, old, isSameDay, isSameBook) in found {
      if !isSameBook, isSameDay { try database.setApart(old, in: .left) }
      if !isSameBook || isReplacing.contains(new) || pairs.last?.new == new { continue }
      try comeBack(old)
      pairs.append((new, old))
    }
    return pairs
  }

  /// The loans that have left, each with a new one ?1 to ?2 of the same identity and person, and the
  /// same expiration or a departure on or after ?3; the likeliest first.
  private static let back = """
    SELECT new.id, old.id, old.expiration = new.expiration, old.fields, new.fields
    FROM loan AS new CROSS JOIN left_loan AS old
      ON old.identity = new.identity AND old.ordinal = new.ordinal AND old.person = new.person
        AND old.id >> \(LoanID.shift) = new.id >> \(LoanID.shift)
    WHERE new.id BETWEEN ?1 AND ?2 AND (old.expiration = new.expiration OR left_on >= ?3)
    ORDER BY new.id, old.expiration = new.expiration DESC, left_on DESC, old.id
    """

  /// Rows with what their loans are known by, those that left last at the end.
  private func rows(
    _ table: LoanTable, in range: ClosedRange<Int64>, where condition: String = "1"
  ) throws -> [Row] {
    try database.rows(
      """
      SELECT id, expiration, person, fields, identity FROM \(table.rawValue)
      WHERE id BETWEEN ? AND ? AND \(condition)
      ORDER BY \(table == .left ? "left_on, id DESC" : "id")
      """, range
    ) { row in
      Self.key(row).map { (row.integer(0), $0, row.integer(4)) }
    }.compactMap(\.self)
  }

  /// What a loan is known by whatever its id; `nil` for one with neither title, ISBN nor barcode.
  private static func key(_ row: Statement) -> UInt64? {
    guard let texts = row.text(3).flatMap(StoredTexts.init) else { return nil }
    let hasName = texts[.title] != nil || texts[.isbn] != nil
    guard hasName || texts[.barcode] != nil else { return nil }
    var hash = ContentHash()
    for column in [1, 2] as [Int32] { hash.combine(UInt64(bitPattern: row.integer(column))) }
    for field in StoredTexts.book + (hasName ? [] : [.barcode]) {
      hash.combine((texts[field] ?? "").utf8.span)
    }
    return hash.value
  }

  /// Gives those recognised their deliveries, once loans alike are numbered.
  func moveDeliveries() throws {
    for id in recognised {
      for statement in Self.arrivalOfDeliveries { try database.run(statement, id) }
    }
  }

  /// The first day of leaving since which a loan was not away for long.
  private var firstDay: Int { today.adding(days: -Self.daysOfAbsence).dayNumber }

  /// Puts a loan that has left among the others.
  private func comeBack(_ id: Int64) throws {
    try database.run(
      """
      DELETE FROM silence WHERE EXISTS (
        SELECT 1 FROM left_loan AS loan WHERE loan.id = ? AND left_on < ? AND \(Silence.isOfLoan))
      """, id, firstDay)
    try database.run(
      """
      INSERT INTO loan SELECT id, identity, hash, expiration, fire_at, ladder, ordinal, copy, person,
        armed_on, open_before, open_after, fields FROM left_loan WHERE id = ?
      """, id)
    try database.run("DELETE FROM left_loan WHERE id = ?", id)
  }

  /// Puts a new loan, ?1, into the row of one that is gone, ?2.
  private static let takeover = [
    """
    INSERT OR REPLACE INTO loan
    SELECT old.id, new.identity, new.hash, new.expiration, new.fire_at, new.ladder, new.ordinal,
      new.copy, new.person,
      iif((new.ladder, new.expiration, new.person) = (old.ladder, old.expiration, old.person),
        old.armed_on, new.armed_on),
      new.open_before, new.open_after, new.fields
    FROM loan AS new, loan AS old WHERE new.id = ?1 AND old.id = ?2
    """,
    "DELETE FROM loan WHERE id = ?1 AND id <> ?2",
  ]

  /// Of two silences of what is one loan now, the later one holds.
  private static let arrivalOfSilence = """
    UPDATE OR IGNORE silence SET identity = loan.identity FROM loan
    WHERE loan.id = ?1 AND silence.identity = loan.id
      AND silence.catalogue = loan.id >> \(LoanID.shift)
    """

  /// What the same person was told before of another book with the identity is put aside.
  private static let arrivalOfDeliveries = [
    "UPDATE OR REPLACE delivery SET copy = -copy WHERE \(Schema.isDeliveryOfFirst)",
    """
    UPDATE delivery SET identity = loan.identity, copy = loan.copy FROM loan
    WHERE loan.id = ?1 AND delivery.identity = loan.id
      AND delivery.catalogue = loan.id >> \(LoanID.shift)
    """,
  ]
}

extension Database {
  /// Makes the number of a loan's row its identity, and that of its deliveries and silence.
  func setApart(_ id: Int64, in table: LoanTable) throws {
    let rows = "FROM \(table.rawValue) AS loan WHERE loan.id = ?1"
    try run("UPDATE delivery SET identity = loan.id \(rows) AND \(Schema.isOfLoan("delivery"))", id)
    try run("UPDATE OR REPLACE silence SET identity = loan.id \(rows) AND \(Silence.isOfLoan)", id)
    try run("UPDATE \(table.rawValue) SET identity = id WHERE id = ?1", id)
  }
}

extension [ReturningLoans.Row] {
  /// Removes a row with an identity, if it is among the next ones, or else the next; of loans alike in
  /// everything else there may be thousands.
  fileprivate mutating func take(likest identity: Int64) -> Int64? {
    isEmpty
      ? nil : remove(at: suffix(20).lastIndex { $0.identity == identity } ?? count - 1).id
  }
}

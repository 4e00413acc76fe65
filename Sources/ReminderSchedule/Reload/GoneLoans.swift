internal import Loans

/// Loans that are gone from a catalogue, in which new ones of the same reading are recognised: those
/// with the same title, author, ISBN, person and expiration, whose books were given ids for example, or
/// those of others.
///
/// Of the loans 1 "Abigél" of Anna, 2 "Toldi" of Béla and a catalogue with 1 "Toldi" of Béla, 2 "Toldi" is
/// known as 1 from now on, with what was told of it, and 1 "Abigél" is gone.
struct GoneLoans {
  private let database: Database
  /// The rows that are gone, by what the loans are known by, the first one last.
  private var gone: [UInt64: [Int64]] = [:]

  init(_ database: Database, _ ids: [Int64]) throws {
    self.database = database
    let query = try database.statement("\(Self.query) WHERE id = ?")
    for id in ids.reversed() {
      query.bind(id)
      while try query.step() {
        if let key = Self.key(query) { gone[key, default: []].append(id) }
      }
    }
  }

  private static let query = "SELECT id, expiration, person, fields FROM loan"

  /// What a loan is known by whatever its id; `nil` for one without title, ISBN and barcode.
  private static func key(_ row: Statement) -> UInt64? {
    guard let texts = row.text(3).flatMap(StoredTexts.init) else { return nil }
    let hasName = texts[.title] != nil || texts[.isbn] != nil
    guard hasName || texts[.barcode] != nil else { return nil }
    let number = hasName ? [] : [texts[.barcode]]
    let parts =
      (StoredTexts.book.map { texts[$0] } + number).map { $0 ?? "" }
      + ["\(row.integer(2))"]
    var hash: UInt64 = UInt64(bitPattern: row.integer(1))
    for byte in parts.joined(separator: "\n").utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return hash
  }

  /// Gives new loans the numbers, and the deliveries and silences, of those gone that they are.
  ///
  /// - Parameters:
  ///   - new: the row numbers of the loans that are new.
  ///   - replaced: new loans with the identity of one that was of another book or person: unless one of the
  ///     two is recognised, they are the same loan, corrected.
  /// - Returns: the row numbers of those gone that are there again.
  mutating func recognise(
    in new: ClosedRange<Int64>, or replaced: [(new: Int64, old: Int64)]
  ) throws -> Set<Int64> {
    var pairs: [(new: Int64, old: Int64)] = []
    let rows = try database.statement("\(Self.query) WHERE id BETWEEN ? AND ? ORDER BY id")
    rows.bind(new.lowerBound, new.upperBound)
    while try rows.step() {
      if let key = Self.key(rows), let old = gone[key]?.popLast() {
        pairs.append((rows.integer(0), old))
      }
    }
    for statements in [Self.departure, Self.room] {
      for (new, old) in pairs {
        for statement in statements { try database.run(statement, new, old) }
      }
    }
    try database.execute(Self.arrival)
    let (taken, found) = (Set(pairs.map(\.new)), Set(pairs.map(\.old)))
    let corrected = replaced.filter { !taken.contains($0.new) && !found.contains($0.old) }
    for (new, old) in pairs + corrected {
      for statement in Self.takeover { try database.run(statement, new, old) }
    }
    return found.union(corrected.map(\.old))
  }

  /// The number that a new loan will have among those alike, in SQL; most have no other.
  private static let copyOfNew = """
    1 + iif(new.ordinal = 1, 0, (
      SELECT count(*) FROM loan
      WHERE loan.identity = new.identity AND loan.expiration = new.expiration
        AND loan.person = new.person AND loan.ordinal < new.ordinal AND loan.id <> old.id
        AND loan.id >> \(LoanID.shift) = new.id >> \(LoanID.shift)))
    """

  private static let tables = ["delivery", "silence"]

  /// Has what belongs to the loan that is gone, ?2, leave for the key of the new one, ?1, where it is kept
  /// apart, since others may be under way from there.
  private static let departure = tables.map { table in
    """
    UPDATE OR REPLACE \(table) SET catalogue = -1 - \(table).catalogue, identity = new.identity
      \(table == "delivery" ? ", copy = \(copyOfNew)" : "")
    FROM loan AS new, loan AS old
    WHERE new.id = ?1 AND old.id = ?2 AND \(table).catalogue = old.id >> \(LoanID.shift)
      AND \(table).identity = old.identity AND \(table).expiration = old.expiration
      AND \(table).person = old.person
      \(table == "delivery" ? "AND delivery.copy = old.copy" : "")
    """
  }

  /// Makes room there: what was told under that key was of another book, and a silence has ended.
  private static let room = [
    """
    UPDATE OR REPLACE delivery SET copy = -delivery.copy FROM loan AS new, loan AS old
    WHERE new.id = ?1 AND old.id = ?2 AND delivery.catalogue = new.id >> \(LoanID.shift)
      AND delivery.identity = new.identity AND delivery.expiration = new.expiration
      AND delivery.person = new.person AND delivery.copy = \(copyOfNew)
    """,
    """
    DELETE FROM silence WHERE (catalogue, identity, expiration, person) = (
      SELECT id >> \(LoanID.shift), identity, expiration, person FROM loan WHERE id = ?1)
    """,
  ]

  /// Has everything arrive.
  private static let arrival =
    tables.map { "UPDATE \($0) SET catalogue = -1 - catalogue WHERE catalogue < 0" }
    .joined(separator: "; ")

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
}

internal import Loans

/// Loans that are gone from a catalogue, in which new ones of the same reading are recognised: those
/// with the same title, author, ISBN, person and expiration, whose books were given ids for example.
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

  /// What a loan is known by whatever its id; `nil` for one without title and ISBN.
  private static func key(_ row: Statement) -> UInt64? {
    guard let texts = row.text(3).flatMap(StoredTexts.init) else { return nil }
    if texts[.title] == nil && texts[.isbn] == nil { return nil }
    let parts = [LoanField.title, .author, .isbn].map { texts[$0] ?? "" } + ["\(row.integer(2))"]
    var hash: UInt64 = UInt64(bitPattern: row.integer(1))
    for byte in parts.joined(separator: "\n").utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return hash
  }

  /// Gives new loans the numbers, and the deliveries and silences, of those gone that they are.
  ///
  /// - Parameter new: the row numbers of the loans that are new.
  /// - Returns: the row numbers of those gone that are there again.
  mutating func recognise(in new: ClosedRange<Int64>) throws -> Set<Int64> {
    if gone.isEmpty { return [] }
    var pairs: [(new: Int64, old: Int64)] = []
    let found = try database.statement("\(Self.query) WHERE id BETWEEN ? AND ? ORDER BY id")
    found.bind(new.lowerBound, new.upperBound)
    while try found.step() {
      if let key = Self.key(found), let old = gone[key]?.popLast() {
        pairs.append((found.integer(0), old))
      }
    }
    for (new, old) in pairs {
      for statement in Self.succession { try database.run(statement, new, old) }
    }
    return Set(pairs.map(\.old))
  }

  /// The number that a new loan will have among those alike, in SQL; most have no other.
  private static let copyOfNew = """
    1 + iif(new.ordinal = 1, 0, (
      SELECT count(*) FROM loan
      WHERE loan.identity = new.identity AND loan.expiration = new.expiration
        AND loan.person = new.person AND loan.ordinal < new.ordinal AND loan.id <> old.id
        AND loan.id >> \(LoanID.shift) = new.id >> \(LoanID.shift)))
    """

  /// What is done so that a new loan, ?1, takes the place of one that is gone, ?2.
  private static let succession =
    ["delivery", "silence"].map { table in
      """
      UPDATE OR REPLACE \(table) SET identity = new.identity
        \(table == "delivery" ? ", copy = \(copyOfNew)" : "")
      FROM loan AS new, loan AS old
      WHERE new.id = ?1 AND old.id = ?2 AND \(table).catalogue = old.id >> \(LoanID.shift)
        AND \(table).identity = old.identity AND \(table).expiration = old.expiration
        AND \(table).person = old.person
        \(table == "delivery" ? "AND delivery.copy = old.copy" : "")
      """
    } + [
      """
      INSERT OR REPLACE INTO loan
      SELECT old.id, new.identity, new.hash, new.expiration, new.fire_at, new.ladder, new.ordinal,
        new.copy, new.person, iif(new.ladder = old.ladder, old.armed_on, new.armed_on),
        new.open_before, new.open_after, new.fields
      FROM loan AS new, loan AS old WHERE new.id = ?1 AND old.id = ?2
      """,
      "DELETE FROM loan WHERE id = ?1 AND id <> ?2",
    ]
}

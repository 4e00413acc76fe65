internal import Loans

/// Loans that are gone from a catalogue, in which new ones of the same reading are recognised: those
/// with the same title, author, ISBN, person and expiration, whose books were given ids for example, or
/// those of others.
///
/// Of the loans 1 "Abigél" of Anna, 2 "Toldi" of Béla and a catalogue with 1 "Toldi" of Béla, 2 "Toldi" is
/// known as 1 from now on, with what was told of it, and 1 "Abigél" is gone. Where the identity of a loan
/// is another's, what was told of it is set apart under the number of its row: of one that is recognised
/// until ``moveDeliveries()``, and of one that leaves for good, unless it is recognised later.
struct GoneLoans {
  fileprivate typealias Row = (id: Int64, identity: Int64)

  private let database: Database
  /// The rows that are gone, by what the loans are known by, the first one last.
  private var gone: [UInt64: [Row]] = [:]
  /// The rows of those recognised, whose deliveries are set apart.
  private var recognised: [Int64] = []

  init(_ database: Database, _ ids: [Int64]) throws {
    self.database = database
    let query = try database.statement("\(Self.query()) WHERE id = ?")
    for id in ids.reversed() {
      query.bind(id)
      while try query.step() {
        if let key = Self.key(query) { gone[key, default: []].append((id, query.integer(4))) }
      }
    }
  }

  private static func query(_ table: LoanTable = .present) -> String {
    "SELECT id, expiration, person, fields, identity FROM \(table.rawValue)"
  }

  /// What a loan is known by whatever its id; `nil` for one with neither title, ISBN nor barcode.
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
  ///     two is recognised, they are the same loan, corrected. If there are any, ids may have moved, and
  ///     loans are recognised among those that have left before, too.
  /// - Returns: the row numbers of those that are there again.
  mutating func recognise(
    in new: ClosedRange<Int64>, or replaced: [(new: Int64, old: Int64)]
  ) throws -> Set<Int64> {
    var pairs: [(new: Int64, old: Int64)] = []
    var others: [(id: Int64, key: UInt64)] = []
    let rows = try database.statement("\(Self.query()) WHERE id BETWEEN ? AND ? ORDER BY id")
    rows.bind(new.lowerBound, new.upperBound)
    while try rows.step() {
      let id = rows.integer(0)
      guard let key = Self.key(rows) else { continue }
      if let old = gone[key]?.take(likest: rows.integer(4)) {
        pairs.append((id, old))
      } else {
        others.append((id, key))
      }
    }
    if !replaced.isEmpty {
      pairs += try recogniseLeft(others, LoanID.all(of: new.lowerBound >> LoanID.shift))
    }
    recognised = pairs.map(\.old)
    let (taken, found) = (Set(pairs.map(\.new)), Set(recognised))
    let corrected = replaced.filter { !taken.contains($0.new) && !found.contains($0.old) }
    let again = found.union(corrected.map(\.old))
    let leaving = replaced.map(\.old).filter { !again.contains($0) }
    for old in recognised + leaving { try database.setApart(old, in: .present) }
    for (new, old) in pairs + corrected {
      for statement in Self.takeover { try database.run(statement, new, old) }
    }
    for old in recognised { try database.run(Self.arrivalOfSilence, old) }
    return again
  }

  /// Recognises new loans among those that have left, which come back.
  private func recogniseLeft(
    _ new: [(id: Int64, key: UInt64)], _ all: ClosedRange<Int64>
  ) throws -> [(new: Int64, old: Int64)] {
    if new.isEmpty { return [] }
    var left: [UInt64: [Int64]] = [:]
    let rows = try database.statement(
      "\(Self.query(.left)) WHERE id BETWEEN ? AND ? ORDER BY left_on, id DESC")
    rows.bind(all.lowerBound, all.upperBound)
    while try rows.step() {
      if let key = Self.key(rows) { left[key, default: []].append(rows.integer(0)) }
    }
    var pairs: [(new: Int64, old: Int64)] = []
    for (id, key) in new {
      guard let old = left[key]?.popLast() else { continue }
      for statement in Self.comeback { try database.run(statement, old) }
      pairs.append((id, old))
    }
    return pairs
  }

  /// Gives those recognised their deliveries, once loans alike are numbered.
  func moveDeliveries() throws {
    for id in recognised {
      for statement in Self.arrivalOfDeliveries { try database.run(statement, id) }
    }
  }

  /// Puts a loan that has left, ?1, among the others.
  private static let comeback = [
    """
    INSERT INTO loan SELECT id, identity, hash, expiration, fire_at, ladder, ordinal, copy, person,
      armed_on, open_before, open_after, fields FROM left_loan WHERE id = ?1
    """,
    "DELETE FROM left_loan WHERE id = ?1",
  ]

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

  private static let arrivalOfSilence = """
    UPDATE OR REPLACE silence SET identity = loan.identity FROM loan
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

extension [GoneLoans.Row] {
  /// Removes a row with an identity, if it is among the next ones, or else the next; of loans alike in
  /// everything else there may be thousands.
  fileprivate mutating func take(likest identity: Int64) -> Int64? {
    isEmpty
      ? nil : remove(at: suffix(20).lastIndex { $0.identity == identity } ?? count - 1).id
  }
}

internal import Loans

/// Loans that are gone from a catalogue, in which new ones of the same reading are recognised: those
/// with the same title, author, ISBN, person and expiration, whose books were given ids for example, or
/// those of others.
///
/// Of the loans 1 "Abigél" of Anna, 2 "Toldi" of Béla and a catalogue with 1 "Toldi" of Béla, 2 "Toldi" is
/// known as 1 from now on, with what was told of it, and 1 "Abigél" is gone.
struct GoneLoans {
  private let database: Database
  /// The rows that are gone, and their identities, by what the loans are known by.
  private var gone: [UInt64: [(id: Int64, identity: Int64)]] = [:]
  /// The rows of those recognised, whose deliveries are under way.
  private var recognised: [Int64] = []

  init(_ database: Database, _ ids: [Int64]) throws {
    self.database = database
    let query = try database.statement("\(Self.query) WHERE id = ?")
    for id in ids {
      query.bind(id)
      while try query.step() {
        if let key = Self.key(query) { gone[key, default: []].append((id, query.integer(4))) }
      }
    }
  }

  private static let query = "SELECT id, expiration, person, fields, identity FROM loan"

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
      guard let key = Self.key(rows), let alike = gone[key], !alike.isEmpty else { continue }
      let place = alike.firstIndex { $0.identity == rows.integer(4) } ?? 0
      gone[key]?.remove(at: place)
      pairs.append((rows.integer(0), alike[place].id))
    }
    recognised = pairs.map(\.old)
    for old in recognised {
      for statement in Self.departure { try database.run(statement, old) }
    }
    let (taken, found) = (Set(pairs.map(\.new)), Set(recognised))
    let corrected = replaced.filter { !taken.contains($0.new) && !found.contains($0.old) }
    for (new, old) in pairs + corrected {
      for statement in Self.takeover { try database.run(statement, new, old) }
    }
    for old in recognised {
      for statement in Self.arrivalOfSilence { try database.run(statement, old) }
    }
    return found.union(corrected.map(\.old))
  }

  /// Gives those recognised their deliveries, once loans alike are numbered.
  func giveDeliveries() throws {
    for id in recognised {
      for statement in Self.arrivalOfDeliveries { try database.run(statement, id) }
    }
  }

  /// Sets what belongs to a loan that is gone apart, under the number of its row: where it will be, there
  /// may be what belongs to another.
  private static let departure = ["delivery", "silence"].map { table in
    """
    UPDATE \(table) SET catalogue = -1 - \(table).catalogue, identity = old.id FROM loan AS old
    WHERE old.id = ?1 AND \(table).catalogue = old.id >> \(LoanID.shift)
      AND \(table).identity = old.identity AND \(table).expiration = old.expiration
      AND \(table).person = old.person \(table == "delivery" ? "AND delivery.copy = old.copy" : "")
    """
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

  /// A silence of what was known in that way before has ended.
  private static let arrivalOfSilence = [
    """
    DELETE FROM silence WHERE (catalogue, identity, expiration, person) = (
      SELECT id >> \(LoanID.shift), identity, expiration, person FROM loan WHERE id = ?1)
    """,
    """
    UPDATE silence SET catalogue = loan.id >> \(LoanID.shift), identity = loan.identity FROM loan
    WHERE loan.id = ?1 AND silence.identity = loan.id
      AND silence.catalogue = -1 - (loan.id >> \(LoanID.shift))
    """,
  ]

  /// What was told of what was known in that way before counts for nothing that there is.
  private static let arrivalOfDeliveries = [
    "UPDATE OR REPLACE delivery SET copy = -copy WHERE \(Schema.isDeliveryOfFirst)",
    """
    UPDATE delivery SET catalogue = loan.id >> \(LoanID.shift), identity = loan.identity,
      copy = loan.copy
    FROM loan WHERE loan.id = ?1 AND delivery.identity = loan.id
      AND delivery.catalogue = -1 - (loan.id >> \(LoanID.shift))
    """,
  ]
}

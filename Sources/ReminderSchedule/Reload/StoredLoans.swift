internal import Loans

/// The values of a stored loan that a reload compares.
struct StoredLoan {
  /// The row number; 0 once it is matched.
  var id: Int64
  /// See ``Loans/LoanIdentity/key``.
  var key: UInt64
  /// See ``LoanRow/hash``.
  var hash: Int64
}

extension LoanIdentity {
  /// Which loan it is: hash and ordinal in one.
  var key: UInt64 {
    hash &+ UInt64(truncatingIfNeeded: ordinal &- 1) &* 0x9E37_79B9_7F4A_7C15
  }
}

/// The loans that a catalogue had before, matched with those that it has now.
///
/// A catalogue usually has the order of the last time. So the stored loans are read in step with it,
/// some hundreds at a time, and only those that were passed over are kept. One that is not among the next
/// 1,000 may be new, or else have another place now: that is known once all stored loans are read. Then
/// those that were not matched are found by their keys.
///
/// Of the stored loans A, B, C, D and a catalogue with A, C, X: A is the next one and matched at
/// once; C is found near, after B; X is not among B and D, which are unmatched at the end.
struct StoredLoans {
  private let database: Database
  /// The row number up to which loans were read, and the last that there was before the reload.
  private var reached: Int64
  private let last: Int64
  private(set) var hasMore = true
  /// Those that were read, from `position` on in step; once there is a table, all that were not matched.
  private var loans: [StoredLoan] = []
  private var position = 0
  /// Those that were passed over before there is a table.
  private var passed: [StoredLoan] = []
  /// Places in `loans` plus one by key, 0 for none: an open-addressing table, empty at first.
  private var table: [UInt32] = []

  /// The number of loans among which one is searched for in step.
  private static let reach = 1_000

  /// Reads loans of a catalogue.
  ///
  /// - Parameter lastNumber: the highest number of a loan before the reload.
  init(_ database: Database, catalogue: Int64, lastNumber: Int64) {
    self.database = database
    reached = LoanID.all(of: catalogue).lowerBound
    last = reached + lastNumber
  }

  /// Matches a loan with the same stored one; `nil` if there is none.
  ///
  /// - Parameter isLookedUp: whether all stored loans are read if that must be known; otherwise it is not
  ///   as long as it ``hasMore``.
  mutating func match(_ key: UInt64, isLookedUp: Bool = false) throws -> StoredLoan? {
    if hasMore, loans.count - position < Self.reach { try readAhead() }
    if position < loans.count, loans[position].key == key, loans[position].id != 0 {
      return take(position)
    }
    if table.isEmpty {
      if let place = loans[position...].prefix(Self.reach).firstIndex(where: { $0.key == key }) {
        return take(place)
      }
      if hasMore, !isLookedUp { return nil }
      try makeTable()
    }
    return find(key).map { take($0) }
  }

  /// Marks a loan as matched, and goes on after it if it is near.
  private mutating func take(_ place: Int) -> StoredLoan {
    let loan = loans[place]
    loans[place].id = 0
    if (position..<position + Self.reach).contains(place) { position = place + 1 }
    return loan
  }

  /// The place of a loan that is not matched.
  private func find(_ key: UInt64) -> Int? {
    var slot = slot(of: key)
    while table[slot] != 0 {
      let place = Int(table[slot]) - 1
      if loans[place].key == key, loans[place].id != 0 { return place }
      slot = (slot + 1) & (table.count - 1)
    }
    return nil
  }

  private func slot(of key: UInt64) -> Int {
    Int(truncatingIfNeeded: key &* 0x9E37_79B9_7F4A_7C15 >> 32) & (table.count - 1)
  }

  /// Reads further ahead than is searched, and forgets the loans that were matched.
  private mutating func readAhead() throws {
    passed += loans[..<position].lazy.filter { $0.id != 0 }
    loans.removeFirst(position)
    position = 0
    while hasMore, loans.count - position < 2 * Self.reach { try readSome() }
  }

  private mutating func makeTable() throws {
    while hasMore { try readSome() }
    position += passed.count
    loans.insert(contentsOf: passed, at: 0)
    passed = []
    var size = 1_024
    while size < 2 * loans.count { size *= 2 }
    table = Array(repeating: 0, count: size)
    for (place, loan) in loans.enumerated() where loan.id != 0 {
      var slot = slot(of: loan.key)
      while table[slot] != 0 { slot = (slot + 1) & (size - 1) }
      table[slot] = UInt32(place + 1)
    }
  }

  private mutating func readSome() throws {
    let query = try database.statement(
      """
      SELECT id, identity, hash, ordinal FROM loan WHERE id > ? AND id <= ? ORDER BY id LIMIT 500
      """)
    query.bind(reached, last)
    var count = 0
    while try query.step() {
      let id = query.integer(0)
      // In a damaged file, rows can be out of their order: they would come again and again.
      if id <= reached { throw DatabaseError.damage("the order of loans") }
      reached = id
      count += 1
      let identity = LoanIdentity(
        hash: UInt64(bitPattern: query.integer(1)), ordinal: Int(query.integer(3)))
      loans.append(StoredLoan(id: id, key: identity.key, hash: query.integer(2)))
    }
    hasMore = count == 500
  }

  /// The row numbers of the loans that none was matched with.
  mutating func unmatched() throws -> [Int64] {
    while hasMore { try readSome() }
    return [passed, loans].joined().lazy.map(\.id).filter { $0 != 0 }
  }
}

/// The values of a loan that a reload compares.
struct StoredLoan {
  /// The row number; 0 for a loan that has been read and not stored.
  var id: Int64
  var identity: Int64
  var fingerprint: Int64
  /// The ordinal of the time.
  var fireAt: Int64
  /// A day number.
  var expiration: Int32
  var ordinal: Int32
  /// The number of its ladder.
  var ladder: Int64
  var isCancelled = false
  var isMatched = false

  /// Whether it is the same loan as another, whatever their other values.
  fileprivate func isSameLoan(as other: StoredLoan) -> Bool {
    identity == other.identity && ordinal == other.ordinal
  }

  /// Whether it is the same loan as another, with the same values.
  func isSame(as other: StoredLoan) -> Bool {
    isSameLoan(as: other) && fingerprint == other.fingerprint && expiration == other.expiration
      && fireAt == other.fireAt && ladder == other.ladder
  }
}

/// The loans that a catalogue had before, matched with those that it has now.
///
/// A catalogue usually has the order of the last time. So the stored loans are read in step with it,
/// some hundreds at a time, and only those that were passed over are kept. If a loan is not among the
/// next 1,000, all that remain are read and sorted, 48 bytes for each: so a row that is added then is
/// never read as one that was there.
///
/// Of the stored loans A, B, C, D and a catalogue with A, C, X: A is the next one and matched at
/// once; C is found near, after B; X is found nowhere; B and D are unmatched at the end.
struct StoredLoans {
  private let database: Database
  /// The row number up to which loans were read, and the last there is.
  private var reached: Int64
  private let last: Int64
  private var hasMore = true
  /// Those that were read and not reached.
  private var ahead: ArraySlice<StoredLoan> = []
  /// Those that were passed over; once some loan was not found nearby, all that were not matched, in
  /// the order of their identities.
  private var passed: [StoredLoan] = []
  private var isSorted = false

  /// The number of loans among which one is searched for before all are searched: this many in a row
  /// may have left at little cost.
  private static let reach = 1_000

  /// Reads loans of a catalogue.
  init(_ database: Database, catalogue: Int64) {
    self.database = database
    let all = LoanID.all(of: catalogue)
    (reached, last) = (all.lowerBound, all.upperBound)
  }

  /// Matches a loan with the same stored one; `nil` if there is none.
  mutating func match(_ loan: StoredLoan) throws -> StoredLoan? {
    if isSorted { return matchPassed(loan) }
    while hasMore, ahead.count < Self.reach { try readSome() }
    if let first = ahead.first, first.isSameLoan(as: loan) {
      ahead.removeFirst()
      return first
    }
    if let place = ahead.prefix(Self.reach).firstIndex(where: loan.isSameLoan) {
      passed += ahead[..<place]
      let found = ahead[place]
      ahead.removeFirst(place + 1 - ahead.startIndex)
      return found
    }
    try passAll()
    passed.sort { ($0.identity, $0.ordinal, $0.id) < ($1.identity, $1.ordinal, $1.id) }
    isSorted = true
    return matchPassed(loan)
  }

  /// Finds a loan by binary search.
  private mutating func matchPassed(_ loan: StoredLoan) -> StoredLoan? {
    var (low, high) = (0, passed.count)
    while low < high {
      let middle = (low + high) / 2
      if (passed[middle].identity, passed[middle].ordinal) < (loan.identity, loan.ordinal) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    let place = passed[low...].prefix(while: loan.isSameLoan).firstIndex { !$0.isMatched }
    guard let place else { return nil }
    passed[place].isMatched = true
    return passed[place]
  }

  private mutating func readSome() throws {
    let some = try database.rows(
      """
      SELECT id, identity, fingerprint, fire_at, expiration, ordinal, cancelled, ladder
      FROM loan WHERE id > ? AND id <= ? AND left_on IS NULL ORDER BY id LIMIT 500
      """, reached, last
    ) { row in
      StoredLoan(
        id: row.integer(0), identity: row.integer(1), fingerprint: row.integer(2),
        fireAt: row.integer(3), expiration: Int32(truncatingIfNeeded: row.integer(4)),
        ordinal: Int32(truncatingIfNeeded: row.integer(5)), ladder: row.integer(7),
        isCancelled: row.integer(6) != 0)
    }
    ahead += some
    let end = some.last?.id ?? last
    // In a damaged file, rows can be out of their order: they would come again and again.
    if end <= reached { throw DatabaseError.damage("the order of loans") }
    reached = end
    hasMore = !some.isEmpty
  }

  /// Passes over all that remain.
  private mutating func passAll() throws {
    while hasMore { try readSome() }
    passed += ahead
    ahead = []
  }

  /// The row numbers of the loans that none was matched with.
  mutating func unmatched() throws -> [Int64] {
    try passAll()
    return passed.lazy.filter { !$0.isMatched }.map(\.id)
  }
}

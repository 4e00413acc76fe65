/// What decides about a loan, all that a reload compares.
struct StoredLoan {
  /// The row number; 0 of a loan that has been read and not stored.
  var id: Int64
  var identity: UInt64
  var fingerprint: UInt64
  /// The ordinal of a moment.
  var fireAt: Int64
  /// A day number.
  var expiration: Int32
  var ordinal: Int32
  var isCancelled = false

  /// Whether it is the same loan as another, whatever else a catalogue says of them.
  func isSameLoan(as other: StoredLoan) -> Bool {
    identity == other.identity && ordinal == other.ordinal
  }

  /// Whether everything that a catalogue says of it is the same.
  func isSame(as other: StoredLoan) -> Bool {
    isSameLoan(as: other) && fingerprint == other.fingerprint && expiration == other.expiration
      && fireAt == other.fireAt
  }
}

/// The loans that a catalogue had before, matched with those that it has now.
///
/// A catalogue is usually written in the order of the last time. So the stored loans are read in
/// step with it, some hundreds at a time, and only those are kept that were passed over. Where the
/// two part for more than a few loans, all that remain are read and searched: 48 bytes for each.
///
/// Of the stored loans A, B, C, D and a catalogue with A, C, X: A is the expected one and matched at
/// once; C is found near, behind B; X is found nowhere; B and D are unmatched at the end.
struct StoredLoans {
  private let rows: Statement
  /// The row number up to which loans were read, and the last there is.
  private var reached: Int64
  private let last: Int64
  private var hasMore = true
  /// Those that were read and not matched, or not forgotten yet.
  private var loans: ContiguousArray<StoredLoan> = []
  private var isMatched: ContiguousArray<Bool> = []
  private var matchedCount = 0
  /// The place of the loan that the next one will be if nothing was changed.
  private var expected = 0
  /// The places in the order of identities, made when a loan is not found near the expected place.
  private var order: ContiguousArray<UInt32>?
  /// Rows that were added since, and so are none of these.
  private var added: Set<Int64> = []

  /// How many loans were stored, so far as they were read.
  private(set) var count = 0
  /// Whether some loan that was read is another than the first of its identity.
  private(set) var hasRepetitions = false

  /// How far ahead a loan is looked for before all are searched: as many in a row may have been
  /// returned at little cost.
  private static let reach = 1_000

  /// Reads loans of a catalogue.
  init(_ database: Database, catalogue: Int64) throws {
    rows = try database.statement(
      """
      SELECT id, identity, fingerprint, fire_at, expiration, ordinal, cancelled
      FROM loan WHERE id > ? AND id <= ? ORDER BY id LIMIT 500
      """)
    let all = LoanID.all(of: catalogue)
    reached = all.lowerBound
    last = all.upperBound
  }

  /// Matches a loan with the expected one, if that is stored just so.
  mutating func matchNext(_ loan: StoredLoan) throws -> StoredLoan? {
    if expected == loans.count { try readMore(upTo: 1) }
    guard expected < loans.count, !isMatched[expected], loans[expected].isSame(as: loan) else {
      return nil
    }
    return match(expected)
  }

  /// Matches a loan with the stored one that it is; `nil` if there is none.
  mutating func match(_ loan: StoredLoan) throws -> StoredLoan? {
    if expected == loans.count { try readMore(upTo: 1) }
    if let place = try placeNear(loan) ?? searched(loan) { return match(place) }
    return nil
  }

  private mutating func match(_ place: Int) -> StoredLoan {
    isMatched[place] = true
    matchedCount += 1
    expected = place + 1
    return loans[place]
  }

  private mutating func placeNear(_ loan: StoredLoan) throws -> Int? {
    if isPlace(expected, of: loan) { return expected }
    if order != nil { return nil }
    try readMore(upTo: Self.reach)
    let end = min(expected + Self.reach, loans.count)
    return (min(expected, end)..<end).first { isPlace($0, of: loan) }
  }

  private func isPlace(_ place: Int, of loan: StoredLoan) -> Bool {
    place < loans.count && !isMatched[place] && loans[place].isSameLoan(as: loan)
  }

  /// The place of a loan among all that remain, found by halving.
  private mutating func searched(_ loan: StoredLoan) throws -> Int? {
    let order = try sorted()
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      if loans[Int(order[middle])].identity < loan.identity {
        low = middle + 1
      } else {
        high = middle
      }
    }
    while low < order.count, loans[Int(order[low])].identity == loan.identity {
      if isPlace(Int(order[low]), of: loan) { return Int(order[low]) }
      low += 1
    }
    return nil
  }

  private mutating func sorted() throws -> ContiguousArray<UInt32> {
    if let order { return order }
    try readAll()
    var places = ContiguousArray(loans.indices.map { UInt32($0) })
    places.sort { left, right in
      let (left, right) = (loans[Int(left)], loans[Int(right)])
      return (left.identity, left.ordinal, left.id) < (right.identity, right.ordinal, right.id)
    }
    order = places
    return places
  }

  /// Notes a row that was added, which may come to lie among those that are still to be read.
  mutating func note(added id: Int64) {
    if hasMore { added.insert(id) }
  }

  /// Reads until there are this many loans from the expected place on, and forgets those before it
  /// that were matched.
  private mutating func readMore(upTo count: Int) throws {
    guard hasMore, loans.count - expected < count else { return }
    if matchedCount > loans.count / 2 { forgetMatched() }
    while hasMore, loans.count - expected < count { try readSome() }
  }

  private mutating func forgetMatched() {
    expected -= isMatched[..<expected].count { $0 }
    var kept = 0
    for place in loans.indices where !isMatched[place] {
      loans[kept] = loans[place]
      kept += 1
    }
    loans.removeLast(loans.count - kept)
    isMatched = ContiguousArray(repeating: false, count: kept)
    matchedCount = 0
  }

  private mutating func readSome() throws {
    rows.bind(all: reached, last)
    hasMore = false
    while try rows.step() {
      hasMore = true
      reached = rows.integer(0)
      if !added.isEmpty, added.contains(reached) { continue }
      let loan = StoredLoan(
        id: reached, identity: UInt64(bitPattern: rows.integer(1)),
        fingerprint: UInt64(bitPattern: rows.integer(2)), fireAt: rows.integer(3),
        expiration: Int32(truncatingIfNeeded: rows.integer(4)),
        ordinal: Int32(truncatingIfNeeded: rows.integer(5)), isCancelled: rows.integer(6) != 0)
      loans.append(loan)
      isMatched.append(false)
      count += 1
      if loan.ordinal != 1 { hasRepetitions = true }
    }
  }

  /// Reads all that remain.
  mutating func readAll() throws {
    while hasMore { try readSome() }
  }

  /// The loans that none was matched with, in the order of their numbers.
  mutating func unmatched() throws -> [StoredLoan] {
    try readAll()
    return loans.indices.filter { !isMatched[$0] }.map { loans[$0] }
  }
}

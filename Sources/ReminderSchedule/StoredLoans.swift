/// The loans that a catalogue had before, compared with those that it has now.
///
/// A catalogue is usually written in the order of the last time. So the stored loans are read in
/// step with it, a page at a time, and only those are kept that were passed over. Where the two
/// part for more than a few loans, all that remain are read and searched by their keys: 49 bytes
/// for each, and 8 more for the index.
struct StoredLoans {
  private var reader: LoanReader
  private var hasMore: Bool
  /// Those that were read and not matched, or not forgotten yet.
  private var loans: ContiguousArray<StoredLoan>
  private var isSeen: ContiguousArray<Bool>
  private var seenCount = 0
  /// The loan that the next one will be if nothing was changed.
  private var expected = 0
  /// The loans by key, made when one is not found near the expected place.
  private var index: KeyIndex?

  /// How many stored loans were in the catalogue the last time, so far as they were read.
  private(set) var presentCount: Int

  /// How far ahead a loan is looked for before an index is made: so many in a row may have been
  /// returned, and cost nothing.
  private static var reach: Int { 1_000 }

  /// How many loans the pages have that were read, those that are gone included.
  var packedCount: Int { reader.packedCount }

  /// Reads the first loans.
  init(_ reader: LoanReader) throws {
    var reader = reader
    var loans: ContiguousArray<StoredLoan> = []
    hasMore = try reader.read(into: &loans)
    isEmpty = loans.isEmpty && !hasMore
    isSeen = ContiguousArray(repeating: false, count: loans.count)
    presentCount = loans.count { !$0.hasLeft }
    self.reader = reader
    self.loans = loans
  }

  /// Whether nothing was stored.
  let isEmpty: Bool

  subscript(_ place: Int) -> StoredLoan { loans[place] }

  /// Marks the expected loan as that of the loan just read, if it is stored as that is.
  mutating func seeNext(like loan: StoredLoan) throws -> StoredLoan? {
    if expected == loans.count { try readMore(upTo: 1) }
    guard expected < loans.count, !isSeen[expected], loans[expected].isSame(as: loan) else {
      return nil
    }
    see(expected)
    return loans[expected - 1]
  }

  /// The place of the first stored loan of a key that is wanted, and that no loan was matched with
  /// before.
  ///
  /// More than one of a key is either a chance collision of two identities or one identity twice.
  mutating func find(
    key: UInt64, where isWanted: (StoredLoan) throws -> Bool
  ) throws -> Int? {
    if expected == loans.count { try readMore(upTo: 1) }
    if expected < loans.count, !isSeen[expected], loans[expected].key == key,
      try isWanted(loans[expected])
    {
      return expected
    }
    if index == nil, let place = try findNear(key, isWanted) { return place }
    return try indexed().positions(near: key).lazy.map(Int.init).first { place in
      try loans[place].key == key && !isSeen[place] && isWanted(loans[place])
    }
  }

  private mutating func findNear(
    _ key: UInt64, _ isWanted: (StoredLoan) throws -> Bool
  ) throws -> Int? {
    try readMore(upTo: Self.reach)
    let end = min(expected + Self.reach, loans.count)
    for place in min(expected, end)..<end
    where loans[place].key == key && !isSeen[place] {
      if try isWanted(loans[place]) { return place }
    }
    return nil
  }

  /// Marks the loan at a place as that of the loan just read, and goes on behind it.
  mutating func see(_ place: Int) {
    isSeen[place] = true
    seenCount += 1
    expected = place + 1
  }

  /// Reads until so many loans are there behind the expected place, and forgets those before that
  /// were matched.
  private mutating func readMore(upTo count: Int) throws {
    guard hasMore, index == nil, loans.count - expected < count else { return }
    if seenCount > loans.count / 2 { forgetSeen() }
    while hasMore, loans.count - expected < count { try readPage() }
  }

  private mutating func forgetSeen() {
    expected -= isSeen[..<expected].count { $0 }
    var kept = 0
    for place in loans.indices where !isSeen[place] {
      loans[kept] = loans[place]
      kept += 1
    }
    loans.removeLast(loans.count - kept)
    isSeen = ContiguousArray(repeating: false, count: kept)
    seenCount = 0
  }

  private mutating func readPage() throws {
    let start = loans.count
    hasMore = try reader.read(into: &loans)
    for loan in loans[start...] where !loan.hasLeft { presentCount += 1 }
    isSeen.append(contentsOf: repeatElement(false, count: loans.count - start))
  }

  /// Reads all that remain.
  mutating func readAll() throws {
    while hasMore { try readPage() }
  }

  private mutating func indexed() throws -> KeyIndex {
    if let index { return index }
    try readAll()
    let made = KeyIndex(count: loans.count) { loans[$0].key }
    index = made
    return made
  }

  /// Calls `body` with each loan that none was matched with, in the order of their numbers.
  mutating func forEachUnseen(_ body: (StoredLoan) throws -> Void) throws {
    try readAll()
    for (place, loan) in loans.enumerated() where !isSeen[place] { try body(loan) }
  }
}

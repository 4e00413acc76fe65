/// The loans of one catalogue in the order of their numbers, read a page at a time.
///
/// No statement stays open in between, so that loans that were read may be changed meanwhile.
struct LoanReader {
  private let catalogue: Int64
  /// The highest number that is read.
  private let end: Int64
  private let pages: RowStatement
  private let rows: RowStatement
  private let gone: RowStatement
  /// Up to which number pages were read; `nil` once there are no more.
  private var reached: Int64? = -1
  private var waitingRows = Waiting<StoredLoan>(last: -1)
  private var waitingGone = Waiting<Int64>(last: -1)
  private var page: ContiguousArray<StoredLoan> = []

  /// How many loans pages have, those that are gone included.
  private(set) var packedCount = 0

  /// Some rows that were read ahead.
  private struct Waiting<Element> {
    var elements: ArraySlice<Element> = []
    /// The number of the last one that was read.
    var last: Int64
    var hasMore = true
  }

  private static var batchSize: Int { 500 }

  private static var damage: DatabaseError { Schema.damage("the numbers of loans") }

  /// - Parameter end: the highest number that is read, so that what is added meanwhile is not.
  init(_ database: Database, catalogue: Int64, through end: Int64 = PageNumber.end - 1) throws {
    self.catalogue = catalogue
    self.end = min(end, PageNumber.end - 1)
    pages = try RowStatement(
      database, sql: "SELECT id, loans FROM page WHERE id > ? AND id <= ? ORDER BY id LIMIT 1")
    rows = try RowStatement(
      database,
      sql: """
        SELECT id, key, fingerprint, expiration, fire_at, cancelled IS NOT 0, left_on
        FROM loan WHERE catalogue = ? AND id > ? AND id <= ? ORDER BY id LIMIT \(Self.batchSize)
        """)
    gone = try RowStatement(
      database,
      sql: """
        SELECT loan FROM gone WHERE catalogue = ? AND loan > ? ORDER BY loan
        LIMIT \(Self.batchSize)
        """)
  }

  /// The highest number up to which everything was read.
  var reachedNumber: Int64 { reached ?? end }

  /// Appends the loans of the next page, with those that have a row and belong there, or the rows
  /// behind the last page.
  ///
  /// - Returns: whether there may be more.
  mutating func read(into loans: inout ContiguousArray<StoredLoan>) throws -> Bool {
    guard try readPage() else {
      while let row = try nextRow(through: .max) { loans.append(row) }
      return false
    }
    for packed in page {
      while let row = try nextRow(through: packed.id - 1) { loans.append(row) }
      if var row = try nextRow(through: packed.id) {
        row.marks.insert(.packed)
        loans.append(row)
        _ = try isGone(packed.id)
      } else if try !isGone(packed.id) {
        loans.append(packed)
      }
    }
    return true
  }

  private mutating func readPage() throws -> Bool {
    page.removeAll(keepingCapacity: true)
    guard let reached else { return false }
    pages.query { parameters in
      parameters.bind(PageNumber(catalogue: catalogue, loan: 0).rawValue &+ reached)
      parameters.bind(PageNumber(catalogue: catalogue, loan: end).rawValue)
    }
    defer { pages.reset() }
    guard try pages.next() else {
      self.reached = nil
      return false
    }
    _ = try pages.readPage(into: &page)
    guard let last = page.last?.id, last <= end else { throw Schema.damage("a page of loans") }
    packedCount += page.count
    self.reached = last
    return true
  }

  private mutating func nextRow(through id: Int64) throws -> StoredLoan? {
    if waitingRows.elements.isEmpty, waitingRows.hasMore { try readRows() }
    guard let row = waitingRows.elements.first, row.id <= id else { return nil }
    return waitingRows.elements.removeFirst()
  }

  private mutating func readRows() throws {
    rows.query { parameters in
      parameters.bind(catalogue)
      parameters.bind(waitingRows.last)
      parameters.bind(end)
    }
    var batch: [StoredLoan] = []
    while try rows.next() {
      let row = rows.storedLoan(from: 0)
      // SQLite goes by where a row lies, and damage can give it any number.
      guard row.id > batch.last?.id ?? waitingRows.last else { throw Self.damage }
      batch.append(row)
    }
    waitingRows = Waiting(
      elements: batch[...], last: batch.last?.id ?? end, hasMore: batch.count == Self.batchSize)
  }

  private mutating func isGone(_ id: Int64) throws -> Bool {
    while true {
      if waitingGone.elements.isEmpty, waitingGone.hasMore { try readGone() }
      guard let first = waitingGone.elements.first, first <= id else { return false }
      waitingGone.elements.removeFirst()
      if first == id { return true }
    }
  }

  private mutating func readGone() throws {
    gone.query { parameters in
      parameters.bind(catalogue)
      parameters.bind(waitingGone.last)
    }
    var batch: [Int64] = []
    while try gone.next() {
      guard gone.integer(0) > batch.last ?? waitingGone.last else { throw Self.damage }
      batch.append(gone.integer(0))
    }
    waitingGone = Waiting(
      elements: batch[...], last: batch.last ?? end, hasMore: batch.count == Self.batchSize)
  }
}

extension RowStatement {
  /// The loan in seven columns of the current row of the table `loan`.
  func storedLoan(from first: Int32) -> StoredLoan {
    var loan = StoredLoan(
      id: integer(first), key: UInt64(bitPattern: integer(first + 1)),
      fingerprint: UInt64(bitPattern: integer(first + 2)), fireAt: integer(first + 4),
      expiration: Int32(truncatingIfNeeded: integer(first + 3)), marks: .row)
    if integer(first + 5) != 0 { loan.marks.insert(.cancelled) }
    if let leftOn = optionalInteger(first + 6) {
      loan.marks.insert(.left)
      loan.leftOn = Int32(truncatingIfNeeded: leftOn)
    }
    return loan
  }
}

extension Database {
  /// Calls `body` with each loan of a catalogue that has a row or is on a page, in the order of
  /// their numbers.
  func forEachLoan(ofCatalogue id: Int64, _ body: (StoredLoan) throws -> Void) throws {
    var reader = try LoanReader(self, catalogue: id)
    var loans: ContiguousArray<StoredLoan> = []
    var hasMore = true
    while hasMore {
      hasMore = try reader.read(into: &loans)
      for loan in loans { try body(loan) }
      loans.removeAll(keepingCapacity: true)
    }
  }
}

internal import Loans

/// Finds single loans by number, and their texts.
///
/// The page where the last one was found is kept, so loans in the order of their numbers cost one
/// search for each page.
final class LoanLookup {
  private let database: Database
  private let row: LateStatement
  private let textRow: LateStatement
  private let gone: LateStatement
  private let page: LateStatement
  private let textPage: LateStatement
  private var catalogues: [Int64]?
  private var found: (number: PageNumber, loans: ContiguousArray<StoredLoan>)?
  private var foundTexts: TextPage?

  init(_ database: Database) {
    self.database = database
    row = LateStatement(
      database,
      sql: """
        SELECT id, key, fingerprint, expiration, fire_at, cancelled IS NOT 0, left_on, catalogue
        FROM loan WHERE id = ?
        """)
    textRow = LateStatement(database, sql: "SELECT texts FROM text WHERE loan = ?")
    gone = LateStatement(database, sql: "SELECT 1 FROM gone WHERE loan = ?")
    page = LateStatement(
      database,
      sql: "SELECT id, loans FROM page WHERE id >= ? AND id <= ? ORDER BY id DESC LIMIT 1")
    textPage = LateStatement(
      database,
      sql: "SELECT id, texts FROM text_page WHERE id >= ? AND id <= ? ORDER BY id DESC LIMIT 1")
  }

  /// The loan of a number, and the row number of its catalogue; one that has left included.
  func loan(_ id: Int64) throws -> (loan: StoredLoan, catalogue: Int64)? {
    let row = try row.statement
    row.query { $0.bind(id) }
    defer { row.reset() }
    if try row.next() { return (row.storedLoan(from: 0), row.integer(7)) }
    guard (0..<PageNumber.end).contains(id), let found = try packedLoan(id) else { return nil }
    let gone = try gone.statement
    gone.query { $0.bind(id) }
    defer { gone.reset() }
    return try gone.next() ? nil : found
  }

  private func packedLoan(_ id: Int64) throws -> (loan: StoredLoan, catalogue: Int64)? {
    if let found, let loan = found.loans.find(id) { return (loan, found.number.catalogue) }
    for catalogue in try allCatalogues() {
      guard let (number, loans) = try readPage(around: id, catalogue) else { continue }
      found = (number, loans)
      if let loan = loans.find(id) { return (loan, catalogue) }
    }
    return nil
  }

  /// Those of the page found last come first.
  private func allCatalogues() throws -> [Int64] {
    var all = try catalogues ?? database.catalogueIDs()
    catalogues = all
    if let last = found?.number.catalogue, let index = all.firstIndex(of: last) {
      all.swapAt(0, index)
    }
    return all
  }

  /// The page of a catalogue that has a loan, or would have it.
  func readPage(
    around id: Int64, _ catalogue: Int64
  ) throws -> (number: PageNumber, loans: ContiguousArray<StoredLoan>)? {
    let page = try page.statement
    page.query { $0.bind(id, catalogue) }
    defer { page.reset() }
    guard try page.next() else { return nil }
    var loans: ContiguousArray<StoredLoan> = []
    return (try page.readPage(into: &loans), loans)
  }

  /// The texts of a loan, as ``Loans/PackedLoan`` has them.
  ///
  /// - Throws: `DatabaseError` `corrupt` if there are none: they were written with the loan.
  func texts(of loan: StoredLoan, catalogue: Int64) throws -> ArraySlice<UInt8> {
    if loan.hasRow, let texts = try rowTexts(of: loan.id) { return texts }
    if let texts = foundTexts?[loan.id], foundTexts?.number.catalogue == catalogue {
      return texts
    }
    let textPage = try textPage.statement
    textPage.query { $0.bind(loan.id, catalogue) }
    defer { textPage.reset() }
    if try textPage.next() {
      let found = try TextPage(PageNumber(rawValue: textPage.integer(0)), textPage.blob(1))
      foundTexts = found
      if let texts = found[loan.id] { return texts }
    }
    throw Schema.damage("no texts of loan \(loan.id)")
  }

  /// The texts that the table `text` has of a loan.
  func rowTexts(of id: Int64) throws -> ArraySlice<UInt8>? {
    let textRow = try textRow.statement
    textRow.query { $0.bind(id) }
    defer { textRow.reset() }
    return try textRow.next() ? textRow.blob(0)[...] : nil
  }

  /// The loan with its texts, and its identity.
  ///
  /// - Throws: `DatabaseError` `corrupt` if they cannot be read.
  func whole(
    _ loan: StoredLoan, catalogue: Int64
  ) throws -> (loan: Loan, identity: String) {
    guard let expiration = CivilDate(dayNumber: Int(loan.expiration)) else {
      throw Schema.damage("the expiration of loan \(loan.id)")
    }
    return try unpack(loan, catalogue: catalogue, expiration)
  }

  /// The identity of a loan, whatever its expiration is.
  ///
  /// - Throws: `DatabaseError` `corrupt` if its texts cannot be read.
  func identity(of loan: StoredLoan, catalogue: Int64) throws -> String {
    try unpack(loan, catalogue: catalogue, .first).identity
  }

  private func unpack(
    _ loan: StoredLoan, catalogue: Int64, _ expiration: CivilDate
  ) throws -> (loan: Loan, identity: String) {
    let texts = try texts(of: loan, catalogue: catalogue)
    guard let whole = PackedLoan.unpack(texts, expiration: expiration) else {
      throw Schema.damage("the texts of loan \(loan.id)")
    }
    return whole
  }
}

extension ContiguousArray<StoredLoan> {
  /// The loan of a number, in the order of numbers.
  fileprivate func find(_ id: Int64) -> StoredLoan? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].id == id ? self[low] : nil
  }
}

extension Parameters {
  /// Gives the next two parameters the first and last number that a page with a loan may have.
  fileprivate mutating func bind(_ loan: Int64, _ catalogue: Int64) {
    bind(PageNumber(catalogue: catalogue, loan: 0).rawValue)
    bind(PageNumber(catalogue: catalogue, loan: loan).rawValue)
  }
}

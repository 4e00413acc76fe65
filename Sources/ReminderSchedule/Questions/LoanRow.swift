internal import Loans

/// A loan as its table has it, with its catalogue.
struct LoanRow {
  /// Selects loans with the columns that are read, in their order.
  static let query = """
    SELECT loan.id, identity, copy, expiration, fire_at, cancelled, left_on, expiration_time,
      loan_id, title, author, isbn, barcode, borrower, email, path, library
    FROM loan LEFT JOIN catalogue ON catalogue.id = loan.id >> \(LoanID.shift)
    """

  let id: LoanID
  let key: LedgerKey
  let loan: Loan
  let catalogue: String
  let library: String?
  let fireAt: CivilDateTime
  let isCancelled: Bool
  /// The day on which its catalogue no longer had it.
  let leftOn: CivilDate?

  /// The loan in the current row of a ``query``.
  ///
  /// - Throws: `DatabaseError` `corrupt` for days that no calendar has, or a catalogue without path.
  init(_ row: Statement) throws {
    id = LoanID(row.integer(0))
    guard let expiration = row.day(3), let fireAt = row.time(4) else {
      throw DatabaseError.damage("the dates of loan \(id.number)")
    }
    guard let path = row.text(15) else { throw DatabaseError.damage("the path of a catalogue") }
    key = LedgerKey(
      catalogue: id.catalogue, identity: row.integer(1), expiration: row.integer(3),
      copy: row.integer(2))
    self.fireAt = fireAt
    isCancelled = row.integer(5) != 0
    leftOn = row.day(6)
    (catalogue, library) = (path, row.text(16))
    loan = Loan(
      id: row.text(8), title: row.text(9), author: row.text(10), isbn: row.text(11),
      barcode: row.text(12), borrower: row.text(13), email: row.text(14), expiration: expiration,
      expirationTime: row.optionalInteger(7).flatMap { CivilTime(secondOfDay: Int($0)) })
  }
}

extension Database {
  /// The loan in a row of its table.
  func loan(_ id: Int64) throws -> LoanRow? {
    let query = try statement("\(LoanRow.query) WHERE loan.id = ?")
    query.bind(id)
    defer { query.reset() }
    return try query.step() ? LoanRow(query) : nil
  }

  /// The loan with a number, also if it has left.
  func loan(numbered number: Int) throws -> LoanRow? {
    guard (0..<LoanID.numbers).contains(Int64(number)) else { return nil }
    let id = try integer(
      """
      SELECT loan.id FROM catalogue JOIN loan ON loan.id = catalogue.id << \(LoanID.shift) | ?
      """, number)
    return try id.flatMap(loan)
  }

  /// The row numbers of the loans in some catalogues, which lie side by side for each; `nil` for all.
  func ranges(_ catalogues: [String]?) throws -> [ClosedRange<Int64>] {
    guard let catalogues else { return [0...Int64.max] }
    return try Set(catalogues.map { ContiguousArray($0.utf8) })
      .compactMap { path in try knownCatalogueID(String(decoding: path, as: UTF8.self)) }
      .sorted().map(LoanID.all(of:))
  }
}

internal import Loans

/// A loan as a table has it.
struct LoanRow {
  /// What is selected of `loan` or `returned`, in the order in which it is read.
  static let columns = """
    id, identity, copy, expiration, fire_at, cancelled, expiration_time,
    loan_id, title, author, isbn, barcode, borrower, email
    """
  /// The first column after them.
  static let end: Int32 = 14

  let id: LoanID
  let key: LedgerKey
  let loan: Loan
  let fireAt: CivilDateTime
  let isCancelled: Bool

  /// The loan in the first columns of the current row.
  ///
  /// - Throws: `DatabaseError` `corrupt` for days that no calendar has.
  init(_ row: Statement) throws {
    id = LoanID(row.integer(0))
    guard let expiration = row.day(3), let fireAt = row.moment(4) else {
      throw DatabaseError.damage("the dates of loan \(id.number)")
    }
    key = LedgerKey(
      catalogue: id.catalogue, identity: row.integer(1), expiration: row.integer(3),
      copy: row.integer(2))
    self.fireAt = fireAt
    isCancelled = row.integer(5) != 0
    loan = Loan(
      id: row.text(7), title: row.text(8), author: row.text(9), isbn: row.text(10),
      barcode: row.text(11), borrower: row.text(12), email: row.text(13), expiration: expiration,
      expirationTime: row.optionalInteger(6).flatMap { CivilTime(secondOfDay: Int($0)) })
  }
}

extension Database {
  /// The row numbers of the loans in some catalogues, which lie side by side for each; `nil` for all.
  func ranges(_ catalogues: [String]?) throws -> [ClosedRange<Int64>] {
    guard let catalogues else { return [0...Int64.max] }
    return try Set(catalogues.map { ContiguousArray($0.utf8) })
      .compactMap { path in try knownCatalogueID(String(decoding: path, as: UTF8.self)) }
      .sorted().map(LoanID.all(of:))
  }

  /// The path of a catalogue, and what people call its library.
  func catalogue(_ id: Int64) throws -> (path: String, library: String?) {
    let query = try statement("SELECT path, library FROM catalogue WHERE id = ?")
    query.bind(id)
    defer { query.reset() }
    guard try query.step(), let path = query.text(0) else {
      throw DatabaseError.damage("the path of a catalogue")
    }
    return (path, query.text(1))
  }
}

public import Loans

/// A loan as the schedule has it.
public struct ScheduledLoan: Hashable, Sendable {
  /// The number of the loan in the schedule; a loan's reminder and expired notice share it.
  public let id: Int
  /// The catalogue that the loan is from.
  public let catalogue: String
  /// The untrusted name that people have for the library, if there is one.
  public let library: String?
  /// The loan, with its present expiration.
  public let loan: Loan
  /// The time at which its reminder fires.
  public let fireAt: CivilDateTime
  /// Whether the user has cancelled its notices, until the next reload.
  public let isCancelled: Bool
  /// The day of the reload by which it was no longer in its catalogue, or `nil` if it is there.
  public let leftOn: CivilDate?
  /// The key of its notices in the ledger.
  let key: LedgerKey

  /// Selects loans with the columns that are read, in their order.
  static let query = """
    SELECT loan.id, identity, copy, expiration, fire_at, cancelled, left_on, expiration_time,
      loan_id, title, author, isbn, barcode, borrower, email, path, library
    FROM loan LEFT JOIN catalogue ON catalogue.id = loan.id >> \(LoanID.shift)
    """

  /// The loan in the current row of a ``query``.
  ///
  /// - Throws: `DatabaseError` `SQLITE_CORRUPT` for days that no calendar has, or a catalogue without
  ///   path.
  init(_ row: Statement) throws {
    let rowID = LoanID(row.integer(0))
    id = Int(rowID.number)
    guard let expiration = row.day(3), let fireAt = row.time(4) else {
      throw DatabaseError.damage("the dates of loan \(id)")
    }
    guard let path = row.text(15) else { throw DatabaseError.damage("the path of a catalogue") }
    key = LedgerKey(
      catalogue: rowID.catalogue, identity: row.integer(1), expiration: row.integer(3),
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
  func loan(_ id: Int64) throws -> ScheduledLoan? {
    try rows("\(ScheduledLoan.query) WHERE loan.id = ?", id, read: ScheduledLoan.init).first
  }

  /// The row number of the loan with a number, also if it has left.
  func rowID(ofLoan number: Int) throws -> Int64? {
    guard (0..<LoanID.numbers).contains(Int64(number)) else { return nil }
    return try integer(
      """
      SELECT loan.id FROM catalogue JOIN loan ON loan.id = catalogue.id << \(LoanID.shift) | ?
      """, number)
  }

  /// The row numbers of the loans in some catalogues, which lie side by side for each; `nil` for all.
  func ranges(_ catalogues: [String]?) throws -> [ClosedRange<Int64>] {
    guard let catalogues else { return [0...Int64.max] }
    return try Set(catalogues.map { ContiguousArray($0.utf8) })
      .compactMap { path in try knownCatalogueID(String(decoding: path, as: UTF8.self)) }
      .sorted().map(LoanID.all(of:))
  }
}

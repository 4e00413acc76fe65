public import Loans

/// A loan as the schedule has it.
public struct ScheduledLoan: Hashable, Sendable {
  /// The number of the loan in the schedule; a loan's reminder and expired notice share it.
  public let id: Int
  /// The catalogue that the loan is from.
  public let catalogue: String
  /// The untrusted name that people have for the library, if there is one: the loan's own, or else
  /// its catalogue's.
  public let library: String?
  /// The loan, with its present expiration.
  public let loan: Loan
  /// The rungs on which its notices fire, and the dates from which they count.
  public let plan: LoanPlan
  /// Whether the user has cancelled its notices, until the next reload.
  public let isCancelled: Bool
  /// What makes it the same loan in another version of its catalogue.
  public let identity: LoanIdentity
  /// The day of the reload by which it was no longer in its catalogue, or `nil` if it is there.
  public let leftOn: CivilDate?
  /// The key of its notices in the ledger.
  let key: LedgerKey

  /// Selects loans with the columns that are read, in their order.
  static let query = """
    SELECT number, loan.catalogue, identity, copy, expiration, fire_at, cancelled, left_on,
      ladder, open_before, open_after, expiration_time, loan_id, title, author, isbn, barcode, borrower,
      email, language, category, item_type, loan.library, renewable, path, catalogue.library, ordinal
    FROM loan LEFT JOIN catalogue ON catalogue.id = loan.catalogue
    """

  /// The loan in the current row of a ``query``.
  ///
  /// - Throws: `DatabaseError` `SQLITE_CORRUPT` for days that no calendar has, or a catalogue without
  ///   path.
  init(_ row: Statement, _ ladders: Ladders) throws {
    id = Int(row.integer(0))
    plan = try ladders.plan(expiration: row, 4, fireAt: 5, ladder: 8, openDays: 9, of: id)
    guard let path = row.text(24) else { throw DatabaseError.damage("the path of a catalogue") }
    key = LedgerKey(
      catalogue: row.integer(1), identity: row.integer(2), expiration: row.integer(4),
      copy: row.integer(3))
    identity = LoanIdentity(
      hash: UInt64(bitPattern: row.integer(2)), ordinal: Int(row.integer(26)))
    isCancelled = row.integer(6) != 0
    leftOn = row.day(7)
    catalogue = path
    loan = Loan(
      id: row.text(12), title: row.text(13), author: row.text(14), isbn: row.text(15),
      barcode: row.text(16), borrower: row.text(17), email: row.text(18), language: row.text(19),
      category: row.text(20), type: row.text(21), library: row.text(22),
      renewable: row.optionalInteger(23).map { $0 != 0 }, expiration: plan.expiration,
      expirationTime: row.optionalInteger(11).flatMap { CivilTime(secondOfDay: Int($0)) })
    library = loan.library ?? row.text(25)
  }
}

extension Database {
  /// The loan in a row of its table.
  func loan(_ id: Int64, _ ladders: Ladders? = nil) throws -> ScheduledLoan? {
    let ladders = try ladders ?? Ladders(self)
    return try rows("\(ScheduledLoan.query) WHERE loan.id = ?", id) { row in
      try ScheduledLoan(row, ladders)
    }.first
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

/// The row numbers of loans, each of which consists of its catalogue's number and its own.
enum LoanID {
  /// Loans have numbers below this.
  static let numbers: Int64 = 1 << 40
  static let shift: Int64 = 40

  /// The row numbers of a catalogue's loans, the first of which is number 0.
  static func all(of catalogue: Int64) -> ClosedRange<Int64> {
    let first = catalogue << shift
    return first...first + numbers - 1
  }
}

/// The key of a loan's notices in the ledger.
struct LedgerKey: Hashable, Sendable {
  /// The number of its catalogue.
  var catalogue: Int64
  /// A hash that is the same for the loan in every version of the catalogue.
  var identity: Int64
  /// A day number.
  var expiration: Int64
  /// Its number among loans alike in the other three, from 1.
  var copy: Int64
}

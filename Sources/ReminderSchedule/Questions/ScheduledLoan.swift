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
  static func query(_ table: LoanTable) -> String {
    """
    SELECT loan.id >> \(LoanID.shift), identity, expiration, copy, person, loan.id, fire_at, ladder,
      open_before, open_after, hash, ordinal, \(table.leftOn), fields, path, library
    FROM \(table.rawValue) AS loan JOIN catalogue ON catalogue.id = loan.id >> \(LoanID.shift)
    """
  }

  /// The loan in the current row of a query.
  ///
  /// - Throws: `DatabaseError` `SQLITE_CORRUPT` for days that no calendar has, and texts that make no
  ///   sense.
  init(_ row: Statement, _ ladders: Ladders) throws {
    id = Int(row.integer(5) & (LoanID.numbers - 1))
    plan = try ladders.plan(expiration: row, 2, fireAt: 6, ladder: 7, openDays: 8, of: id)
    guard let path = row.text(14), let texts = row.text(13).flatMap(StoredTexts.init) else {
      throw DatabaseError.damage("the texts of loan \(id)")
    }
    key = LedgerKey(row)
    identity = LoanIdentity(
      hash: UInt64(bitPattern: row.integer(1)), ordinal: Int(row.integer(11)))
    isCancelled = row.integer(10) == LoanRow.cancelled
    leftOn = row.day(12)
    catalogue = path
    loan = texts.loan(expiration: plan.expiration)
    library = loan.library ?? row.text(15)
  }
}

extension Database {
  /// The loan in a row, in its catalogue or not.
  func loan(_ id: Int64, _ ladders: Ladders? = nil) throws -> ScheduledLoan? {
    let ladders = try ladders ?? Ladders(self)
    for table in LoanTable.allCases {
      let found = try rows("\(ScheduledLoan.query(table)) WHERE loan.id = ?", id) { row in
        try ScheduledLoan(row, ladders)
      }
      if let loan = found.first { return loan }
    }
    return nil
  }

  /// The row number of the loan with a number, also if it has left.
  func rowID(ofLoan number: Int) throws -> Int64? {
    guard (0..<LoanID.numbers).contains(Int64(number)) else { return nil }
    for table in LoanTable.allCases {
      let found = try integer(
        """
        SELECT loan.id FROM catalogue
          JOIN \(table.rawValue) AS loan ON loan.id = catalogue.id << \(LoanID.shift) | ?
        """, number)
      if let found { return found }
    }
    return nil
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
  /// Its number among loans alike in the others, from 1.
  var copy: Int64
  /// The person to whom the book is lent, see ``Person``.
  var person: Int64

  /// An SQL condition: whether a delivery is of the loan whose key the first five parameters are.
  static let isOfLoan =
    "catalogue = ?1 AND identity = ?2 AND expiration = ?3 AND copy = ?4 AND person = ?5"

  /// The key in the first five columns of a row.
  init(_ row: Statement) {
    (catalogue, identity) = (row.integer(0), row.integer(1))
    (expiration, copy, person) = (row.integer(2), row.integer(3), row.integer(4))
  }
}

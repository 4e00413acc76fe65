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
  /// The first day on which it was no longer in its catalogue, or `nil` if it is there.
  public let leftOn: CivilDate?
  /// Its row number.
  let row: Int64

  /// Selects loans with the columns that are read, in their order.
  static func query(_ table: LoanTable) -> String {
    """
    SELECT \(Standing.columns(of: table)), identity, ordinal, fields, path, library
    FROM \(table.rawValue) AS loan JOIN catalogue ON catalogue.id = loan.id >> \(LoanID.shift)
    """
  }

  /// Selects one loan by its row number, in its catalogue or not.
  fileprivate static let queriesOfOne =
    LoanTable.allCases.map { "\(query($0)) WHERE loan.id = ?" }

  /// The loan in the current row of a query.
  ///
  /// - Throws: `DatabaseError` `SQLITE_CORRUPT` for days that no calendar has, and texts that make no
  ///   sense.
  init(_ row: Statement, _ ladders: Ladders) throws {
    let standing = try Standing(row, ladders)
    let texts = Standing.columnCount + 2
    guard let path = row.text(texts + 1), let stored = row.text(texts).flatMap(StoredTexts.init)
    else { throw DatabaseError.damage("the texts of loan \(standing.number)") }
    (self.row, id, catalogue) = (standing.id, standing.number, path)
    (plan, isCancelled, leftOn) = (standing.plan, standing.isCancelled, standing.leftOn)
    identity = LoanIdentity(
      hash: UInt64(bitPattern: row.integer(texts - 2)), ordinal: Int(row.integer(texts - 1)))
    loan = stored.loan(expiration: plan.expiration)
    library = loan.library ?? row.text(texts + 2)
  }
}

extension Database {
  /// The loan in a row, in its catalogue or not.
  func loan(_ id: Int64, _ ladders: Ladders? = nil) throws -> ScheduledLoan? {
    let ladders = try ladders ?? Ladders(self)
    for query in ScheduledLoan.queriesOfOne {
      let found = try rows(query, id) { row in try ScheduledLoan(row, ladders) }
      if let loan = found.first { return loan }
    }
    return nil
  }

  /// The loan with a number, if its catalogue has it.
  func presentLoan(_ number: Int, _ ladders: Ladders? = nil) throws -> ScheduledLoan? {
    guard let id = try rowID(ofLoan: number), let loan = try loan(id, ladders) else { return nil }
    return loan.leftOn == nil ? loan : nil
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

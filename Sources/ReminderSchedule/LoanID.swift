/// The row number of a loan, which consists of its catalogue's number and its own.
struct LoanID {
  /// Loans have numbers below this.
  static let numbers: Int64 = 1 << 40
  static let shift: Int64 = 40

  let rawValue: Int64

  /// The row number of a loan.
  init(catalogue: Int64, number: Int64) {
    rawValue = catalogue << Self.shift | number
  }

  /// A row number from a table.
  init(_ rawValue: Int64) { self.rawValue = rawValue }

  var catalogue: Int64 { rawValue >> Self.shift }
  var number: Int64 { rawValue & (Self.numbers - 1) }

  /// The row numbers of a catalogue's loans.
  static func all(of catalogue: Int64) -> ClosedRange<Int64> {
    let first = LoanID(catalogue: catalogue, number: 0).rawValue
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

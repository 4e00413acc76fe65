internal import Loans

/// The ledger of many loans, looked through once in the order of their numbers.
struct LedgerReader {
  /// What one delivery came to, without its words.
  struct Row {
    var loan: Int64
    var kind: Notice.Kind
    var expiration: Int64
    var channel: Int64
    var attempts: Int64
    var deliveredAt: Int64?
  }

  private let rows: RowStatement
  private var next: Row?

  /// - Parameter loan: the first loan that will be asked for.
  init(_ database: Database, from loan: Int64) throws {
    rows = try RowStatement(
      database,
      sql: """
        SELECT loan, kind, expiration, channel, attempts, delivered_at
        FROM delivery WHERE loan >= ? ORDER BY loan
        """)
    try seek(loan)
  }

  private mutating func seek(_ loan: Int64) throws {
    rows.reset()
    rows.query { $0.bind(loan) }
    try advance()
  }

  private mutating func advance() throws {
    guard try rows.next() else {
      next = nil
      return
    }
    next = Row(
      loan: rows.integer(0), kind: Notice.Kind(stored: rows.integer(1)),
      expiration: rows.integer(2), channel: rows.integer(3), attempts: rows.integer(4),
      deliveredAt: rows.optionalInteger(5))
  }

  /// Whether the ledger has a row of a loan, whose number is higher than that of the one before.
  mutating func contains(_ loan: Int64, _ isWanted: (Row) -> Bool) throws -> Bool {
    var passed = 0
    while let row = next, row.loan < loan {
      // Far apart, it is cheaper to search.
      passed += 1
      if passed > 100 { try seek(loan) } else { try advance() }
    }
    var isFound = false
    while let row = next, row.loan == loan {
      isFound = isFound || isWanted(row)
      try advance()
    }
    return isFound
  }
}

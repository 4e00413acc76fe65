internal import Loans

/// The rows of loans that had none, inserted sixteen at a time.
///
/// Starting and ending a statement costs SQLite about as much as a row does.
final class NewLoanRows {
  private let catalogue: Int64
  private let many: Inserts
  private let one: Inserts
  private var waiting: [Waiting] = []

  private static var batchSize: Int { 16 }

  private struct Waiting {
    var id: Int64
    var row: LoanRows.Row
  }

  /// For loans of one catalogue.
  init(_ database: Database, catalogue: Int64) {
    self.catalogue = catalogue
    many = Inserts(database, rows: Self.batchSize)
    one = Inserts(database, rows: 1)
  }

  /// Stores a loan, now or with some that follow.
  func insert(_ id: Int64, _ row: LoanRows.Row) throws {
    waiting.append(Waiting(id: id, row: row))
    guard waiting.count == Self.batchSize else { return }
    try many.run(waiting[...], catalogue: catalogue)
    waiting.removeAll(keepingCapacity: true)
  }

  /// Stores the loans that still wait.
  func finish() throws {
    for index in waiting.indices {
      try one.run(waiting[index...index], catalogue: catalogue)
    }
    waiting.removeAll()
  }

  /// The statements for a number of rows.
  private struct Inserts {
    let loan: LateStatement
    let detail: LateStatement

    init(_ database: Database, rows: Int) {
      func values(_ row: String) -> String {
        Array(repeating: row, count: rows).joined(separator: ", ")
      }
      loan = LateStatement(
        database, sql: "INSERT INTO loan VALUES " + values("(?, ?, ?, ?, ?, ?, 0, NULL)"))
      detail = LateStatement(
        database, sql: "INSERT INTO detail VALUES " + values("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"))
    }

    func run(_ rows: ArraySlice<Waiting>, catalogue: Int64) throws {
      try loan.statement.run { parameters in
        for new in rows { parameters.bind(new.id, catalogue, new.row) }
      }
      try detail.statement.run { parameters in
        for new in rows {
          parameters.bind(new.id)
          parameters.bind(new.row.identity)
          parameters.bind(textsOf: new.row.reminder.loan)
        }
      }
    }
  }
}

extension Parameters {
  /// Gives the next six parameters what decides about a loan, in the order of the table.
  fileprivate mutating func bind(_ id: Int64, _ catalogue: Int64, _ row: LoanRows.Row) {
    bind(id)
    bind(catalogue)
    bind(row.key)
    bind(row.fingerprint)
    bind(row.reminder.loan.expiration.dayNumber)
    bind(row.reminder.fireAt.ordinal)
  }
}

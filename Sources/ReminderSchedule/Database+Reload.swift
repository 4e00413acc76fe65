internal import GRDB
internal import Loans

extension Database {
  /// For how many days after a loan has left its catalogue its ledger is kept.
  static var ledgerLifetime: Int { 400 }

  /// The row number of a catalogue, which is made if it is new.
  func catalogueID(_ path: String) throws -> Int64 {
    let sql = "SELECT id FROM catalogue WHERE path = ?"
    if let id = try Int64.fetchOne(self, sql: sql, arguments: [path]) { return id }
    try execute(sql: "INSERT INTO catalogue (path) VALUES (?)", arguments: [path])
    return lastInsertedRowID
  }

  /// All rows of a catalogue, in the order in which its loans were first read.
  func storedLoans(catalogue: Int64, today: CivilDate) throws -> StoredLoans {
    let limit = today.adding(days: -Self.ledgerLifetime).dayNumber
    var stored = StoredLoans()
    let sql = """
      SELECT id, key, fingerprint, cancelled, left_on FROM loan WHERE catalogue = ? ORDER BY id
      """
    let statement = try RowStatement(self, sql: sql)
    statement.query { $0.bind(catalogue) }
    while try statement.next() {
      let leftOn = statement.optionalInteger(4)
      var marks: StoredLoans.Marks = statement.integer(3) == 0 ? [] : .cancelled
      if leftOn != nil { marks.insert(.left) }
      stored.append(
        StoredLoans.Row(
          id: statement.integer(0), key: UInt64(bitPattern: statement.integer(1)),
          fingerprint: UInt64(bitPattern: statement.integer(2))), marks)
      if let leftOn, leftOn < limit { stored.markLastOutlived() }
    }
    return stored
  }

  /// The highest number that a loan ever had, so that no number comes to mean another loan.
  func lastLoanID() throws -> Int64 {
    try Int64.fetchOne(self, sql: "SELECT last_id FROM counter") ?? 0
  }

  /// Remembers the highest number that a loan has.
  func setLastLoanID(_ id: Int64) throws {
    try execute(sql: "UPDATE counter SET last_id = ?", arguments: [id])
  }

  /// Forgets a loan and its ledger.
  func forget(loan id: Int64) throws {
    try execute(sql: "DELETE FROM delivery WHERE loan = ?", arguments: [id])
    try execute(sql: "DELETE FROM detail WHERE loan = ?", arguments: [id])
    try execute(sql: "DELETE FROM loan WHERE id = ?", arguments: [id])
  }
}

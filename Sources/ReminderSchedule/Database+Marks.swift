internal import GRDB
internal import Loans

extension Database {
  /// Writes into the ledger how far notices came in a channel.
  ///
  /// An attempt is counted when it begins, or when its end is marked without its beginning.
  func mark(
    _ notices: [DueNotice], _ state: Delivery.State, channel: String, at now: CivilDateTime,
    error: String?
  ) throws {
    let sending = Delivery.State.sending.stored
    let sql = """
      INSERT INTO delivery (loan, kind, expiration, channel, state, attempts, at, error)
      SELECT id, ?2, ?3, ?4, ?5, 1, ?6, ?7 FROM loan WHERE id = ?1
      ON CONFLICT (loan, kind, expiration, channel) DO UPDATE SET
        attempts = attempts + (excluded.state = \(sending) OR state <> \(sending)),
        state = excluded.state, at = excluded.at, error = excluded.error
      """
    let statement = try RowStatement(self, sql: sql)
    for due in notices {
      try statement.run { parameters in
        parameters.bind(due.reminderID)
        parameters.bind(due.notice.kind.stored)
        parameters.bind(due.notice.loan.expiration.dayNumber)
        parameters.bind(channel)
        parameters.bind(state.stored)
        parameters.bind(now.ordinal)
        parameters.bind(error)
      }
    }
  }

  /// Cancels loans by number.
  ///
  /// - Returns: the numbers that no present loan has.
  func cancel(ids: [Int]) throws -> [Int] {
    try ids.filter { id in
      let sql = "SELECT cancelled FROM loan WHERE id = ? AND left_on IS NULL"
      guard let isCancelled = try Bool.fetchOne(self, sql: sql, arguments: [id]) else {
        return true
      }
      if !isCancelled {
        try execute(sql: "UPDATE loan SET cancelled = 1 WHERE id = ?", arguments: [id])
      }
      return false
    }
  }

  /// Cancels all loans of some catalogues.
  ///
  /// - Returns: how many had a notice pending.
  func cancelAll(catalogues: [String]?) throws -> Int {
    let ids = try self.catalogues(catalogues).keys.map { String($0) }.joined(separator: ", ")
    let active = "cancelled = 0 AND left_on IS NULL AND catalogue IN (\(ids))"
    let pending =
      try Int.fetchOne(
        self,
        sql: """
          SELECT count(*) FROM loan WHERE \(active) AND NOT EXISTS (
            SELECT 1 FROM delivery WHERE delivery.loan = loan.id
              AND delivery.expiration = loan.expiration AND state = \(Delivery.State.delivered.stored))
          """) ?? 0
    try execute(sql: "UPDATE loan SET cancelled = 1 WHERE \(active)")
    return pending
  }
}

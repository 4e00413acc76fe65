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
  /// - Returns: how many were not cancelled before, and the numbers that no present loan has.
  func cancel(ids: [Int]) throws -> (cancelled: Int, unknown: [Int]) {
    var result = (cancelled: 0, unknown: [Int]())
    for id in ids {
      let sql = "SELECT cancelled FROM loan WHERE id = ? AND left_on IS NULL"
      guard let isCancelled = try Bool.fetchOne(self, sql: sql, arguments: [id]) else {
        result.unknown.append(id)
        continue
      }
      if isCancelled { continue }
      try execute(sql: "UPDATE loan SET cancelled = 1 WHERE id = ?", arguments: [id])
      result.cancelled += 1
    }
    return result
  }

  /// Cancels all loans of some catalogues.
  ///
  /// - Returns: how many were not cancelled before.
  func cancelAll(catalogues: [String]?) throws -> Int {
    let ids = try self.catalogues(catalogues).keys.map { String($0) }.joined(separator: ", ")
    try execute(
      sql: """
        UPDATE loan SET cancelled = 1
        WHERE cancelled = 0 AND left_on IS NULL AND catalogue IN (\(ids))
        """)
    return changesCount
  }
}

internal import Loans

extension Database {
  /// The number of a channel, which is made if it is new.
  func channelID(_ name: String) throws -> Int64 {
    if let id = try knownChannelID(name) { return id }
    try execute(sql: "INSERT INTO channel (name) VALUES (?)") { $0.bind(name) }
    return lastInsertedRowID
  }

  /// The number of a channel; `nil` if nothing was ever sent through it.
  func knownChannelID(_ name: String) throws -> Int64? {
    try integer(sql: "SELECT id FROM channel WHERE name = ?") { $0.bind(name) }
  }

  /// Writes into the ledger that notices were not tried; counts no attempt.
  func markUntried(
    _ notices: some Sequence<DueNotice>, channel: Int64, at now: CivilDateTime, error: String
  ) throws {
    let statement = try RowStatement(
      self,
      sql: """
        INSERT INTO delivery
        VALUES (?1, ?2, ?3, ?4, \(Delivery.State.failed.stored), 0, ?5, ?6, NULL)
        ON CONFLICT (loan, kind, expiration, channel) DO UPDATE SET
          state = excluded.state, at = excluded.at, error = excluded.error
        """)
    let loans = LoanLookup(self)
    for due in notices.sorted(by: { $0.reminderID < $1.reminderID })
    where try loans.loan(Int64(due.reminderID)) != nil {
      try statement.run { parameters in
        parameters.bind(due)
        parameters.bind(channel)
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
    let lookup = LoanLookup(self)
    for id in ids {
      guard case (var loan, let catalogue)? = try lookup.loan(Int64(id)), !loan.hasLeft else {
        result.unknown.append(id)
        continue
      }
      if !loan.isScheduled { continue }
      loan.marks.insert(.cancelled)
      try LoanRows(self, catalogue: catalogue).put(loan)
      result.cancelled += 1
    }
    return result
  }

  /// Cancels all loans of some catalogues.
  ///
  /// - Returns: how many were not cancelled before.
  func cancelAll(catalogues: [String]?) throws -> Int {
    var count = 0
    for catalogue in try self.catalogues(catalogues).keys {
      let rows = LoanRows(self, catalogue: catalogue)
      try forEachLoan(ofCatalogue: catalogue) { loan in
        guard loan.isScheduled else { return }
        var cancelled = loan
        cancelled.marks.insert(.cancelled)
        try rows.put(cancelled)
        count += 1
      }
    }
    return count
  }
}

extension Parameters {
  /// Gives the next three parameters the loan, kind and expiration of a notice.
  mutating func bind(_ due: DueNotice) {
    bind(due.reminderID)
    bind(due.notice.kind.stored)
    bind(due.notice.loan.expiration.dayNumber)
  }
}

internal import Loans

/// The statements by which a reload changes and removes the rows of loans.
///
/// A loan that is as its page has it has no row. One that is not has a row in `loan` that counts
/// instead, and one in `text` if its texts are others; one that is no more is in `gone`.
struct LoanRows {
  private let catalogue: Int64
  private let putLoan: LateStatement
  private let putText: LateStatement
  private let restoreLoan: LateStatement
  private let isTried: LateStatement
  private let deleteLoan: LateStatement
  private let deleteText: LateStatement
  private let putGone: LateStatement
  private let selectDelivered: LateStatement
  private let deleteSuperseded: LateStatement
  private let clearSuperseded: LateStatement
  private let deleteDeliveries: LateStatement
  private let restoreDelivery: LateStatement

  /// For loans of one catalogue.
  init(_ database: Database, catalogue: Int64) {
    self.catalogue = catalogue
    putLoan = LateStatement(
      database, sql: "INSERT OR REPLACE INTO loan VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    putText = LateStatement(database, sql: "INSERT OR REPLACE INTO text VALUES (?, ?)")
    restoreLoan = LateStatement(
      database, sql: "UPDATE loan SET cancelled = 0, left_on = NULL WHERE id = ?")
    isTried = LateStatement(
      database, sql: "SELECT 1 FROM delivery WHERE loan = ? AND attempts > 0 LIMIT 1")
    deleteLoan = LateStatement(database, sql: "DELETE FROM loan WHERE id = ?")
    deleteText = LateStatement(database, sql: "DELETE FROM text WHERE loan = ?")
    putGone = LateStatement(database, sql: "INSERT OR IGNORE INTO gone VALUES (?, ?)")
    selectDelivered = LateStatement(
      database,
      sql: """
        SELECT expiration, channel,
          max(CASE kind WHEN \(Notice.Kind.reminder.stored) THEN delivered_at END),
          max(CASE kind WHEN \(Notice.Kind.expired.stored) THEN delivered_at END)
        FROM delivery WHERE loan = ?1 AND expiration <> ?2 AND delivered_at IS NOT NULL
        GROUP BY expiration, channel
        """)
    deleteSuperseded = LateStatement(
      database,
      sql: """
        DELETE FROM delivery
        WHERE loan = ?1 AND expiration <> ?2 AND state <> \(Delivery.State.sending.stored)
        """)
    clearSuperseded = LateStatement(
      database,
      sql: "UPDATE delivery SET delivered_at = NULL WHERE loan = ?1 AND expiration <> ?2")
    deleteDeliveries = LateStatement(database, sql: "DELETE FROM delivery WHERE loan = ?")
    restoreDelivery = LateStatement(
      database,
      sql: """
        INSERT INTO delivery
        VALUES (?1, ?2, ?3, ?4, \(Delivery.State.delivered.stored), 1, ?5, NULL, ?5)
        ON CONFLICT (loan, kind, expiration, channel) DO UPDATE SET
          delivered_at = excluded.delivered_at WHERE delivered_at IS NULL
        """)
  }

  /// Stores a loan as it is, in place of what was known of it.
  func put(_ loan: StoredLoan) throws {
    try putLoan.statement.run { parameters in
      parameters.bind(loan.id)
      parameters.bind(catalogue)
      parameters.bind(loan.key)
      parameters.bind(loan.fingerprint)
      parameters.bind(Int(loan.expiration))
      parameters.bind(loan.fireAt)
      parameters.bind(loan.marks.contains(.cancelled) ? 1 : 0)
      parameters.bind(loan.hasLeft ? Int64(loan.leftOn) : nil)
    }
  }

  /// Stores the texts of a loan that has a row.
  func put(_ texts: ArraySlice<UInt8>, of id: Int64) throws {
    try putText.statement.run { parameters in
      parameters.bind(id)
      parameters.bind(blob: texts)
    }
  }

  /// Schedules a loan again that was cancelled, or had left its catalogue.
  func restore(_ id: Int64) throws {
    try restoreLoan.statement.run { $0.bind(id) }
  }

  /// Takes away a loan that is no longer in its catalogue, or keeps it as part of the ledger.
  ///
  /// - Parameter isFlying: whether a notice about it is being sent.
  func remove(_ loan: StoredLoan, on today: CivilDate, isFlying: Bool) throws {
    let isTried = try isTried.statement
    isTried.query { $0.bind(loan.id) }
    defer { isTried.reset() }
    if try isFlying || isTried.next() {
      var left = loan
      left.marks.insert(.left)
      left.leftOn = Int32(today.dayNumber)
      try put(left)
    } else {
      try deleteDeliveries.statement.run { $0.bind(loan.id) }
      try forget(loan)
    }
  }

  /// Takes away what is stored of a loan beside its ledger.
  private func forget(_ loan: StoredLoan) throws {
    if loan.hasRow { try deleteRow(loan.id) }
    guard loan.isPacked else { return }
    try putGone.statement.run { parameters in
      parameters.bind(loan.id)
      parameters.bind(catalogue)
    }
  }

  /// Takes away the row of a loan, with its texts.
  func deleteRow(_ id: Int64) throws {
    try deleteLoan.statement.run { $0.bind(id) }
    try deleteText.statement.run { $0.bind(id) }
  }

  /// Moves what was delivered of a loan's other expirations into `departures`.
  func supersede(
    _ loan: StoredLoan, _ identity: Identity, on leftOn: CivilDate,
    into departures: inout Departures
  ) throws {
    let expiration = Int64(loan.expiration)
    if try take(loan.id, except: expiration, identity, leftOn.dayNumber, into: &departures) {
      // What is being sent, or was when a run was killed, stays; but not what is a mark now.
      for statement in [deleteSuperseded, clearSuperseded] {
        try statement.statement.run { parameters in
          parameters.bind(loan.id)
          parameters.bind(expiration)
        }
      }
    }
  }

  /// Removes all that is stored of a loan that has left; what was delivered goes into `departures`.
  func depart(
    _ loan: StoredLoan, _ identity: Identity, on leftOn: Int, into departures: inout Departures
  ) throws {
    // No expiration is excepted: there is none of this number.
    _ = try take(loan.id, except: Int64(Int32.min), identity, leftOn, into: &departures)
    try deleteDeliveries.statement.run { $0.bind(loan.id) }
    try forget(loan)
  }

  /// Notes again that a notice was delivered, as a mark said.
  ///
  /// - Returns: whether that was not known.
  func restore(_ found: Departures.Found, to id: Int64, expiration: Int32) throws -> Bool {
    let restoreDelivery = try restoreDelivery.statement
    try restoreDelivery.run { parameters in
      parameters.bind(id)
      parameters.bind(found.kind.stored)
      parameters.bind(Int(expiration))
      parameters.bind(found.channel)
      parameters.bind(found.at)
    }
    return restoreDelivery.changes > 0
  }

  /// - Returns: whether there was anything.
  private func take(
    _ id: Int64, except expiration: Int64, _ identity: Identity, _ leftOn: Int,
    into departures: inout Departures
  ) throws -> Bool {
    let selectDelivered = try selectDelivered.statement
    selectDelivered.query { parameters in
      parameters.bind(id)
      parameters.bind(expiration)
    }
    var isAny = false
    while try selectDelivered.next() {
      isAny = true
      let group = Departures.Group(
        leftOn: leftOn, channel: selectDelivered.integer(1),
        reminderAt: selectDelivered.optionalInteger(2),
        expiredAt: selectDelivered.optionalInteger(3))
      let mark = Departures.mark(identity: identity, expiration: selectDelivered.integer(0))
      departures.append(mark, to: group)
    }
    return isAny
  }
}

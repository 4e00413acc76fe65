internal import Loans

/// The statements by which a reload changes and removes the rows of a loan.
struct LoanRows {
  /// What is stored of a loan, without its row number.
  struct Row {
    var key: UInt64
    var fingerprint: UInt64
    var identity: String
    var reminder: Reminder
  }

  private let updateLoan: LateStatement
  private let updateDetail: LateStatement
  private let selectDetail: LateStatement
  private let restoreLoan: LateStatement
  private let deleteLoan: LateStatement
  private let deleteDetail: LateStatement
  private let leaveLoan: LateStatement
  private let selectDelivered: LateStatement
  private let deleteSuperseded: LateStatement
  private let clearSuperseded: LateStatement
  private let deleteDeliveries: LateStatement
  private let deleteLeft: LateStatement
  private let restoreDelivery: LateStatement

  init(_ database: Database) {
    updateLoan = LateStatement(
      database,
      sql: """
        UPDATE loan SET fingerprint = ?, expiration = ?, fire_at = ?, cancelled = 0, left_on = NULL
        WHERE id = ?
        """)
    updateDetail = LateStatement(
      database,
      sql: """
        UPDATE detail SET loan_id = ?, title = ?, author = ?, isbn = ?, barcode = ?, borrower = ?,
          email = ?, expiration_time = ? WHERE loan = ?
        """)
    selectDetail = LateStatement(
      database,
      sql: """
        SELECT loan_id, title, author, isbn, barcode, borrower, email, expiration_time, identity
        FROM detail WHERE loan = ?
        """)
    restoreLoan = LateStatement(
      database, sql: "UPDATE loan SET cancelled = 0, left_on = NULL WHERE id = ?")
    deleteLoan = LateStatement(
      database,
      sql: """
        DELETE FROM loan
        WHERE id = ?1
          AND NOT EXISTS (SELECT 1 FROM delivery WHERE loan = ?1 AND attempts > 0)
        """)
    deleteDetail = LateStatement(database, sql: "DELETE FROM detail WHERE loan = ?")
    leaveLoan = LateStatement(
      database, sql: "UPDATE loan SET left_on = ? WHERE id = ?")
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
    deleteLeft = LateStatement(database, sql: "DELETE FROM loan WHERE id = ?")
    restoreDelivery = LateStatement(
      database,
      sql: """
        INSERT INTO delivery
        VALUES (?1, ?2, ?3, ?4, \(Delivery.State.delivered.stored), 1, ?5, NULL, ?5)
        ON CONFLICT (loan, kind, expiration, channel) DO UPDATE SET
          delivered_at = excluded.delivered_at WHERE delivered_at IS NULL
        """)
  }

  /// Stores what has changed of a loan, and schedules it again if it was cancelled or had left.
  func update(_ id: Int64, to row: Row) throws {
    let loan = row.reminder.loan
    try updateLoan.statement.run { parameters in
      parameters.bind(row.fingerprint)
      parameters.bind(loan.expiration.dayNumber)
      parameters.bind(row.reminder.fireAt.ordinal)
      parameters.bind(id)
    }
    guard try !hasTexts(id, of: loan) else { return }
    try updateDetail.statement.run { parameters in
      parameters.bind(textsOf: loan)
      parameters.bind(id)
    }
  }

  /// Schedules a loan again that was cancelled, or had left its catalogue.
  func restore(_ id: Int64) throws {
    try restoreLoan.statement.run { $0.bind(id) }
  }

  /// Takes away a loan that is no longer in its catalogue, or keeps it as part of the ledger.
  func remove(_ id: Int64, on today: CivilDate) throws {
    let deleteLoan = try deleteLoan.statement
    try deleteLoan.run { $0.bind(id) }
    if deleteLoan.changes > 0 {
      try deleteDetail.statement.run { $0.bind(id) }
      try deleteDeliveries.statement.run { $0.bind(id) }
    } else {
      try leaveLoan.statement.run { parameters in
        parameters.bind(today.dayNumber)
        parameters.bind(id)
      }
    }
  }

  /// Moves what was delivered of a loan's other expirations into `departures`.
  func supersede(
    _ id: Int64, _ row: Row, on leftOn: CivilDate, into departures: inout Departures
  ) throws {
    let expiration = row.reminder.loan.expiration.dayNumber
    let identity = Identity(row.identity)
    if try take(id, except: expiration, identity, leftOn.dayNumber, into: &departures) {
      // What is being sent, or was when a run was killed, stays; but not what is a mark now.
      for statement in [deleteSuperseded, clearSuperseded] {
        try statement.statement.run { parameters in
          parameters.bind(id)
          parameters.bind(expiration)
        }
      }
    }
  }

  /// Removes all rows of a loan that has left; what was delivered goes into `departures`.
  func depart(_ id: Int64, on leftOn: Int, into departures: inout Departures) throws {
    if let identity = try identity(of: id).map(Identity.init) {
      // No expiration is excepted: there is none of this number.
      _ = try take(id, except: Int(Int32.min), identity, leftOn, into: &departures)
    }
    try deleteDeliveries.statement.run { $0.bind(id) }
    try deleteDetail.statement.run { $0.bind(id) }
    try deleteLeft.statement.run { $0.bind(id) }
  }

  /// Notes again that a notice was delivered, as a mark said.
  ///
  /// - Returns: whether that was not known.
  func restore(_ found: Departures.Found, to id: Int64, expiration: Int) throws -> Bool {
    let restoreDelivery = try restoreDelivery.statement
    try restoreDelivery.run { parameters in
      parameters.bind(id)
      parameters.bind(found.kind.stored)
      parameters.bind(expiration)
      parameters.bind(found.channel)
      parameters.bind(found.at)
    }
    return restoreDelivery.changes > 0
  }

  /// - Returns: whether there was anything.
  private func take(
    _ id: Int64, except expiration: Int, _ identity: Identity, _ leftOn: Int,
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

  /// The identity that a row was stored with.
  func identity(of id: Int64) throws -> String? {
    let selectDetail = try selectDetail.statement
    selectDetail.query { $0.bind(id) }
    defer { selectDetail.reset() }
    return try selectDetail.next() ? selectDetail.text(8) : nil
  }

  /// Whether a row already has the texts of `loan`: a renewal does not touch them.
  private func hasTexts(_ id: Int64, of loan: Loan) throws -> Bool {
    let selectDetail = try selectDetail.statement
    selectDetail.query { $0.bind(id) }
    defer { selectDetail.reset() }
    guard try selectDetail.next() else { return false }
    return selectDetail.loan(from: 0, expiration: loan.expiration) == loan
  }
}

extension Parameters {
  /// Gives the next eight parameters the texts of a loan and its time, in the order of the table.
  mutating func bind(textsOf loan: Loan) {
    bind(loan.id)
    bind(loan.title)
    bind(loan.author)
    bind(loan.isbn)
    bind(loan.barcode)
    bind(loan.borrower)
    bind(loan.email)
    bind(loan.expirationTime.map { Int64($0.secondOfDay) })
  }
}

extension RowStatement {
  /// The loan whose texts and time are in eight columns of the current row.
  func loan(from first: Int32, expiration: CivilDate) -> Loan {
    Loan(
      id: text(first), title: text(first + 1), author: text(first + 2), isbn: text(first + 3),
      barcode: text(first + 4), borrower: text(first + 5), email: text(first + 6),
      expiration: expiration,
      expirationTime: optionalInteger(first + 7).flatMap { CivilTime(secondOfDay: Int($0)) })
  }
}

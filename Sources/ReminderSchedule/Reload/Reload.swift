internal import Failpoints
public import Loans

/// The replacement of one catalogue's reminders: one transaction, or part of one that
/// ``Schedule/begin()`` began; see ``Schedule/beginReload(of:library:at:)``.
///
///     var reload = try schedule.beginReload(of: "/srv/books.xml", at: now)
///     for loan in loans { try reload.add(loan, identity, fingerprint: 1, fireAt: fireAt) }
///     let outcome = try reload.commit(records: loans.count)
///
/// A value that goes away before ``commit(records:allowEmpty:)``, after an error for example, leaves
/// the schedule as it was. Until then the schedule cannot be used for anything else.
public struct Reload: ~Copyable {
  private let transaction: Transaction
  private let connection: Connection
  private let database: Database
  private let catalogue: Int64
  private let now: CivilDateTime
  private let last: LastRun
  private var stored: StoredLoans
  private let rows: LoanRows
  private var lastNumber: Int64
  private var summary = ReloadSummary()
  /// Whether some loan is another than the first of its identity.
  private var hasRepetitions = false

  init(
    _ schedule: Schedule, _ connection: Connection, catalogue path: String, library: String?,
    now: CivilDateTime
  ) throws(ScheduleError) {
    let transaction = try Transaction(connection, of: schedule)
    (database, catalogue, last, lastNumber, stored, rows) = try connection.perform { database in
      failpoint("reload-begun")
      let catalogue = try database.catalogueID(path, library: library)
      return (
        database, catalogue, try database.lastRun(), try database.lastNumber(),
        try StoredLoans(database, catalogue: catalogue),
        try LoanRows(database, catalogue: catalogue)
      )
    }
    self.transaction = transaction
    self.connection = connection
    self.now = now
  }

  /// Adds the next loan of the catalogue.
  ///
  /// - Parameters:
  ///   - loan: the loan.
  ///   - identity: which loan it is, the same in every version of the catalogue.
  ///   - fingerprint: a hash of everything that is stored of it except the expiration's day, the same
  ///     in every run.
  ///   - fireAt: when its reminder fires.
  /// - Throws: ``ScheduleError``; then nothing more can be done with the value.
  public mutating func add(
    _ loan: Loan, _ identity: LoanIdentity, fingerprint: UInt64, fireAt: CivilDateTime
  ) throws(ScheduleError) {
    try add(parts: loan, identity, fingerprint: fingerprint, fireAt: fireAt)
  }

  /// Adds the next loan of the catalogue, whose texts need not be strings.
  package mutating func add(
    parts loan: some LoanParts, _ identity: LoanIdentity, fingerprint: UInt64,
    fireAt: CivilDateTime
  ) throws(ScheduleError) {
    note(loan.lastDay, fireAt)
    if identity.ordinal > 1 { hasRepetitions = true }
    let read = StoredLoan(
      id: 0, identity: identity.hash, fingerprint: fingerprint, fireAt: Int64(fireAt.ordinal),
      expiration: Int32(truncatingIfNeeded: loan.lastDay.dayNumber),
      ordinal: Int32(clamping: identity.ordinal))
    do {
      guard let known = try stored.match(read) else {
        return try insert(read, loan)
      }
      if known.isSame(as: read), !known.isCancelled {
        summary.unchanged += 1
      } else {
        summary.changed += 1
        try rows.replace(read, loan, as: known.id)
      }
    } catch {
      throw connection.failure(error)
    }
  }

  private mutating func note(_ expiration: CivilDate, _ fireAt: CivilDateTime) {
    summary.loans += 1
    guard expiration >= now.date else { return }
    summary.scheduled += 1
    guard fireAt > now else { return }
    if summary.nextFireAt.map({ fireAt < $0 }) ?? true { summary.nextFireAt = fireAt }
  }

  private mutating func insert(_ loan: StoredLoan, _ parts: some LoanParts) throws {
    summary.added += 1
    if let id = try rows.returning(loan, today: now.date) {
      return try rows.replace(loan, parts, as: id)
    }
    lastNumber += 1
    guard lastNumber < LoanID.numbers else {
      throw DatabaseError.damage("the highest number of a loan")
    }
    let id = LoanID(catalogue: catalogue, number: lastNumber).rawValue
    try rows.insert(loan, parts, as: id)
  }

  /// Replaces what was stored of the catalogue by the loans that were added.
  ///
  /// Loans that stay as they were keep their number and cost no write, and the ledger stays.
  /// Reminders that the user cancelled are scheduled again. A loan that is no longer there has left:
  /// it has no notices, and is kept for 400 days with its deliveries.
  ///
  /// - Parameters:
  ///   - records: how many loan records the catalogue had, those without a usable expiration
  ///     included.
  ///   - allowEmpty: whether a catalogue without one record may replace one that had loans.
  /// - Throws: ``ScheduleError``; then nothing has changed.
  public consuming func commit(
    records: Int, allowEmpty: Bool = false
  ) throws(ScheduleError) -> ReloadOutcome {
    failpoint("reload-read")
    do {
      if records == 0, !allowEmpty {
        try stored.readAll()
        if stored.count > 0 { return .refusedEmpty(stored: stored.count) }
      }
      try finish()
    } catch {
      throw connection.failure(error)
    }
    failpoint("reload-before-commit")
    let summary = summary
    try transaction.commit()
    failpoint("reload-committed")
    return .replaced(summary)
  }

  /// Removes what was not read again, and what is old.
  private mutating func finish() throws {
    let leftOn = last.dayOfLeaving(today: now.date)
    for id in try stored.unmatched() {
      summary.removed += 1
      try rows.markLeft(id, on: leftOn)
    }
    failpoint("reload-rows-removed")
    // As they were after the last reload, unless something has changed since.
    if hasRepetitions, summary.added + summary.changed + summary.removed > 0 {
      try rows.numberCopies()
    }
    try database.prune(catalogue, loans: summary.loans, last: last, today: now.date)
    failpoint("reload-pruned")
    try database.noteRun(on: now.date)
    if summary.added > 0 { try database.setLastNumber(lastNumber) }
  }
}

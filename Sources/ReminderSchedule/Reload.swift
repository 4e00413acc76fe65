internal import GRDB
public import Loans

/// The replacement of one catalogue's reminders while the catalogue is being read.
///
/// ``Schedule/reload(catalogue:now:allowEmpty:fill:)`` makes one and takes it back; it
/// must not be used after that.
public final class Reload {
  private let database: Database
  private let catalogue: Int64
  private let new: NewLoanRows
  private let path: String
  private let today: CivilDate
  private var stored: StoredLoans
  private let rows: LoanRows
  private var lastID: Int64
  private var summary = ReloadSummary()
  private var isOpen = true

  /// Why the schedule could not take a loan; from then on ``add(key:fingerprint:reminder:)``
  /// does nothing and the reload will throw this.
  public private(set) var failure: ScheduleError?

  init(_ database: Database, catalogue: Int64, path: String, today: CivilDate) throws {
    self.database = database
    self.catalogue = catalogue
    self.path = path
    self.today = today
    stored = try database.storedLoans(catalogue: catalogue, today: today)
    rows = try LoanRows(database)
    new = try NewLoanRows(database, catalogue: catalogue)
    lastID = try database.lastLoanID()
  }

  /// Takes the next loan of the catalogue.
  ///
  /// Two loans of the same identity are two loans; it is the caller who tells them apart by an
  /// ordinal. Identities of the same key are told apart by their text.
  ///
  /// - Parameters:
  ///   - key: a hash of the loan's identity, the same in every run.
  ///   - fingerprint: a hash of all that is stored: identity, texts, expiration and fire date.
  ///   - reminder: the loan's identity and reminder; called only if no row has this key and
  ///     fingerprint.
  /// - Returns: whether the schedule can take more; if not, see ``failure``.
  @discardableResult
  public func add(
    key: UInt64, fingerprint: UInt64, reminder: () -> (identity: String, Reminder)
  ) -> Bool {
    precondition(isOpen, "a reload was used after its end")
    if failure != nil { return false }
    do {
      try take(key: key, fingerprint: fingerprint, reminder: reminder)
      return true
    } catch {
      failure = ScheduleError(error, path: path)
      return false
    }
  }

  private func take(
    key: UInt64, fingerprint: UInt64, reminder: () -> (identity: String, Reminder)
  ) throws {
    if let position = stored.find(key: key, fingerprint: fingerprint) {
      try keep(position)
    } else {
      let (identity, reminder) = reminder()
      let row = LoanRows.Row(
        key: key, fingerprint: fingerprint, identity: identity, reminder: reminder)
      if let position = try position(of: row) {
        try change(position, to: row)
      } else {
        try insert(row)
      }
    }
  }

  private func keep(_ position: Int) throws {
    let marks = stored.marks[position]
    stored.see(position)
    if marks.isEmpty {
      summary.unchanged += 1
    } else {
      count(marks)
      try rows.restore(stored.rows[position].id)
    }
  }

  private func change(_ position: Int, to row: LoanRows.Row) throws {
    count(stored.marks[position])
    stored.see(position)
    try rows.update(stored.rows[position].id, to: row)
  }

  private func insert(_ row: LoanRows.Row) throws {
    lastID += 1
    summary.added += 1
    try new.insert(lastID, row)
  }

  private func count(_ marks: StoredLoans.Marks) {
    if marks.contains(.left) {
      summary.added += 1
    } else {
      summary.changed += 1
    }
  }

  /// The row of the same identity, whatever else it holds.
  private func position(of row: LoanRows.Row) throws -> Int? {
    for position in stored.candidates(key: row.key)
    where try rows.identity(of: stored.rows[position].id) == row.identity {
      return position
    }
    return nil
  }
}

extension Reload {
  /// Does what `fill` decided: the outcome, and whether the transaction is to be kept.
  func end<Failure: Error>(
    _ decision: Result<ReloadDecision, Failure>, now: CivilDateTime, allowEmpty: Bool
  ) throws -> (Database.TransactionCompletion, Result<ReloadOutcome, Failure>) {
    isOpen = false
    switch decision {
    case .failure(let failure):
      return (.rollback, .failure(failure))
    case .success(.keep):
      return (.rollback, .success(.kept))
    case .success(.replace(let records)):
      if let failure { throw failure }
      let storedCount = stored.presentCount
      if records == 0, storedCount > 0, !allowEmpty {
        return (.rollback, .success(.refusedEmpty(stored: storedCount)))
      }
      return (.commit, .success(.replaced(try finish(now: now))))
    }
  }

  /// Takes away what was not read again, and sums up.
  private func finish(now: CivilDateTime) throws -> ReloadSummary {
    try new.finish()
    try removeUnseen()
    try pruneLedger()
    if summary.added > 0 { try database.setLastLoanID(lastID) }
    summary.loans = summary.added + summary.changed + summary.unchanged
    let pending = try database.pending(after: now, catalogues: [catalogue])
    summary.scheduled = pending.count
    summary.nextFireAt = pending.nextFireAt
    return summary
  }

  private func removeUnseen() throws {
    for (position, marks) in stored.marks.enumerated()
    where marks.isDisjoint(with: [.seen, .left]) {
      try rows.remove(stored.rows[position].id, on: today)
      summary.removed += 1
    }
  }

  private func pruneLedger() throws {
    for position in stored.outlived where !stored.marks[position].contains(.seen) {
      try database.forget(loan: stored.rows[position].id)
    }
  }
}

internal import Failpoints
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
  private let last: LastRun
  /// Whether anything could have been delivered of a loan that comes back.
  private let hasLedger: Bool
  private var departures: Departures
  private var returns: [Return] = []
  /// The identities of those loans among them that are not the first of their identity.
  private var repeatedReturns: Set<UInt64> = []
  private var stored: StoredLoans
  private let rows: LoanRows
  private var lastID: Int64
  private var summary = ReloadSummary()
  private var isOpen = true

  /// A loan with an expiration that it did not have before, as far as its row knows.
  private struct Return {
    var id: Int64
    var expiration: Int
    var mark: UInt64
  }

  /// Why the schedule could not take a loan; from then on
  /// ``add(key:fingerprint:expiration:fireAt:reminder:)`` does nothing and the reload will throw this.
  public private(set) var failure: ScheduleError?

  init(_ database: Database, catalogue: Int64, path: String, today: CivilDate) throws {
    self.database = database
    self.catalogue = catalogue
    self.path = path
    self.today = today
    last = try database.lastRun()
    hasLedger = try database.hasLedger(catalogue: catalogue)
    departures = Departures(catalogue: catalogue)
    stored = try database.storedLoans(catalogue: catalogue, today: today)
    rows = LoanRows(database)
    new = NewLoanRows(database, catalogue: catalogue)
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
  ///   - expiration: the loan's expiration, compared with what is stored beside the fingerprint.
  ///   - fireAt: the reminder's fire date, compared likewise.
  ///   - reminder: the loan's identity and reminder; called only if no row has all these.
  /// - Returns: whether the schedule can take more; if not, see ``failure``.
  @discardableResult
  public func add(
    key: UInt64, fingerprint: UInt64, expiration: CivilDate, fireAt: CivilDateTime,
    reminder: () -> (identity: String, Reminder)
  ) -> Bool {
    precondition(isOpen, "a reload was used after its end")
    if failure != nil { return false }
    let content = StoredLoans.content(
      fingerprint: fingerprint, expiration: Int64(expiration.dayNumber),
      fireAt: Int64(fireAt.ordinal))
    do {
      if let position = stored.find(key: key, content: content) {
        try keep(position, expiration)
      } else {
        let (identity, reminder) = reminder()
        try take(
          LoanRows.Row(
            key: key, fingerprint: fingerprint, identity: identity, reminder: reminder))
      }
      return true
    } catch {
      failure = ScheduleError(error, path: path)
      return false
    }
  }

  private func take(_ row: LoanRows.Row) throws {
    if let position = try position(of: row) {
      try change(position, to: row)
    } else {
      try insert(row)
    }
  }

  private func keep(_ position: Int, _ expiration: CivilDate) throws {
    let marks = stored.marks[position]
    stored.see(position)
    if marks.isEmpty {
      summary.unchanged += 1
    } else {
      count(marks)
      let id = stored.rows[position].id
      try rows.restore(id)
      // It may be another loan than the one that left, of the same identity.
      if hasLedger, marks.contains(.left), let identity = try rows.identity(of: id) {
        noteReturn(id, Identity(identity), expiration: expiration.dayNumber)
      }
    }
  }

  private func change(_ position: Int, to row: LoanRows.Row) throws {
    count(stored.marks[position])
    stored.see(position)
    let id = stored.rows[position].id
    try rows.update(id, to: row)
    guard hasLedger else { return }
    let leftOn = last.dayOfLeaving(today: today)
    try rows.supersede(id, row, on: leftOn, into: &departures)
    noteReturn(id, row)
  }

  private func insert(_ row: LoanRows.Row) throws {
    lastID += 1
    summary.added += 1
    try new.insert(lastID, row)
    if hasLedger { noteReturn(lastID, row) }
  }

  private func noteReturn(_ id: Int64, _ row: LoanRows.Row) {
    let expiration = row.reminder.loan.expiration.dayNumber
    noteReturn(id, Identity(row.identity), expiration: expiration)
  }

  private func noteReturn(_ id: Int64, _ identity: Identity, expiration: Int) {
    let mark = Departures.mark(identity: identity, expiration: Int64(expiration))
    returns.append(Return(id: id, expiration: expiration, mark: mark))
    if identity.isRepeated { repeatedReturns.insert(identity.hash) }
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
    failpoint("reload-read")
    try new.finish()
    try removeUnseen()
    failpoint("reload-rows-removed")
    try restoreReturned()
    try pruneLedger()
    failpoint("reload-pruned")
    try database.noteRun(on: today)
    if summary.added > 0 { try database.setLastLoanID(lastID) }
    summary.loans = summary.added + summary.changed + summary.unchanged
    let pending = try database.pending(after: now, catalogues: [catalogue])
    summary.scheduled = pending.count
    summary.nextFireAt = pending.nextFireAt
    return summary
  }

  private func removeUnseen() throws {
    let leftOn = last.dayOfLeaving(today: today)
    for (position, marks) in stored.marks.enumerated() where !marks.contains(.seen) {
      let id = stored.rows[position].id
      if try mustBeFound(id, marks) {
        try rows.depart(id, on: leftOn.dayNumber, into: &departures)
      } else if !marks.contains(.left) {
        try rows.remove(id, on: leftOn)
      }
      if !marks.contains(.left) { summary.removed += 1 }
    }
  }

  /// Whether another loan of the identity may have taken the place of one that is not there, and
  /// must find what was delivered of it.
  private func mustBeFound(_ id: Int64, _ marks: StoredLoans.Marks) throws -> Bool {
    guard hasLedger, !repeatedReturns.isEmpty || !marks.contains(.left),
      let identity = try rows.identity(of: id).map(Identity.init)
    else { return false }
    return identity.isRepeated || repeatedReturns.contains(identity.hash)
  }

  /// Looks up what was delivered before of loans that are new, or have another expiration.
  private func restoreReturned() throws {
    try departures.takeBack(database, count: returns.count, mark: { returns[$0].mark }) { found in
      let loan = returns[found.position]
      return try rows.restore(found, to: loan.id, expiration: loan.expiration)
    }
  }

  private func pruneLedger() throws {
    for (position, leftOn) in stored.outlived where !stored.marks[position].contains(.seen) {
      try rows.depart(stored.rows[position].id, on: leftOn, into: &departures)
    }
    try departures.write(database)
    if let day = last.oldestKept(today: today.dayNumber) {
      try Departures.prune(database, before: day)
    }
  }
}

internal import Failpoints
public import Loans

/// The effect of a reload on the schedule.
public enum ReloadOutcome: Hashable, Sendable {
  /// The catalogue's prior reminders were cancelled and the new ones scheduled.
  case replaced(ReloadSummary)
  /// Nothing has changed, because the catalogue could not be used.
  case kept
  /// Nothing has changed, because the catalogue had no record and loans of it were stored.
  ///
  /// - Parameter stored: the number of loans that were stored, and still are.
  case refusedEmpty(stored: Int)
}

/// The numbers of a catalogue's loans in the schedule after a reload, and of the changes.
public struct ReloadSummary: Hashable, Sendable {
  /// Loans of the catalogue with a usable expiration.
  public var loans = 0
  /// Loans that have not expired; each has a reminder, to come, due or delivered.
  public var scheduled = 0
  /// The first reminder after `now`, if there is one.
  public var nextFireAt: CivilDateTime?
  /// Loans that were not stored, or had left the catalogue before.
  public var added = 0
  /// Loans that were stored with other values, or cancelled.
  public var changed = 0
  /// Loans that were stored and are no longer in the catalogue.
  public var removed = 0
  /// Loans that were stored with the same values.
  public var unchanged = 0
}

/// The replacement of one catalogue's reminders: one transaction, or part of one that
/// ``Schedule/begin()`` began; see ``Schedule/beginReload(of:library:at:utcOffset:)``.
///
///     var reload = try schedule.beginReload(of: "/srv/books.xml", at: now)
///     let day = try reload.day(of: plan)
///     for loan in loans { try reload.add(loan, identity, fingerprint: 1, day) }
///     let outcome = try reload.commit(records: loans.count)
///
/// A value that goes away before ``commit(records:allowEmpty:)``, after an error for example, leaves
/// the schedule as it was. Until then the schedule cannot be used for anything else.
package struct Reload: ~Copyable {
  private let connection: Connection
  private let transaction: Transaction
  private let database: Database
  private let catalogue: Int64
  private let clockTime: ClockTime
  private var now: CivilDateTime { clockTime.time }
  private var stored: StoredLoans
  private var rows: LoanRows
  private let firstNumber: Int64
  /// Whether nothing is stored of the catalogue, so that all of its loans are new.
  package let isFirst: Bool
  private var lastNumber: Int64
  private var summary = ReloadSummary()
  /// The loans that are new, unless one that is not read yet is the same.
  private var waiting: [(row: LoanRow, loans: EncodedLoans, number: Int)] = []
  /// The numbers of the ladders so far.
  private var ladders: [Ladder: Int64] = [:]
  /// Whether some loan is another than the first of its identity.
  private var hasRepetitions = false
  /// The rows of loans with the identity of one that was of another book or person, and the rows of those.
  private var replaced: [ReturningLoans.Pair] = []
  /// The rows of loans that are gone, since a record with the identity is of another book or person, and
  /// has no expiration that can be used.
  private var displaced: [Int64] = []

  /// The most loans that a catalogue without any may say are all back.
  private static let mostBack = 10

  init(
    _ schedule: Schedule, _ connection: Connection, catalogue path: String, library: String?,
    at now: ClockTime
  ) throws(ScheduleError) {
    let transaction = try Transaction(connection, of: schedule)
    (database, catalogue, lastNumber, isFirst, stored, rows) =
      try connection.perform { database in
        failpoint("reload-begun")
        let catalogue = try database.catalogueID(path, library: library, today: now.time.date)
        let (lastNumber, isFirst) = try database.lastNumber(catalogue: catalogue)
        return (
          database, catalogue, lastNumber, isFirst,
          StoredLoans(database, catalogue: catalogue, lastNumber: lastNumber),
          try LoanRows(database)
        )
      }
    firstNumber = lastNumber
    self.connection = connection
    self.transaction = transaction
    clockTime = now
  }

  /// What is stored of the loans with a plan, of which there is at least one in the catalogue.
  ///
  /// - Throws: ``ScheduleError``; then nothing more can be done with the value.
  package mutating func day(of plan: LoanPlan) throws(ScheduleError) -> ScheduledDay {
    let isScheduled = plan.expiration >= now.date && plan.ladder.withheld == nil
    if isScheduled, let (rung, fireAt) = plan.next(after: now), rung <= 0 {
      summary.nextFireAt = min(summary.nextFireAt ?? fireAt, fireAt)
    }
    do {
      let ladder = try number(of: plan.ladder)
      return ScheduledDay(plan, ladder: ladder, isScheduled: isScheduled)
    } catch {
      throw ScheduleError(error, path: connection.file.path)
    }
  }

  /// Adds the next loan of the catalogue.
  ///
  /// - Parameters:
  ///   - loan: the loan.
  ///   - identity: which loan it is, the same in every version of the catalogue.
  ///   - fingerprint: a hash of everything that is stored of it except its dates, the same in every run.
  ///   - day: what is stored by its plan.
  ///   - encoded: what is stored of the loan, and its number there, if another thread has made that already.
  /// - Throws: ``ScheduleError``; then nothing more can be done with the value.
  package mutating func add(
    _ loan: some LoanParts, _ identity: LoanIdentity, fingerprint: UInt64, _ day: ScheduledDay,
    encoded: (loans: EncodedLoans, number: Int)? = nil
  ) throws(ScheduleError) {
    summary.loans += 1
    if day.isScheduled { summary.scheduled += 1 }
    if identity.ordinal > 1 { hasRepetitions = true }
    do {
      let hash = LoanRow.hash(fingerprint, day)
      let known = try stored.match(identity.key)
      if known?.hash == hash {
        summary.unchanged += 1
        return
      }
      let (loans, number) = encoded ?? (EncodedLoans(1) { _ in loan }, 0)
      let row = LoanRow(
        identity: identity, hash: hash, day: day, person: loans.person(of: number),
        armedOn: Int64(now.date.dayNumber))
      if known == nil, stored.hasMore {
        waiting.append((row, loans, number))
        // If it is in another order altogether, they would soon take more memory than all that is stored.
        if waiting.count > 1_000 + summary.loans / 32 { try settle() }
      } else {
        // New ones are numbered in the order of the catalogue.
        if known == nil, !waiting.isEmpty { try settle() }
        try store(row, known, loans, number)
      }
    } catch {
      throw ScheduleError(error, path: connection.file.path)
    }
  }

  /// Stores the loans that waited.
  private mutating func settle() throws {
    for (row, loans, number) in waiting {
      let known = try stored.match(row.identity.key, isLookedUp: true)
      if known?.hash == row.hash {
        summary.unchanged += 1
      } else {
        try store(row, known, loans, number)
      }
    }
    waiting = []
  }

  /// Stores a loan that is not as it was.
  private mutating func store(
    _ row: consuming LoanRow, _ known: StoredLoan?, _ loans: EncodedLoans, _ number: Int
  ) throws {
    rows.addTexts(of: number, in: loans)
    if let known,
      try same(known, row.person, rows.lastTexts, read: { row.keepArmed($0) }) != nil
    {
      summary.changed += 1
      row.id = known.id
    } else {
      summary.added += 1
      row.id = try nextID()
      if let known { replaced.append((row.id, known.id)) }
    }
    try rows.add(row)
  }

  /// Leaves the next loan of the catalogue as it is stored, if it is, since its expiration cannot be used.
  ///
  /// Its notices are scheduled again if the user had cancelled them.
  ///
  /// - Parameters:
  ///   - loan: the loan, with any expiration.
  ///   - identity: which loan it is.
  /// - Throws: ``ScheduleError``; then nothing more can be done with the value.
  package mutating func keep(
    _ loan: some LoanParts, _ identity: LoanIdentity
  ) throws(ScheduleError) {
    if identity.ordinal > 1 { hasRepetitions = true }
    var texts: [UInt8] = []
    StoredTexts.append(loan, to: &texts)
    do {
      guard let known = try stored.match(identity.key, isLookedUp: true) else { return }
      let stored = String(decoding: texts, as: UTF8.self)
      let expiration = try same(known, Person.number(of: loan), stored) { $0.integer(1) }
      guard let expiration else { return displaced.append(known.id) }
      if known.hash == LoanRow.cancelled {
        try database.run("UPDATE loan SET hash = 1 WHERE id = ?", known.id)
      }
      summary.loans += 1
      summary.unchanged += 1
      if expiration >= now.date.dayNumber { summary.scheduled += 1 }
    } catch {
      throw ScheduleError(error, path: connection.file.path)
    }
  }

  /// What `read` makes of the row of a stored loan with the identity of one, or `nil` if it is of another
  /// book or person.
  ///
  /// Then the id may be another's now, which is found out at the end. See ``LoanRow/columnsBefore``.
  private func same<Value>(
    _ known: StoredLoan, _ person: Int64, _ texts: String, read: (Statement) -> Value
  ) throws -> Value? {
    try database.rows("SELECT \(LoanRow.columnsBefore) FROM loan WHERE id = ?", known.id) { row in
      let isSame = row.integer(2) == person && StoredTexts.areOfOneBook(row.text(5), texts)
      return isSame ? read(row) : nil
    }.first ?? nil
  }

  /// The number of a ladder, which is stored if it is new.
  private mutating func number(of ladder: Ladder) throws -> Int64 {
    let number =
      try ladders[ladder] ?? Ladders(database).number(of: ladder) ?? database.store(ladder)
    ladders[ladder] = number
    return number
  }

  private mutating func nextID() throws -> Int64 {
    lastNumber += 1
    guard lastNumber < LoanID.numbers else {
      throw DatabaseError.damage("the highest number of a loan")
    }
    return LoanID.all(of: catalogue).lowerBound + lastNumber
  }

  /// Replaces what was stored of the catalogue by the loans that were added.
  ///
  /// Loans that stay as they were keep their number and cost no write, and the ledger stays.
  /// Reminders that the user cancelled are scheduled again. A loan that is no longer there has left:
  /// it has no notices, and is kept for 400 days with its deliveries. One that is gone and a new one with
  /// the same title, author, ISBN, person and expiration are the same loan, also if ids have moved from one
  /// loan to another.
  ///
  /// - Parameters:
  ///   - records: how many loan records the catalogue had, those without a usable expiration
  ///     included.
  ///   - allowEmpty: whether a catalogue without one record may replace one that had loans.
  ///   - isAllBack: whether the catalogue shows that nothing is lent any longer, which is believed of a
  ///     few loans.
  ///   - modifiedAt: when the catalogue's file was modified last, if that is known.
  ///   - isDelivered: whether the catalogue's notices are delivered, rather than that it is only looked at.
  /// - Throws: ``ScheduleError``; then nothing has changed.
  package consuming func commit(
    records: Int, allowEmpty: Bool = false, isAllBack: Bool = false,
    modifiedAt: ClockTime? = nil, isDelivered: Bool = true
  ) throws(ScheduleError) -> ReloadOutcome {
    failpoint("reload-read")
    do {
      try settle()
      let unmatched = try stored.unmatched()
      let isBelieved = allowEmpty || isAllBack && unmatched.count <= Self.mostBack
      if records == 0, !isBelieved, !unmatched.isEmpty {
        return .refusedEmpty(stored: unmatched.count)
      }
      try finish(removing: (unmatched + replaced.map(\.old) + displaced).sorted())
      try database.note(
        readingOf: catalogue, at: clockTime, modifiedAt: modifiedAt, isDelivered: isDelivered,
        hasChanged: summary.added + summary.changed + summary.removed > 0)
    } catch {
      throw ScheduleError(error, path: connection.file.path)
    }
    failpoint("reload-before-commit")
    let summary = summary
    try transaction.commit()
    failpoint("reload-committed")
    return .replaced(summary)
  }

  /// Removes what was not read again, and what is old.
  private mutating func finish(removing unmatched: [Int64]) throws {
    try rows.flush()
    let returning = try leave(unmatched)
    failpoint("reload-rows-removed")
    let hasChanged = summary.added + summary.changed + summary.removed > 0
    // As they were after the last reload, unless something has changed since.
    if hasRepetitions, hasChanged { try database.numberCopies(in: catalogue) }
    try returning?.moveDeliveries()
    if try database.dayOfReading(of: catalogue) != now.date.dayNumber {
      try database.prune(
        catalogue, loans: summary.loans, last: database.lastRun(), today: now.date)
    }
    failpoint("reload-pruned")
    try database.noteRun(at: clockTime)
    if lastNumber > firstNumber { try database.run("UPDATE counter SET last_id = ?", lastNumber) }
  }

  /// Moves loans that are gone among those that have left, unless new ones are the same.
  ///
  /// - Returns: these.
  private mutating func leave(_ unmatched: [Int64]) throws -> ReturningLoans? {
    var again: Set<Int64> = []
    var returning: ReturningLoans?
    if lastNumber > firstNumber {
      let all = LoanID.all(of: catalogue)
      var found = ReturningLoans(database, catalogue: catalogue, today: now.date)
      again = try found.recognise(
        all.lowerBound + firstNumber + 1...all.lowerBound + lastNumber, among: unmatched,
        or: replaced)
      summary.added -= again.count
      summary.changed += again.count
      returning = found
    }
    let leftOn = try database.lastRun().dayOfLeaving(today: now.date)
    for id in unmatched where !again.contains(id) {
      summary.removed += 1
      try database.run(
        "INSERT INTO left_loan SELECT *, ?2 FROM loan WHERE id = ?1", id, leftOn.dayNumber)
      try database.run("DELETE FROM loan WHERE id = ?", id)
    }
    return returning
  }
}

extension Database {
  /// Numbers loans alike in identity, expiration and person, in the order of the catalogue: by that
  /// number each finds its deliveries, whichever of them leaves.
  ///
  /// Of loans alike nobody can tell which one was silenced, so nothing of them is.
  func numberCopies(in catalogue: Int64) throws {
    let all = LoanID.all(of: catalogue)
    try run(
      """
      UPDATE loan SET copy = numbered.copy
      FROM (
        SELECT id, row_number() OVER (
          PARTITION BY identity, expiration, person ORDER BY ordinal, id) AS copy
        FROM loan
        WHERE id BETWEEN ?1 AND ?2 AND identity IN (
          SELECT identity FROM loan WHERE id BETWEEN ?1 AND ?2 AND ordinal > 1)
      ) AS numbered
      WHERE loan.id = numbered.id AND loan.copy <> numbered.copy
      """, all)
    try run(
      """
      DELETE FROM silence WHERE catalogue = ?3 AND (identity, expiration, person) IN (
        SELECT identity, expiration, person FROM loan WHERE id BETWEEN ?1 AND ?2 AND copy > 1)
      """, all, catalogue)
  }
}

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
///     for loan in loans { try reload.add(loan, identity, fingerprint: 1, plan) }
///     let outcome = try reload.commit(records: loans.count)
///
/// A value that goes away before ``commit(records:allowEmpty:)``, after an error for example, leaves
/// the schedule as it was. Until then the schedule cannot be used for anything else.
package struct Reload: ~Copyable {
  private let transaction: Transaction
  private let database: Database
  private let catalogue: Int64
  private let clockTime: ClockTime
  private var now: CivilDateTime { clockTime.time }
  private var stored: StoredLoans
  private let insertion: Statement
  private let replacement: Statement
  /// Whether there are loans that left and may come back.
  private let hasLeft: Bool
  private var lastNumber: Int64
  private var summary = ReloadSummary()
  /// The numbers of the ladders so far.
  private var ladders: [Ladder: Int64] = [:]
  /// The ladder of the last loan, and its number.
  private var last: (ladder: Ladder, number: Int64)?
  /// Whether some loan is another than the first of its identity.
  private var hasRepetitions = false

  /// For how many days a loan that comes back gets its number again, even if it was renewed.
  private static let daysOfAbsence = 7

  init(
    _ schedule: Schedule, _ connection: Connection, catalogue path: String, library: String?,
    at now: ClockTime
  ) throws(ScheduleError) {
    let transaction = try Transaction(connection, of: schedule)
    (database, catalogue, lastNumber, insertion, replacement, hasLeft) =
      try connection.perform { database in
        failpoint("reload-begun")
        let catalogue = try database.catalogueID(path, library: library)
        let left = try database.integer(
          "SELECT 1 FROM loan WHERE catalogue = ? AND left_on IS NOT NULL LIMIT 1", catalogue)
        return (
          database, catalogue, try database.lastNumber(catalogue: catalogue),
          try database.statement("INSERT INTO loan \(Self.values)"),
          try database.statement("INSERT OR REPLACE INTO loan \(Self.values)"), left != nil
        )
      }
    stored = StoredLoans(database, catalogue: catalogue)
    self.transaction = transaction
    clockTime = now
  }

  /// Adds the next loan of the catalogue.
  ///
  /// - Parameters:
  ///   - loan: the loan.
  ///   - identity: which loan it is, the same in every version of the catalogue.
  ///   - fingerprint: a hash of everything that is stored of it except the expiration's day, the same
  ///     in every run.
  ///   - plan: when its notices fire.
  /// - Throws: ``ScheduleError``; then nothing more can be done with the value.
  package mutating func add(
    _ loan: some LoanParts, _ identity: LoanIdentity, fingerprint: UInt64, _ plan: LoanPlan
  ) throws(ScheduleError) {
    note(plan)
    if identity.ordinal > 1 { hasRepetitions = true }
    do {
      let read = StoredLoan(
        id: 0, identity: Int64(bitPattern: identity.hash),
        fingerprint: Int64(bitPattern: fingerprint ^ plan.hashOfOpenDays),
        fireAt: Int64(plan.firstFireAt.ordinal),
        expiration: Int32(truncatingIfNeeded: plan.expiration.dayNumber),
        ordinal: Int32(clamping: identity.ordinal), ladder: try number(of: plan.ladder))
      let days = plan.openDays
      guard let known = try stored.match(read) else {
        summary.added += 1
        if let id = try returning(read) {
          return try store(read, loan, days, as: id, by: replacement)
        }
        return try store(read, loan, days, as: try nextID(), by: insertion)
      }
      if known.isSame(as: read), !known.isCancelled {
        summary.unchanged += 1
      } else {
        summary.changed += 1
        try store(read, loan, days, as: known.id, by: replacement)
      }
    } catch {
      throw transaction.connection.failure(error)
    }
  }

  /// The number of a ladder, which is stored if it is new.
  private mutating func number(of ladder: Ladder) throws -> Int64 {
    if let last, last.ladder == ladder { return last.number }
    let number =
      try ladders[ladder] ?? Ladders(database).number(of: ladder) ?? database.store(ladder)
    ladders[ladder] = number
    last = (ladder, number)
    return number
  }

  private mutating func note(_ plan: LoanPlan) {
    summary.loans += 1
    guard plan.expiration >= now.date else { return }
    summary.scheduled += 1
    guard let (rung, fireAt) = plan.next(after: now), rung <= 0 else { return }
    if summary.nextFireAt.map({ fireAt < $0 }) ?? true { summary.nextFireAt = fireAt }
  }

  private mutating func nextID() throws -> Int64 {
    lastNumber += 1
    guard lastNumber < LoanID.numbers else {
      throw DatabaseError.damage("the highest number of a loan")
    }
    return LoanID.all(of: catalogue).lowerBound + lastNumber
  }

  /// The row of a loan that left and has come back; `nil` if it is none of them.
  ///
  /// One with another expiration may be another lending of the book, unless it was away for a few
  /// days only.
  private func returning(_ loan: StoredLoan) throws -> Int64? {
    guard hasLeft else { return nil }
    return try database.integer(
      """
      SELECT id FROM loan
      WHERE left_on IS NOT NULL AND identity = ?1 AND ordinal = ?2 AND catalogue = ?3
        AND (expiration = ?4 OR left_on >= ?5)
      ORDER BY expiration = ?4 DESC, left_on DESC, id LIMIT 1
      """,
      loan.identity, Int(loan.ordinal), catalogue, Int(loan.expiration),
      now.date.adding(days: -Self.daysOfAbsence).dayNumber)
  }

  private static let values = """
    (id, identity, ordinal, copy, fingerprint, expiration, fire_at, ladder, open_before, open_after,
     cancelled, expiration_time, renewable, loan_id, title, author, isbn, barcode, borrower, email,
     language, category, item_type, library)
    VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  private static let texts: InlineArray<11, LoanField> = [
    .id, .title, .author, .isbn, .barcode, .borrower, .email, .language, .category, .type, .library,
  ]

  private func store(
    _ loan: StoredLoan, _ parts: some LoanParts, _ days: OpenDays?, as id: Int64,
    by statement: Statement
  ) throws {
    statement.bind(
      id, loan.identity, Int64(loan.ordinal), loan.fingerprint, Int64(loan.expiration),
      loan.fireAt, loan.ladder, days?.before.dayNumber, days?.after.dayNumber,
      parts.lastTime?.secondOfDay, parts.isRenewable.map { $0 ? 1 : 0 })
    try run(statement, parts)
  }

  /// Runs a statement with the texts from one on, none of which is copied: each is inside of the call
  /// that lends the one before.
  private func run(
    _ statement: Statement, _ parts: some LoanParts, textsFrom index: Int = 0
  ) throws {
    guard index < Self.texts.count else { return try statement.run() }
    var result: Result<Void, any Error>?
    parts.withText(of: Self.texts[index]) { text in
      statement.bind(text: text, isCopied: false)
      result = Result { try run(statement, parts, textsFrom: index + 1) }
    }
    if let result { return try result.get() }
    statement.bind(integer: nil)
    try run(statement, parts, textsFrom: index + 1)
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
  package consuming func commit(
    records: Int, allowEmpty: Bool = false
  ) throws(ScheduleError) -> ReloadOutcome {
    failpoint("reload-read")
    do {
      let unmatched = try stored.unmatched()
      if records == 0, !allowEmpty, !unmatched.isEmpty {
        return .refusedEmpty(stored: unmatched.count)
      }
      try finish(removing: unmatched)
    } catch {
      throw transaction.connection.failure(error)
    }
    failpoint("reload-before-commit")
    let summary = summary
    try transaction.commit()
    failpoint("reload-committed")
    return .replaced(summary)
  }

  /// Removes what was not read again, and what is old.
  private mutating func finish(removing unmatched: [Int64]) throws {
    let last = try database.lastRun()
    let leftOn = last.dayOfLeaving(today: now.date)
    for id in unmatched {
      try database.run("UPDATE loan SET left_on = ? WHERE id = ?", leftOn.dayNumber, id)
    }
    summary.removed = unmatched.count
    failpoint("reload-rows-removed")
    // As they were after the last reload, unless something has changed since.
    if hasRepetitions, summary.added + summary.changed + summary.removed > 0 {
      try database.numberCopies(in: catalogue)
    }
    if summary.added + summary.changed + summary.removed > 0 {
      try database.endSilences(in: catalogue)
      try database.forgetLadders()
    }
    try database.prune(catalogue, loans: summary.loans, last: last, today: now.date)
    failpoint("reload-pruned")
    try database.noteRun(at: clockTime)
    try database.note(readingOf: catalogue, at: clockTime)
    if summary.added > 0 { try database.run("UPDATE counter SET last_id = ?", lastNumber) }
  }
}

extension LoanPlan {
  /// A hash of the open days, 0 without any: the rest of a plan is compared by itself.
  fileprivate var hashOfOpenDays: UInt64 {
    guard let openDays else { return 0 }
    let days = UInt64(bitPattern: Int64(openDays.before.dayNumber << 32 ^ openDays.after.dayNumber))
    return (days &+ 1) &* 0x9E37_79B9_7F4A_7C15
  }
}

extension Database {
  /// Numbers loans alike in identity and expiration, in the order of the catalogue: by that number
  /// each finds its deliveries, whichever of them leaves.
  fileprivate func numberCopies(in catalogue: Int64) throws {
    let all = LoanID.all(of: catalogue)
    try run(
      """
      UPDATE loan SET copy = numbered.copy
      FROM (
        SELECT id, row_number() OVER (PARTITION BY identity, expiration ORDER BY ordinal, id) AS copy
        FROM loan
        WHERE id BETWEEN ?1 AND ?2 AND left_on IS NULL AND identity IN (
          SELECT identity FROM loan WHERE id BETWEEN ?1 AND ?2 AND ordinal > 1)
      ) AS numbered
      WHERE loan.id = numbered.id AND loan.copy <> numbered.copy
      """, all.lowerBound, all.upperBound)
  }
}

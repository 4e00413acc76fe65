internal import Failpoints
public import Loans

/// The replacement of one catalogue's reminders while the catalogue is being read.
///
/// ``Schedule/reload(catalogue:now:allowEmpty:fill:)`` makes one and takes it back; it
/// must not be used after that.
public final class Reload {
  private let database: Database
  private let catalogue: Int64
  private let path: String
  private let now: CivilDateTime
  private let last: LastRun
  /// Whether anything could have been delivered of a loan that comes back.
  private let hasLedger: Bool
  private var departures: Departures
  private var returns: [Return] = []
  /// The identities of those loans among them that are not the first of their identity.
  private var repeatedReturns: Set<UInt64> = []
  private var stored: StoredLoans
  private let rows: LoanRows
  private let pages: PageWriter
  private let new: NewLoans
  private let lookup: LoanLookup
  private var lastID: Int64
  private var summary = ReloadSummary()
  private var isOpen = true
  /// Whether anything may have been written.
  private var hasChanged = false
  /// Loans that left so long ago that their ledger can be made small.
  private var outlived: [StoredLoan] = []

  /// A loan with an expiration that it did not have before, as far as is known.
  private struct Return {
    var id: Int64
    var expiration: Int32
    var mark: UInt64
  }

  /// Why the schedule could not take a loan; from then on
  /// ``add(key:fingerprint:expiration:fireAt:reminder:)`` does nothing and the reload will throw this.
  public var failure: ScheduleError? { cause.map { ScheduleError($0, path: path) } }
  /// The same before it is put in words: of damage more must be made than words.
  private var cause: (any Error)?

  init(_ database: Database, catalogue: Int64, path: String, now: CivilDateTime) throws {
    self.database = database
    self.catalogue = catalogue
    self.path = path
    self.now = now
    last = try database.lastRun()
    hasLedger = try database.hasLedger(catalogue: catalogue)
    departures = Departures(catalogue: catalogue)
    lastID = try database.lastLoanID()
    guard try database.highestNumber() <= lastID else {
      throw Schema.damage("the highest number of a loan")
    }
    stored = try StoredLoans(LoanReader(database, catalogue: catalogue, through: lastID))
    rows = LoanRows(database, catalogue: catalogue)
    pages = PageWriter(database, catalogue: catalogue)
    new = NewLoans(rows, pages)
    lookup = LoanLookup(database)
  }

  /// Takes the next loan of the catalogue.
  ///
  /// Two loans of the same identity are two loans; it is the caller who tells them apart by an
  /// ordinal. Identities of the same key are told apart by their text.
  ///
  /// - Parameters:
  ///   - key: a hash of the loan's identity, the same in every run.
  ///   - fingerprint: a hash of the identity, all texts and the time of day, likewise.
  ///   - expiration: the loan's expiration.
  ///   - fireAt: the reminder's fire date.
  ///   - reminder: the loan's identity and reminder; called only if none is stored with this key
  ///     and fingerprint.
  /// - Returns: whether the schedule can take more; if not, see ``failure``.
  @discardableResult
  public func add(
    key: UInt64, fingerprint: UInt64, expiration: CivilDate, fireAt: CivilDateTime,
    reminder: () -> (identity: String, Reminder)
  ) -> Bool {
    add(key: key, fingerprint: fingerprint, expiration: expiration, fireAt: fireAt) { bytes in
      let (identity, reminder) = reminder()
      PackedLoan.append(
        reminder.loan, LoanIdentity(identity, of: reminder.loan), to: &bytes)
    }
  }

  /// Takes the next loan of the catalogue, as bytes.
  ///
  /// - Parameter pack: appends the loan as ``Loans/PackedLoan`` does.
  @discardableResult
  package func add(
    key: UInt64, fingerprint: UInt64, expiration: CivilDate, fireAt: CivilDateTime,
    pack: (inout [UInt8]) -> Void
  ) -> Bool {
    precondition(isOpen, "a reload was used after its end")
    if cause != nil { return false }
    note(expiration, fireAt)
    let loan = StoredLoan(
      id: 0, key: key, fingerprint: fingerprint, fireAt: Int64(fireAt.ordinal),
      expiration: Int32(truncatingIfNeeded: expiration.dayNumber))
    do {
      try take(loan, pack)
      return true
    } catch {
      cause = error
      return false
    }
  }

  private func note(_ expiration: CivilDate, _ fireAt: CivilDateTime) {
    summary.loans += 1
    guard expiration >= now.date else { return }
    summary.scheduled += 1
    guard fireAt > now else { return }
    if summary.nextFireAt.map({ fireAt < $0 }) ?? true { summary.nextFireAt = fireAt }
  }

  private func take(_ loan: StoredLoan, _ pack: (inout [UInt8]) -> Void) throws {
    // As nearly all are on nearly every day.
    if let known = try stored.seeNext(like: loan) { return try keep(known) }
    var texts: [UInt8]?
    let place = try stored.find(key: loan.key) { known in
      if known.fingerprint == loan.fingerprint { return true }
      let packed = texts ?? Self.bytes(pack)
      texts = packed
      return try isIdentity(of: known, in: packed)
    }
    guard let place else { return try insert(loan, texts, pack) }
    let known = stored[place]
    stored.see(place)
    if known.isSame(as: loan) {
      try keep(known)
    } else {
      try change(known, to: loan, texts)
    }
  }

  private static func bytes(_ pack: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    pack(&bytes)
    return bytes
  }

  /// Whether a stored loan is the one that the texts are of, whatever else is stored of it.
  private func isIdentity(of known: StoredLoan, in texts: [UInt8]) throws -> Bool {
    let read = PackedLoan.unpack(texts[...], expiration: .first)
    return try read?.identity == lookup.identity(of: known, catalogue: catalogue)
  }

  private func identity(of loan: StoredLoan) throws -> Identity {
    Identity(try lookup.identity(of: loan, catalogue: catalogue))
  }

  private func keep(_ known: StoredLoan) throws {
    if known.isScheduled {
      summary.unchanged += 1
      return
    }
    count(known)
    hasChanged = true
    try rows.restore(known.id)
    // It may be another loan than the one that left, of the same identity.
    if hasLedger, known.hasLeft { noteReturn(known, try identity(of: known)) }
  }

  /// - Parameter texts: the new texts, if they may be others.
  private func change(_ known: StoredLoan, to loan: StoredLoan, _ texts: [UInt8]?) throws {
    var changed = loan
    changed.id = known.id
    let hasOtherTexts =
      try texts.map { try !lookup.texts(of: known, catalogue: catalogue).elementsEqual($0) }
      ?? false
    let isRescheduled =
      known.expiration != loan.expiration || known.fireAt != loan.fireAt || !known.isScheduled
    if hasOtherTexts || isRescheduled { count(known) } else { summary.unchanged += 1 }
    hasChanged = true
    try rows.put(changed)
    if let texts, hasOtherTexts { try rows.put(texts[...], of: known.id) }
    guard hasLedger else { return }
    let identity = try texts.map { self.identity(in: $0) } ?? identity(of: known)
    let leftOn = last.dayOfLeaving(today: now.date)
    try rows.supersede(changed, identity, on: leftOn, into: &departures)
    noteReturn(changed, identity)
  }

  private func identity(in texts: [UInt8]) -> Identity {
    Identity(PackedLoan.unpack(texts[...], expiration: .first)?.identity ?? "")
  }

  private func insert(
    _ loan: StoredLoan, _ texts: [UInt8]?, _ pack: (inout [UInt8]) -> Void
  ) throws {
    lastID += 1
    guard lastID < PageNumber.end else { throw Schema.damage("the highest number of a loan") }
    summary.added += 1
    hasChanged = true
    var added = loan
    added.id = lastID
    guard hasLedger || texts != nil else { return try new.insert(added, pack) }
    let texts = texts ?? Self.bytes(pack)
    if hasLedger { noteReturn(added, identity(in: texts)) }
    try new.insert(added) { $0 += texts }
  }

  private func noteReturn(_ loan: StoredLoan, _ identity: Identity) {
    let mark = Departures.mark(identity: identity, expiration: Int64(loan.expiration))
    returns.append(Return(id: loan.id, expiration: loan.expiration, mark: mark))
    if identity.isRepeated { repeatedReturns.insert(identity.hash) }
  }

  private func count(_ known: StoredLoan) {
    if known.hasLeft {
      summary.added += 1
    } else {
      summary.changed += 1
    }
  }
}

extension Reload {
  /// Does what `fill` decided: the outcome, and whether the transaction is to be kept.
  func end<Failure: Error>(
    _ decision: Result<ReloadDecision, Failure>, allowEmpty: Bool
  ) throws -> (Database.TransactionCompletion, Result<ReloadOutcome, Failure>) {
    isOpen = false
    if let cause { throw cause }
    switch decision {
    case .failure(let failure):
      return (.rollback, .failure(failure))
    case .success(.keep):
      return (.rollback, .success(.kept))
    case .success(.replace(let records)):
      if records == 0, !allowEmpty {
        try stored.readAll()
        let storedCount = stored.presentCount
        if storedCount > 0 { return (.rollback, .success(.refusedEmpty(stored: storedCount))) }
      }
      return (.commit, .success(.replaced(try finish())))
    }
  }

  /// Takes away what was not read again, and sums up.
  private func finish() throws -> ReloadSummary {
    failpoint("reload-read")
    try new.finish(isFirst: stored.isEmpty)
    try removeUnseen()
    failpoint("reload-rows-removed")
    try restoreReturned()
    try pruneLedger()
    failpoint("reload-pruned")
    try database.noteRun(on: now.date)
    if summary.added > 0 { try database.setLastLoanID(lastID) }
    // What was not worth it before is worth it only if there is more now.
    if hasChanged, try Packing.isDue(database, catalogue: catalogue, packed: stored.packedCount) {
      var packing = try Packing(database, catalogue: catalogue, rows, pages)
      try packing.run()
      failpoint("reload-packed")
    }
    return summary
  }

  private func removeUnseen() throws {
    let leftOn = last.dayOfLeaving(today: now.date)
    let flying = Set(try database.flights().flatMap { $0.notices.map(\.loan) })
    let limit = Int32(now.date.adding(days: -Database.rowLifetime).dayNumber)
    try stored.forEachUnseen { loan in
      if !loan.hasLeft { summary.removed += 1 }
      if let identity = try identityToBeFound(loan) {
        hasChanged = true
        try rows.depart(loan, identity, on: leftOn.dayNumber, into: &departures)
      } else if !loan.hasLeft {
        hasChanged = true
        try rows.remove(loan, on: leftOn, isFlying: flying.contains(loan.id))
      } else if loan.leftOn < limit {
        hasChanged = true
        outlived.append(loan)
      }
    }
  }

  /// The identity of a loan that is not there, if another loan of it may have taken its place and
  /// must find what was delivered of it.
  private func identityToBeFound(_ loan: StoredLoan) throws -> Identity? {
    guard hasLedger, !repeatedReturns.isEmpty || !loan.hasLeft else { return nil }
    let identity = try identity(of: loan)
    return identity.isRepeated || repeatedReturns.contains(identity.hash) ? identity : nil
  }

  /// Looks up what was delivered before of loans that are new, or have another expiration.
  private func restoreReturned() throws {
    try departures.takeBack(database, count: returns.count, mark: { returns[$0].mark }) { found in
      let loan = returns[found.position]
      return try rows.restore(found, to: loan.id, expiration: loan.expiration)
    }
  }

  private func pruneLedger() throws {
    for loan in outlived {
      try rows.depart(loan, identity(of: loan), on: Int(loan.leftOn), into: &departures)
    }
    try departures.write(database)
    if let day = last.oldestKept(today: now.date.dayNumber) {
      try Departures.prune(database, before: day)
    }
  }
}

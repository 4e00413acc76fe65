internal import Failpoints
public import Loans
internal import Synchronization

/// The stored reminders of all catalogues and the ledger of what was delivered: one SQLite file.
///
/// A value holds the file's lock, so that one process at a time reloads and delivers. Everything
/// it does is one transaction: after a crash it was done or it was not. To look at a schedule
/// without the lock, use ``ScheduleReader``.
public final class Schedule: Sendable {
  private let connection: Connection
  /// Nobody reads it; it unlocks when the schedule goes away, after `deinit` has closed the file.
  private let lock: LockFile?
  /// The messages that are being sent: their batches, each at the place in the lock file where they
  /// are counted.
  private let flights = Mutex<[Int64?]>([])

  /// A number that the schedule got when it was made, by which it is told from one that has taken
  /// its place.
  public let identity: Int64

  /// The same schedule for reading.
  public var reader: ScheduleReader { ScheduleReader(connection) }

  /// Opens the schedule in a file and locks it; makes it, with mode 0600 in a directory of mode
  /// 0700, where it is missing.
  ///
  /// - Parameters:
  ///   - path: the file; its lock is `PATH.lock`, which is never removed.
  ///   - patience: how long to wait for another process to let go of the lock.
  /// - Throws: ``ScheduleError``; a file that is not a schedule is left as it is, and a damaged one
  ///   set aside.
  public init(opening path: String, patience: Duration = .seconds(5)) throws(ScheduleError) {
    let file = ScheduleFile(path: path)
    try file.prepareDirectory()
    let isKnown = SystemCall.exists(file.lockPath)
    // What is refused is left without a lock beside it, too.
    if !isKnown { try file.checkBeforeLocking() }
    let held = try LockFile.taking(beside: file, patience: patience)
    let records = held.records()
    lock = consume held
    try file.prepareFile()
    connection = try Connection(writing: file)
    identity = try connection.identity()
    try Self.endFlights(connection, records)
  }

  /// Copies the schedule in a file into memory: everything works as with the file, and nothing
  /// of it is kept.
  ///
  /// Takes no lock and creates nothing.
  ///
  /// - Throws: ``ScheduleError`` if what is at `path` is no schedule.
  public init(rehearsing path: String) throws(ScheduleError) {
    let source = try ScheduleReader(opening: path)
    lock = nil
    connection = try source.copy(path: path)
    source.close()
    identity = try connection.identity()
    try Self.endFlights(connection, LockFile.records(in: ScheduleFile(path: path).lockPath))
  }

  /// An empty schedule in memory, of which nothing is kept.
  ///
  /// - Throws: ``ScheduleError`` if SQLite fails.
  public init() throws(ScheduleError) {
    lock = nil
    connection = try Connection(copying: nil, path: "memory")
    identity = try connection.identity()
  }

  deinit {
    failpoint("schedule-closing")
    connection.close()
  }

  /// Ends what a killed run was sending.
  private static func endFlights(
    _ connection: Connection, _ sent: [Int64: Int]
  ) throws(ScheduleError) {
    guard try connection.read({ database in try database.hasFlight() }) else { return }
    try connection.write { database in
      try database.endFlights(sent: sent, except: [])
      failpoint("flights-before-commit")
    }
    failpoint("flights-committed")
  }

  /// Replaces all reminders of one catalogue by those that `fill` adds while it reads it.
  ///
  /// Prior pending reminders are cancelled and the new ones scheduled, in one transaction; loans
  /// that stay as they were keep their number and cost no write, and the ledger stays. Reminders
  /// that the user cancelled are scheduled again. A loan that is no longer there is forgotten,
  /// unless a notice about it was attempted: then it is kept, without notices, for a week, and what
  /// was delivered of it for 400 days. Other catalogues are not touched.
  ///
  /// - Parameters:
  ///   - catalogue: the catalogue's name in the schedule, usually its path.
  ///   - now: the library's civil time.
  ///   - allowEmpty: whether a catalogue without one record may replace one that had loans.
  ///   - fill: calls ``Reload/add(key:fingerprint:expiration:fireAt:reminder:)`` for each loan in document order.
  ///     It must not call the schedule.
  /// - Throws: ``ReloadError``; then nothing has changed.
  public func reload<Failure: Error>(
    catalogue: String, now: CivilDateTime, allowEmpty: Bool = false,
    fill: (Reload) throws(Failure) -> ReloadDecision
  ) throws(ReloadError<Failure>) -> ReloadOutcome {
    let result: Result<ReloadOutcome, Failure>
    do {
      result = try connection.write { database in
        failpoint("reload-begun")
        let reload = try Reload(
          database, catalogue: try database.catalogueID(catalogue), path: connection.path, now: now)
        let decision = Result { () throws(Failure) in try fill(reload) }
        let end = try reload.end(decision, allowEmpty: allowEmpty)
        failpoint("reload-before-commit")
        return end
      }
      failpoint("reload-committed")
    } catch {
      throw .schedule(error)
    }
    do { return try result.get() } catch { throw .reading(error) }
  }
}

extension Schedule {
  /// The notices that are due at `now` and have not been delivered through a channel; see
  /// ``ScheduleReader/due(at:channel:catalogues:repeatExpired:)``.
  ///
  /// - Throws: ``ScheduleError`` if the schedule cannot be read.
  public func due(
    at now: CivilDateTime, channel: String, catalogues: [String]? = nil, repeatExpired: Int? = nil
  ) throws(ScheduleError) -> [DueNotice] {
    try reader.due(
      at: now, channel: channel, catalogues: catalogues, repeatExpired: repeatExpired)
  }

  /// By how many days `now` lies before the last reload or delivery; `nil` if it does not, or by
  /// one day at most, as on a journey west.
  ///
  /// - Throws: ``ScheduleError`` if the schedule cannot be read.
  public func daysSetBack(at now: CivilDateTime) throws(ScheduleError) -> Int? {
    let last = try connection.read { database in try database.lastRun() }
    guard let day = last.day, day - now.date.dayNumber > 1 else { return nil }
    return day - now.date.dayNumber
  }

  /// When the first pending reminder after `now` fires; `nil` if none does.
  ///
  /// - Throws: ``ScheduleError`` if the schedule cannot be read.
  public func nextFireDate(
    after now: CivilDateTime, catalogues: [String]? = nil
  ) throws(ScheduleError) -> CivilDateTime? {
    try reader.nextFireDate(after: now, catalogues: catalogues)
  }

  /// The whole schedule in fire order; see ``ScheduleReader/entries(at:catalogues:)``.
  ///
  /// - Throws: ``ScheduleError`` if the schedule cannot be read.
  public func entries(
    at now: CivilDateTime, catalogues: [String]? = nil
  ) throws(ScheduleError) -> ScheduleEntries {
    try reader.entries(at: now, catalogues: catalogues)
  }

  /// Notes that the notices of some messages are about to be sent in this order, in one commit.
  ///
  /// - Parameters:
  ///   - messages: the notices of each message; the schedule's own, see
  ///     ``due(at:channel:catalogues:repeatExpired:)``.
  ///   - channel: the channel's name.
  ///   - now: the library's civil time.
  /// - Returns: what counts the messages sent and, in the end, notes what became of them.
  /// - Throws: ``ScheduleError``; `systemLimit` if 64 batches are being sent at the same time.
  public func beginSending(
    _ messages: [[DueNotice]], channel: String, at now: CivilDateTime
  ) throws(ScheduleError) -> Sending {
    try beginSending(parts: messages.map { $0[...] }, channel: channel, at: now)
  }

  /// The same for messages that are parts of one list, which need not be copied.
  package func beginSending(
    parts messages: [ArraySlice<DueNotice>], channel: String, at now: CivilDateTime
  ) throws(ScheduleError) -> Sending {
    let batch = Int64.random(in: 1...Int64.max)
    let slot = messages.isEmpty ? nil : try takeSlot(for: batch)
    let sending = Sending(self, batch: batch, slot: slot, count: messages.count, now: now)
    guard let slot else { return sending }
    try endLeftFlights()
    // Before the commit, so that the place is there even if the disk is full afterwards, and after
    // what the place counted before has been noted.
    try record(sent: 0, of: batch, slot: slot)
    try write { database in
      try database.beginFlight(batch, messages, channel: try database.channelID(channel), at: now)
      try database.noteRun(on: now.date)
      failpoint("sending-before-commit")
    }
    failpoint("sending-committed")
    return sending
  }

  /// Finds a place in the lock file for a batch, which is open from then on.
  private func takeSlot(for batch: Int64) throws(ScheduleError) -> Int {
    let slot = flights.withLock { flights -> Int? in
      if let free = flights.firstIndex(of: nil) {
        flights[free] = batch
        return free
      }
      guard flights.count < LockFile.Record.slots else { return nil }
      flights.append(batch)
      return flights.count - 1
    }
    if let slot { return slot }
    throw ScheduleError(
      .systemLimit, path: connection.path,
      "\(LockFile.Record.slots) batches of messages are being sent already; end one first")
  }

  /// Ends the flights of sendings that went away before their end.
  private func endLeftFlights() throws(ScheduleError) {
    try write { database in
      // Asked within the transaction: what another thread has begun is in the table only after it
      // is among those that are open.
      let open = flights.withLock { $0.compactMap(\.self) }
      try database.endFlights(sent: lock?.records() ?? [:], except: open)
    }
  }

  /// Counts the messages sent of a batch.
  func record(sent: Int, of batch: Int64, slot: Int) throws(ScheduleError) {
    try lock?.record(.init(batch: batch, sent: sent), slot: slot)
  }

  /// Makes a place in the lock file free for another batch.
  func free(slot: Int) {
    flights.withLock { flights in flights[slot] = nil }
  }

  /// Notes as failed what was not tried, because its channel cannot be used at all: it stays due,
  /// and no attempt is counted.
  ///
  /// - Parameters:
  ///   - notices: the schedule's own, none of which is being sent.
  ///   - channel: the channel's name.
  ///   - now: the library's civil time.
  ///   - error: what the channel said to the one that was tried; untrusted.
  /// - Throws: ``ScheduleError``; then nothing has changed.
  public func markUntried(
    _ notices: [DueNotice], channel: String, at now: CivilDateTime, error: String
  ) throws(ScheduleError) {
    if notices.isEmpty { return }
    try write { database in
      let channel = try database.channelID(channel)
      try database.markUntried(notices, channel: channel, at: now, error: error)
    }
  }

  /// Cancels the pending notices of loans, until the next reload of their catalogue.
  ///
  /// - Parameter ids: numbers as ``ScheduleEntry/id`` tells them.
  /// - Returns: how many loans were not cancelled before, and the numbers that no loan in a
  ///   catalogue has.
  /// - Throws: ``ScheduleError``; then nothing has changed.
  public func cancel(
    ids: [Int]
  ) throws(ScheduleError) -> (cancelled: Int, unknown: [Int]) {
    try writeCancelling { database in try database.cancel(ids: ids) }
  }

  /// Cancels the pending notices of all loans, until the next reload of their catalogue.
  ///
  /// - Parameter catalogues: the catalogues concerned; `nil` for all.
  /// - Returns: how many loans were not cancelled before.
  /// - Throws: ``ScheduleError``; then nothing has changed.
  @discardableResult
  public func cancelAll(catalogues: [String]? = nil) throws(ScheduleError) -> Int {
    try writeCancelling { database in try database.cancelAll(catalogues: catalogues) }
  }

  private func writeCancelling<Value>(
    _ cancel: (Database) throws -> Value
  ) throws(ScheduleError) -> Value {
    let value = try connection.write { database in
      let value = try cancel(database)
      failpoint("cancel-before-commit")
      return value
    }
    failpoint("cancel-committed")
    return value
  }

  /// Runs `body` in one transaction.
  func write(_ body: (Database) throws -> Void) throws(ScheduleError) {
    try connection.write(body)
  }

  /// Lets the file grow to so many pages and no further, as on a full disk.
  func limit(pages: Int) throws(ScheduleError) {
    try connection.limit(pages: pages)
  }
}

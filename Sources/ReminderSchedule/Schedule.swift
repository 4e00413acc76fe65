internal import GRDB
public import Loans

/// The stored reminders of all catalogues and the ledger of what was delivered: one SQLite file.
///
/// A value holds the file's lock, so that one process at a time reloads and delivers. Everything
/// it does is one transaction: after a crash it was done or it was not. To look at a schedule
/// without the lock, use ``ScheduleReader``.
public final class Schedule: Sendable {
  private let connection: Connection
  /// Nobody reads it; it unlocks when the schedule goes away, after `deinit` has closed the file.
  private let lock: LockFile?

  /// The same schedule for reading.
  public var reader: ScheduleReader { ScheduleReader(connection) }

  /// Opens the schedule in a file and locks it; makes it, with mode 0600 in a directory of mode
  /// 0700, where it is missing.
  ///
  /// - Parameters:
  ///   - path: the file; its lock is `PATH.lock`, which is never removed.
  ///   - patience: how long to wait for another process to let go of the lock.
  /// - Throws: ``ScheduleError``; a file that is not a schedule is left as it is.
  public init(opening path: String, patience: Duration = .seconds(5)) throws(ScheduleError) {
    let file = ScheduleFile(path: path)
    try file.prepareDirectory()
    lock = try LockFile.taking(file.lockPath, patience: patience)
    try file.prepareFile()
    connection = try Connection(writing: file)
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
  }

  deinit {
    connection.close()
  }

  /// Replaces all reminders of one catalogue by those that `fill` adds while it reads it.
  ///
  /// Prior pending reminders are cancelled and the new ones scheduled, in one transaction; loans
  /// that stay as they were keep their number and cost no write, and the ledger stays. Reminders
  /// that the user cancelled are scheduled again. A loan that is no longer there is forgotten,
  /// unless a notice about it was attempted: then it is kept, without notices, for 400 days.
  /// Other catalogues are not touched.
  ///
  /// - Parameters:
  ///   - catalogue: the catalogue's name in the schedule, usually its path.
  ///   - now: the library's civil time.
  ///   - allowEmpty: whether a catalogue without one record may replace one that had loans.
  ///   - fill: calls ``Reload/add(key:fingerprint:reminder:)`` for each loan in document order.
  ///     It must not call the schedule.
  /// - Throws: ``ReloadError``; then nothing has changed.
  public func reload<Failure: Error>(
    catalogue: String, now: CivilDateTime, allowEmpty: Bool = false,
    fill: (Reload) throws(Failure) -> ReloadDecision
  ) throws(ReloadError<Failure>) -> ReloadOutcome {
    let result: Result<ReloadOutcome, Failure>
    do {
      result = try connection.write { database in
        let reload = try Reload(
          database, catalogue: try database.catalogueID(catalogue), path: connection.path,
          today: now.date)
        let decision = Result { () throws(Failure) in try fill(reload) }
        return try reload.end(decision, now: now, allowEmpty: allowEmpty)
      }
    } catch {
      throw .schedule(error)
    }
    do { return try result.get() } catch { throw .reading(error) }
  }
}

extension Schedule {
  /// The notices that are due at `now` and have not been delivered through a channel; see
  /// ``ScheduleReader/due(at:channel:catalogues:)``.
  public func due(
    at now: CivilDateTime, channel: String, catalogues: [String]? = nil
  ) throws(ScheduleError) -> [DueNotice] {
    try reader.due(at: now, channel: channel, catalogues: catalogues)
  }

  /// When the first pending reminder after `now` fires; `nil` if none does.
  public func nextFireDate(
    after now: CivilDateTime, catalogues: [String]? = nil
  ) throws(ScheduleError) -> CivilDateTime? {
    try reader.nextFireDate(after: now, catalogues: catalogues)
  }

  /// The whole schedule in fire order; see ``ScheduleReader/entries(at:catalogues:)``.
  public func entries(
    at now: CivilDateTime, catalogues: [String]? = nil
  ) throws(ScheduleError) -> ScheduleEntries {
    try reader.entries(at: now, catalogues: catalogues)
  }

  /// Notes that notices are about to be sent, and counts the attempt.
  ///
  /// If the run is killed now, they are still due.
  public func markSending(
    _ notices: [DueNotice], channel: String, at now: CivilDateTime
  ) throws(ScheduleError) {
    try mark(notices, .sending, channel: channel, at: now)
  }

  /// Notes that notices were delivered: they are never due again through this channel, until the
  /// loan's expiration changes.
  public func markDelivered(
    _ notices: [DueNotice], channel: String, at now: CivilDateTime
  ) throws(ScheduleError) {
    try mark(notices, .delivered, channel: channel, at: now)
  }

  /// Notes that sending failed: the notices stay due.
  ///
  /// - Parameter error: what the channel said.
  public func markFailed(
    _ notices: [DueNotice], channel: String, at now: CivilDateTime, error: String
  ) throws(ScheduleError) {
    try mark(notices, .failed, channel: channel, at: now, error: error)
  }

  /// Cancels the pending notices of loans, until the next reload of their catalogue.
  ///
  /// - Parameter ids: numbers as ``ScheduleEntry/id`` tells them.
  /// - Returns: the numbers that no loan in a catalogue has; the others are cancelled.
  public func cancel(ids: [Int]) throws(ScheduleError) -> [Int] {
    try connection.write { database in try database.cancel(ids: ids) }
  }

  /// Cancels the pending notices of all loans, until the next reload of their catalogue.
  ///
  /// - Parameter catalogues: the catalogues concerned; `nil` for all.
  /// - Returns: how many loans had a notice pending.
  @discardableResult
  public func cancelAll(catalogues: [String]? = nil) throws(ScheduleError) -> Int {
    try connection.write { database in try database.cancelAll(catalogues: catalogues) }
  }

  /// Lets the file grow to so many pages and no further, as on a full disk.
  func limit(pages: Int) throws(ScheduleError) {
    try connection.limit(pages: pages)
  }

  private func mark(
    _ notices: [DueNotice], _ state: Delivery.State, channel: String, at now: CivilDateTime,
    error: String? = nil
  ) throws(ScheduleError) {
    if notices.isEmpty { return }
    try connection.write { database in
      try database.mark(notices, state, channel: channel, at: now, error: error)
    }
  }
}

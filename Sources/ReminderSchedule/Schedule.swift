internal import Failpoints
public import Loans
internal import System

/// The stored reminders of all catalogues and the ledger of deliveries: one SQLite file.
///
/// A value holds the file's lock, so that one process at a time reloads and delivers. Each call is
/// one transaction, unless ``begin()`` joins several: after a crash, or when it throws
/// ``ScheduleError``, nothing of it has changed. To look at a schedule without the lock, use
/// ``ScheduleReader``.
public final class Schedule: Sendable {
  private let connection: Connection
  /// The lock, which is released when the schedule goes away, after `deinit` has closed the file.
  let lock: LockFile?

  /// A number that the schedule got when it was made, which distinguishes it from one that has
  /// replaced it.
  public let identity: Int64

  /// The same schedule for reading.
  public var reader: ScheduleReader { ScheduleReader(connection) }

  /// Opens the schedule in a file and locks it; makes it, with mode 0600 in a directory of mode
  /// 0700, if it is missing.
  ///
  /// - Parameters:
  ///   - path: the file; its lock is `PATH.lock`, which is never removed.
  ///   - timeout: how long to wait for another process to release the lock.
  /// - Throws: ``ScheduleError``; a file that is not a schedule, or damaged, is left as it is.
  public convenience init(opening path: String, timeout: Duration = .seconds(5))
    throws(ScheduleError)
  {
    let file = ScheduleFile(path: path)
    try file.prepareDirectory()
    // A refused file gets no lock beside it.
    if !FileSystem.exists(file.lockPath) { _ = try file.check() }
    let lock = try LockFile(beside: file, timeout: timeout)
    try file.prepareFile()
    try self.init(Connection(writing: file), lock)
  }

  /// Makes the directory of a schedule if it is missing, without taking the lock, and refuses one in which
  /// somebody else could replace files.
  public static func prepareDirectory(of path: String) throws(ScheduleError) {
    try ScheduleFile(path: path).prepareDirectory()
  }

  /// Copies the schedule in a file into memory: everything works as with the file, and no change is
  /// kept.
  ///
  /// Takes no lock and creates nothing.
  ///
  /// - Throws: ``ScheduleError`` if what is at `path` is not a schedule.
  public convenience init(rehearsing path: String) throws(ScheduleError) {
    try self.init(Connection(copying: ScheduleReader(opening: path).connection, path: path))
  }

  /// An empty schedule in memory, which goes away with the value.
  ///
  /// - Throws: ``ScheduleError`` if SQLite fails.
  public convenience init() throws(ScheduleError) {
    try self.init(Connection(path: "memory"))
  }

  private init(_ connection: Connection, _ lock: LockFile? = nil) throws(ScheduleError) {
    self.connection = connection
    self.lock = lock
    identity = try connection.transact { database in
      try database.integer("SELECT identity FROM counter") ?? 0
    }
    try emptyOutbox()
  }

  deinit {
    failpoint("schedule-closing")
    connection.close()
  }

  /// Notes the state of the messages that a killed run was sending, or one that has not ended it.
  func emptyOutbox() throws(ScheduleError) {
    let first = try connection.transact { database in
      try database.integer("SELECT 1 FROM outbox LIMIT 1")
    }
    if first == nil { return }
    let count = try LockFile.count(beside: connection.file)
    try connection.transact { database in
      try database.emptyOutbox(count, next: .sending)
      failpoint("left-outbox-before-commit")
    }
    failpoint("left-outbox-committed")
  }

  // MARK: - Reload

  /// Begins a transaction that is shared by everything done with the schedule until it is committed:
  /// all of that is kept, or undone if the value goes away before.
  ///
  ///     let transaction = try schedule.begin()
  ///     for catalogue in catalogues { try center.reload(catalogue, at: now) }
  ///     try transaction.commit()
  ///
  /// Each commit waits for the disk five times, and many small reloads in one transaction have one
  /// commit. A reload must end before the transaction does. Deliver nothing meanwhile: what was
  /// sent would be forgotten if the transaction is undone. After a ``ScheduleError`` it cannot be used
  /// any longer: SQLite may have undone everything.
  public func begin() throws(ScheduleError) -> Transaction {
    // What undoes a part would otherwise need a temporary file.
    try connection.perform { database in try database.execute("PRAGMA temp_store = MEMORY") }
    return try Transaction(connection, of: self)
  }

  /// Begins to replace all reminders of one catalogue by those of the loans that it has now.
  ///
  /// - Parameters:
  ///   - catalogue: the catalogue's name in the schedule, usually its path.
  ///   - library: what people call its library; `nil` for no name.
  ///   - now: the library's civil time.
  ///   - utcOffset: the number of seconds by which that is ahead of UTC, if it is known.
  package func beginReload(
    of catalogue: String, library: String? = nil, at now: CivilDateTime, utcOffset: Int? = nil
  ) throws(ScheduleError) -> Reload {
    try Reload(
      self, connection, catalogue: catalogue, library: library,
      at: ClockTime(now, utcOffset: utcOffset))
  }

  /// The number of days by which `now` is before the last reload or delivery; `nil` if it is not, or by
  /// two days at most: the dates of libraries in different time zones can be so far apart.
  public func daysSetBack(at now: CivilDateTime) throws(ScheduleError) -> Int? {
    let last = try connection.transact { database in try database.lastRun().day }
    let days = now.date.days(until: last ?? now.date)
    return days > 2 ? days : nil
  }

  /// Notes that the library's server does not know the borrower of a catalogue, if the schedule has it,
  /// from this day on unless it was so before, or that it does: until then its notices are held.
  ///
  /// - Parameter today: the day; `nil` if it knows the borrower.
  package func noteUnknownBorrower(
    of catalogue: String, on today: CivilDate?
  ) throws(ScheduleError) {
    try write { database in
      try database.run(
        """
        UPDATE catalogue SET unknown_since = ?2
        WHERE path = ?1 AND (unknown_since IS NULL) = (?2 IS NOT NULL)
        """, catalogue, today?.dayNumber)
    }
  }

  // MARK: - Cancelling and forgetting

  /// Cancels the pending notices of all loans, until the next reload of their catalogue.
  ///
  /// - Returns: how many loans were not cancelled before.
  @discardableResult
  public func cancelAll() throws(ScheduleError) -> Int {
    try writeByUser { database in
      try database.run("UPDATE loan SET hash = ?1 WHERE hash <> ?1", LoanRow.cancelled)
      return database.changes
    }
  }

  /// Cancels the pending notices of loans, until the next reload of their catalogue.
  ///
  /// - Parameter ids: the loans' numbers.
  /// - Returns: the loans that were not cancelled before, and the numbers that no loan in a catalogue
  ///   has.
  @discardableResult
  public func cancel(
    ids: [Int]
  ) throws(ScheduleError) -> (cancelled: [Loan], unknown: [Int]) {
    try writeByUser { database in
      var result = (cancelled: [Loan](), unknown: [Int]())
      for number in ids {
        guard let loan = try database.presentLoan(number) else {
          result.unknown.append(number)
          continue
        }
        try database.run(
          "UPDATE loan SET hash = ?2 WHERE id = ?1 AND hash <> ?2", loan.row, LoanRow.cancelled)
        if database.changes > 0 { result.cancelled.append(loan.loan) }
      }
      return result
    }
  }

  /// Forgets a catalogue: its loans, those that have left it, their deliveries and silences, and what was
  /// said of their readers' addresses.
  ///
  /// - Parameter catalogue: its name in the schedule.
  /// - Returns: how many loans it had, or `nil` if the schedule has no such catalogue.
  public func forget(catalogue: String) throws(ScheduleError) -> Int? {
    try writeByUser { database in
      guard let id = try database.knownCatalogueID(catalogue) else { return nil }
      let count = try database.forgetLoans(of: id)
      for table in ["delivery", "silence"] {
        try database.run("DELETE FROM \(table) WHERE catalogue = ?", id)
      }
      try database.run("DELETE FROM catalogue WHERE id = ?", id)
      try database.forgetReasons()
      return count
    }
  }

  /// Forgets a channel and its deliveries: named again, it is sent everything that is due.
  ///
  /// - Returns: how many deliveries were forgotten, or `nil` if nothing was ever sent through it.
  public func forget(channel: String) throws(ScheduleError) -> Int? {
    try writeByUser { database in
      guard let id = try database.knownChannelID(channel) else { return nil }
      try database.run("DELETE FROM delivery WHERE channel = ?", id)
      let count = database.changes
      try database.run("DELETE FROM channel WHERE id = ?", id)
      try database.forgetReasons()
      return count
    }
  }

  /// Gives a channel another name, under which what was delivered counts; if that is in use, what was
  /// delivered through one of the two.
  ///
  /// - Returns: how many deliveries it has; `nil` if nothing was ever sent through it, or it has the
  ///   name.
  public func rename(channel: String, to name: String) throws(ScheduleError) -> Int? {
    try writeByUser { database in
      guard let id = try database.knownChannelID(channel), !channel.utf8.elementsEqual(name.utf8)
      else { return nil }
      if let other = try database.knownChannelID(name) {
        try database.run(
          """
          UPDATE channel SET
            first_used = min(channel.first_used, other.first_used),
            last_used = max(channel.last_used, other.last_used)
          FROM channel AS other WHERE other.id = ?1 AND channel.id = ?2
          """, other, id)
        try database.mergeDeliveries(by: "channel", from: other, into: id)
        try database.run("DELETE FROM channel WHERE id = ?", other)
      }
      try database.run("UPDATE channel SET name = ? WHERE id = ?", name, id)
      try database.run("UPDATE silence SET channel = ? WHERE channel = ?", name, channel)
      return try database.count("delivery WHERE channel = ?", id)
    }
  }

  /// Has the notice that a loan has reached sent again by the next run, through every channel: it no
  /// longer counts as delivered, though the ledger says when it was until that is tried.
  ///
  /// - Parameters:
  ///   - id: the loan's number.
  ///   - time: the civil time in the library of a catalogue.
  /// - Returns: the loan, and whether a notice was delivered that is sent again; `nil` if no loan in a
  ///   catalogue has the number.
  public func sendAgain(
    _ id: Int, at time: (_ catalogue: String) -> CivilDateTime
  ) throws(ScheduleError) -> (loan: ScheduledLoan, isSentAgain: Bool)? {
    try writeByUser { database in
      guard let loan = try database.presentLoan(id) else { return nil }
      guard let rung = loan.plan.reached(at: time(loan.catalogue)) else { return (loan, false) }
      try database.run(
        """
        UPDATE delivery SET delivered_at = NULL
        WHERE \(Schema.isDeliveryOfFirst) AND rung >= ?2 AND delivered_at IS NOT NULL
        """, loan.row, rung)
      return (loan, database.changes > 0)
    }
  }

  /// Runs `body` in one transaction, for a command that the user has given.
  func writeByUser<Value>(
    _ body: (Database) throws -> Value
  ) throws(ScheduleError) -> Value {
    let value = try connection.transact { database in
      let value = try body(database)
      failpoint("command-before-commit")
      return value
    }
    failpoint("command-committed")
    return value
  }

  /// Runs `body` in one transaction.
  func write(_ body: (Database) throws -> Void) throws(ScheduleError) {
    try connection.transact(body)
  }
}

extension Database {
  /// Gives a channel or a catalogue the deliveries of another one; of two of the same notice, one that
  /// was delivered counts.
  ///
  /// - Parameter column: the column of the ledger with its number.
  func mergeDeliveries(
    by column: String, from other: Int64, into id: Int64
  ) throws {
    let key = ["catalogue", "identity", "expiration", "copy", "person", "channel", "rung"]
    let isSameNotice = key.filter { $0 != column }
      .map { "other.\($0) = delivery.\($0)" }.joined(separator: " AND ")
    try run(
      """
      DELETE FROM delivery
      WHERE \(column) = ?2 AND delivered_at IS NULL AND NOT (\(Database.isRefused)) AND EXISTS (
        SELECT 1 FROM delivery AS other WHERE other.\(column) = ?1 AND \(isSameNotice))
      """, other, id)
    try run("UPDATE OR IGNORE delivery SET \(column) = ?2 WHERE \(column) = ?1", other, id)
    try run("DELETE FROM delivery WHERE \(column) = ?", other)
  }

  /// Forgets the loans of a catalogue, and those that have left it.
  ///
  /// - Returns: how many it had.
  func forgetLoans(of catalogue: Int64) throws -> Int {
    for table in LoanTable.allCases.reversed() {
      try run("DELETE FROM \(table.rawValue) WHERE id BETWEEN ? AND ?", LoanID.all(of: catalogue))
    }
    return changes
  }
}

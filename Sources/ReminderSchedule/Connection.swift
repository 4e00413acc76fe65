internal import CSQLite
internal import Dispatch
internal import Failpoints
internal import Loans
internal import System

/// The one connection of a writer or reader, used by one thread after the other; it throws
/// ``ScheduleError``s.
final class Connection: @unchecked Sendable {
  /// The file, as the user named it.
  let file: ScheduleFile
  /// The identity that the file had when it was opened for writing, by this connection alone; `nil`
  /// for a reader and in memory.
  fileprivate let ownID: FileID?
  /// The database, used only by the holder of the turn.
  fileprivate let database: Database
  fileprivate let turn = DispatchSemaphore(value: 1)
  /// Whether a shared transaction is open; used only by the holder of the turn.
  fileprivate var isShared = false

  /// The size in bytes up to which a file is checked for damage whenever it is opened for writing,
  /// which takes less than 10 milliseconds; a longer one is checked if a run was interrupted.
  private static let sizeAlwaysChecked: Int64 = 4 << 20

  /// The cache bounds the memory of a reload: what does not fit is written to the file early, under
  /// the journal's protection.
  private static let setup = "PRAGMA cache_size = -16000; PRAGMA cell_size_check = ON"

  /// Opens a schedule for writing, which must be locked; makes its tables if it is new.
  init(writing file: ScheduleFile) throws(ScheduleError) {
    self.file = file
    ownID = file.id
    do {
      database = try Self.open(writing: file)
    } catch {
      throw file.failure(error, ownID)
    }
  }

  private static func open(writing file: ScheduleFile) throws -> Database {
    let isChecked = file.hasJournal || file.size <= sizeAlwaysChecked
    if try file.readHeader().isDamaged { throw DatabaseError.damage("the header") }
    let database = try Database(file.location, timeout: 5_000)
    // Checked before anything is changed that another program may rely on.
    let isNew = try Schema.check(database, path: file.path)
    try database.execute(setup)
    if isChecked, !isNew { try Schema.checkWhole(database) }
    // EXTRA also syncs the directory after the journal is gone, so that a power cut cannot bring it
    // back and undo a commit.
    try database.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA")
    if isNew { try Schema.create(database) } else { try Schema.updateViews(database) }
    return database
  }

  /// Opens a schedule that is there, for reading; an empty one if it has no tables yet.
  ///
  /// SQLite may write to it, to roll back the journal that a killed run has left.
  init(reading file: ScheduleFile) throws(ScheduleError) {
    self.file = file
    ownID = nil
    do {
      // A reload that is larger than its cache keeps readers out until its end, and its end may wait
      // for the catalogue: better a list that comes late than one that fails.
      let found = try Database(file.location, mayBeMade: false, timeout: 60_000)
      try found.execute("BEGIN TRANSACTION")
      let isNew = try Schema.check(found, path: file.path)
      try found.execute("COMMIT TRANSACTION; \(Self.setup); PRAGMA query_only = ON")
      database = isNew ? try Database(":memory:") : found
      if isNew { try Schema.create(database) }
    } catch {
      throw ScheduleError(error, path: file.path)
    }
  }

  /// Copies a schedule, or else an empty one, into memory.
  init(copying source: Connection? = nil, path: String) throws(ScheduleError) {
    file = ScheduleFile(path: path)
    ownID = nil
    do {
      database = try Database(":memory:")
      if source == nil { try Schema.create(database) }
      try source?.read { [database] original in try original.copy(to: database) }
    } catch {
      throw ScheduleError(error, path: path)
    }
  }

  /// Closes the file.
  func close() {
    turn.wait()
    database.close()
    turn.signal()
  }

  /// Runs `body` on one state of the schedule.
  func read<Value>(_ body: (Database) throws -> Value) throws(ScheduleError) -> Value {
    try run(body, in: Transaction(self, writes: false))
  }

  /// Runs `body` in one transaction, which a thrown error rolls back.
  func write<Value>(_ body: (Database) throws -> Value) throws(ScheduleError) -> Value {
    try run(body, in: Transaction(self))
  }

  private func run<Value>(
    _ body: (Database) throws -> Value, in transaction: consuming Transaction
  ) throws(ScheduleError) -> Value {
    let value = try perform(body)
    try transaction.commit()
    return value
  }

  /// Runs `body` for the holder of the turn.
  func perform<Value>(_ body: (Database) throws -> Value) throws(ScheduleError) -> Value {
    do {
      return try body(database)
    } catch {
      throw failure(error)
    }
  }

  /// The error for the user; closes the connection if the file is damaged.
  func failure(_ error: any Error) -> ScheduleError {
    guard let ownID else { return ScheduleError(error, path: file.path) }
    if (error as? DatabaseError)?.isDamage ?? false { database.close() }
    return file.failure(error, ownID)
  }
}

/// A transaction on the schedule: kept by ``commit()``, undone if the value goes away before.
///
/// Until then nobody else can use the connection, unless it is shared: then what others do is part
/// of it.
public struct Transaction: ~Copyable, Sendable {
  let connection: Connection
  /// Whether it is a savepoint in a shared transaction.
  private let isPart: Bool
  private let isShared: Bool
  private let writes: Bool
  /// The schedule, whose end closes the connection and releases the lock.
  private let schedule: Schedule?
  private var hasTurn: Bool
  private var isOpen = true

  /// Begins a transaction, or a part of the shared one that is open.
  ///
  /// - Parameters:
  ///   - writes: whether it may change something, and nobody else may meanwhile.
  ///   - isShared: whether what others do meanwhile is part of it; there can be one at a time.
  ///   - schedule: what must not end before it.
  init(
    _ connection: Connection, writes: Bool = true, isShared: Bool = false,
    of schedule: Schedule? = nil
  ) throws(ScheduleError) {
    // Only what has begun is rolled back by `deinit`.
    connection.turn.wait()
    let isPart = connection.isShared
    precondition(!isPart || !isShared, "a shared transaction begins in another one")
    do {
      try connection.perform { database in
        if isPart, !database.isInTransaction {
          throw DatabaseError(SQLITE_IOERR, "an error has ended the transaction")
        }
        // What undoes a part would otherwise need a temporary file.
        if isShared { try database.execute("PRAGMA temp_store = MEMORY") }
        try database.execute(
          isPart ? "SAVEPOINT part" : "BEGIN \(writes ? "IMMEDIATE" : "DEFERRED") TRANSACTION")
      }
    } catch {
      connection.turn.signal()
      throw error
    }
    self.connection = connection
    self.isPart = isPart
    self.isShared = isShared
    self.writes = writes
    self.schedule = schedule
    hasTurn = !isShared
    if isShared {
      connection.isShared = true
      connection.turn.signal()
    }
  }

  deinit {
    if !hasTurn { connection.turn.wait() }
    let database = connection.database
    // Rather than keep half of a part, nothing is kept; an error may have undone all already.
    if isOpen, !isPart || (try? database.execute("ROLLBACK TO part; RELEASE part")) == nil {
      database.rollBack()
    }
    if isShared {
      connection.isShared = false
      try? database.execute("PRAGMA temp_store = DEFAULT")
    }
    connection.turn.signal()
  }

  /// Keeps everything that was done since it began.
  ///
  /// - Throws: ``ScheduleError``; then nothing has changed.
  public consuming func commit() throws(ScheduleError) {
    if !hasTurn {
      failpoint("shared-before-commit")
      connection.turn.wait()
      hasTurn = true
    }
    try connection.perform { [isPart] database in
      try database.execute(isPart ? "RELEASE part" : "COMMIT TRANSACTION")
    }
    isOpen = false
    if isShared { failpoint("shared-committed") }
    // Changes to a file without a name are as good as lost.
    if writes, !isPart, let id = connection.ownID, connection.file.id != id {
      throw connection.file.removed
    }
  }
}

extension ScheduleFile {
  /// The error for the writer, who holds the lock; sets the file aside if it is proven to be damaged.
  ///
  /// - Parameter ownID: the identity that the file had when it was opened.
  fileprivate func failure(_ error: any Error, _ ownID: FileID?) -> ScheduleError {
    guard let error = error as? DatabaseError, error.isDamage else {
      return ScheduleError(error, path: path)
    }
    guard id == ownID else { return removed }
    do throws(ScheduleError) {
      try proveDamage(error)
      let other = try setAside()
      return ScheduleError(
        .damaged, path: path,
        "the schedule \"\(path.visible)\" was damaged and is now \"\(other.visible)\"; the next run "
          + "starts a new one and sends again what was delivered before", underlying: error.message)
    } catch {
      return error
    }
  }

  /// Proves that the file is damaged, and not just a read of it has failed: all of it can be read, and
  /// a new connection detects damage once more.
  ///
  /// - Throws: `ScheduleError` `inputOutput` if that cannot be proven.
  private func proveDamage(_ first: DatabaseError) throws(ScheduleError) {
    try readWhole()
    do {
      if try readHeader().isDamaged { return }
      let database = try Database(location, timeout: 5_000)
      _ = try Schema.check(database, path: path)
      try Schema.checkWhole(database)
    } catch let error as DatabaseError where error.isDamage {
      return
    } catch {
      throw ScheduleError(error, path: path)
    }
    // A value that makes no sense is damage that SQLite does not detect.
    if first.isOwnFinding { return }
    throw ScheduleError(DatabaseError(SQLITE_IOERR, first.message), path: path)
  }
}

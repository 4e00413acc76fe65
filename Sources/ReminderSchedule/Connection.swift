internal import Dispatch
internal import Failpoints
internal import System

/// The one connection of a writer or reader, used by one thread after the other; it throws
/// ``ScheduleError``s.
final class Connection: @unchecked Sendable {
  /// The file, as the user named it.
  let path: String
  /// The database, used only by the holder of the turn.
  fileprivate let database: Database
  fileprivate let turn = DispatchSemaphore(value: 1)
  /// Whether a shared transaction is open; used only by the holder of the turn.
  fileprivate var isShared = false
  /// The file that this connection alone writes to; `nil` for a reader and in memory.
  fileprivate let owned: OwnedFile?

  /// The size in bytes up to which a file is checked for damage whenever it is opened for writing,
  /// which takes less than 10 milliseconds; a longer one is checked if a run was interrupted.
  private static let sizeAlwaysChecked: Int64 = 4 << 20

  /// Opens a schedule for writing, which must be locked; makes its tables if it is new.
  init(writing file: ScheduleFile) throws(ScheduleError) {
    path = file.path
    let owned = OwnedFile(file: file, id: file.id)
    self.owned = owned
    do {
      database = try Self.open(writing: file)
    } catch {
      throw owned.failure(error)
    }
  }

  private init(path: String, reading database: Database) {
    self.path = path
    self.database = database
    owned = nil
  }

  private static func open(writing file: ScheduleFile) throws -> Database {
    let isChecked = file.hasJournal || file.size <= sizeAlwaysChecked
    if try file.readHeader().isDamaged { throw DatabaseError.damage("the header") }
    let database = try asDamage {
      // EXTRA also syncs the directory after the journal is gone, so that a power cut cannot bring
      // it back and undo a commit. The cache bounds the memory of a reload: what does not fit is
      // written to the file early, under the journal's protection.
      try Database(
        file.location, timeout: .seconds(5), setup: "\(setup); PRAGMA synchronous = EXTRA")
    }
    do {
      // Checked before anything is changed that another program may rely on.
      let isNew = try asDamage { try Schema.check(database, path: file.path) }
      if isChecked, !isNew { try Schema.checkWhole(database) }
      try database.execute("PRAGMA journal_mode = DELETE")
      if isNew { try Schema.create(database) }
    } catch {
      database.close()
      throw error
    }
    return database
  }

  /// Turns SQLite's general error into damage: nothing else prevents reading the list of tables.
  fileprivate static func asDamage<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as DatabaseError where error.resultCode == .error {
      throw DatabaseError.damage(error.message)
    }
  }

  /// Opens a schedule that is there, for reading; `nil` if it has no tables yet.
  static func reading(_ file: ScheduleFile) throws(ScheduleError) -> Connection? {
    do throws(ScheduleError) {
      return try reading(file, isReadOnly: true)
    } catch {
      guard error.code == .notPermitted else { throw error }
      // A run that was killed left a journal, which a read-only connection may not roll back.
      return try reading(file, isReadOnly: false)
    }
  }

  private static func reading(
    _ file: ScheduleFile, isReadOnly: Bool
  ) throws(ScheduleError) -> Connection? {
    let connection: Connection
    do {
      // A reload that is larger than its cache keeps readers out until its end, and its end may wait
      // for the catalogue: better a list that comes late than one that fails.
      let database = try Database(
        file.location, isReadOnly: isReadOnly, timeout: .seconds(60),
        setup: "\(setup); PRAGMA query_only = ON")
      connection = Connection(path: file.path, reading: database)
    } catch {
      throw ScheduleError(error, path: file.path)
    }
    let isNew = try connection.read { database in try Schema.check(database, path: file.path) }
    return isNew ? nil : connection
  }

  /// Copies a schedule, or none, into memory.
  init(copying source: Connection?, path: String) throws(ScheduleError) {
    self.path = path
    owned = nil
    do {
      database = try Database(":memory:")
      if let source {
        try source.read { [database] original in try original.copy(to: database) }
      } else {
        try Schema.create(database)
      }
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

  /// The number of messages of the outbox that were sent, according to the lock file.
  func sentCount() -> OutboxCount? {
    (try? LockFile.count(in: ScheduleFile(path: path).lockPath)) ?? nil
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
    guard let owned else { return ScheduleError(error, path: path) }
    if (error as? DatabaseError)?.isDamage ?? false { database.close() }
    return owned.failure(error)
  }

  private static let setup = "PRAGMA cache_size = -16000; PRAGMA cell_size_check = ON"
}

/// A transaction on the schedule: kept by ``commit()``, undone if the value goes away before.
///
/// Until then nobody else can use the connection, unless it is shared: then what others do is part
/// of it.
public struct Transaction: ~Copyable, Sendable {
  private let connection: Connection
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
          throw DatabaseError(.inputOutput, message: "an error has ended the transaction")
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
    if isOpen { undo() }
    if isShared {
      connection.isShared = false
      try? connection.database.execute("PRAGMA temp_store = DEFAULT")
    }
    connection.turn.signal()
  }

  /// Undoes what was done; the first error may have undone everything already.
  private func undo() {
    let database = connection.database
    if isPart, (try? database.execute("ROLLBACK TO part; RELEASE part")) != nil { return }
    // Rather than keep half of a part, nothing is kept.
    database.rollBack()
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
    if writes, !isPart, let owned = connection.owned, !owned.isInPlace { throw owned.file.removed }
  }
}

/// The file of a writer, which holds the lock.
fileprivate struct OwnedFile: Sendable {
  let file: ScheduleFile
  /// The identity of the file when it was opened.
  let id: FileID?

  /// Whether the file still has its name.
  var isInPlace: Bool { file.id == id }

  /// The error for the user; sets the file aside if it is proven to be damaged, or an older build's.
  func failure(_ error: any Error) -> ScheduleError {
    if let error = error as? OlderBuild { return setAside(because: error) }
    guard let error = error as? DatabaseError, error.isDamage else {
      return ScheduleError(error, path: file.path)
    }
    guard isInPlace else { return file.removed }
    do throws(ScheduleError) {
      try proveDamage(error)
    } catch {
      return error
    }
    return setAside(because: error)
  }

  private func setAside(because error: any Error) -> ScheduleError {
    do throws(ScheduleError) {
      return ScheduleError(
        error, path: file.path,
        setAsideAs: try file.setAside(as: error is OlderBuild ? "older" : "damaged"))
    } catch {
      return error
    }
  }

  /// Proves that the file is damaged, and not just a read of it has failed: all of it can be read, and
  /// a new connection detects damage once more.
  ///
  /// - Throws: `ScheduleError` `inputOutput` if that cannot be proven.
  private func proveDamage(_ first: DatabaseError) throws(ScheduleError) {
    try file.readWhole()
    if file.hasDamagedFreeList { return }
    do {
      if try file.readHeader().isDamaged { return }
      let database = try Database(file.location, timeout: .seconds(5))
      defer { database.close() }
      _ = try Connection.asDamage { try Schema.check(database, path: file.path) }
      try Schema.checkWhole(database)
    } catch let error as DatabaseError where error.isDamage {
      return
    } catch {
      throw ScheduleError(error, path: file.path)
    }
    // A value that makes no sense is damage that SQLite does not detect.
    if first.isOwnFinding { return }
    throw ScheduleError(DatabaseError(.inputOutput, message: first.message), path: file.path)
  }
}

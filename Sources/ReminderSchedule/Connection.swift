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
  /// The identity that the file had when it was opened for writing; `nil` for a reader and in memory.
  private let ownID: FileID?
  private let database: Database
  private let turn = DispatchSemaphore(value: 1)
  /// The transactions that are open, each a part of the one before.
  fileprivate var depth = 0

  /// The cache bounds the memory of a reload: what does not fit is written to the file early, under
  /// the journal's protection.
  private static let setup = "PRAGMA cache_size = -16000; PRAGMA cell_size_check = ON"

  /// Opens a schedule for writing, which must be locked; makes its tables if it is new.
  init(writing file: ScheduleFile) throws(ScheduleError) {
    self.file = file
    ownID = file.id
    do {
      let isChecked = file.hasJournal || file.isSmall
      if try file.readHeader().isDamaged { throw DatabaseError.damage("the header") }
      database = try Database(file.location, timeout: 5_000)
      // Checked before anything is changed that another program may rely on.
      let isNew = try Schema.check(database, path: file.path)
      try database.execute(Self.setup)
      if isChecked, !isNew { try Schema.checkWhole(database) }
      // EXTRA also syncs the directory after the journal is gone, so that a power cut cannot bring it
      // back and undo a commit.
      try database.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA")
      if isNew { try Schema.create(database) } else { try Schema.updateViews(database) }
    } catch {
      throw Self.failure(toOpen: file, error)
    }
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
      throw Self.failure(toOpen: file, error)
    }
  }

  /// The error of a file that could not be opened.
  private static func failure(toOpen file: ScheduleFile, _ error: any Error) -> ScheduleError {
    guard let failure = error as? DatabaseError, failure.code == SQLITE_CORRUPT, file.hasJournal
    else { return ScheduleError(error, path: file.path) }
    // A journal that is still there could not be read, which SQLite takes for damage.
    return ScheduleError(DatabaseError(SQLITE_IOERR, failure.message), path: file.path)
  }

  /// Copies a schedule, or else an empty one, into memory.
  init(copying source: Connection? = nil, path: String) throws(ScheduleError) {
    file = ScheduleFile(path: path)
    ownID = nil
    do {
      database = try Database(":memory:")
      if source == nil { try Schema.create(database) }
      try source?.transact { [database] original in try original.copy(to: database) }
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

  /// Runs `body` alone, in a transaction or in a part of the one that is open, which a thrown error undoes.
  func transact<Value>(_ body: (Database) throws -> Value) throws(ScheduleError) -> Value {
    try perform { database in
      try begin()
      let value: Value
      do {
        value = try body(database)
        try release()
      } catch {
        undo()
        throw error
      }
      try checkFile()
      return value
    }
  }

  /// Runs `body` alone.
  func perform<Value>(_ body: (Database) throws -> Value) throws(ScheduleError) -> Value {
    turn.wait()
    defer { turn.signal() }
    do {
      return try body(database)
    } catch {
      throw ScheduleError(error, path: file.path)
    }
  }

  /// Begins a transaction, or a part of the one that is open (`SAVEPOINT`).
  fileprivate func begin() throws {
    // A part of one that an error has ended would be kept alone.
    if depth > 0, !database.isInTransaction {
      throw DatabaseError(SQLITE_IOERR, "an error has ended the transaction")
    }
    try database.execute("SAVEPOINT part")
    depth += 1
  }

  fileprivate func release() throws {
    do {
      try database.execute("RELEASE part")
    } catch let error as DatabaseError where error.code == SQLITE_CORRUPT {
      // A commit reads only the journal, and SQLite takes a read that has failed for damage.
      throw DatabaseError(SQLITE_IOERR, error.message)
    }
    depth -= 1
  }

  fileprivate func undo() {
    depth -= 1
    // Rather than keep half of a part, nothing is kept; an error may have undone all already.
    if depth == 0 || (try? database.execute("ROLLBACK TO part; RELEASE part")) == nil {
      database.rollBack()
    }
  }

  /// Changes to a file without a name are as good as lost.
  fileprivate func checkFile() throws(ScheduleError) {
    if depth == 0, let ownID, file.id != ownID { throw file.removed }
  }
}

/// A transaction on the schedule: kept by ``commit()``, undone if the value goes away before.
///
/// What is done meanwhile is part of it, another transaction too, which must end first.
public struct Transaction: ~Copyable, Sendable {
  private let connection: Connection
  /// The schedule, whose end closes the connection and releases the lock.
  private let schedule: Schedule
  private var isOpen = true

  /// Begins a transaction, or a part of the one that is open.
  ///
  /// - Parameter schedule: what must not end before it.
  init(_ connection: Connection, of schedule: Schedule) throws(ScheduleError) {
    // Only what has begun is undone by `deinit`.
    try connection.perform { _ in try connection.begin() }
    (self.connection, self.schedule) = (connection, schedule)
  }

  deinit {
    if isOpen { _ = try? connection.perform { _ in connection.undo() } }
  }

  /// Keeps everything that was done since it began.
  ///
  /// - Throws: ``ScheduleError``; then nothing has changed.
  public consuming func commit() throws(ScheduleError) {
    // Whether it is no part of another.
    let isOutermost = connection.depth == 1
    if isOutermost { failpoint("shared-before-commit") }
    try connection.perform { _ in try connection.release() }
    isOpen = false
    if isOutermost { failpoint("shared-committed") }
    try connection.checkFile()
  }
}

internal import CSQLite

/// A connection to an SQLite database, for one thread at a time.
///
/// This layer is our own because a library such as GRDB brings Foundation along, which makes the
/// binary three times as large and startup a third slower.
@safe final class Database {
  /// `nil` once it is closed.
  private var handle: OpaquePointer?
  /// The statements prepared so far, by their text.
  private var statements: [String: Statement] = [:]

  /// `SQLITE_OPEN_EXRESCODE`, which SQLite knows from 3.37 on.
  private static let extendedCodes: Int32 = 0x0200_0000

  /// Opens a file, or makes it unless it is opened only for reading (`sqlite3_open_v2`).
  ///
  /// - Parameters:
  ///   - location: a path, or `:memory:`.
  ///   - timeout: how long to wait for another connection's lock.
  ///   - setup: statements to execute first.
  init(
    _ location: String, isReadOnly: Bool = false, timeout: Duration = .zero, setup: String = ""
  ) throws {
    let knowsExtendedCodes = sqlite3_libversion_number() >= 3_037_000
    let flags =
      (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      | SQLITE_OPEN_NOMUTEX | (knowsExtendedCodes ? Self.extendedCodes : 0)
    let code = unsafe sqlite3_open_v2(location, &handle, flags, nil)
    guard code == SQLITE_OK else {
      close()
      throw DatabaseError(ResultCode(rawValue: code))
    }
    unsafe sqlite3_extended_result_codes(handle, 1)
    let milliseconds = timeout / .milliseconds(1)
    if milliseconds > 0 { unsafe sqlite3_busy_timeout(handle, Int32(milliseconds)) }
    try execute(setup)
  }

  deinit {
    close()
  }

  /// Closes the connection; every later call fails (`sqlite3_close_v2`).
  func close() {
    statements = [:]
    // A statement that somebody still holds would keep the locks.
    rollBack()
    unsafe sqlite3_close_v2(handle)
    unsafe handle = nil
  }

  /// The prepared statement of an SQL text, ready to be given its parameters
  /// (`sqlite3_prepare_v3`).
  ///
  /// Each text is prepared once, so no two uses of one may overlap.
  func statement(_ sql: String) throws -> Statement {
    if let statement = statements[sql] {
      statement.reset()
      return statement
    }
    var prepared: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    try check(unsafe sqlite3_prepare_v3(open, sql, -1, flags, &prepared, nil))
    guard let prepared = unsafe prepared else { preconditionFailure("no statement: \(sql)") }
    let statement = unsafe Statement(prepared, of: self)
    statements[sql] = statement
    return statement
  }

  /// Executes statements without parameters (`sqlite3_exec`).
  func execute(_ sql: String) throws {
    try check(unsafe sqlite3_exec(open, sql, nil, nil, nil))
  }

  /// The row that was inserted last (`sqlite3_last_insert_rowid`).
  var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Rows that the last insert, update or delete changed (`sqlite3_changes`).
  var changes: Int { unsafe Int(sqlite3_changes(handle)) }

  /// Whether a transaction is open (`sqlite3_get_autocommit`).
  var isInTransaction: Bool {
    guard let handle = unsafe handle else { return false }
    return unsafe sqlite3_get_autocommit(handle) == 0
  }

  /// Undoes what an open transaction did, unless an error has ended it.
  func rollBack() {
    if isInTransaction { try? execute("ROLLBACK TRANSACTION") }
  }

  /// Copies the whole database into another one (`sqlite3_backup_init`, `sqlite3_backup_step`,
  /// `sqlite3_backup_finish`).
  func copy(to other: Database) throws {
    guard let backup = try unsafe sqlite3_backup_init(other.open, "main", open, "main") else {
      throw other.lastError
    }
    let code = unsafe sqlite3_backup_step(backup, -1)
    let failure = code == SQLITE_DONE ? nil : other.error(code)
    let end = unsafe sqlite3_backup_finish(backup)
    if let failure { throw failure }
    try other.check(end)
  }

  /// The error of a call that has just failed (`sqlite3_errmsg`).
  func error(_ code: Int32) -> DatabaseError {
    let message = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) }
    return DatabaseError(ResultCode(rawValue: code), message: message)
  }

  /// The error of the last call that failed (`sqlite3_extended_errcode`).
  private var lastError: DatabaseError { unsafe error(sqlite3_extended_errcode(handle)) }

  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw error(code) }
  }

  /// - Throws: `DatabaseError` `misuse` once it is closed.
  private var open: OpaquePointer {
    get throws {
      guard let handle = unsafe handle else {
        throw DatabaseError(.misuse, message: "Connection is closed")
      }
      return unsafe handle
    }
  }
}

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

  /// Done once, before the first connection: it has no effect later.
  private static let prepareLibrary: Void = check_loans_turn_off_memory_statistics()

  /// Opens a file, which is made if it is missing and may be (`sqlite3_open_v2`).
  ///
  /// - Parameters:
  ///   - location: a path, or `:memory:`.
  ///   - timeout: how long to wait for another connection's lock, in milliseconds.
  init(_ location: String, mayBeMade: Bool = true, timeout: Int32 = 0) throws {
    Self.prepareLibrary
    let flags = SQLITE_OPEN_READWRITE | (mayBeMade ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOMUTEX
    let code = unsafe sqlite3_open_v2(location, &handle, flags, nil)
    guard code == SQLITE_OK else {
      let failure = unsafe error(sqlite3_extended_errcode(handle))
      close()
      throw failure
    }
    unsafe sqlite3_extended_result_codes(handle, 1)
    unsafe sqlite3_busy_timeout(handle, timeout)
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

  /// Rows that the last insert, update or delete changed (`sqlite3_changes`).
  var changes: Int { unsafe Int(sqlite3_changes(handle)) }

  /// The row number of the last insert (`sqlite3_last_insert_rowid`).
  var insertedID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

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
      throw unsafe other.error(sqlite3_extended_errcode(other.handle))
    }
    let code = unsafe sqlite3_backup_step(backup, -1)
    let end = unsafe sqlite3_backup_finish(backup)
    try other.check(code == SQLITE_DONE ? end : code)
  }

  /// The error of a call that has just failed (`sqlite3_errmsg`).
  func error(_ code: Int32) -> DatabaseError {
    let message = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) }
    return error(code, message ?? "unknown")
  }

  /// An error; where SQLite takes a read that has failed for damage, one of input.
  func error(_ code: Int32, _ message: String) -> DatabaseError {
    let isDamage = [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF)
    return DatabaseError(isDamage && hasFailedToRead ? SQLITE_IOERR : code, message)
  }

  /// Whether the system has failed to read or write the file (`sqlite3_file_control`).
  private var hasFailedToRead: Bool {
    var number: Int32 = 0
    unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &number)
    return number != 0
  }

  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw error(code) }
  }

  /// - Throws: `DatabaseError` `SQLITE_MISUSE` once it is closed.
  private var open: OpaquePointer {
    get throws {
      guard let handle = unsafe handle else {
        throw DatabaseError(SQLITE_MISUSE, "Connection is closed")
      }
      return unsafe handle
    }
  }
}

/// The reason why SQLite could not do something, or a value that makes no sense.
///
/// - SeeAlso: <https://www.sqlite.org/rescode.html>
struct DatabaseError: Error {
  /// SQLite's extended code.
  let extendedCode: Int32
  let message: String

  /// The primary code.
  var code: Int32 { extendedCode & 0xFF }

  init(_ code: Int32, _ message: String) {
    extendedCode = code
    self.message = message
  }

  /// The error of a value that makes no sense.
  static func damage(_ what: String) -> DatabaseError { DatabaseError(SQLITE_CORRUPT, what) }
}

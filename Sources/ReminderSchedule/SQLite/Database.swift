internal import CSQLite

/// A connection to an SQLite database, for one thread at a time.
@safe final class Database {
  /// How a database is opened.
  struct Configuration {
    var isReadOnly = false
    /// For how long to wait for another connection's lock.
    var patience = Duration.zero
    /// Statements to begin with.
    var setup = ""
  }

  /// What becomes of a transaction at its end.
  enum TransactionCompletion { case commit, rollback }

  /// `nil` once it is closed.
  private var handle: OpaquePointer?
  /// The statements that were prepared to be used again, by their text.
  private var statements: [String: Statement] = [:]

  /// `SQLITE_OPEN_EXRESCODE`, which SQLite knows from 3.37 on.
  private static let extendedCodes: Int32 = 0x0200_0000

  /// Opens a file, or makes it unless it is only to be read (`sqlite3_open_v2`).
  ///
  /// - Parameter location: a path, or `:memory:`.
  init(_ location: String, _ configuration: Configuration = Configuration()) throws {
    let knowsExtendedCodes = sqlite3_libversion_number() >= 3_037_000
    let flags =
      (configuration.isReadOnly
        ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      | SQLITE_OPEN_NOMUTEX | (knowsExtendedCodes ? Self.extendedCodes : 0)
    let code = unsafe sqlite3_open_v2(location, &handle, flags, nil)
    guard code == SQLITE_OK else {
      close()
      throw DatabaseError(ResultCode(rawValue: code))
    }
    unsafe sqlite3_extended_result_codes(handle, 1)
    let milliseconds = configuration.patience / .milliseconds(1)
    if milliseconds > 0 { unsafe sqlite3_busy_timeout(handle, Int32(milliseconds)) }
    try execute(sql: configuration.setup)
  }

  deinit {
    close()
  }

  /// Closes the connection; all that is asked of it afterwards fails (`sqlite3_close_v2`).
  func close() {
    statements = [:]
    unsafe sqlite3_close_v2(handle)
    unsafe handle = nil
  }

  /// Prepares a statement (`sqlite3_prepare_v3`).
  ///
  /// - Parameter isKept: whether the connection keeps it for the next time.
  func statement(_ sql: String, isKept: Bool) throws -> Statement {
    if isKept, let statement = statements[sql] { return statement }
    var prepared: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    try check(unsafe sqlite3_prepare_v3(open, sql, -1, flags, &prepared, nil))
    guard let prepared = unsafe prepared else { preconditionFailure("no statement: \(sql)") }
    let statement = unsafe Statement(prepared)
    if isKept { statements[sql] = statement }
    return statement
  }

  /// Executes statements (`sqlite3_exec`).
  func execute(sql: String) throws {
    try check(unsafe sqlite3_exec(open, sql, nil, nil, nil))
  }

  /// The row that was inserted last (`sqlite3_last_insert_rowid`).
  var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Rows that the last insert, update or delete changed (`sqlite3_changes`).
  var changesCount: Int { unsafe Int(sqlite3_changes(handle)) }

  /// Whether a transaction is open, which some errors end (`sqlite3_get_autocommit`).
  private var isInTransaction: Bool {
    unsafe handle.map { unsafe sqlite3_get_autocommit($0) == 0 } ?? false
  }

  /// Runs `body` on one state of the database.
  func read<Value>(_ body: () throws -> Value) throws -> Value {
    try transaction("BEGIN DEFERRED TRANSACTION") { (.commit, try body()) }
  }

  /// Runs `body` in one transaction, which it may have rolled back, and which a thrown error rolls
  /// back.
  func write<Value>(_ body: () throws -> (TransactionCompletion, Value)) throws -> Value {
    try transaction("BEGIN IMMEDIATE TRANSACTION", body)
  }

  private func transaction<Value>(
    _ begin: String, _ body: () throws -> (TransactionCompletion, Value)
  ) throws -> Value {
    try execute(sql: begin)
    do {
      let (completion, value) = try body()
      switch completion {
      case .commit:
        guard isInTransaction else {
          throw DatabaseError(.abort, message: "Transaction was aborted")
        }
        try execute(sql: "COMMIT TRANSACTION")
      case .rollback:
        try rollBack()
      }
      return value
    } catch {
      // The first error tells what happened.
      try? rollBack()
      throw error
    }
  }

  private func rollBack() throws {
    if isInTransaction { try execute(sql: "ROLLBACK TRANSACTION") }
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

/// A prepared statement.
@safe final class Statement {
  /// Valid as long as the statement is there.
  @unsafe let handle: OpaquePointer

  /// Takes over what was prepared.
  @unsafe init(_ handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }
}

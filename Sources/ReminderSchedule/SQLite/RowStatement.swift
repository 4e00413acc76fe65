internal import CSQLite

/// A prepared statement for the rows of a whole catalogue.
///
/// A connection prepares each statement once, so no two values of the same SQL may be in use at the
/// same time.
@safe final class RowStatement {
  private let database: Database
  /// Keeps the handle alive.
  private let statement: Statement
  private let handle: OpaquePointer
  private var parameters: Parameters

  /// Prepares one SQL statement, or takes the one that the connection has.
  convenience init(_ database: Database, sql: String) throws {
    try self.init(database, sql: sql, isKept: true)
  }

  /// Prepares one SQL statement that is executed once.
  convenience init(once database: Database, sql: String) throws {
    try self.init(database, sql: sql, isKept: false)
  }

  private init(_ database: Database, sql: String, isKept: Bool) throws {
    self.database = database
    statement = try database.statement(sql, isKept: isKept)
    unsafe handle = statement.handle
    parameters = unsafe Parameters(handle)
    // Whoever used it before may have been stopped by an error, with texts that are gone now.
    reset()
    unsafe sqlite3_clear_bindings(handle)
  }

  deinit {
    reset()
  }

  /// Executes a statement that yields no row (`sqlite3_step`, `sqlite3_reset`).
  ///
  /// - Parameter bind: gives the parameters their values.
  func run(_ bind: (inout Parameters) -> Void) throws {
    let code = parameters.step(bind)
    try finish(code)
  }

  /// Executes a query up to its first row (`sqlite3_step`).
  ///
  /// - Parameter bind: gives the parameters their values.
  /// - Returns: whether there is a row.
  func first(_ bind: (inout Parameters) -> Void) throws -> Bool {
    let code = parameters.step(bind)
    if code == SQLITE_ROW { return true }
    try finish(code)
    return false
  }

  /// Begins a query, whose rows ``next()`` then steps through.
  ///
  /// - Parameter bind: gives the parameters their values; integers only, since a text must not
  ///   outlive a step.
  func query(_ bind: (inout Parameters) -> Void) {
    parameters.prepare(bind)
  }

  /// Steps to the next row of a query (`sqlite3_step`); after the last one the statement is ready
  /// for another.
  ///
  /// - Returns: whether there is a row.
  func next() throws -> Bool {
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    try finish(code)
    return false
  }

  /// Ends a query before its last row (`sqlite3_reset`).
  func reset() {
    unsafe sqlite3_reset(handle)
  }

  /// The integer in a column of the current row, counted from 0 (`sqlite3_column_int64`).
  func integer(_ column: Int32) -> Int64 {
    unsafe sqlite3_column_int64(handle, column)
  }

  /// The integer in a column of the current row, or `nil` for NULL (`sqlite3_column_type`).
  func optionalInteger(_ column: Int32) -> Int64? {
    unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : integer(column)
  }

  /// Whether a column of the current row holds an integer or NULL (`sqlite3_column_type`).
  func isInteger(_ column: Int32) -> Bool {
    [SQLITE_INTEGER, SQLITE_NULL].contains(unsafe sqlite3_column_type(handle, column))
  }

  /// The text in a column of the current row, or `nil` for NULL (`sqlite3_column_text`).
  func text(_ column: Int32) -> String? {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
    return unsafe String(cString: start)
  }

  /// The bytes in a column of the current row, none for NULL (`sqlite3_column_blob`,
  /// `sqlite3_column_bytes`).
  func blob(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Calls `body` with each number of eight bytes, low ones first, in a column of the current row
  /// (`sqlite3_column_blob`, `sqlite3_column_bytes`).
  func forEachWord(_ column: Int32, _ body: (UInt64) throws -> Void) rethrows {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return }
    let count = unsafe Int(sqlite3_column_bytes(handle, column)) / 8
    for index in 0..<count {
      let word = unsafe start.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
      try body(UInt64(littleEndian: word))
    }
  }

  /// Rows that the last insert, update or delete changed (`sqlite3_changes`).
  var changes: Int { database.changesCount }

  private func finish(_ code: Int32) throws {
    let failure = code == SQLITE_DONE ? nil : database.error(code)
    reset()
    if let failure { throw failure }
  }
}

/// A statement for the rows of a whole catalogue that is prepared when the first row needs it.
final class LateStatement {
  private let database: Database
  private let sql: String
  private var prepared: RowStatement?

  init(_ database: Database, sql: String) {
    self.database = database
    self.sql = sql
  }

  /// The statement, which is prepared now if it is needed for the first time.
  var statement: RowStatement {
    get throws {
      if let prepared { return prepared }
      let statement = try RowStatement(database, sql: sql)
      prepared = statement
      return statement
    }
  }
}

internal import GRDB
internal import GRDBSQLite

/// A prepared statement for the rows of a whole catalogue.
///
/// GRDB spends several microseconds of bookkeeping on each execution, more than SQLite needs for
/// the row; at a million rows that is the difference between one second and eight. So statements
/// that run once per row are prepared by GRDB, then bound and stepped here. Everything else goes
/// through GRDB.
///
/// Parameters are bound in their order: call `bind` once for each, then ``run()`` or ``next()``.
@safe final class RowStatement {
  /// Keeps the handle alive; GRDB finalises it.
  private let statement: Statement
  private let handle: OpaquePointer
  private var bound: Int32 = 0
  /// The row's texts one after the other, so that none needs an allocation of its own.
  ///
  /// It is never empty, because SQLite takes a null pointer for NULL, not for an empty text.
  private var bytes: ContiguousArray<UInt8> = [0]
  private var texts: ContiguousArray<BoundText> = []

  /// Where a parameter's text lies in `bytes`.
  private struct BoundText {
    var parameter: Int32
    var start: Int
    var length: Int
  }

  /// Prepares one SQL statement.
  init(_ database: Database, sql: String) throws {
    statement = try database.makeStatement(sql: sql)
    unsafe handle = statement.sqliteStatement
  }

  /// Binds the next parameter to an integer (`sqlite3_bind_int64`).
  func bind(_ value: Int64) {
    bound += 1
    unsafe sqlite3_bind_int64(handle, bound, value)
  }

  /// Binds the next parameter to an integer (`sqlite3_bind_int64`).
  func bind(_ value: Int) {
    bind(Int64(value))
  }

  /// Binds the next parameter to the same 64 bits (`sqlite3_bind_int64`).
  func bind(_ value: UInt64) {
    bind(Int64(bitPattern: value))
  }

  /// Binds the next parameter to a text, or to NULL (`sqlite3_bind_null`).
  func bind(_ text: String?) {
    bound += 1
    guard let text else {
      unsafe sqlite3_bind_null(handle, bound)
      return
    }
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    texts.append(BoundText(parameter: bound, start: start, length: bytes.count - start))
  }

  /// Executes a statement that yields no row (`sqlite3_step`, `sqlite3_reset`).
  func run() throws {
    let code = stepWithTexts()
    try finish(code)
  }

  /// Steps to the next row (`sqlite3_step`); after the last one the statement is ready for new
  /// parameters.
  ///
  /// Takes integer parameters only, since a text must not outlive the step.
  ///
  /// - Returns: whether there is a row.
  func next() throws -> Bool {
    precondition(texts.isEmpty, "a text parameter in a query: use GRDB")
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    try finish(code)
    return false
  }

  /// Ends a query before its last row (`sqlite3_reset`).
  func reset() {
    unsafe sqlite3_reset(handle)
    bound = 0
  }

  /// The integer in a column of the current row, counted from 0 (`sqlite3_column_int64`).
  func integer(_ column: Int32) -> Int64 {
    unsafe sqlite3_column_int64(handle, column)
  }

  /// The integer in a column of the current row, or `nil` for NULL (`sqlite3_column_type`).
  func optionalInteger(_ column: Int32) -> Int64? {
    unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : integer(column)
  }

  /// The text in a column of the current row, or `nil` for NULL (`sqlite3_column_text`).
  func text(_ column: Int32) -> String? {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
    return unsafe String(cString: start)
  }

  /// Rows that the last insert, update or delete changed (`sqlite3_changes`).
  var changes: Int {
    unsafe Int(sqlite3_changes(sqlite3_db_handle(handle)))
  }

  /// Binds the texts in place, without a copy, for the length of one step
  /// (`sqlite3_bind_text`).
  private func stepWithTexts() -> Int32 {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      for text in texts {
        let start = unsafe UnsafeRawPointer(buffer.baseAddress)?
          .advanced(by: text.start).assumingMemoryBound(to: CChar.self)
        unsafe sqlite3_bind_text(handle, text.parameter, start, Int32(text.length), nil)
      }
      return unsafe sqlite3_step(handle)
    }
  }

  private func finish(_ code: Int32) throws {
    let failure = code == SQLITE_DONE ? nil : error(code)
    reset()
    texts.removeAll(keepingCapacity: true)
    bytes.removeLast(bytes.count - 1)
    if let failure { throw failure }
  }

  /// What went wrong in the last step (`sqlite3_errmsg`).
  private func error(_ code: Int32) -> DatabaseError {
    let message = unsafe sqlite3_errmsg(sqlite3_db_handle(handle))
    return DatabaseError(
      resultCode: ResultCode(rawValue: code),
      message: unsafe message.map { unsafe String(cString: $0) })
  }
}

internal import CSQLite

/// A prepared statement: bind its parameters in order, then run it or step through its rows.
///
///     let path = try database.statement("SELECT path FROM catalogue WHERE id = ?")
///     path.bind(1)
///     while try path.step() { print(path.text(0)) }
@safe final class Statement {
  /// Where a text to be bound lies in `bytes`.
  private struct BoundText {
    var parameter: Int32
    var start: Int
    var length: Int
  }

  private unowned let database: Database
  private let handle: OpaquePointer
  private var bound: Int32 = 0
  /// The texts to be bound, one after the other, so that none needs an allocation of its own; never
  /// empty, because SQLite takes a null pointer for NULL, not for an empty text.
  private var bytes: ContiguousArray<UInt8> = [0]
  private var texts: ContiguousArray<BoundText> = []

  /// Takes over what was prepared.
  @unsafe init(_ handle: OpaquePointer, of database: Database) {
    unsafe self.handle = handle
    self.database = database
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }

  // MARK: - Parameters

  /// Gives the next parameter an integer, or NULL (`sqlite3_bind_int64`, `sqlite3_bind_null`).
  func bind(_ value: Int64?) {
    bound += 1
    if let value {
      unsafe sqlite3_bind_int64(handle, bound, value)
    } else {
      unsafe sqlite3_bind_null(handle, bound)
    }
  }

  /// Gives the next parameter an integer (`sqlite3_bind_int64`).
  func bind(_ value: Int) { bind(Int64?.some(Int64(value))) }

  /// Gives the next parameter the same 64 bits (`sqlite3_bind_int64`).
  func bind(_ value: UInt64) { bind(Int64?.some(Int64(bitPattern: value))) }

  /// Gives the next parameters integers (`sqlite3_bind_int64`).
  func bind(all values: Int64...) { for value in values { bind(Int64?.some(value)) } }

  /// Gives the next parameter a text (`sqlite3_bind_text`).
  func bind(_ text: String) {
    beginText()
    bytes.append(contentsOf: text.utf8)
    texts[texts.count - 1].length = bytes.count - texts[texts.count - 1].start
  }

  /// Gives the next parameter a text in UTF-8 (`sqlite3_bind_text`).
  func bind(copying text: Span<UInt8>) {
    beginText()
    bytes.append(addingCapacity: text.count) { added in
      for index in text.indices { added.append(text[index]) }
    }
    texts[texts.count - 1].length = text.count
  }

  private func beginText() {
    bound += 1
    texts.append(BoundText(parameter: bound, start: bytes.count, length: 0))
  }

  // MARK: - Execution

  /// Executes a statement that yields no row (`sqlite3_step`, `sqlite3_reset`).
  func run() throws {
    while try step() {}
  }

  /// Steps to the first row, or the next one (`sqlite3_step`); after the last one the statement
  /// takes new parameters.
  ///
  /// - Returns: whether there is a row.
  func step() throws -> Bool {
    let code = texts.isEmpty ? unsafe sqlite3_step(handle) : stepBindingTexts()
    if code == SQLITE_ROW { return true }
    let failure = code == SQLITE_DONE ? nil : database.error(code)
    reset()
    if let failure { throw failure }
    return false
  }

  /// Makes no copy of a text, as long as the statement yields no row.
  private func stepBindingTexts() -> Int32 {
    let isQuery = unsafe sqlite3_column_count(handle) > 0
    let code = unsafe bytes.withUnsafeBufferPointer { buffer in
      for text in texts {
        let start = unsafe UnsafeRawPointer(buffer.baseAddress)?.advanced(by: text.start)
        unsafe sqlite3_bind_text(
          handle, text.parameter, start?.assumingMemoryBound(to: CChar.self), Int32(text.length),
          isQuery ? check_loans_transient() : nil)
      }
      return unsafe sqlite3_step(handle)
    }
    texts.removeAll(keepingCapacity: true)
    bytes.removeLast(bytes.count - 1)
    return code
  }

  /// Ends a query before its last row, and forgets the parameters (`sqlite3_reset`).
  func reset() {
    unsafe sqlite3_reset(handle)
    bound = 0
    if texts.isEmpty { return }
    texts.removeAll(keepingCapacity: true)
    bytes.removeLast(bytes.count - 1)
  }

  // MARK: - Columns

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
}

extension Database {
  /// Executes one statement that yields no row, with integers as its parameters.
  func run(_ sql: String, _ values: Int64...) throws {
    let statement = try statement(sql)
    for value in values { statement.bind(Int64?.some(value)) }
    try statement.run()
  }

  /// The integer in the first row and column of a query with integers as its parameters; `nil` for
  /// no row or NULL.
  func integer(_ sql: String, _ values: Int64...) throws -> Int64? {
    let statement = try statement(sql)
    for value in values { statement.bind(Int64?.some(value)) }
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInteger(0) : nil
  }

  /// The integer in the first row and column of a query with a text as its parameter.
  func integer(_ sql: String, text: String) throws -> Int64? {
    let statement = try statement(sql)
    statement.bind(text)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInteger(0) : nil
  }

  /// The texts in the first column of a query.
  func texts(_ sql: String) throws -> [String] {
    let statement = try statement(sql)
    var texts: [String] = []
    while try statement.step() { texts.append(statement.text(0) ?? "") }
    return texts
  }
}

internal import CSQLite
internal import Loans

/// A prepared statement: bind its parameters in order, then run it or step through its rows.
///
///     let path = try database.statement("SELECT path FROM catalogue WHERE id = ?")
///     path.bind(1)
///     while try path.step() { print(path.text(0)) }
@safe final class Statement {
  private unowned let database: Database
  private let handle: OpaquePointer
  /// The number of parameters that were given a value.
  private var bound: Int32 = 0
  /// Why a parameter has not the value that it was given: for want of memory, usually.
  private var failure = SQLITE_OK

  /// `SQLITE_TRANSIENT`, which Swift does not import.
  private static let copy = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// Takes over what was prepared.
  @unsafe init(_ handle: OpaquePointer, of database: Database) {
    unsafe self.handle = handle
    self.database = database
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }

  // MARK: - Parameters

  /// Gives the next parameters values.
  func bind<each Value: Bindable>(_ values: repeat each Value) {
    for value in repeat each values { value.bind(to: self) }
  }

  /// Gives the next parameter an integer, or NULL (`sqlite3_bind_int64`, `sqlite3_bind_null`).
  func bind(integer value: Int64?) {
    bound += 1
    if let value {
      unsafe sqlite3_bind_int64(handle, bound, value)
    } else {
      unsafe sqlite3_bind_null(handle, bound)
    }
  }

  /// Gives the next parameter a text in UTF-8 (`sqlite3_bind_text`).
  ///
  /// - Parameter isCopied: whether SQLite makes a copy; otherwise the text must stay where it is until
  ///   the first step has been made.
  func bind(text: Span<UInt8>, isCopied: Bool = true) {
    bound += 1
    let code = unsafe text.withUnsafeBytes { bytes in
      // A null pointer would be NULL to SQLite, not an empty text.
      guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else {
        return unsafe sqlite3_bind_text(handle, bound, "", 0, Self.copy)
      }
      return unsafe sqlite3_bind_text(
        handle, bound, start, Int32(text.count), isCopied ? Self.copy : nil)
    }
    if code != SQLITE_OK { failure = code }
  }

  /// Leaves the next parameters as they are: NULL, if none was given since the last ``clear()``.
  func skip(_ count: Int32) { bound += count }

  /// Gives all parameters NULL (`sqlite3_clear_bindings`).
  func clear() { unsafe sqlite3_clear_bindings(handle) }

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
    let code = failure == SQLITE_OK ? unsafe sqlite3_step(handle) : failure
    if code == SQLITE_ROW { return true }
    let failure = code == SQLITE_DONE ? nil : database.error(code)
    reset()
    if let failure { throw failure }
    return false
  }

  /// Ends a query before its last row, and begins with the first parameter again
  /// (`sqlite3_reset`).
  func reset() {
    unsafe sqlite3_reset(handle)
    (bound, failure) = (0, SQLITE_OK)
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

  /// The day in a column of the current row, or `nil` for NULL and what no calendar has.
  func day(_ column: Int32) -> CivilDate? {
    optionalInteger(column).flatMap { CivilDate(dayNumber: Int($0)) }
  }

  /// The civil time in a column of the current row, or `nil` for NULL and what no calendar has.
  func time(_ column: Int32) -> CivilDateTime? {
    optionalInteger(column).flatMap { CivilDateTime(ordinal: Int($0)) }
  }

  /// The text in a column of the current row, or `nil` for NULL (`sqlite3_column_text`).
  func text(_ column: Int32) -> String? {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
    return unsafe String(cString: start)
  }
}

// MARK: - Values

/// What a parameter of a statement can be given.
protocol Bindable {
  /// Gives the next parameter this value.
  func bind(to statement: Statement)
}

extension Int64: Bindable {
  func bind(to statement: Statement) { statement.bind(integer: self) }
}

extension Int: Bindable {
  func bind(to statement: Statement) { statement.bind(integer: Int64(self)) }
}

/// The ends of a range, as two parameters.
extension ClosedRange: Bindable where Bound == Int64 {
  func bind(to statement: Statement) { statement.bind(lowerBound, upperBound) }
}

extension String: Bindable {
  func bind(to statement: Statement) { statement.bind(text: utf8.span) }
}

extension Optional: Bindable where Wrapped: Bindable {
  func bind(to statement: Statement) {
    if let value = self { value.bind(to: statement) } else { statement.bind(integer: nil) }
  }
}

// MARK: - Statements in one go

extension Database {
  /// Executes one statement that yields no row.
  func run<each Value: Bindable>(_ sql: String, _ values: repeat each Value) throws {
    let statement = try statement(sql)
    statement.bind(repeat each values)
    try statement.run()
  }

  /// What `read` makes of each row of a query.
  func rows<each Value: Bindable, Row>(
    _ sql: String, _ values: repeat each Value, read: (Statement) throws -> Row
  ) throws -> [Row] {
    let statement = try statement(sql)
    statement.bind(repeat each values)
    defer { statement.reset() }
    var rows: [Row] = []
    while try statement.step() { rows.append(try read(statement)) }
    return rows
  }

  /// What `read` makes of each row of a query, by the number in its first column.
  func values<Value>(_ sql: String, read: (Statement) throws -> Value) throws -> [Int64: Value] {
    Dictionary(try rows(sql) { ($0.integer(0), try read($0)) }) { first, _ in first }
  }

  /// The integer in the first row and column of a query, whose other rows are not read; `nil` for no
  /// row or NULL.
  func integer<each Value: Bindable>(
    _ sql: String, _ values: repeat each Value
  ) throws -> Int64? {
    let statement = try statement(sql)
    statement.bind(repeat each values)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInteger(0) : nil
  }

  /// The number of rows of a query, which is given from its tables on.
  func count<each Value: Bindable>(_ rows: String, _ values: repeat each Value) throws -> Int {
    Int(try integer("SELECT count(*) FROM \(rows)", repeat each values) ?? 0)
  }

  /// The texts in the first column of a query.
  func texts(_ sql: String) throws -> [String] {
    try rows(sql) { $0.text(0) ?? "" }
  }
}

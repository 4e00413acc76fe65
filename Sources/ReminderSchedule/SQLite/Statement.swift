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
  private var parameters: Parameters

  /// Takes over what was prepared.
  @unsafe init(_ handle: OpaquePointer, of database: Database) {
    unsafe self.handle = handle
    self.database = database
    parameters = unsafe Parameters(handle)
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }

  /// Gives the next parameters values.
  func bind<each Value: Bindable>(_ values: repeat each Value) {
    for value in repeat each values { value.bind(to: &parameters) }
  }

  /// Gives the next parameters values by `body`: for many of them in one go, which takes less time.
  func bind(_ body: (inout Parameters) -> Void) { body(&parameters) }

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
    let code = parameters.step()
    if code == SQLITE_ROW { return true }
    let failure = code == SQLITE_DONE ? nil : database.error(code)
    reset()
    if let failure { throw failure }
    return false
  }

  /// Ends a query before its last row, and forgets the parameters (`sqlite3_reset`).
  func reset() {
    unsafe sqlite3_reset(handle)
    parameters.forget()
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

/// The values of a statement's parameters, given in their order.
///
/// Texts are laid one after the other and bound in place, so that none needs an allocation of its
/// own, neither here nor in SQLite.
@safe struct Parameters {
  /// A text to be bound, and where it lies in `bytes`.
  private struct BoundText {
    var parameter: Int32
    var start: Int
    var length: Int
  }

  private let handle: OpaquePointer
  private var bound: Int32 = 0
  /// Never empty, because a null pointer would be NULL to SQLite, not an empty text.
  private var bytes: ContiguousArray<UInt8> = [0]
  private var texts: ContiguousArray<BoundText> = []

  /// The parameters of a statement that outlives them.
  @unsafe init(_ handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  /// Gives the next parameter an integer, or NULL (`sqlite3_bind_int64`, `sqlite3_bind_null`).
  mutating func bind(_ value: Int64?) {
    bound += 1
    if let value {
      unsafe sqlite3_bind_int64(handle, bound, value)
    } else {
      unsafe sqlite3_bind_null(handle, bound)
    }
  }

  /// Gives the next parameter a text in UTF-8 (`sqlite3_bind_text`).
  mutating func bind(copying text: Span<UInt8>) {
    bound += 1
    texts.append(BoundText(parameter: bound, start: bytes.count, length: text.count))
    unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }

  /// Executes one step (`sqlite3_bind_text`, `sqlite3_step`).
  ///
  /// - Returns: SQLite's result code.
  fileprivate mutating func step() -> Int32 {
    if texts.isEmpty { return unsafe sqlite3_step(handle) }
    let code = unsafe bytes.withUnsafeBufferPointer { unsafe step($0) }
    forgetTexts()
    return code
  }

  /// Makes no copy of a text: none is looked at after the first step.
  private func step(_ buffer: UnsafeBufferPointer<UInt8>) -> Int32 {
    for text in texts {
      let start = unsafe UnsafeRawPointer(buffer.baseAddress)?.advanced(by: text.start)
      let code = unsafe sqlite3_bind_text(
        handle, text.parameter, start?.assumingMemoryBound(to: CChar.self), Int32(text.length), nil)
      if code != SQLITE_OK { return code }
    }
    return unsafe sqlite3_step(handle)
  }

  /// Begins with the first parameter again.
  fileprivate mutating func forget() {
    bound = 0
    if !texts.isEmpty { forgetTexts() }
  }

  private mutating func forgetTexts() {
    texts.removeAll(keepingCapacity: true)
    bytes.removeLast(bytes.count - 1)
  }
}

// MARK: - Values

/// What a parameter of a statement can be given.
protocol Bindable {
  /// Gives the next parameter this value.
  func bind(to parameters: inout Parameters)
}

extension Int64: Bindable {
  func bind(to parameters: inout Parameters) { parameters.bind(self) }
}

extension Int: Bindable {
  func bind(to parameters: inout Parameters) { parameters.bind(Int64(self)) }
}

extension String: Bindable {
  func bind(to parameters: inout Parameters) { parameters.bind(copying: utf8.span) }
}

extension CivilDate: Bindable {
  func bind(to parameters: inout Parameters) { dayNumber.bind(to: &parameters) }
}

extension CivilDateTime: Bindable {
  func bind(to parameters: inout Parameters) { ordinal.bind(to: &parameters) }
}

extension Optional: Bindable where Wrapped: Bindable {
  func bind(to parameters: inout Parameters) {
    if let value = self { value.bind(to: &parameters) } else { parameters.bind(nil) }
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

  /// The integer in the first row and column of a query; `nil` for no row or NULL.
  func integer<each Value: Bindable>(
    _ sql: String, _ values: repeat each Value
  ) throws -> Int64? {
    let statement = try statement(sql)
    statement.bind(repeat each values)
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

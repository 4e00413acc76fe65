extension Database {
  /// Executes one statement that yields no row.
  ///
  /// - Parameter bind: gives the parameters their values.
  func execute(sql: String, _ bind: (inout Parameters) -> Void) throws {
    try RowStatement(once: self, sql: sql).run(bind)
  }

  /// The integer in the first row and column; `nil` for no row or NULL.
  ///
  /// - Parameter bind: gives the parameters their values.
  func integer(sql: String, _ bind: (inout Parameters) -> Void = { _ in }) throws -> Int64? {
    let row = try RowStatement(once: self, sql: sql)
    guard try row.first(bind) else { return nil }
    guard row.isInteger(0) else { throw Schema.damage("a value of another type") }
    return row.optionalInteger(0)
  }

  /// Whether the first row and column is true; `nil` for no row or NULL.
  ///
  /// - Parameter bind: gives the parameters their values.
  func condition(sql: String, _ bind: (inout Parameters) -> Void = { _ in }) throws -> Bool? {
    try integer(sql: sql, bind).map { $0 != 0 }
  }

  /// The text in the first row and column; `nil` for no row or NULL.
  func text(sql: String) throws -> String? {
    let row = try RowStatement(once: self, sql: sql)
    return try row.next() ? row.text(0) : nil
  }
}

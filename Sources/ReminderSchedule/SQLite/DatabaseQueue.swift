internal import Dispatch

/// A database that several threads may use, one after the other.
final class DatabaseQueue: @unchecked Sendable {
  /// Only used within ``queue``.
  private let database: Database
  private let queue = DispatchQueue(label: "schedule")

  /// Opens a file, or makes it unless it is only to be read.
  ///
  /// - Parameter location: a path, or `:memory:`.
  init(
    _ location: String, _ configuration: Database.Configuration = Database.Configuration()
  ) throws {
    database = try Database(location, configuration)
  }

  /// Runs `body`, which must not use the queue itself, while nobody else uses the database.
  func use<Value>(_ body: (Database) throws -> Value) rethrows -> Value {
    try queue.sync { try body(database) }
  }

  /// Runs `body` on one state of the database.
  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try use { database in try database.read { try body(database) } }
  }

  /// Runs `body` in one transaction, which it may have rolled back.
  func write<Value>(
    _ body: (Database) throws -> (Database.TransactionCompletion, Value)
  ) throws -> Value {
    try use { database in try database.write { try body(database) } }
  }

  /// Closes the database.
  func close() {
    use { $0.close() }
  }
}

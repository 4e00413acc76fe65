internal import GRDB

/// The one connection of a writer or reader, with its failures made into ``ScheduleError``s.
struct Connection: Sendable {
  /// The file, as the user named it.
  let path: String
  private let queue: DatabaseQueue

  /// Opens a schedule for writing; makes its tables if it is new.
  init(writing file: ScheduleFile) throws(ScheduleError) {
    path = file.path
    queue = try Self.open(file.location, path: path, Self.writing)
    // Looked at before anything is changed that another program may rely on.
    try read { database in _ = try Schema.check(database, path: file.path) }
    try translating {
      try queue.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    }
    try write { database in try Schema.migrate(database, path: file.path) }
  }

  /// Opens a schedule that is there, for reading; `nil` if it has no tables yet.
  init?(reading file: ScheduleFile) throws(ScheduleError) {
    path = file.path
    do {
      queue = try Self.open(file.location, path: path, Self.reading(readOnly: true))
    } catch {
      guard error.code == .notPermitted else { throw error }
      // A run that was killed left a journal, which a read-only connection may not roll back.
      queue = try Self.open(file.location, path: path, Self.reading(readOnly: false))
    }
    let version = try read { database in try Schema.check(database, path: file.path) }
    if version == 0 { return nil }
  }

  /// Copies a schedule, or none, into memory.
  init(copying source: Connection?, path: String) throws(ScheduleError) {
    self.path = path
    do {
      queue = try DatabaseQueue()
      try source?.queue.backup(to: queue)
    } catch {
      throw ScheduleError(error, path: path)
    }
    try write { database in try Schema.migrate(database, path: path) }
  }

  /// Closes the file.
  func close() {
    try? queue.close()
  }

  /// Lets the file grow to so many pages and no further.
  func limit(pages: Int) throws(ScheduleError) {
    try translating {
      try queue.inDatabase { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
    }
  }

  /// Runs `body` on one state of the schedule.
  func read<Value>(_ body: (Database) throws -> Value) throws(ScheduleError) -> Value {
    try translating { try queue.read(body) }
  }

  /// Runs `body` in one transaction, which a thrown error rolls back.
  func write<Value>(_ body: (Database) throws -> Value) throws(ScheduleError) -> Value {
    try write { database in (.commit, try body(database)) }
  }

  /// Runs `body` in one transaction, which it may have rolled back.
  func write<Value>(
    _ body: (Database) throws -> (Database.TransactionCompletion, Value)
  ) throws(ScheduleError) -> Value {
    try translating {
      try queue.inDatabase { database in
        var value: Value?
        try database.inTransaction(.immediate) {
          let (completion, result) = try body(database)
          value = result
          return completion
        }
        guard let value else { preconditionFailure("a transaction without result") }
        return value
      }
    }
  }

  private func translating<Value>(_ body: () throws -> Value) throws(ScheduleError) -> Value {
    do {
      return try body()
    } catch {
      throw ScheduleError(error, path: path)
    }
  }

  private static func open(
    _ location: String, path: String, _ configuration: Configuration
  ) throws(ScheduleError) -> DatabaseQueue {
    do {
      return try DatabaseQueue(path: location, configuration: configuration)
    } catch {
      throw ScheduleError(error, path: path)
    }
  }

  private static var writing: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      // EXTRA also syncs the directory after the journal is gone, so that a power cut cannot
      // bring it back and undo a commit. The cache bounds the memory of a reload: what does not
      // fit is written to the file early, under the journal's protection.
      try database.execute(sql: "PRAGMA synchronous = EXTRA; PRAGMA cache_size = -16000")
    }
    return configuration
  }

  private static func reading(readOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA query_only = ON; PRAGMA cache_size = -16000")
    }
    return configuration
  }
}

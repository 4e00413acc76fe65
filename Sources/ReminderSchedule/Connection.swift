internal import Failpoints

/// The one connection of a writer or reader, with its failures made into ``ScheduleError``s.
struct Connection: Sendable {
  /// The file, as the user named it.
  let path: String
  private let queue: DatabaseQueue
  /// The file that this connection alone writes to; `nil` for a reader and in memory.
  private let owned: OwnedFile?

  /// A file up to this many bytes is looked through for damage whenever it is opened for writing,
  /// which then takes less than 10 milliseconds; a longer one if a run was interrupted.
  private static var sizeAlwaysChecked: Int { 4 << 20 }

  /// Opens a schedule for writing, which must be locked; makes its tables if it is new.
  init(writing file: ScheduleFile) throws(ScheduleError) {
    path = file.path
    let owned = OwnedFile(file: file, number: file.number)
    self.owned = owned
    do {
      queue = try Self.open(writing: file)
    } catch {
      throw owned.failure(error)
    }
  }

  private init(path: String, reading queue: DatabaseQueue) {
    self.path = path
    self.queue = queue
    owned = nil
  }

  private static func open(writing file: ScheduleFile) throws -> DatabaseQueue {
    let isChecked = file.hasJournal || file.size <= sizeAlwaysChecked
    if try file.readHeader().isDamaged {
      throw DatabaseError(.notADatabase, message: "damaged: the header")
    }
    let queue = try asDamage { try DatabaseQueue(file.location, writing) }
    do {
      // Looked at before anything is changed that another program may rely on.
      let version = try queue.read { database in
        let version = try asDamage { try Schema.check(database, path: file.path) }
        if isChecked, version > 0 { try Schema.checkWhole(database) }
        return version
      }
      try queue.use { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try queue.write { database in (.commit, try Schema.migrate(database, path: file.path)) }
      if version < Schema.version { failpoint("migration-committed") }
    } catch {
      queue.close()
      throw error
    }
    return queue
  }

  /// Makes SQLite's general error into damage: nothing else prevents reading the list of tables.
  private static func asDamage<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as DatabaseError where error.resultCode == .error {
      throw Schema.damage(error.message)
    }
  }

  /// Opens a schedule that is there, for reading; `nil` if it has no tables yet.
  static func reading(_ file: ScheduleFile) throws(ScheduleError) -> Connection? {
    var connection: Connection
    do throws(ScheduleError) {
      connection = Connection(path: file.path, reading: try open(file, readOnly: true))
      _ = try connection.version()
    } catch {
      guard error.code == .notPermitted else { throw error }
      // A run that was killed left a journal, which a read-only connection may not roll back.
      connection = Connection(path: file.path, reading: try open(file, readOnly: false))
    }
    let version = try connection.version()
    if version == 0 { return nil }
    if version == Schema.version { return connection }
    // The first run to write brings the file up to date; until then a copy is.
    defer { connection.close() }
    return try Connection(copying: connection, path: file.path)
  }

  private func version() throws(ScheduleError) -> Int {
    try read { database in try Schema.check(database, path: path) }
  }

  /// Copies a schedule, or none, into memory.
  init(copying source: Connection?, path: String) throws(ScheduleError) {
    self.path = path
    owned = nil
    do {
      queue = try DatabaseQueue(":memory:")
      try source?.queue.read { database in try queue.use { try database.copy(to: $0) } }
    } catch {
      throw ScheduleError(error, path: path)
    }
    try write { database in try Schema.migrate(database, path: path) }
  }

  /// Closes the file.
  func close() {
    queue.close()
  }

  /// How many messages of each flight were sent, by the lock file.
  var sentCounts: [Int64: Int] { LockFile.records(in: ScheduleFile(path: path).lockPath) }

  /// The number by which the schedule is known.
  func identity() throws(ScheduleError) -> Int64 {
    try read { database in try database.identity() }
  }

  /// Lets the file grow to so many pages and no further.
  func limit(pages: Int) throws(ScheduleError) {
    try translating {
      try queue.use { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
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
    let value = try translating { try queue.write(body) }
    // What was committed to a file without a name is as good as lost.
    if let owned, !owned.isInPlace { throw owned.file.removed }
    return value
  }

  private func translating<Value>(_ body: () throws -> Value) throws(ScheduleError) -> Value {
    do {
      return try body()
    } catch {
      guard let owned else { throw ScheduleError(error, path: path) }
      if OwnedFile.isDamage(error) { close() }
      throw owned.failure(error)
    }
  }

  private static func open(
    _ file: ScheduleFile, readOnly: Bool
  ) throws(ScheduleError) -> DatabaseQueue {
    do {
      return try DatabaseQueue(file.location, reading(readOnly: readOnly))
    } catch {
      throw ScheduleError(error, path: file.path)
    }
  }

  private static var writing: Database.Configuration {
    // EXTRA also syncs the directory after the journal is gone, so that a power cut cannot bring it
    // back and undo a commit. The cache bounds the memory of a reload: what does not fit is written
    // to the file early, under the journal's protection.
    Database.Configuration(
      patience: .seconds(5), setup: "\(always); PRAGMA synchronous = EXTRA")
  }

  private static func reading(readOnly: Bool) -> Database.Configuration {
    // A reload that is larger than its cache keeps readers out until its end, and its end may wait
    // for the catalogue: better a list that comes late than one that fails.
    Database.Configuration(
      isReadOnly: readOnly, patience: .seconds(60), setup: "\(always); PRAGMA query_only = ON")
  }

  private static var always: String { "PRAGMA cache_size = -16000; PRAGMA cell_size_check = ON" }
}

/// The file of a writer, which holds the lock.
private struct OwnedFile: Sendable {
  let file: ScheduleFile
  /// Which file it was when it was opened.
  let number: SystemCall.FileNumber?

  /// Whether the file still has its name.
  var isInPlace: Bool { file.number == number }

  /// Whether an error tells that the file is damaged.
  static func isDamage(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return [.corrupt, .format, .notADatabase].contains(error.resultCode)
  }

  /// The error that a user is told; sets the file aside if it is damaged.
  func failure(_ error: any Error) -> ScheduleError {
    guard Self.isDamage(error) else { return ScheduleError(error, path: file.path) }
    guard isInPlace else { return file.removed }
    do {
      return ScheduleError(
        damaged: file.path, setAsideAs: try file.setAside(),
        underlying: (error as? DatabaseError)?.message)
    } catch {
      return error
    }
  }
}

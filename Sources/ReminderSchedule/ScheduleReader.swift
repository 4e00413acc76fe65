public import Loans

/// A schedule opened for reading: it takes no lock, creates nothing, and writes nothing except to undo
/// what a killed run left half done.
///
/// A reader may be open while another process writes; each call sees the schedule as it was
/// before or after a transaction, never in between. Each throws ``ScheduleError`` if the schedule
/// cannot be read.
public struct ScheduleReader: Sendable {
  /// `nil` for a schedule that does not exist yet, which is an empty one.
  let connection: Connection?

  /// Opens the schedule in a file; a missing or empty file is an empty schedule.
  ///
  /// - Throws: ``ScheduleError`` if something else is there, or it cannot be read.
  public init(opening path: String) throws(ScheduleError) {
    let file = ScheduleFile(path: path)
    if file.isMissing {
      connection = nil
    } else {
      try file.checkFile()
      try file.checkHeader()
      connection = try Connection.reading(file)
    }
  }

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// The names of all catalogues in the schedule.
  public func catalogues() throws(ScheduleError) -> [String] {
    try connection?.read { database in
      try database.texts("SELECT path FROM catalogue ORDER BY id")
    } ?? []
  }

  /// The notices that are due at `now` and have not been delivered through a channel.
  ///
  /// A reminder is due from its fire date until the loan has expired; the expired notice from the
  /// day after the expiration. Loans that were cancelled or have left their catalogue have none.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - channel: the channel's name.
  ///   - catalogues: the catalogues whose loans count; `nil` for all.
  ///   - repeatExpired: an expired notice is due again once this many civil days, 1 or more, have
  ///     passed since the day of its last delivery through the channel; a delivery dated later than
  ///     tomorrow is one by a wrong clock and does not count. `nil` if it is due once only.
  /// - Returns: the notices by expiration, so the longest expired first, then by number.
  public func due(
    at now: CivilDateTime, channel: String, catalogues: [String]? = nil, repeatExpired: Int? = nil
  ) throws(ScheduleError) -> [DueNotice] {
    try connection?.read { database in
      try database.due(
        at: now, channel: channel, catalogues: catalogues, repeatExpired: repeatExpired)
    } ?? []
  }

  /// The most urgent of the notices that ``openCount(at:catalogues:)`` counts, in the order of
  /// ``due(at:channel:catalogues:repeatExpired:)``.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - catalogues: the catalogues whose loans count; `nil` for all.
  ///   - limit: the most wanted.
  public func openNotices(
    at now: CivilDateTime, catalogues: [String]? = nil, limit: Int
  ) throws(ScheduleError) -> [Notice] {
    try connection?.read { database in
      try database.due(
        at: now, channel: nil, catalogues: catalogues, repeatExpired: nil, limit: limit)
    }.map(\.notice) ?? []
  }

  /// The whole schedule in fire order.
  ///
  /// A loan in a catalogue has its reminder, unless it has expired and no reminder was ever
  /// attempted; and, once it has expired, its expired notice.
  public func entries(at now: CivilDateTime) throws(ScheduleError) -> ScheduleEntries {
    try ScheduleEntries(connection, .present, at: now)
  }

  /// The loans that have left their catalogue within the last 400 days, the last first: each with the
  /// notice that it had then.
  public func returned(at now: CivilDateTime) throws(ScheduleError) -> ScheduleEntries {
    try ScheduleEntries(connection, .left, at: now)
  }

  /// A copy in memory, for ``Schedule/init(rehearsing:)``.
  func copy(path: String) throws(ScheduleError) -> Connection {
    try Connection(copying: connection, path: path)
  }

  /// Closes the file.
  func close() {
    connection?.close()
  }
}

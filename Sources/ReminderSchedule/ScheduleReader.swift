/// A schedule opened for reading: it takes no lock, creates nothing, and writes nothing except to undo
/// what a killed run left half done.
///
/// A reader may be open while another process writes; each call sees the schedule as it was
/// before or after a transaction, never in between. Each throws ``ScheduleError`` if the schedule
/// cannot be read.
public struct ScheduleReader: Sendable {
  let connection: Connection

  /// Opens the schedule in a file; a missing or empty file is an empty schedule.
  ///
  /// - Throws: ``ScheduleError`` if something else is there, or it cannot be read.
  public init(opening path: String) throws(ScheduleError) {
    let file = ScheduleFile(path: path)
    connection = try file.check() ? Connection(reading: file) : Connection(path: path)
  }

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// The names of all catalogues in the schedule.
  public func catalogues() throws(ScheduleError) -> [String] {
    try connection.read { database in
      try database.texts("SELECT path FROM catalogue ORDER BY id")
    }
  }
}

public import Loans

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

  /// The notices that are still to come.
  ///
  /// - Parameters:
  ///   - now: the library's civil time, after which it comes.
  ///   - catalogues: the catalogues whose loans count; `nil` for all.
  public func pending(
    after now: CivilDateTime, catalogues: [String]? = nil
  ) throws(ScheduleError) -> PendingNotices {
    try connection.read { database in
      var pending = PendingNotices()
      for range in try database.ranges(catalogues) {
        _ = try database.rows(
          """
          SELECT count(*), min(iif(fire_at > ?4, fire_at, NULL)),
            min(expiration + 1) * 86400
          FROM loan
          WHERE id BETWEEN ?1 AND ?2 AND left_on IS NULL AND cancelled = 0 AND expiration >= ?3
          """, range.lowerBound, range.upperBound, now.date.dayNumber, now.ordinal
        ) { row in
          pending.count += Int(row.integer(0))
          let (fireAt, expired) = (row.time(1), row.time(2))
          pending.nextFireAt = [pending.nextFireAt, fireAt].compactMap(\.self).min()
          pending.next = [pending.next, fireAt, expired].compactMap(\.self).min()
        }
      }
      return pending
    }
  }

  /// The numbers of loans whose reminder has fired and of those that have expired, for a badge.
  ///
  /// Loans that were cancelled or have left their catalogue do not count; whether a notice was
  /// delivered makes no difference.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - catalogues: the catalogues whose loans count; `nil` for all.
  public func openCount(
    at now: CivilDateTime, catalogues: [String]? = nil
  ) throws(ScheduleError) -> (reminders: Int, expired: Int) {
    try connection.read { database in
      var count = (reminders: 0, expired: 0)
      for range in try database.ranges(catalogues) {
        _ = try database.rows(
          """
          SELECT count(iif(expiration >= ?3, 1, NULL)), count(iif(expiration < ?3, 1, NULL))
          FROM loan WHERE id BETWEEN ?1 AND ?2 AND left_on IS NULL AND cancelled = 0
            AND (expiration < ?3 OR fire_at <= ?4)
          """, range.lowerBound, range.upperBound, now.date.dayNumber, now.ordinal
        ) { row in
          count.reminders += Int(row.integer(0))
          count.expired += Int(row.integer(1))
        }
      }
      return count
    }
  }
}

/// The notices that are still to come.
public struct PendingNotices: Hashable, Sendable {
  /// The number of loans that have not expired and are not cancelled: each has a reminder, to come, due
  /// or delivered.
  public var count = 0
  /// The time at which the first of the reminders to come fires; `nil` if there is none.
  public var nextFireAt: CivilDateTime?
  /// The time at which the next notice of either kind becomes due: the first of these reminders, or the
  /// midnight at which the first of the loans has expired; `nil` if none does.
  public var next: CivilDateTime?
}

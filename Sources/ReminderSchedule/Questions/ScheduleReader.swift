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
      let ladders = try Ladders(database)
      var pending = PendingNotices()
      try database.forEachPlan(in: catalogues, from: now.date, ladders) { _, plan in
        pending.count += 1
        guard let (rung, fireAt) = plan.next(after: now), rung <= 0 else { return }
        pending.nextFireAt = min(pending.nextFireAt ?? fireAt, fireAt)
      }
      return pending
    }
  }

  /// The number of loans with a notice to come, or with one that is due through one of some channels.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - channels: the channels' names.
  ///   - catalogue: the catalogue whose loans count.
  public func loansWithNotices(
    at now: CivilDateTime, channels: [String], in catalogue: String
  ) throws(ScheduleError) -> Int {
    try connection.read { database in
      var loans = Set(
        try database.loans(withNoticesAfter: now, [catalogue], Ladders(database)))
      for channel in channels {
        loans.formUnion(
          try database.due(at: [now], channel: channel, [catalogue]).due.map(\.rung.reminderID))
      }
      return loans.count
    }
  }

  /// The next time of a day at which reminders fire, or the midnight at which a day ends: before it,
  /// nothing becomes due.
  public func nextCheck(after now: CivilDateTime) throws(ScheduleError) -> CivilDateTime {
    let times = try connection.read { database in try Ladders(database).times }
    let midnight = CivilDateTime(now.date.adding(days: 1))
    return times.map { CivilDateTime(now.date, $0) }.filter { $0 > now }.min() ?? midnight
  }

  /// The numbers of loans whose reminder has fired and of those that have expired, for a badge.
  ///
  /// Loans that were cancelled, are silenced or have left their catalogue do not count; whether a notice
  /// was delivered makes no difference.
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
          FROM loan WHERE \(Self.isOpen) AND NOT \(Silence.isSilenced(today: "?3"))
          """, range.lowerBound, range.upperBound, now.date.dayNumber, now.ordinal
        ) { row in
          count.reminders += Int(row.integer(0))
          count.expired += Int(row.integer(1))
        }
      }
      return count
    }
  }

  /// An SQL condition: whether a notice of a loan is open, with the first and the last row number, the
  /// day and the time as its parameters.
  static let isOpen = """
    loan.id BETWEEN ?1 AND ?2 AND left_on IS NULL AND cancelled = 0
      AND (expiration < ?3 OR fire_at <= ?4)
    """
}

extension Database {
  /// The numbers of the loans with a notice to come.
  func loans(
    withNoticesAfter now: CivilDateTime, _ catalogues: [String], _ ladders: Ladders
  ) throws -> [Int] {
    var numbers: [Int] = []
    try forEachPlan(in: catalogues, from: .first, ladders) { number, plan in
      if plan.next(after: now) != nil { numbers.append(number) }
    }
    return numbers
  }
}

/// The notices that are still to come.
public struct PendingNotices: Hashable, Sendable {
  /// The number of loans that have not expired and are not cancelled: each has a reminder, to come, due
  /// or delivered.
  public var count = 0
  /// The time at which the first of the reminders to come fires; `nil` if there is none.
  public var nextFireAt: CivilDateTime?
}

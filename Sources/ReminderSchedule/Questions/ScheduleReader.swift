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

  /// Looks for damage everywhere in the file, unless it is longer than 4 MB.
  ///
  /// - Throws: ``ScheduleError`` `damaged`, and for what cannot be read.
  public func checkForDamage() throws(ScheduleError) {
    if connection.file.isSmall { try connection.transact(Schema.checkWhole) }
  }

  /// The names of all catalogues in the schedule.
  public func catalogues() throws(ScheduleError) -> [String] {
    try cataloguesByUse().map(\.name)
  }

  /// The names of all catalogues in the schedule, each with whether a run that delivers has read it.
  public func cataloguesByUse() throws(ScheduleError) -> [(name: String, isDelivered: Bool)] {
    try connection.transact { database in
      try database.rows("SELECT path, is_delivered FROM catalogue ORDER BY id") { row in
        (row.text(0) ?? "", row.integer(1) != 0)
      }
    }
  }

  /// The catalogues whose borrowers their servers do not know, each with the day since which that is so.
  public func unknownBorrowers() throws(ScheduleError) -> [(name: String, since: CivilDate)] {
    try connection.transact { database in
      try database.rows(
        "SELECT path, unknown_since FROM catalogue WHERE unknown_since IS NOT NULL ORDER BY path"
      ) { row in row.day(1).map { (row.text(0) ?? "", $0) } }.compactMap(\.self)
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
    try connection.transact { database in
      var pending = PendingNotices()
      // Deliveries make no difference; no channel has the number 0.
      try Standings(database, at: now).forEach(
        in: database.ranges(catalogues), where: "loan.expiration >= ?4 AND hash <> ?5",
        now.date.dayNumber, LoanRow.cancelled, channel: 0
      ) { standing in
        if standing.plan.ladder.withheld != nil { return }
        pending.count += 1
        guard let (rung, fireAt) = standing.plan.next(after: now), rung <= 0 else { return }
        pending.nextFireAt = min(pending.nextFireAt ?? fireAt, fireAt)
      }
      return pending
    }
  }

  /// The number of loans with a notice to come, or with one that is due through one of some channels,
  /// and is not silenced.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - channels: the channels' names.
  ///   - catalogue: the catalogue whose loans count.
  public func loansWithNotices(
    at now: CivilDateTime, channels: [String], in catalogue: String
  ) throws(ScheduleError) -> Int {
    try connection.transact { database in
      var count = 0
      let standings = try Standings(database, at: now)
      try standings.forEach(
        in: database.ranges([catalogue]), where: "hash <> ?4", LoanRow.cancelled
      ) { standing in
        if standing.isBorrowerUnknown { return }
        let reached = standing.plan.reached(at: now) ?? .min
        let isDue = channels.contains { reached > standing.told(through: $0) ?? .min }
        guard isDue || standing.plan.next(after: now) != nil else { return }
        if try !standings.isSilenced(standing, on: now.date, through: nil) { count += 1 }
      }
      return count
    }
  }

  /// The next time of a day at which reminders fire, or the midnight at which a day ends: before it,
  /// nothing becomes due.
  public func nextCheck(after now: CivilDateTime) throws(ScheduleError) -> CivilDateTime {
    let times = try connection.transact { database in try Ladders(database).times }
    let midnight = CivilDateTime(now.date.adding(days: 1))
    return times.map { CivilDateTime(now.date, $0) }.filter { $0 > now }.min() ?? midnight
  }
}

/// Catalogues whose libraries have the same time, `nil` for all catalogues, and that time.
public typealias ZonedCatalogues = (now: CivilDateTime, catalogues: [String]?)

/// The notices that are still to come.
public struct PendingNotices: Hashable, Sendable {
  /// The number of loans that have not expired, and are neither cancelled nor withheld: each has a
  /// reminder, to come, due or delivered.
  public var count = 0
  /// The time at which the first of the reminders to come fires; `nil` if there is none.
  public var nextFireAt: CivilDateTime?
}

internal import Failpoints
public import Loans

/// The closed days of a calendar's last good reading, which are used while it cannot be read.
public struct KeptCalendar: Hashable, Sendable {
  /// The calendar's absolute path, and what else its days depend on.
  public var path: String
  /// The day on which it was first read as it is.
  public var readOn: CivilDate
  /// The closed days, in order.
  public var days: [CalendarDay]

  /// The closed days of a reading.
  public init(path: String, readOn: CivilDate, days: [CalendarDay]) {
    self.path = path
    self.readOn = readOn
    self.days = days
  }
}

extension Schedule {
  /// Keeps the closed days of a calendar in place of those of an earlier reading; writes nothing if they
  /// are the same.
  public func keep(_ calendar: KeptCalendar) throws(ScheduleError) {
    if try reader.calendar(calendar.path)?.days == calendar.days { return }
    try write { database in
      try database.run("DELETE FROM closed_day WHERE calendar = ?", calendar.path)
      try database.run(
        "INSERT OR REPLACE INTO calendar VALUES (?, ?)", calendar.path, calendar.readOn.dayNumber)
      for day in calendar.days {
        try database.run(
          "INSERT OR IGNORE INTO closed_day VALUES (?, ?, ?, ?)", calendar.path, day.day.dayNumber,
          day.line,
          day.name)
      }
      failpoint("calendar-before-commit")
    }
  }
}

extension ScheduleReader {
  /// The last good reading of a calendar; `nil` if there was none.
  public func calendar(_ path: String) throws(ScheduleError) -> KeptCalendar? {
    try connection.read { database in
      let readOn = try database.rows("SELECT read_on FROM calendar WHERE path = ?", path) {
        $0.day(0)
      }
      guard let found = readOn.first else { return nil }
      let days = try database.rows(
        "SELECT day, line, name FROM closed_day WHERE calendar = ? ORDER BY day, line", path
      ) { row in
        guard let day = row.day(0) else { throw DatabaseError.damage("a closed day") }
        return CalendarDay(day: day, name: row.text(2), line: Int(row.integer(1)))
      }
      guard let found else { throw DatabaseError.damage("the day of a calendar") }
      return KeptCalendar(path: path, readOn: found, days: days)
    }
  }
}

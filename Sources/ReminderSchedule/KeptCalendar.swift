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
      try database.run(
        "INSERT OR REPLACE INTO calendar VALUES (?, ?, ?)", calendar.path,
        calendar.readOn.dayNumber, calendar.stored)
      failpoint("calendar-before-commit")
    }
  }
}

extension KeptCalendar {
  /// The days as they are stored: a JSON array of each one's number, line and name.
  fileprivate var stored: String {
    var bytes: [UInt8] = []
    for day in days {
      bytes += "\(day.day.dayNumber),\(day.line),".utf8
      if let name = day.name {
        bytes.append(json: name.utf8.span, then: UInt8(ascii: ","))
      } else {
        bytes += "null,".utf8
      }
    }
    return "[\(String(decoding: bytes.dropLast(), as: UTF8.self))]"
  }

  /// The days in a text as ``stored`` makes it; `nil` for any other.
  fileprivate static func days(_ text: String) -> [CalendarDay]? {
    guard let values = StoredTexts.values(of: text) else { return nil }
    let days = stride(from: 0, to: values.count - 2, by: 3).compactMap { place -> CalendarDay? in
      guard let number = values[place].flatMap({ Int($0) }),
        let line = Int(values[place + 1] ?? ""),
        let day = CivilDate(dayNumber: number)
      else { return nil }
      return CalendarDay(day: day, name: values[place + 2], line: line)
    }
    return days.count * 3 == values.count ? days : nil
  }
}

extension ScheduleReader {
  /// The last good reading of a calendar; `nil` if there was none.
  public func calendar(_ path: String) throws(ScheduleError) -> KeptCalendar? {
    try connection.transact { database in
      try database.rows("SELECT read_on, days FROM calendar WHERE path = ?", path) { row in
        guard let readOn = row.day(0), let days = row.text(1).flatMap(KeptCalendar.days) else {
          throw DatabaseError.damage("the days of a calendar")
        }
        return KeptCalendar(path: path, readOn: readOn, days: days)
      }.first
    }
  }
}

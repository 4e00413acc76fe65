/// The days next to an expiration on which the library is open.
public struct OpenDays: Hashable, Sendable {
  /// The last open day on or before the expiration.
  public var before: CivilDate
  /// The first open day on or after the expiration.
  public var after: CivilDate

  /// The last open day and the first one after it.
  public init(before: CivilDate, after: CivilDate) {
    self.before = before
    self.after = after
  }
}

extension OpenDays {
  /// Both days, for programs.
  package var json: JSONValue {
    .object([("before", .string("\(before)")), ("after", .string("\(after)"))])
  }
}

/// A day of the week.
public enum Weekday: Int, CaseIterable, Sendable {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday

  /// The English name, `Saturday`.
  public var name: String { name(letters: 9) }

  /// The first three letters of the English name in lower case, `sat`.
  public var shortName: String { name(letters: 3).lowercased() }

  private func name(letters: Int) -> String {
    let names = ["Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur", "Sun"]
    return String("\(names[rawValue])day".prefix(letters))
  }
}

extension CivilDate {
  /// The day of the week.
  public var weekday: Weekday {
    // Day 0 was a Thursday, and the first day of the calendar a Monday.
    let index = CivilDate.first.days(until: self) % 7
    return Weekday.allCases[index]
  }
}

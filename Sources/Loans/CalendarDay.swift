/// A day on which an event of a calendar is.
public struct CalendarDay: Hashable, Sendable {
  /// The day.
  public var day: CivilDate
  /// The summary of the event; untrusted.
  public var name: String?
  /// The line of the file on which the event begins, from 1.
  public var line: Int

  /// A day of an event.
  public init(day: CivilDate, name: String?, line: Int) {
    self.day = day
    self.name = name
    self.line = line
  }
}

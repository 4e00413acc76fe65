public import Loans

/// The days on which a library is closed.
///
/// A library that is closed on Sundays and from 24 December 2026 to 3 January 2027, but open on Sunday 20
/// December: a loan with the expiration 27 December can be returned on the 23rd at the latest before it,
/// and on 4 January at the earliest after it.
public struct ClosedDays: Hashable, Sendable {
  /// A closed day, and why it is one.
  public struct Closure: Hashable, Sendable {
    /// The day.
    public var day: CivilDate
    /// What somebody has called it, as written; untrusted.
    public var name: String?
    /// Where it was said that the library is closed.
    public var origin: String
  }

  /// What an expiration means to a borrower who wants to return the book.
  public enum Answer: Hashable, Sendable {
    /// The library is open on the day.
    case open
    /// The library is closed on the day, and open on these.
    case closed(OpenDays)
    /// The library is closed on the day, and for ``ClosedDays/longest`` days before or after it: that is
    /// probably a mistake, and nothing is to be made of it.
    case closedForLong
  }

  private struct Range: Hashable {
    let days: DayRange
    let origin: String
  }

  private var ranges: [Range] = []
  private var dated: [CivilDate: Closure] = [:]
  private var weekdays: [Weekday: String] = [:]
  private var open: [DayRange] = []

  /// The most days before or after an expiration among which an open day is looked for.
  public static let longest = 92

  /// No closed days.
  public init() {}

  /// Whether nothing closes any day.
  public var isEmpty: Bool { ranges.isEmpty && dated.isEmpty && weekdays.isEmpty }

  /// Closes a day of each week, unless it is closed already.
  public mutating func close(_ weekday: Weekday, origin: String) {
    weekdays[weekday] = weekdays[weekday] ?? origin
  }

  /// Closes some days.
  public mutating func close(_ days: DayRange, origin: String) {
    ranges.append(Range(days: days, origin: origin))
  }

  /// Closes one day, unless it is closed already.
  public mutating func close(_ day: CivilDate, name: String?, origin: String) {
    dated[day] = dated[day] ?? Closure(day: day, name: name, origin: origin)
  }

  /// Opens some days, whatever else closes them.
  public mutating func open(_ days: DayRange) { open.append(days) }

  /// Whether the library is closed on a day.
  public func isClosed(_ day: CivilDate) -> Bool {
    if isEmpty { return false }
    let isClosed =
      weekdays[day.weekday] != nil || dated[day] != nil || ranges.contains { $0.days.contains(day) }
    return isClosed && !open.contains { $0.contains(day) }
  }

  /// The open days next to an expiration.
  public func openDays(around expiration: CivilDate) -> Answer {
    guard isClosed(expiration) else { return .open }
    guard let before = openDay(after: expiration, step: -1),
      let after = openDay(after: expiration, step: 1)
    else { return .closedForLong }
    return .closed(OpenDays(before: before, after: after))
  }

  /// Whether nothing is done on a day, since the library is closed on it, and not for so long that this
  /// is probably a mistake.
  public func rests(on day: CivilDate) -> Bool {
    if case .closed = openDays(around: day) { true } else { false }
  }

  /// The first open day in one direction, 1 or -1.
  private func openDay(after day: CivilDate, step: Int) -> CivilDate? {
    for distance in 1...Self.longest {
      guard let day = CivilDate(dayNumber: day.dayNumber + step * distance) else { return nil }
      if !isClosed(day) { return day }
    }
    return nil
  }

  /// The closed days of a period, each with one reason: one that can have a name comes first.
  public func closures(from first: CivilDate, to last: CivilDate) -> [Closure] {
    if isEmpty || last < first { return [] }
    return (first.dayNumber...last.dayNumber).compactMap { number in
      CivilDate(dayNumber: number).flatMap(closure)
    }
  }

  private func closure(on day: CivilDate) -> Closure? {
    guard isClosed(day) else { return nil }
    if let range = ranges.first(where: { $0.days.contains(day) }) {
      return Closure(day: day, name: range.days.name, origin: range.origin)
    }
    return dated[day] ?? weekdays[day.weekday].map { Closure(day: day, name: nil, origin: $0) }
  }
}

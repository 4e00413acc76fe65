public import Loans

/// The times at which notices may be sent; outside of them they are held.
public struct DeliveryHours: Hashable, Sendable {
  /// The hours of each day; `nil` for all.
  public var hours: DailyHours?
  /// The days on which nothing is sent.
  public var closedDays: ClosedDays

  /// Hours with these parts; without any, notices are sent at any time.
  public init(_ hours: DailyHours? = nil, except closedDays: ClosedDays = ClosedDays()) {
    self.hours = hours
    self.closedDays = closedDays
  }

  /// Days among which one is looked for on which notices may be sent.
  private static let longest = 400

  /// The time until which notices are held; `nil` if they may be sent, and if no day for them is near,
  /// since a mistake must not hold them for ever.
  public func holds(at now: CivilDateTime) -> CivilDateTime? {
    let starts = [.midnight, hours?.start ?? .midnight].filter { hours?.contains($0) ?? true }
    if hours?.contains(now.time) ?? true, !closedDays.rests(on: now.date) { return nil }
    for distance in 0...Self.longest {
      let day = now.date.adding(days: distance)
      if closedDays.rests(on: day) { continue }
      let next = starts.map { CivilDateTime(day, $0) }.filter { $0 > now }.min()
      if let next { return next }
    }
    return nil
  }
}

/// Hours of a day, over midnight too: from 20:00 to 08:00 is the evening, and then the early morning.
public struct DailyHours: Hashable, Sendable {
  /// The first moment within them.
  public let start: CivilTime
  /// The first moment after them.
  public let end: CivilTime

  /// The hours between two times; `nil` if these are equal.
  public init?(from start: CivilTime, to end: CivilTime) {
    if start == end { return nil }
    self.start = start
    self.end = end
  }

  /// The last second of a day that is within them.
  public var last: CivilTime {
    let last =
      end.secondOfDay == 0 || end.secondOfDay < start.secondOfDay ? 86_400 : end.secondOfDay
    return CivilTime(secondOfDay: last - 1) ?? .midnight
  }

  /// Whether a time of day is within them.
  public func contains(_ time: CivilTime) -> Bool {
    let (start, end, second) = (start.secondOfDay, end.secondOfDay, time.secondOfDay)
    return start < end ? start <= second && second < end : start <= second || second < end
  }
}

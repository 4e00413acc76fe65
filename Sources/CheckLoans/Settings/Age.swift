import ArgumentParser
import Loans
import ReminderSchedule
import ReminderService

/// A time that has passed.
struct Age: Hashable, Sendable, CustomStringConvertible {
  let seconds: Int

  private static let units: KeyValuePairs = ["d": 86_400, "h": 3_600, "m": 60, "w": 604_800]

  /// Reads a number of weeks, days, hours or minutes, up to ten years.
  @Sendable static func parse(_ text: String) throws -> Age {
    guard let unit = units.first(where: { text.hasSuffix($0.key) })?.value,
      let number = Int(text.dropLast()), (1...3_650 * 86_400 / unit).contains(number)
    else {
      throw ValidationError("give a number of minutes, hours, days or weeks, as in 90m, 36h or 8d")
    }
    return Age(seconds: number * unit)
  }

  /// The largest unit up to a day that measures it: `36h`.
  var description: String {
    let unit = Self.units.first { seconds.isMultiple(of: $0.value) } ?? ("m", 60)
    return "\(seconds / unit.value)\(unit.key)"
  }

  /// Whether one of the two clocks was wrong: it is more than a day in the future.
  var isOfWrongClock: Bool { seconds < -86_400 }

  /// In whole units, for people: `3 days`; a clock that was set back gives no age.
  var words: String {
    switch max(0, seconds) {
    case let seconds where seconds >= 2 * 86_400: counted(seconds / 86_400, "day")
    case let seconds where seconds >= 3_600: counted(seconds / 3_600, "hour")
    case let seconds: counted(seconds / 60, "minute")
    }
  }
}

extension LocalClock {
  /// The time with the clock's offset from UTC.
  func clockTime(_ now: CivilDateTime) -> ClockTime {
    ClockTime(now, utcOffset: now.utcOffset(civilTime))
  }
}

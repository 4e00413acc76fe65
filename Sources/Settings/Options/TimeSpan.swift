import ArgumentParser
import CommandOutput

/// A span of time: a number and the letter of its unit, `90m`, `36h`, `3d` or `2w`.
package struct TimeSpan: Hashable, Sendable, CustomStringConvertible {
  package let seconds: Int

  private static let units: KeyValuePairs<Character, Int> = [
    "d": 86_400, "h": 3_600, "m": 60, "w": 604_800,
  ]

  package init(seconds: Int) { self.seconds = seconds }

  /// Reads a number of some units, up to a hundred years; `nil` for anything else.
  package init?(_ text: String, _ units: String = "mhdw") {
    guard let letter = text.last, units.contains(letter),
      let unit = Self.units.first(where: { $0.key == letter })?.value,
      let number = Int(text.dropLast()), (1...36_500 * 86_400 / unit).contains(number)
    else { return nil }
    seconds = number * unit
  }

  /// Reads a number of weeks, days, hours or minutes.
  @Sendable package static func parse(_ text: String) throws -> TimeSpan {
    if let span = TimeSpan(text) { return span }
    throw ValidationError("give a number of minutes, hours, days or weeks, as in 90m, 36h or 8d")
  }

  /// Reads days, also as weeks.
  package static func parseDays(_ range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
    { text in
      let days = Int(text) ?? TimeSpan(text, "dw").map { $0.seconds / 86_400 }
      if let days, range.contains(days) { return days }
      throw ValidationError("give a number from \(range.lowerBound) to \(range.upperBound)")
    }
  }

  /// The largest unit up to a day that measures it: `36h`.
  package var description: String {
    let unit = Self.units.first { seconds.isMultiple(of: $0.value) } ?? ("m", 60)
    return "\(seconds / unit.value)\(unit.key)"
  }

  /// Whether one of the two clocks was wrong: it is more than a day in the future.
  package var isOfWrongClock: Bool { seconds < -86_400 }

  /// In whole units, for people: `3 days`; a clock that was set back gives no age.
  package var words: String {
    switch max(0, seconds) {
    case let seconds where seconds >= 2 * 86_400: counted(seconds / 86_400, "day")
    case let seconds where seconds >= 3_600: counted(seconds / 3_600, "hour")
    case let seconds: counted(seconds / 60, "minute")
    }
  }
}

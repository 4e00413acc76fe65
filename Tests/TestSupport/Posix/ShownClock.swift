import Glibc
package import Loans

/// A time zone of the tests' own in which it is a certain time of day right now.
package struct ShownClock: Sendable {
  /// For the variable TZ.
  package let zone: String
  /// The day that it is there.
  package let today: CivilDate
  /// The instant of that day's next midnight, or of any time of that day, in seconds since 1970.
  private let midnight: Double

  /// A clock that shows `HH:MM:SS` at this moment.
  package init?(showing time: String) {
    guard let time = CivilTime(iso: time.utf8) else { return nil }
    let now = Self.now
    let second = Int(now)
    guard let today = CivilDate(dayNumber: second / 86_400) else { return nil }
    let offset = CivilDateTime(today, time).ordinal - second
    let size = abs(offset)
    let parts = [size / 3_600, size / 60 % 60, size % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    zone = "XXX" + (offset > 0 ? "-" : "+") + parts.joined(separator: ":")
    self.today = today
    midnight = Double(today.dayNumber * 86_400 - offset)
  }

  /// The instant at which it is so many seconds after midnight.
  package func instant(of secondOfDay: Int) -> Double { midnight + Double(secondOfDay) }

  /// The day that it is now so many hours east of Greenwich.
  package static func today(hoursEast: Int) -> CivilDate? {
    CivilDate(dayNumber: (Int(now) + hoursEast * 3_600) / 86_400)
  }

  /// The system's clock, in seconds since 1970; clock_gettime(2).
  package static var now: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

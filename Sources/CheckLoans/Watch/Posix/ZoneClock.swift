import Glibc
import Loans

/// The system's clock, and what it shows in the library's time zone: the one place that asks what
/// time it is.
enum ZoneClock {
  /// The civil time now, with the instant of it; `nil` outside the years 1 to 9999.
  ///
  /// - SeeAlso: `clock_gettime(2)`.
  static func read() -> (instant: Int, now: CivilDateTime)? {
    var time = timespec()
    // Not time(2), which may be behind the timers by some milliseconds.
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return ordinal(at: time.tv_sec).flatMap(CivilDateTime.init(ordinal:)).map { (time.tv_sec, $0) }
  }

  /// Makes a zone, already checked, the process's own; `nil` is the system's, as it is now.
  ///
  /// - SeeAlso: `setenv(3)`, `tzset(3)`.
  static func enter(_ zone: String?) {
    if let zone { unsafe setenv("TZ", zone, 1) } else { unsafe unsetenv("TZ") }
    tzset()
  }

  /// The civil time at an instant, both in seconds; see `CivilDateTime.ordinal`.
  ///
  /// Outside the years 1 to 9999 it is the instant itself.
  static func civilOrdinal(at instant: Int) -> Int { ordinal(at: instant) ?? instant }

  /// The civil time at an instant, in seconds since 1970-01-01T00:00:00Z; `nil` outside the years 1
  /// to 9999.
  @Sendable static func civilTime(at instant: Int) -> CivilDateTime? {
    ordinal(at: instant).flatMap(CivilDateTime.init(ordinal:))
  }

  /// - SeeAlso: `localtime_r(3)`.
  private static func ordinal(at instant: Int) -> Int? {
    var instant = instant
    var parts = unsafe tm()
    guard unsafe localtime_r(&instant, &parts) != nil,
      let date = unsafe CivilDate(
        year: Int(parts.tm_year) + 1_900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday))
    else { return nil }
    // A leap second, which only the zones below right/ have, counts as the one before it.
    return unsafe date.dayNumber * 86_400 + Int(parts.tm_hour) * 3_600 + Int(parts.tm_min) * 60
      + min(59, Int(parts.tm_sec))
  }

  /// Time that passes, also while the computer sleeps, and never jumps.
  ///
  /// - SeeAlso: `clock_gettime(2)`.
  static var passed: Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

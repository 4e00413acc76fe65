import Glibc
package import Loans
import Synchronization
import System
import SystemPackage

/// The system's clock as it is read in one time zone, the library's: the one place that knows what
/// time it is.
///
/// glibc silently treats an unknown zone as UTC, so that a zone is checked here first:
///
///     let clock = try LocalClock("Europe/Budapest", environment)
///     clock.civilTime(at: 1_795_258_800)  // 2026-11-21T12:00:00
package struct LocalClock: Sendable {
  /// The value of TZ for the zone; `nil` for the system's zone.
  package let variable: String?
  /// The zone's name in results.
  package let name: String

  /// Checks the zone and makes it the process's own, as it is now.
  ///
  /// - Parameter zone: a name of the time zone database with or without `:` before it, a file, a rule
  ///   in POSIX form, or empty for UTC; `nil` for the system's zone.
  /// - Throws: ``CommandError`` with the status `badSetting` if the zone is unknown.
  package init(_ zone: String?, _ variables: [String: String]) throws(CommandError) {
    variable = zone
    if let zone {
      guard Self.isKnown(zone, variables) else {
        throw CommandError(
          .badSetting,
          """
          the time zone \(zone.quoted()) is unknown; \
          \(TimeZoneNames.advice(instead: zone, in: Self.givenDirectory(variables)))
          """)
      }
      name = zone.isEmpty ? "UTC" : zone
    } else {
      name = try Self.systemName()
    }
    Self.entered.withLock { entered in
      entered = nil
      enter(&entered)
    }
  }

  /// The civil time now, with the instant of it; `nil` outside the years 1 to 9999.
  ///
  /// - SeeAlso: `clock_gettime(2)`.
  package func read() -> (instant: Int, now: CivilDateTime)? {
    var time = timespec()
    // Not time(2), which may be behind the timers by some milliseconds.
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return civilTime(at: time.tv_sec).map { (time.tv_sec, $0) }
  }

  /// The civil time at an instant, in seconds since 1970-01-01T00:00:00Z; `nil` outside the years 1
  /// to 9999.
  @Sendable package func civilTime(at instant: Int) -> CivilDateTime? {
    ordinal(at: instant).flatMap(CivilDateTime.init(ordinal:))
  }

  /// The first instant from `now` on at which it is this civil time or later.
  package func instant(of time: CivilDateTime, from now: Int) -> Int {
    // Outside the years 1 to 9999, the instant itself stands for the civil time.
    Self.instant(of: time.ordinal, from: now) { ordinal(at: $0) ?? $0 }
  }

  /// The first instant from `now` on at which the civil time is `target` or later, in the seconds of
  /// `CivilDateTime.ordinal`.
  ///
  /// A civil time that is skipped, a midnight or a whole day, is reached with the next one there
  /// is; one that comes twice is reached the first time. Zones change their offset at whole minutes
  /// of UTC, so that each is looked at.
  ///
  /// - Parameter civil: the civil time at an instant.
  package static func instant(of target: Int, from now: Int, civil: (Int) -> Int) -> Int {
    var instant = now
    while case let missing = target - civil(instant), missing > 0 {
      instant += min(missing, 60 - instant % 60)
    }
    return instant
  }

  /// Time that passes, also while the computer sleeps, and never jumps.
  package static var uptime: Duration { start.duration(to: .now) }

  private static let start = ContinuousClock.now
}

// MARK: - The process's zone

extension LocalClock {
  /// The value of TZ that the process has entered; `nil` if it is none of a clock.
  private static let entered = Mutex<String??>(nil)

  /// - SeeAlso: `setenv(3)`, `tzset(3)`.
  private func enter(_ entered: inout String??) {
    if entered == .some(variable) { return }
    if let variable { unsafe setenv("TZ", variable, 1) } else { unsafe unsetenv("TZ") }
    tzset()
    entered = .some(variable)
  }

  /// The civil time at an instant as `CivilDateTime.ordinal` has it.
  ///
  /// - SeeAlso: `localtime_r(3)`.
  private func ordinal(at instant: Int) -> Int? {
    var instant = instant
    var parts = unsafe tm()
    let isKnown = Self.entered.withLock { entered in
      enter(&entered)
      return unsafe localtime_r(&instant, &parts) != nil
    }
    guard isKnown,
      let date = unsafe CivilDate(
        year: Int(parts.tm_year) + 1_900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday))
    else { return nil }
    // A leap second, which only the zones below right/ have, counts as the one before it.
    return unsafe date.dayNumber * 86_400 + Int(parts.tm_hour) * 3_600 + Int(parts.tm_min) * 60
      + min(59, Int(parts.tm_sec))
  }
}

// MARK: - Known zones

extension LocalClock {
  /// - Throws: ``CommandError`` if the system names a zone that it does not have.
  private static func systemName() throws(CommandError) -> String {
    let file = "/etc/localtime"
    let isThere = isZoneFile(file)
    let link = FileSystem.linkTarget(of: FilePath(file))?.string
    if link == nil && !FileSystem.exists(file) { return "UTC" }
    let target = link ?? file
    if !isThere && !target.hasSuffix("/UTC") {
      throw CommandError(
        .badSetting,
        """
        the system's time zone \(target.quoted()) is not there or damaged; set --time-zone, or \
        install the zones (Debian: apt install tzdata)
        """)
    }
    // What follows the first directory of this name.
    let names = FilePath(target).components.drop { $0 != "zoneinfo" }.dropFirst()
    return names.isEmpty ? "localtime" : names.map(\.string).joined(separator: "/")
  }

  private static func givenDirectory(_ variables: [String: String]) -> String? {
    variables["TZDIR"].flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func isKnown(_ zone: String, _ variables: [String: String]) -> Bool {
    let name = zone.hasPrefix(":") ? String(zone.dropFirst()) : zone
    if name.isEmpty || name == "UTC" { return true }
    let directory = givenDirectory(variables) ?? "/usr/share/zoneinfo"
    if isZoneFile(name.hasPrefix("/") ? name : "\(directory)/\(name)") { return true }
    return !zone.hasPrefix(":") && isRule(name)
  }

  /// Whether glibc can read the time zone in a file, given by its absolute path: otherwise it has a
  /// UTC without a name.
  ///
  /// - SeeAlso: `tzfile(5)`, `tzset(3)`.
  package static func isZoneFile(_ path: String) -> Bool {
    guard let file = try? OpenFile(path, followsLinks: true), (try? file.status.type) == .regular,
      (try? file.read(4)) == Array("TZif".utf8)
    else { return false }
    return entered.withLock { entered in
      entered = nil
      // By another path than its own: a missing /etc/localtime has the name UTC.
      unsafe setenv("TZ", "/.\(path)", 1)
      tzset()
      var instant = 0
      var parts = unsafe tm()
      return unsafe localtime_r(&instant, &parts) != nil && parts.tm_zone.pointee != 0
    }
  }

  /// Whether the text begins as a rule in POSIX form does: with a name and an offset.
  ///
  /// Of the rest of `CET-1CEST,M3.5.0,M10.5.0/3` glibc takes what it understands; see tzset(3).
  private static func isRule(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let isQuoted = bytes.first == UInt8(ascii: "<")
    let name = bytes.dropFirst(isQuoted ? 1 : 0).prefix {
      isQuoted ? $0 != UInt8(ascii: ">") : $0.isASCIILetterOrDigit && !$0.isASCIIDigit
    }
    let offset = bytes[name.endIndex...].dropFirst(isQuoted ? 1 : 0)
    let digits = "+-".utf8.contains(offset.first ?? 0) ? offset.dropFirst() : offset
    return name.count >= 3 && digits.first?.isASCIIDigit == true
  }
}

/// A civil day with a time of day, to the second, without zone.
public struct CivilDateTime: Hashable, Sendable {
  /// The day.
  public let date: CivilDate

  /// The time of day.
  public let time: CivilTime

  /// The given time on a date.
  public init(_ date: CivilDate, _ time: CivilTime = .midnight) {
    self.date = date
    self.time = time
  }

  /// Seconds since 1970-01-01T00:00:00 on a calendar of 86,400-second days: a key for storing
  /// and ordering, not an instant.
  public var ordinal: Int { date.dayNumber * 86_400 + time.secondOfDay }

  /// The date and time with this ``ordinal``, or `nil` outside the years 1 to 9999.
  public init?(ordinal: Int) {
    var (day, second) = ordinal.quotientAndRemainder(dividingBy: 86_400)
    if second < 0 {
      day -= 1
      second += 86_400
    }
    guard let date = CivilDate(dayNumber: day),
      let time = CivilTime(secondOfDay: second)
    else { return nil }
    self.init(date, time)
  }

  /// Reads `yyyy-MM-dd`, `yyyy-MM-ddTHH:mm` or `yyyy-MM-ddTHH:mm:ss`, or fails.
  public init?(iso text: String) {
    let bytes = Array(text.utf8)
    let day = Array(bytes.prefix(10))
    guard let date = try? CivilDate(iso: day.span),
      let time = bytes.count == 10 ? CivilTime.midnight : CivilTime(iso: bytes.dropFirst(11)),
      bytes.count == 10 || bytes[10] == UInt8(ascii: "T")
    else { return nil }
    self.init(date, time)
  }
}

extension CivilDateTime: Comparable {
  /// Calendar order, then time of day.
  public static func < (left: CivilDateTime, right: CivilDateTime) -> Bool {
    left.ordinal < right.ordinal
  }
}

extension CivilDateTime: CustomStringConvertible {
  /// ISO 8601 to the second, `2026-11-21T07:00:00`.
  public var description: String { "\(toTheMinute):\((time.secondOfDay % 60).digits(2))" }

  /// ISO 8601 to the minute, `2026-11-21T07:00`.
  public var toTheMinute: String { "\(date)T\(time)" }
}

/// A time of day, 00:00:00 to 23:59:59.
public struct CivilTime: Hashable, Sendable {
  /// Seconds since midnight, 0 to 86,399.
  public let secondOfDay: Int

  /// 00:00:00.
  public static let midnight = CivilTime(uncheckedSecondOfDay: 0)

  /// The time this many seconds after midnight, or `nil` outside 0 to 86,399.
  public init?(secondOfDay: Int) {
    guard (0..<86_400).contains(secondOfDay) else { return nil }
    self.secondOfDay = secondOfDay
  }

  /// Reads `HH:mm` or `HH:mm:ss`, ASCII digits only, or fails.
  public init?(iso bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == 5 || bytes.count == 8, bytes[2] == UInt8(ascii: ":"),
      bytes.count == 5 || bytes[5] == UInt8(ascii: ":"),
      let hours = bytes.span.number(0..<2), let minutes = bytes.span.number(3..<5),
      let seconds = bytes.count == 5 ? 0 : bytes.span.number(6..<8),
      hours < 24, minutes < 60, seconds < 60
    else { return nil }
    secondOfDay = (hours * 60 + minutes) * 60 + seconds
  }

  private init(uncheckedSecondOfDay: Int) {
    secondOfDay = uncheckedSecondOfDay
  }
}

extension CivilTime: CustomStringConvertible {
  /// The time to the minute, `07:00`.
  public var description: String { secondOfDay.hoursAndMinutes }
}

extension Int {
  /// A number of seconds, from zero up, as `07:00`.
  package var hoursAndMinutes: String {
    "\((self / 3_600).digits(2)):\((self / 60 % 60).digits(2))"
  }
}

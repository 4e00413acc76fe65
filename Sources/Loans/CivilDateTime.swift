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
    guard let date = try? CivilDate(iso: bytes.prefix(10)) else { return nil }
    if bytes.count == 10 {
      self.init(date)
      return
    }
    guard bytes[10] == UInt8(ascii: "T"), let time = CivilTime(iso: bytes.dropFirst(11)) else {
      return nil
    }
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
  public var description: String {
    var text = "\(date)T\(time.hoursAndMinutes):"
    text.appendDigits(of: time.secondOfDay % 60, width: 2)
    return text
  }

  /// ISO 8601 to the minute, `2026-11-21T07:00`.
  public var toTheMinute: String { "\(date)T\(time.hoursAndMinutes)" }
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
    guard bytes.count == 5 || bytes.count == 8 else { return nil }
    var fields: [Int] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      guard start == 0 || bytes[start - 1] == UInt8(ascii: ":"),
        let tens = bytes[start].asciiDigit, let ones = bytes[start + 1].asciiDigit
      else { return nil }
      fields.append(tens * 10 + ones)
    }
    guard fields[0] < 24, fields.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
    secondOfDay = fields[0] * 3_600 + fields[1] * 60 + (fields.count > 2 ? fields[2] : 0)
  }

  private init(uncheckedSecondOfDay: Int) {
    secondOfDay = uncheckedSecondOfDay
  }

  /// `07:00`.
  public var hoursAndMinutes: String {
    var text = ""
    text.appendDigits(of: secondOfDay / 3_600, width: 2)
    text += ":"
    text.appendDigits(of: secondOfDay / 60 % 60, width: 2)
    return text
  }
}

extension CivilTime: CustomStringConvertible {
  /// The time to the minute, `07:00`.
  public var description: String { hoursAndMinutes }
}

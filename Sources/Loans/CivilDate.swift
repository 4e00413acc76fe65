/// A day of the proleptic Gregorian calendar, without time or zone.
///
/// Years run from 1 to 9999. A value is always a real day: every initialiser fails rather than
/// carry a 30 February over into March.
public struct CivilDate: Hashable, Sendable {
  /// Days since 1970-01-01; negative before it.
  public let dayNumber: Int

  /// The first representable day, 0001-01-01.
  public static let first = CivilDate(uncheckedDayNumber: -719_162)

  /// The last representable day, 9999-12-31.
  public static let last = CivilDate(uncheckedDayNumber: 2_932_896)

  /// The day with this number, or `nil` outside the years 1 to 9999.
  ///
  /// - Parameter dayNumber: days since 1970-01-01.
  public init?(dayNumber: Int) {
    guard (Self.first.dayNumber...Self.last.dayNumber).contains(dayNumber) else { return nil }
    self.dayNumber = dayNumber
  }

  /// The day with these parts, or `nil` where the calendar has no such day.
  ///
  /// - Parameters:
  ///   - year: 1 to 9999.
  ///   - month: 1 to 12.
  ///   - day: 1 to the length of the month.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.length(ofMonth: month, year: year)
    else { return nil }
    // Years are counted from 1 March, so that the leap day is the last of its year.
    let shiftedYear = month > 2 ? year : year - 1
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    self.dayNumber = era * 146_097 + dayOfEra - 719_468
  }

  private init(uncheckedDayNumber: Int) {
    dayNumber = uncheckedDayNumber
  }

  /// Days in a month, 28 to 31, by the Gregorian leap year rule.
  public static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Year (1 to 9999), month (1 to 12) and day (1 to 31).
  public var parts: (year: Int, month: Int, day: Int) {
    let shifted = dayNumber + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// The day that is `days` days later, or earlier if that is negative; the first or the last
  /// representable day where the calendar ends.
  public func adding(days: Int) -> CivilDate {
    let (sum, overflow) = dayNumber.addingReportingOverflow(days)
    if overflow { return days < 0 ? .first : .last }
    return CivilDate(dayNumber: sum) ?? (days < 0 ? .first : .last)
  }

  /// Days from this day to `other`; negative if `other` is earlier.
  public func days(until other: CivilDate) -> Int {
    other.dayNumber - dayNumber
  }
}

extension CivilDate: Comparable {
  /// Calendar order.
  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    left.dayNumber < right.dayNumber
  }
}

extension CivilDate: CustomStringConvertible {
  /// ISO 8601 calendar date, `2026-11-22`.
  public var description: String { joined(by: UInt8(ascii: "-")) }

  /// The form of a catalogue, `2026.11.22`.
  public var dotted: String { joined(by: UInt8(ascii: ".")) }

  private func joined(by separator: UInt8) -> String {
    let (year, month, day) = parts
    var rest = (year * 100 + month) * 100 + day
    var text = [UInt8](repeating: separator, count: 10)
    for index in (0..<10).reversed() where index != 4 && index != 7 {
      text[index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension BinaryInteger {
  /// The number, from zero up, with zeros before it up to this many digits.
  package func digits(_ count: Int, radix: Int = 10) -> String {
    let digits = radix == 10 ? description : String(self, radix: radix)
    let missing = count - digits.utf8.count
    return missing > 0 ? String(repeating: "0", count: missing) + digits : digits
  }
}

// MARK: - Reading

extension CivilDate {
  /// Why a text is not a date of the catalogue's form.
  public enum ParseFailure: Error, Hashable, Sendable {
    /// Not four digits, two and two with the separator between them.
    case form
    /// Of the right form, but the calendar has no such day.
    case notADay
  }

  /// Reads a date of exactly ten ASCII characters, `yyyy.MM.dd`.
  ///
  /// Nothing is trimmed, and other digits are refused.
  ///
  /// - Parameter bytes: UTF-8.
  /// - Throws: ``ParseFailure``.
  public init(dotted bytes: Span<UInt8>) throws(ParseFailure) {
    try self.init(bytes, separator: UInt8(ascii: "."))
  }

  /// Reads an ISO 8601 calendar date in the extended form, `yyyy-MM-dd`.
  ///
  /// - Parameter bytes: UTF-8.
  /// - Throws: ``ParseFailure``.
  public init(iso bytes: Span<UInt8>) throws(ParseFailure) {
    try self.init(bytes, separator: UInt8(ascii: "-"))
  }

  private init(_ bytes: Span<UInt8>, separator: UInt8) throws(ParseFailure) {
    guard bytes.count == 10 else { throw .form }
    var digits = 0
    for index in 0..<10 {
      if index == 4 || index == 7 {
        if bytes[index] != separator { throw .form }
        continue
      }
      let digit = bytes[index] &- UInt8(ascii: "0")
      if digit > 9 { throw .form }
      digits = digits &* 10 &+ Int(digit)
    }
    let (year, month, day) = (digits / 10_000, digits / 100 % 100, digits % 100)
    guard let date = CivilDate(year: year, month: month, day: day) else { throw .notADay }
    self = date
  }
}

extension Span<UInt8> {
  /// The number that some bytes make, if all are ASCII digits.
  func number(_ range: Range<Int>) -> Int? {
    var number = 0
    for index in range {
      let digit = self[index] &- UInt8(ascii: "0")
      if digit > 9 { return nil }
      number = number * 10 + Int(digit)
    }
    return number
  }
}

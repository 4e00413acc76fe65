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
  public init(dotted bytes: ArraySlice<UInt8>) throws(ParseFailure) {
    try self.init(bytes.span, separator: UInt8(ascii: "."))
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
  public init(iso bytes: ArraySlice<UInt8>) throws(ParseFailure) {
    try self.init(bytes.span, separator: UInt8(ascii: "-"))
  }

  private init(_ bytes: Span<UInt8>, separator: UInt8) throws(ParseFailure) {
    guard bytes.count == 10, bytes[4] == separator, bytes[7] == separator else { throw .form }
    let (year, isYear) = Self.number(bytes, from: 0, to: 4)
    let (month, isMonth) = Self.number(bytes, from: 5, to: 7)
    let (day, isDay) = Self.number(bytes, from: 8, to: 10)
    guard isYear, isMonth, isDay else { throw .form }
    guard let date = CivilDate(year: year, month: month, day: day) else {
      throw .notADay
    }
    self = date
  }

  /// The number that digits make, and whether all are digits.
  @inline(__always)
  private static func number(
    _ bytes: Span<UInt8>, from start: Int, to end: Int
  ) -> (number: Int, isNumber: Bool) {
    var number = 0
    var isNumber = true
    for index in start..<end {
      let digit = bytes[index] &- UInt8(ascii: "0")
      isNumber = isNumber && digit < 10
      number = number &* 10 &+ Int(digit)
    }
    return (number, isNumber)
  }
}

extension UInt8 {
  /// The value of an ASCII digit, 0 to 9.
  var asciiDigit: Int? {
    let value = self &- UInt8(ascii: "0")
    return value < 10 ? Int(value) : nil
  }
}

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
  /// Nothing is trimmed and no other digits are taken.
  ///
  /// - Parameter bytes: UTF-8.
  /// - Throws: ``ParseFailure``.
  public init(dotted bytes: ArraySlice<UInt8>) throws(ParseFailure) {
    try self.init(bytes, separator: UInt8(ascii: "."))
  }

  /// Reads an ISO 8601 calendar date in the extended form, `yyyy-MM-dd`.
  ///
  /// - Parameter bytes: UTF-8.
  /// - Throws: ``ParseFailure``.
  public init(iso bytes: ArraySlice<UInt8>) throws(ParseFailure) {
    try self.init(bytes, separator: UInt8(ascii: "-"))
  }

  private init(_ bytes: ArraySlice<UInt8>, separator: UInt8) throws(ParseFailure) {
    guard bytes.count == 10 else { throw .form }
    var parts = (year: 0, month: 0, day: 0)
    for (position, byte) in bytes.enumerated() {
      if position == 4 || position == 7 {
        guard byte == separator else { throw .form }
        continue
      }
      guard let digit = byte.asciiDigit else { throw .form }
      switch position {
      case 0..<4: parts.year = parts.year * 10 + digit
      case 5..<7: parts.month = parts.month * 10 + digit
      default: parts.day = parts.day * 10 + digit
      }
    }
    guard let date = CivilDate(year: parts.year, month: parts.month, day: parts.day) else {
      throw .notADay
    }
    self = date
  }
}

extension UInt8 {
  /// The value of an ASCII digit, 0 to 9.
  var asciiDigit: Int? {
    let value = self &- UInt8(ascii: "0")
    return value < 10 ? Int(value) : nil
  }
}

import Glibc

/// The POSIX format of a time zone, `CET-1CEST,M3.5.0,M10.5.0/3`; see tzset(3).
enum POSIXZone {
  /// Three letters or more, or anything plain in angle brackets.
  private static let name = "([A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
  private static let minutes = "(:[0-5]?[0-9]){0,2}"
  /// Hours that a zone is behind UTC, at most a day.
  private static let offset = "[+-]?(2[0-4]|[01]?[0-9])\(minutes)"
  /// Hours from midnight, at most a week.
  private static let time = "[+-]?(16[0-7]|1[0-5][0-9]|[0-9]?[0-9])\(minutes)"
  /// A day of the year, from 1.
  private static let number = "(36[0-5]|3[0-5][0-9]|[12][0-9]{2}|[1-9][0-9]?)"
  private static let day = "(M(1[0-2]|0?[1-9])[.]0?[1-5][.]0?[0-6]|J?\(number)|0)"
  private static let form =
    "^\(name)\(offset)(\(name)(\(offset))?(,\(day)(/\(time))?,\(day)(/\(time))?)?)?$"

  /// Whether the text is of the form.
  ///
  /// - SeeAlso: `regex(3)`.
  static func isValid(_ text: String) -> Bool {
    var expression = unsafe regex_t()
    guard unsafe regcomp(&expression, form, REG_EXTENDED | REG_NOSUB) == 0 else { return false }
    defer { unsafe regfree(&expression) }
    return unsafe regexec(&expression, text, 0, nil, 0) == 0
  }
}

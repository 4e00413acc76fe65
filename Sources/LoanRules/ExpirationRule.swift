public import Loans

/// Checks an expiration that is a day of the calendar.
public enum ExpirationRule {
  /// The numbers of the days on which a loan may be expected to expire: 1970-01-01 to 2099-12-31.
  private static let likelyDays = 0...47_481

  /// A finding about an expiration in an unlikely year, or `nil`.
  public static func judge(_ expiration: CivilDate) -> Finding? {
    guard !likelyDays.contains(expiration.dayNumber) else { return nil }
    return Finding(
      .unlikelyDate,
      """
      expiration "\(expiration.dotted)" is outside the years 1970 to 2099; check the year
      """)
  }

  /// A finding about an expiration in an unlikely year, or further ahead than loans are given, or
  /// `nil`.
  ///
  /// - Parameters:
  ///   - expiration: the last day that the book may be kept.
  ///   - today: the civil day in the library's zone.
  ///   - days: the longest time from today to an expiration, from 0 up.
  public static func judge(
    _ expiration: CivilDate, today: CivilDate, atMost days: Int
  ) -> Finding? {
    if let finding = judge(expiration) { return finding }
    let last = today.adding(days: days)
    guard expiration > last else { return nil }
    return Finding(
      .distantExpiration,
      """
      expiration "\(expiration.dotted)" is more than \(days) days ahead, after \(last.dotted); \
      check the year, or allow more with --max-days
      """)
  }

  /// A finding about an expiration before the day on which the book was lent, or `nil`.
  public static func judge(_ expiration: CivilDate, loaned: CivilDate) -> Finding? {
    guard expiration < loaned else { return nil }
    return Finding(
      .expirationBeforeLoan,
      """
      expiration "\(expiration.dotted)" is before the loan date \(loaned.dotted); \
      correct the one that is wrong
      """)
  }

  /// A finding about a day of lending that is still to come, or `nil`.
  ///
  /// - Parameters:
  ///   - loaned: the day on which the book was lent.
  ///   - today: the civil day in the library's zone.
  public static func judge(loaned: CivilDate, today: CivilDate) -> Finding? {
    guard loaned > today else { return nil }
    return Finding(
      .invalidLoanDate,
      """
      loan date "\(loaned.dotted)" is after today, \(today.dotted); correct the day of lending
      """)
  }
}

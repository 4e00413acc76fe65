public import Loans

/// What is wrong with an expiration that is a day of the calendar.
public enum ExpirationRule {
  /// The years in which a loan may be expected to expire.
  static let likelyYears = 1970...2099

  private static let likelyDays: ClosedRange<CivilDate> = {
    let first = CivilDate(year: likelyYears.lowerBound, month: 1, day: 1)
    let last = CivilDate(year: likelyYears.upperBound, month: 12, day: 31)
    return (first ?? .first)...(last ?? .last)
  }()

  /// A finding about an expiration in an unlikely year, or `nil`.
  public static func judge(_ expiration: CivilDate) -> (code: Diagnostic.Code, message: String)? {
    guard !likelyDays.contains(expiration) else { return nil }
    return (
      .unlikelyDate,
      """
      expiration "\(expiration.dotted)" is outside the years \(likelyYears.lowerBound) to \
      \(likelyYears.upperBound); check the year
      """
    )
  }
}

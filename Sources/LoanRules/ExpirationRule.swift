public import Loans

/// What is wrong with an expiration that is a day of the calendar.
public enum ExpirationRule {
  /// The years in which a loan may be expected to expire.
  static let likelyYears = 1970...2099

  /// A finding about an expiration in an unlikely year, or `nil`.
  public static func judge(_ expiration: CivilDate) -> (code: Diagnostic.Code, message: String)? {
    let year = expiration.parts.year
    guard !likelyYears.contains(year) else { return nil }
    return (
      .unlikelyDate,
      """
      expiration "\(expiration.dotted)" is outside the years \(likelyYears.lowerBound) to \
      \(likelyYears.upperBound); check the year
      """
    )
  }
}

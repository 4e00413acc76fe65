public import Loans

/// The state of a loan on a given day.
public enum LoanStatus: String, CaseIterable, Sendable {
  /// Today is later than the expiration.
  case expired
  /// Today is the last day.
  case expiresToday = "expires-today"
  /// The expiration is within the reminder's lead.
  case expiresSoon = "expires-soon"
  /// The expiration is further away.
  case onLoan = "on-loan"

  /// The status of a loan with this expiration on `today`.
  ///
  /// A loan is good through its expiration: only on the next day has it expired.
  ///
  /// - Parameters:
  ///   - expiration: the last day that the book may be kept.
  ///   - today: the civil day in the library's zone.
  ///   - lead: days before the expiration that count as soon, from 0 up.
  public init(expiration: CivilDate, today: CivilDate, lead: Int) {
    self =
      switch today.days(until: expiration) {
      case ..<0: .expired
      case 0: .expiresToday
      case let days where days <= lead: .expiresSoon
      default: .onLoan
      }
  }

  /// Whether the loan belongs in a report.
  public var needsAttention: Bool { self != .onLoan }
}

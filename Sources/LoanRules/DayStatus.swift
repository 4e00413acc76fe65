public import Loans

/// The state of a loan on a given day.
public enum DayStatus: String, CaseIterable, Sendable {
  /// Today is later than the expiration.
  case expired
  /// Today is the last day.
  case expiresToday = "expires-today"
  /// The first reminder's day has come.
  case expiresSoon = "expires-soon"
  /// The expiration is further away.
  case onLoan = "on-loan"
  /// The book is lost.
  case lost
  /// The borrower has said that the book is back.
  case claimedReturned = "claimed-returned"

  /// The status of a loan with this expiration on `today`.
  ///
  /// A loan is good through its expiration: only on the next day has it expired.
  ///
  /// - Parameters:
  ///   - plan: the loan's expiration and reminders; where the library is closed on that day, days are
  ///     counted from the last open day before it.
  ///   - status: what the catalogue says beside the dates.
  ///   - today: the civil day in the library's zone.
  public init(_ plan: LoanPlan, _ status: LoanStatus? = nil, today: CivilDate) {
    if let status, let found = Self(rawValue: status.rawValue) {
      self = found
      return
    }
    let lastOpenDay = plan.openDays?.before ?? plan.expiration
    self =
      switch today.days(until: plan.expiration) {
      case ..<0: .expired
      case 0: .expiresToday
      case _ where today.days(until: lastOpenDay) <= plan.ladder.lead: .expiresSoon
      default: .onLoan
      }
  }

  /// Whether the loan belongs in a report.
  public var needsAttention: Bool { self != .onLoan && !isWithheld }

  /// Whether it is lost or claimed returned, so that nobody is expected to return it.
  public var isWithheld: Bool { self == .lost || self == .claimedReturned }
}

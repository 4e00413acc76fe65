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
  /// The book is lost, and nothing is sent about it.
  case lost
  /// The borrower has said that the book is back, and nothing is sent about it.
  case claimedReturned = "claimed-returned"

  /// The status of a loan with this expiration on `today`.
  ///
  /// A loan is good through its expiration: only on the next day has it expired.
  ///
  /// - Parameters:
  ///   - plan: the loan's expiration and reminders; where the library is closed on that day, days are
  ///     counted from the last open day before it.
  ///   - today: the civil day in the library's zone.
  public init(_ plan: LoanPlan, today: CivilDate) {
    if let status = plan.ladder.withheld {
      self = status == .lost ? .lost : .claimedReturned
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

  /// Whether nothing is sent about the loan since it is lost or claimed returned.
  public var isWithheld: Bool { self == .lost || self == .claimedReturned }
}

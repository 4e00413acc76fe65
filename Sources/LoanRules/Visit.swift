public import Loans

/// A way to the library, on which all is returned that expires within a week.
public enum Visit {
  /// The days after the first expiration within which others are taken along.
  public static let days = 6

  /// The day by which a loan is to be returned: the last open day up to its expiration, or if that is
  /// over, the first from today on.
  public static func day(
    of plan: LoanPlan, today: CivilDate, _ closed: ClosedDays = ClosedDays()
  ) -> CivilDate {
    let last = plan.openDays?.before ?? plan.expiration
    if today <= last { return last }
    if case .closed(let days) = closed.openDays(around: today) { return days.after }
    return today
  }
}

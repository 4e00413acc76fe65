internal import CIcal
internal import Loans

/// The days of a recurrence rule, which libical works out.
enum RecurrenceRule {
  /// Why a rule has no days.
  enum Failure: Error {
    /// libical is not installed.
    case noLibrary
    /// The rule makes no sense, or repeats within a day.
    case badRule
    /// There is too much to work out.
    case tooSlow
  }

  /// The days of a period on which an event begins.
  ///
  /// - Parameters:
  ///   - rule: `FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO`.
  ///   - start: the first day of the event, from which the rule counts.
  ///   - deadline: when it is given up, a second or two later at most.
  /// - SeeAlso: RFC 5545, section 3.3.10.
  static func days(
    _ rule: String, from start: CivilDate, in period: ClosedRange<CivilDate>,
    until deadline: SuspendingClock.Instant
  ) throws(Failure) -> [CivilDate] {
    // C would take the rule to end there.
    if rule.utf8.contains(0) { throw .badRule }
    let capacity = period.lowerBound.days(until: period.upperBound) + 1
    var days = [check_loans_day](repeating: check_loans_day(), count: capacity)
    let count = unsafe check_loans_expand_rule(
      rule, start.forC, period.lowerBound.forC, period.upperBound.forC, &days, Int32(capacity),
      SuspendingClock.now.duration(to: deadline) / .seconds(1))
    if count == CHECK_LOANS_NO_LIBICAL { throw .noLibrary }
    if count == CHECK_LOANS_TOO_SLOW { throw .tooSlow }
    guard count >= 0 else { throw .badRule }
    return days.prefix(Int(count)).compactMap { day in
      CivilDate(year: Int(day.year), month: Int(day.month), day: Int(day.day))
    }
  }
}

extension CivilDate {
  fileprivate var forC: check_loans_day {
    let (year, month, day) = parts
    return check_loans_day(year: Int32(year), month: Int32(month), day: Int32(day))
  }
}

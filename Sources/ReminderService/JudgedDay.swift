package import LoanRules
package import Loans
internal import ReminderSchedule

/// What follows from a loan's dates, status and rule alone: worked out once for all loans that have
/// the same.
package final class JudgedDay: Sendable {
  /// When the notices fire.
  package let plan: LoanPlan
  /// The state on the day of the reload.
  package let status: DayStatus
  /// What the schedule keeps of it; `nil` without a schedule.
  let scheduled: ScheduledDay?
  /// Its number among those of the reload, from 0.
  package let number: Int

  fileprivate init(
    _ plan: LoanPlan, _ status: DayStatus, _ scheduled: ScheduledDay?, number: Int
  ) {
    (self.plan, self.status, self.scheduled, self.number) = (plan, status, scheduled, number)
  }
}

/// The judged days of a reload's loans.
struct JudgedDays {
  /// What a judgement depends on.
  private struct Key: Hashable {
    var expiration: CivilDate
    var loaned: CivilDate?
    var status: LoanStatus?
    var rule: Int?
  }

  private let policy: ReminderPolicy
  private let today: CivilDate
  /// The days before an expiration in which a notice can fire.
  private let longestLead: Int
  /// Those around today that depend on nothing else, as nearly all do.
  private var near = [JudgedDay?](repeating: nil, count: 2 * reach)
  private var others: [Key: JudgedDay] = [:]
  private var count = 0
  /// The first expiration, of a loan that has not expired, around which the library is closed for so long
  /// that its closed days are probably a mistake, and not applied.
  private(set) var closedForLong: CivilDate?

  private static let reach = 1_500

  init(_ policy: ReminderPolicy, today: CivilDate) {
    (self.policy, self.today) = (policy, today)
    let ladders = [policy.ladder] + policy.rules.map(\.ladder)
    longestLead = ClosedDays.longest + (ladders.map(\.lead).max() ?? 0)
  }

  /// The day of a loan.
  ///
  /// - Parameter schedule: what the schedule keeps of a plan.
  mutating func day(
    of loan: some LoanParts,
    _ schedule: (LoanPlan) throws(ScheduleError) -> ScheduledDay?
  ) throws(ScheduleError) -> JudgedDay {
    let (expiration, rule) = (loan.lastDay, policy.rule(for: loan))
    var key = Key(expiration: expiration, status: loan.status, rule: rule)
    // Otherwise there would be nearly as many days as loans.
    if let loaned = loan.loanedOn, loaned.days(until: expiration) <= longestLead {
      key.loaned = loaned
    }
    let place = today.days(until: expiration) + Self.reach
    guard key.loaned == nil, key.status == nil, rule == nil, near.indices.contains(place) else {
      if let day = others[key] { return day }
      let day = try judge(key, schedule)
      others[key] = day
      return day
    }
    if let day = near[place] { return day }
    let day = try judge(key, schedule)
    near[place] = day
    return day
  }

  private mutating func judge(
    _ key: Key, _ schedule: (LoanPlan) throws(ScheduleError) -> ScheduledDay?
  ) throws(ScheduleError) -> JudgedDay {
    let answer = policy.closedDays.openDays(around: key.expiration)
    let openDays: OpenDays? = if case .closed(let days) = answer { days } else { nil }
    let plan = LoanPlan(
      policy.ladder(rule: key.rule, key.status), expiration: key.expiration, openDays: openDays,
      loaned: key.loaned)
    let status = DayStatus(plan, key.status, today: today)
    if answer == .closedForLong, status != .expired {
      closedForLong = closedForLong ?? key.expiration
    }
    count += 1
    return JudgedDay(plan, status, try schedule(plan), number: count - 1)
  }
}

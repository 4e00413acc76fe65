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
  /// Those around today of loans of which no more is known, as of nearly all.
  private var near = [JudgedDay?](repeating: nil, count: 2 * reach)
  private var others: [Key: JudgedDay] = [:]
  private var count = 0
  /// The first expiration, of a loan that has not expired, around which the library is closed for so long
  /// that its closed days are probably a mistake, and not applied.
  private(set) var closedForLong: CivilDate?

  private static let reach = 1_500

  init(_ policy: ReminderPolicy, today: CivilDate) {
    (self.policy, self.today) = (policy, today)
  }

  /// The day of a loan.
  ///
  /// - Parameter schedule: what the schedule keeps of a plan.
  mutating func day(
    of loan: some LoanParts,
    _ schedule: (LoanPlan) throws(ScheduleError) -> ScheduledDay?
  ) throws(ScheduleError) -> JudgedDay {
    let key = Key(
      expiration: loan.lastDay, loaned: loan.loanedOn, status: loan.status,
      rule: policy.rule(for: loan))
    let isAlone = key.loaned == nil && key.status == nil && key.rule == nil
    let place = isAlone ? today.days(until: key.expiration) + Self.reach : -1
    let isNear = near.indices.contains(place)
    if let known = isNear ? near[place] : others[key] { return known }
    let day = try judge(key, schedule)
    if isNear { near[place] = day } else { others[key] = day }
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

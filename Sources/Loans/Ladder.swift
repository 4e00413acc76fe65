/// The days on which notices about a loan are sent, each a rung known by its signed number of days from
/// the expiration: −7 a week before it, 0 on the last day, 1 on the first day after it.
///
/// A notice is due if a rung was reached that is further than what was sent: so a run sends at most one
/// about a loan, and what was missed becomes the one that is most urgent. With the rungs −7, −1 and 1, a
/// loan of 22 November whose catalogue is first read on the 20th has its first notice then, for −7, and
/// the next on the 21st.
public struct Ladder: Hashable, Sendable {
  /// The rungs up to the last day, 0 or less, in ascending order.
  public let reminders: [Int]
  /// The rungs after the last day, 1 or more, in ascending order.
  public let expired: [Int]
  /// The number of days, 1 or more, after which the last of the rungs after the last day is repeated,
  /// again and again; `nil` for never.
  public let period: Int?
  /// The number of days after the expiration beyond which nothing more is sent; `nil` for no limit.
  ///
  /// Like the rungs, they count from an open day.
  public let limit: Int?
  /// The time of day at which reminders fire, to the minute; other notices do at 00:00.
  public let time: CivilTime
  /// The status of the loans that it is for, if they have no notices for that reason alone.
  public let withheld: LoanStatus?

  /// The longest lead or delay of a rung, in days.
  public static let longest = 3_650

  /// The most rungs of either kind.
  public static let mostRungs = 16

  /// One reminder on the day before the expiration and one notice on the day after it, at 00:00, so that
  /// a daily run at any hour finds them due.
  public static let standard = Ladder()

  /// A ladder with these rungs.
  ///
  /// - Parameters:
  ///   - leads: days before the expiration, 0 to ``longest``, in any order.
  ///   - delays: days after the expiration, 1 to ``longest``, in any order.
  ///   - period: days between repetitions after the last delay, 1 or more.
  ///   - limit: days after the expiration from which on nothing is sent.
  ///   - time: the time of day of reminders.
  ///   - withheld: the status for which the loans have no notices, where there are no rungs.
  public init(
    leads: [Int] = [1], delays: [Int] = [1], period: Int? = nil, limit: Int? = nil,
    time: CivilTime = .midnight, withheld: LoanStatus? = nil
  ) {
    precondition(leads.allSatisfy { (0...Self.longest).contains($0) }, "leads of \(leads) days")
    precondition(delays.allSatisfy { (1...Self.longest).contains($0) }, "delays of \(delays) days")
    precondition(period ?? 1 >= 1, "a period of \(period ?? 0) days")
    reminders = Set(leads).map { -$0 }.sorted()
    expired = Set(delays).sorted()
    self.period = period
    self.limit = limit
    // Without its seconds, as it is stored.
    self.time = CivilTime(secondOfDay: time.secondOfDay / 60 * 60) ?? time
    self.withheld = withheld
  }

  /// The days before the expiration on which the first reminder fires; 0 if there is none.
  public var lead: Int { -(reminders.first ?? 0) }
}

/// The dates from which the rungs of one loan are counted.
public struct LoanPlan: Hashable, Sendable {
  /// The rungs.
  public var ladder: Ladder
  /// The last day that the book may be kept.
  public var expiration: CivilDate
  /// The open days next to the expiration, if the library is closed on that day: reminders count from
  /// the one before it, other notices from the one after it.
  public var openDays: OpenDays?
  /// The time at which the first notice fires; rungs before it are passed over.
  public var firstFireAt: CivilDateTime

  /// A plan that begins at a known time.
  public init(
    _ ladder: Ladder, expiration: CivilDate, openDays: OpenDays? = nil, firstFireAt: CivilDateTime
  ) {
    self.ladder = ladder
    self.expiration = expiration
    self.openDays = openDays
    self.firstFireAt = firstFireAt
  }

  /// The plan of a loan.
  ///
  /// - Parameters:
  ///   - ladder: the rungs.
  ///   - expiration: the last day that the book may be kept.
  ///   - openDays: the open days next to it, if the library is closed on that day.
  ///   - loaned: the day of lending, if it is known; a rung on that day or before it is passed over. One
  ///     after the expiration is wrong, and counts as unknown.
  public init(
    _ ladder: Ladder, expiration: CivilDate, openDays: OpenDays? = nil, loaned: CivilDate? = nil
  ) {
    self.init(ladder, expiration: expiration, openDays: openDays, firstFireAt: Self.never)
    let first = loaned.flatMap { $0 > expiration ? nil : $0.adding(days: 1) } ?? .first
    let rung = ladder.reminders.first { fireDate($0).date >= first } ?? ladder.expired.first
    if let rung { firstFireAt = fireDate(rung) }
  }

  /// The time at which a loan without notices has its first.
  private static let never = CivilDateTime(.last)

  /// The time at which the notice of a rung fires.
  public func fireDate(_ rung: Int) -> CivilDateTime {
    rung > 0
      ? CivilDateTime((openDays?.after ?? expiration).adding(days: rung))
      : CivilDateTime((openDays?.before ?? expiration).adding(days: rung), ladder.time)
  }

  /// The furthest rung that was reached; `nil` if there is none, or nothing is sent any longer.
  ///
  /// Up to the expiration this is one of the reminders, afterwards one of the others.
  public func reached(at now: CivilDateTime) -> Int? {
    if now < firstFireAt { return nil }
    let late = expiration.days(until: now.date)
    if late <= 0 {
      let days = (openDays?.before ?? expiration).days(until: now.date)
      let reached = now.time.secondOfDay < ladder.time.secondOfDay ? days - 1 : days
      return ladder.reminders.last { $0 <= reached }
    }
    let days = (openDays?.after ?? expiration).days(until: now.date)
    if let limit = ladder.limit, days > limit { return nil }
    guard let rung = ladder.expired.last(where: { $0 <= days }) else { return nil }
    guard let period = ladder.period, rung == ladder.expired.last else { return rung }
    return rung + (days - rung) / period * period
  }

  /// The first rung after the last day that is further than what was told; another rung itself.
  public func firstOwed(of rung: Int, after told: Int) -> Int {
    guard rung > 0, told < rung else { return rung }
    if let first = ladder.expired.first(where: { $0 > told }) { return min(first, rung) }
    guard let period = ladder.period, let last = ladder.expired.last else { return rung }
    return min(last + ((told - last) / period + 1) * period, rung)
  }

  /// The first rung that is reached after a time, and when; `nil` if there is none to come.
  public func next(after now: CivilDateTime) -> (rung: Int, fireAt: CivilDateTime)? {
    for rung in ladder.reminders {
      let fireAt = fireDate(rung)
      if fireAt > now, fireAt >= firstFireAt { return (rung, fireAt) }
    }
    guard let rung = ladder.expired.first(where: { fireDate($0) > now }) ?? repetition(after: now)
    else { return nil }
    let fireAt = fireDate(rung)
    return rung > ladder.limit ?? .max ? nil : (rung, fireAt)
  }

  private func repetition(after now: CivilDateTime) -> Int? {
    guard let period = ladder.period, let last = ladder.expired.last else { return nil }
    let days = fireDate(last).date.days(until: now.date)
    return last + (days / period + 1) * period
  }
}

import LoanRules
import Loans
import Testing

private let today = CivilDate(year: 2026, month: 11, day: 21) ?? .first

extension DayStatus {
  fileprivate init(expiration: CivilDate, today: CivilDate, lead: Int) {
    self.init(LoanPlan(Ladder(leads: [lead]), expiration: expiration), today: today)
  }
}

struct DayStatusTests {
  @Test(arguments: [
    (0, [DayStatus.expired, .expired, .expiresToday, .onLoan, .onLoan, .onLoan, .onLoan]),
    (1, [.expired, .expired, .expiresToday, .expiresSoon, .onLoan, .onLoan, .onLoan]),
    (3, [.expired, .expired, .expiresToday, .expiresSoon, .expiresSoon, .expiresSoon, .onLoan]),
  ])
  func `From two days before today to four behind it, by the lead`(
    lead: Int, expected: [DayStatus]
  ) {
    let statuses = (-2...4).map {
      DayStatus(expiration: today.adding(days: $0), today: today, lead: lead)
    }
    #expect(statuses == expected)
  }

  @Test func `A loan due today has not expired`() {
    #expect(DayStatus(expiration: today, today: today, lead: 1) == .expiresToday)
  }

  @Test func `A loan expires on the day after its expiration`() {
    #expect(DayStatus(expiration: today.adding(days: -1), today: today, lead: 1) == .expired)
  }

  @Test func `Boundaries hold over the ends of months and years`() {
    let lastDay = CivilDate(year: 2024, month: 2, day: 29) ?? .first
    let nextDay = CivilDate(year: 2024, month: 3, day: 1) ?? .first
    #expect(DayStatus(expiration: lastDay, today: nextDay, lead: 1) == .expired)
    #expect(DayStatus(expiration: nextDay, today: lastDay, lead: 1) == .expiresSoon)
    let newYear = CivilDate(year: 2027, month: 1, day: 1) ?? .first
    let newYearsEve = CivilDate(year: 2026, month: 12, day: 31) ?? .first
    #expect(DayStatus(expiration: newYear, today: newYearsEve, lead: 1) == .expiresSoon)
    #expect(DayStatus(expiration: newYear, today: newYearsEve, lead: 0) == .onLoan)
  }

  @Test func `The ends of the calendar are days like others`() {
    #expect(DayStatus(expiration: .first, today: .first, lead: 3_650) == .expiresToday)
    #expect(DayStatus(expiration: .first, today: .last, lead: 3_650) == .expired)
    #expect(DayStatus(expiration: .last, today: .first, lead: 3_650) == .onLoan)
    #expect(DayStatus(expiration: .last, today: .last, lead: 0) == .expiresToday)
  }

  @Test func `Every loan near its end needs attention, unless nothing is sent about it`() {
    #expect(
      DayStatus.allCases.filter(\.needsAttention) == [.expired, .expiresToday, .expiresSoon])
  }

  @Test(arguments: LoanStatus.allCases, [-200, 0, 1, 200])
  func `A loan that is lost or claimed returned is neither expired nor about to`(
    status: LoanStatus, days: Int
  ) {
    let plan = LoanPlan(
      ReminderPolicy().ladder(rule: nil, status), expiration: today.adding(days: days))
    let found = DayStatus(plan, status, today: today)
    #expect(found.isWithheld == status.isWithheld)
    #expect((found.rawValue == status.rawValue) == status.isWithheld)
    #expect((plan.reached(at: CivilDateTime(.last)) == nil) == status.isWithheld)
  }

  @Test func `The names of the statuses are published`() {
    #expect(
      DayStatus.allCases.map(\.rawValue) == [
        "expired", "expires-today", "expires-soon", "on-loan", "lost",
        "claimed-returned",
      ])
  }
}

import LoanRules
import Loans
import Testing

private let today = CivilDate(year: 2026, month: 11, day: 21) ?? .first

extension LoanStatus {
  fileprivate init(expiration: CivilDate, today: CivilDate, lead: Int) {
    self.init(LoanPlan(Ladder(leads: [lead]), expiration: expiration), today: today)
  }
}

struct LoanStatusTests {
  @Test(arguments: [
    (0, [LoanStatus.expired, .expired, .expiresToday, .onLoan, .onLoan, .onLoan, .onLoan]),
    (1, [.expired, .expired, .expiresToday, .expiresSoon, .onLoan, .onLoan, .onLoan]),
    (3, [.expired, .expired, .expiresToday, .expiresSoon, .expiresSoon, .expiresSoon, .onLoan]),
  ])
  func `From two days before today to four behind it, by the lead`(
    lead: Int, expected: [LoanStatus]
  ) {
    let statuses = (-2...4).map {
      LoanStatus(expiration: today.adding(days: $0), today: today, lead: lead)
    }
    #expect(statuses == expected)
  }

  @Test func `A loan due today has not expired`() {
    #expect(LoanStatus(expiration: today, today: today, lead: 1) == .expiresToday)
  }

  @Test func `A loan expires on the day after its expiration`() {
    #expect(LoanStatus(expiration: today.adding(days: -1), today: today, lead: 1) == .expired)
  }

  @Test func `Boundaries hold over the ends of months and years`() {
    let lastDay = CivilDate(year: 2024, month: 2, day: 29) ?? .first
    let nextDay = CivilDate(year: 2024, month: 3, day: 1) ?? .first
    #expect(LoanStatus(expiration: lastDay, today: nextDay, lead: 1) == .expired)
    #expect(LoanStatus(expiration: nextDay, today: lastDay, lead: 1) == .expiresSoon)
    let newYear = CivilDate(year: 2027, month: 1, day: 1) ?? .first
    let newYearsEve = CivilDate(year: 2026, month: 12, day: 31) ?? .first
    #expect(LoanStatus(expiration: newYear, today: newYearsEve, lead: 1) == .expiresSoon)
    #expect(LoanStatus(expiration: newYear, today: newYearsEve, lead: 0) == .onLoan)
  }

  @Test func `The ends of the calendar are days like others`() {
    #expect(LoanStatus(expiration: .first, today: .first, lead: 3_650) == .expiresToday)
    #expect(LoanStatus(expiration: .first, today: .last, lead: 3_650) == .expired)
    #expect(LoanStatus(expiration: .last, today: .first, lead: 3_650) == .onLoan)
    #expect(LoanStatus(expiration: .last, today: .last, lead: 0) == .expiresToday)
  }

  @Test func `Every status but that of a loan far from its end needs attention`() {
    #expect(
      LoanStatus.allCases.filter(\.needsAttention) == [.expired, .expiresToday, .expiresSoon])
  }

  @Test func `The names of the statuses are published`() {
    #expect(
      LoanStatus.allCases.map(\.rawValue) == [
        "expired", "expires-today", "expires-soon", "on-loan",
      ])
  }
}

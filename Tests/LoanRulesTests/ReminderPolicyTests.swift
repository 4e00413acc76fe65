import LoanRules
import Loans
import TestSupport
import Testing

struct ReminderPolicyTests {
  private func date(_ text: String) throws -> CivilDate {
    try CivilDate(iso: Array(text.utf8).span)
  }

  private func fireDate(lead: Int, time: String = "00:00", _ expiration: String) throws -> String {
    let time = try #require(CivilTime(iso: time.utf8))
    let ladder = Ladder(leads: [lead], time: time)
    return LoanPlan(ladder, expiration: try date(expiration)).firstFireAt.description
  }

  @Test(arguments: [
    (0, "2026-11-28", "2026-11-28T00:00:00"), (1, "2026-11-28", "2026-11-27T00:00:00"),
    (30, "2026-11-28", "2026-10-29T00:00:00"), (1, "2027-01-01", "2026-12-31T00:00:00"),
    (1, "2024-03-01", "2024-02-29T00:00:00"), (1, "2100-03-01", "2100-02-28T00:00:00"),
    (30, "2024-03-15", "2024-02-14T00:00:00"), (3_650, "2026-11-28", "2016-11-30T00:00:00"),
  ])
  func `A reminder fires so many days of the calendar before the expiration`(
    lead: Int, expiration: String, fireAt: String
  ) throws {
    #expect(try fireDate(lead: lead, expiration) == fireAt)
  }

  @Test(arguments: [
    "2011-12-31", "2018-11-05", "2023-04-29", "2024-03-11", "2024-11-04", "2026-03-30",
    "2026-10-26",
  ])
  func `Days that a time zone skips, shortens or lengthens are days like others`(
    expiration: String
  ) throws {
    let before = try date(expiration).adding(days: -1)
    for time in ["00:00", "00:30", "02:30", "23:59"] {
      #expect(try fireDate(lead: 1, time: time, expiration) == "\(before)T\(time):00")
    }
  }

  @Test(arguments: [0, 1, 30, 3_650])
  func `Nothing fires before the first day of the calendar`(lead: Int) throws {
    #expect(try fireDate(lead: lead, "0001-01-01") == "0001-01-01T00:00:00")
    #expect(try fireDate(lead: lead, time: "23:59", "0001-01-01") == "0001-01-01T23:59:00")
  }

  @Test func `The standard is one day before at the first second, and one day after`() throws {
    let plan = LoanPlan(.standard, expiration: try date("2026-11-28"))
    #expect(plan.firstFireAt.toTheMinute == "2026-11-27T00:00")
    #expect(plan.fireDate(1).toTheMinute == "2026-11-29T00:00")
    #expect(plan.ladder.reminders == [-1] && plan.ladder.expired == [1])
    #expect(Ladder() == .standard)
  }

  /// The rungs that are reached at noon of each day, those that are new.
  private func rungs(_ plan: LoanPlan, from first: String, through last: String) throws -> [String]
  {
    var told: Int?
    var rungs: [String] = []
    for number in try date(first).dayNumber...date(last).dayNumber {
      let noon = CivilDateTime(
        try #require(CivilDate(dayNumber: number)), try #require(CivilTime(iso: "12:00".utf8)))
      guard let rung = plan.reached(at: noon), rung > told ?? .min else { continue }
      told = rung
      rungs.append("\(noon.date) \(rung)")
    }
    return rungs
  }

  @Test func `Each rung is reached on its day, whatever their order and number`() throws {
    let ladder = Ladder(leads: [0, 7, 3, 7], delays: [14, 1], period: 10, limit: 40)
    let plan = LoanPlan(ladder, expiration: try date("2026-11-28"))
    #expect(
      try rungs(plan, from: "2026-11-01", through: "2027-03-01") == [
        "2026-11-21 -7", "2026-11-25 -3", "2026-11-28 0", "2026-11-29 1", "2026-12-12 14",
        "2026-12-22 24", "2027-01-01 34",
      ])
  }

  @Test func `Where the library is closed on the last day, each side counts from its open day`()
    throws
  {
    let days = OpenDays(before: try date("2026-12-23"), after: try date("2027-01-04"))
    let plan = LoanPlan(
      Ladder(leads: [3, 1, 0], delays: [1, 7]), expiration: try date("2026-12-27"), openDays: days)
    #expect(
      try rungs(plan, from: "2026-12-01", through: "2027-02-01") == [
        "2026-12-20 -3", "2026-12-22 -1", "2026-12-23 0", "2027-01-05 1", "2027-01-11 7",
      ])
  }

  @Test(arguments: [
    ("2026-11-20", ["2026-11-21 -7", "2026-11-25 -3"]), ("2026-11-21", ["2026-11-25 -3"]),
    ("2026-11-24", ["2026-11-25 -3"]), ("2026-11-25", []), ("2026-11-28", []),
    // A day after the expiration is a mistake.
    ("2026-11-29", ["2026-11-21 -7", "2026-11-25 -3"]),
  ])
  func `A rung on the day of lending or before it is passed over`(
    loaned: String, reminders: [String]
  ) throws {
    let plan = LoanPlan(
      Ladder(leads: [7, 3]), expiration: try date("2026-11-28"), loaned: try date(loaned))
    let rungs = try rungs(plan, from: "2026-11-01", through: "2027-02-01")
    #expect(rungs == reminders + ["2026-11-29 1"])
  }

  @Test func `What comes next is what is reached then, for any ladder`() throws {
    var dice = Dice(state: 18)
    for _ in 0..<2_000 {
      func numbers(_ range: ClosedRange<Int>) -> [Int] {
        (0..<Int.random(in: 0...3, using: &dice)).map { _ in Int.random(in: range, using: &dice) }
      }
      let ladder = Ladder(
        leads: numbers(0...9), delays: numbers(1...9),
        period: Bool.random(using: &dice) ? nil : Int.random(in: 1...4, using: &dice),
        limit: Bool.random(using: &dice) ? nil : Int.random(in: 1...30, using: &dice),
        time: CivilTime(secondOfDay: Int.random(in: 0..<86_400, using: &dice)) ?? .midnight)
      let expiration = try date("2026-11-28")
      var plan = LoanPlan(
        ladder, expiration: expiration,
        loaned: expiration.adding(days: Int.random(in: -12...2, using: &dice)))
      if Bool.random(using: &dice) {
        let days = OpenDays(
          before: expiration.adding(days: -Int.random(in: 1...5, using: &dice)),
          after: expiration.adding(days: Int.random(in: 1...5, using: &dice)))
        plan = LoanPlan(ladder, expiration: expiration, openDays: days)
      }
      // Minute by minute would be the same: only these moments matter.
      var next = plan.next(after: CivilDateTime(expiration.adding(days: -30)))
      for number in -30...60 {
        for second in [0, ladder.time.secondOfDay, 86_399] {
          let now = CivilDateTime(
            expiration.adding(days: number), CivilTime(secondOfDay: second) ?? .midnight)
          if let due = next, due.fireAt <= now {
            #expect(plan.reached(at: now) == due.rung, "\(plan) \(now)")
            next = plan.next(after: now)
          }
          #expect(next.map { $0.fireAt > now } ?? true, "\(plan) \(now)")
        }
      }
    }
  }

  @Test func `The first rule that fits a loan decides, by whole texts`() throws {
    let staff = LadderRule(
      [.init(.borrower, ["Anna", "Béla"]), .init(.title, ["Abigél"])], ladder: Ladder(leads: [3]))
    let policy = ReminderPolicy(
      rules: [staff, LadderRule([.init(.borrower, ["Béla"])], ladder: Ladder(leads: [5]))])
    let loans = [
      ("Anna", "Abigél"), ("Béla", "Abigél"), ("Béla", "Else"), ("Anna", "Else"),
      ("anna", "Abigél"),
      ("Be\u{301}la", "Abigél"), (nil, "Abigél"),
    ].map { borrower, title in Loan(title: title, borrower: borrower, expiration: .last) }
    let ladders = loans.map { policy.ladder(rule: policy.rule(for: $0), nil) }
    #expect(ladders.map(\.lead) == [3, 3, 5, 1, 1, 1, 1])
  }
}

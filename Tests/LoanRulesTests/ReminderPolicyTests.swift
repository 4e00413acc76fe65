import LoanRules
import Loans
import Testing

struct ReminderPolicyTests {
  private func date(_ text: String) throws -> CivilDate {
    try CivilDate(iso: Array(text.utf8).span)
  }

  private func fireDate(lead: Int, time: String = "00:00", _ expiration: String) throws -> String {
    let time = try #require(CivilTime(iso: time.utf8))
    let policy = try #require(ReminderPolicy(lead: lead, time: time))
    return try policy.fireDate(expiration: date(expiration)).description
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
    #expect(try fireDate(lead: lead, time: "23:59:59", "0001-01-01") == "0001-01-01T23:59:59")
  }

  @Test(arguments: [0, 1, 3_650])
  func `A lead of 0 to 3,650 days is taken`(lead: Int) {
    #expect(ReminderPolicy(lead: lead, time: .midnight)?.lead == lead)
  }

  @Test(arguments: [-1, 3_651, .min, .max])
  func `Any other lead is refused`(lead: Int) {
    #expect(ReminderPolicy(lead: lead, time: .midnight) == nil)
  }

  @Test func `The standard is one day before, at the first second`() throws {
    #expect(ReminderPolicy.standard.lead == 1)
    #expect(ReminderPolicy.standard.time == .midnight)
    #expect(ReminderPolicy.standard == ReminderPolicy(lead: 1, time: .midnight))
    let fireAt = try ReminderPolicy.standard.fireDate(expiration: date("2026-11-28"))
    #expect(fireAt.toTheMinute == "2026-11-27T00:00")
  }
}

import LoanRules
import Loans
import Testing

struct DeliveryHoursTests {
  private func moment(_ text: String) throws -> CivilDateTime {
    try #require(CivilDateTime(iso: text))
  }

  private func hours(_ start: String, _ end: String) throws -> DailyHours {
    let times = try (
      #require(CivilTime(iso: start.utf8)), #require(CivilTime(iso: end.utf8))
    )
    return try #require(DailyHours(from: times.0, to: times.1))
  }

  @Test(arguments: [
    ("08:00", "20:00", "2026-11-24T07:59:59", "2026-11-24T08:00:00"),
    ("08:00", "20:00", "2026-11-24T08:00", nil), ("08:00", "20:00", "2026-11-24T19:59:59", nil),
    ("08:00", "20:00", "2026-11-24T20:00", "2026-11-25T08:00:00"),
    ("20:00", "08:00", "2026-11-24T00:00", nil), ("20:00", "08:00", "2026-11-24T23:59:59", nil),
    ("20:00", "08:00", "2026-11-24T08:00", "2026-11-24T20:00:00"),
    ("00:00", "06:00", "2026-12-31T06:00", "2027-01-01T00:00:00"),
  ])
  func `Notices are held until the hours begin`(
    start: String, end: String, now: String, until: String?
  ) throws {
    let hours = DeliveryHours(try hours(start, end))
    #expect(try hours.holds(at: moment(now))?.description == until)
  }

  @Test func `On a closed day they are held until the next open one`() throws {
    var closed = ClosedDays()
    closed.close(.saturday, origin: "")
    closed.close(.sunday, origin: "")
    // The 28th is a Saturday.
    let whole = DeliveryHours(except: closed)
    #expect(try whole.holds(at: moment("2026-11-27T23:59:59")) == nil)
    #expect(try whole.holds(at: moment("2026-11-28T00:00")) == moment("2026-11-30"))
    let hours = DeliveryHours(try hours("08:00", "20:00"), except: closed)
    #expect(try hours.holds(at: moment("2026-11-27T20:00")) == moment("2026-11-30T08:00"))
    #expect(try hours.holds(at: moment("2026-11-29T12:00")) == moment("2026-11-30T08:00"))
  }

  @Test func `Where every day is closed nothing is held`() throws {
    var closed = ClosedDays()
    for day in Weekday.allCases { closed.close(day, origin: "") }
    #expect(try DeliveryHours(except: closed).holds(at: moment("2026-11-28")) == nil)
  }

  @Test func `Equal ends are no hours`() throws {
    #expect(DailyHours(from: .midnight, to: .midnight) == nil)
    #expect(try hours("08:00", "20:00").last.secondOfDay == 20 * 3_600 - 1)
    #expect(try hours("08:00", "00:00").last.secondOfDay == 86_399)
    #expect(try hours("20:00", "08:00").last.secondOfDay == 86_399)
  }
}

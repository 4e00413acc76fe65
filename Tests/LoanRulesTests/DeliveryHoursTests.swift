import LoanRules
import Loans
import TestSupport
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

  @Test(arguments: Effort.seeds(1..<101))
  func `Notices are held until the first minute at which they may be sent`(seed: Int) throws {
    var dice = Dice(state: UInt64(seed))
    let start = Int.random(in: 0..<1_440, using: &dice)
    let end = (start + Int.random(in: 1..<1_440, using: &dice)) % 1_440
    let weekdays = Set((0..<3).map { _ in Int.random(in: 0..<7, using: &dice) })
    var closed = ClosedDays()
    for weekday in weekdays { closed.close(Weekday.allCases[weekday], origin: "") }
    let from = try #require(CivilTime(secondOfDay: start * 60))
    let to = try #require(CivilTime(secondOfDay: end * 60))
    let hours = DeliveryHours(DailyHours(from: from, to: to), except: closed)
    let midnight = try moment("2026-11-01").ordinal / 60
    for _ in 0..<20 {
      let now = midnight + Int.random(in: 0..<30_000, using: &dice)
      var minute = now
      // Minutes from 1970, whose first day was a Thursday.
      while weekdays.contains((minute / 1_440 + 3) % 7)
        || (minute % 1_440 - start + 1_440) % 1_440 >= (end - start + 1_440) % 1_440
      {
        minute += 1
      }
      let time = try #require(CivilDateTime(ordinal: now * 60 + (minute > now ? 59 : 0)))
      let until = try #require(CivilDateTime(ordinal: minute * 60))
      #expect(hours.holds(at: time) == (minute > now ? until : nil), "\(from) to \(to), \(time)")
    }
  }

  @Test func `Closed days that are too many to be right hold nothing`() throws {
    var closed = ClosedDays()
    closed.close(try DayRange(reading: "2026-11-01..2027-06-01"), origin: "")
    closed.close(.sunday, origin: "")
    let hours = DeliveryHours(except: closed)
    #expect(try hours.holds(at: moment("2026-11-24")) == nil)
    #expect(try hours.holds(at: moment("2026-10-25")) == moment("2026-10-26"))
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

import LoanRules
import Loans
import TestSupport
import Testing

struct ClosedDaysTests {
  private func date(_ text: String) throws -> CivilDate {
    try CivilDate(iso: Array(text.utf8).span)
  }

  private func closed(
    _ weekdays: [Weekday] = [], days: [String] = [], open: [String] = []
  ) throws -> ClosedDays {
    var closed = ClosedDays()
    for weekday in weekdays { closed.close(weekday, origin: "closed-weekdays") }
    for text in days { closed.close(try DayRange(reading: text), origin: "closed-days") }
    for text in open { closed.open(try DayRange(reading: text)) }
    return closed
  }

  private func openDays(_ before: String, _ after: String) throws -> ClosedDays.Answer {
    .closed(OpenDays(before: try date(before), after: try date(after)))
  }

  // MARK: - Open days around an expiration

  @Test(arguments: [
    // Christmas, over the year's end.
    ("2026-12-27", "2026-12-23", "2027-01-04"), ("2027-01-01", "2026-12-23", "2027-01-04"),
    ("2026-12-24", "2026-12-23", "2027-01-04"), ("2027-01-03", "2026-12-23", "2027-01-04"),
    // A holiday of every year before a weekend.
    ("2026-05-01", "2026-04-30", "2026-05-04"), ("2027-05-01", "2027-04-30", "2027-05-03"),
    // A weekend.
    ("2026-11-28", "2026-11-27", "2026-11-30"), ("2026-11-29", "2026-11-27", "2026-11-30"),
    // A Saturday that is open.
    ("2026-12-13", "2026-12-12", "2026-12-14"),
    // A whole month.
    ("2026-08-01", "2026-07-31", "2026-09-01"), ("2026-08-31", "2026-07-31", "2026-09-01"),
    // The day that Apia did not have is a day like others.
    ("2011-12-31", "2011-12-30", "2012-01-02"),
  ])
  func `An expiration on a closed day lies between two open days`(
    expiration: String, before: String, after: String
  ) throws {
    let closed = try closed(
      [.saturday, .sunday], days: ["2026-12-24..2027-01-03 Christmas", "05-01", "08-01..08-31"],
      open: ["2026-12-12"])
    #expect(try closed.openDays(around: date(expiration)) == openDays(before, after))
  }

  @Test func `An expiration on an open day needs no other day`() throws {
    let closed = try closed([.sunday], open: ["2026-12-06", "12-20..12-24"])
    for day in ["2026-12-05", "2026-12-06", "2026-12-20"] {
      #expect(try closed.openDays(around: date(day)) == .open)
    }
  }

  @Test func `What is open wins over everything that closes`() throws {
    let all = "0001-01-01..9999-12-31"
    var closed = try closed(Weekday.allCases, days: [all], open: ["2026-12-12"])
    closed.close(try date("2026-12-12"), name: "Inventory", origin: "closures.ics:3")
    #expect(try !closed.isClosed(date("2026-12-12")))
    #expect(try closed.isClosed(date("2026-12-13")))
  }

  @Test func `A library that is not open for 92 days on one side is closed for long`() throws {
    let closed = try closed(days: ["2026-01-01..2026-04-02"])
    #expect(try closed.openDays(around: date("2026-01-01")) == openDays("2025-12-31", "2026-04-03"))
    #expect(try closed.openDays(around: date("2026-04-02")) == openDays("2025-12-31", "2026-04-03"))
    let longer = try self.closed(days: ["2026-01-01..2026-04-03"])
    #expect(try longer.openDays(around: date("2026-01-01")) == .closedForLong)
    #expect(try longer.openDays(around: date("2026-04-03")) == .closedForLong)
    #expect(try longer.openDays(around: date("2026-02-01")) == openDays("2025-12-31", "2026-04-04"))
    let ever = try self.closed(Weekday.allCases)
    #expect(try ever.openDays(around: date("2026-02-01")) == .closedForLong)
  }

  @Test func `The calendar's ends have no open day beyond them`() throws {
    let closed = try closed(days: ["01-01", "12-31"])
    #expect(closed.openDays(around: .first) == .closedForLong)
    #expect(closed.openDays(around: .last) == .closedForLong)
    #expect(closed.openDays(around: .first.adding(days: 1)) == .open)
    #expect(closed.closures(from: .first, to: .first).count == 1)
    #expect(closed.closures(from: .last, to: .last).count == 1)
  }

  @Test func `Where nothing is closed, every day is open`() throws {
    let empty = try closed(open: ["2026-12-12"])
    #expect(empty.isEmpty)
    #expect(empty.openDays(around: .first) == .open)
    #expect(empty.closures(from: .first, to: .last).isEmpty)
    #expect(try !closed([.sunday]).isEmpty)
    #expect(try !closed(days: ["05-01"]).isEmpty)
  }

  @Test(arguments: Effort.seeds(0..<200))
  func `The answer is that of a search from day to day`(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let start = try date(["2026-12-20", "2024-02-10", "0001-01-20", "9999-12-10"][Int(seed % 4)])
    let weekdays = Weekday.allCases.filter { _ in Int.random(in: 0..<4, using: &dice) == 0 }
    var texts: [[String]] = [[], []]
    for kind in 0...1 {
      for _ in 0..<Int.random(in: 0...4, using: &dice) {
        let first = start.adding(days: .random(in: -40...40, using: &dice))
        let last = first.adding(days: .random(in: 0...120 / (kind * 10 + 1), using: &dice))
        let isYearly = Bool.random(using: &dice)
        texts[kind].append(
          isYearly
            ? "\(first.description.suffix(5))..\(last.description.suffix(5))" : "\(first)..\(last)")
      }
    }
    let closed = try closed(weekdays, days: texts[0], open: texts[1])
    for distance in -100...100 {
      let day = start.adding(days: distance)
      let isClosed = { (day: CivilDate) in
        let isIn = { (text: String) in
          let ends = text.split(separator: "..").map(String.init)
          let text = "\(day)".suffix(ends[0].count)
          return ends[0] <= ends[1]
            ? ends[0] <= text && text <= ends[1] : text >= ends[0] || text <= ends[1]
        }
        return (weekdays.contains(day.weekday) || texts[0].contains(where: isIn))
          && !texts[1].contains(where: isIn)
      }
      #expect(closed.isClosed(day) == isClosed(day), "\(day) \(texts)")
      let days = (0...92).map { CivilDate(dayNumber: day.dayNumber - $0) }
      let before = days.compactMap(\.self).first { !isClosed($0) }
      let later = (0...92).map { CivilDate(dayNumber: day.dayNumber + $0) }
      let after = later.compactMap(\.self).first { !isClosed($0) }
      let expected: ClosedDays.Answer =
        if !isClosed(day) { .open } else if let before, let after {
          .closed(OpenDays(before: before, after: after))
        } else { .closedForLong }
      #expect(closed.openDays(around: day) == expected, "\(day) \(texts)")
    }
  }

  // MARK: - Closures

  @Test func `Closed days are listed with a name, if they have one, and with their origin`() throws
  {
    var closed = try closed(
      [.saturday, .sunday], days: ["2026-12-24..2026-12-27 Christmas", "12-31"],
      open: ["2026-12-19"])
    closed.close(try date("2026-12-21"), name: "Inventory", origin: "closures.ics:3")
    closed.close(try date("2026-12-21"), name: "Another", origin: "closures.ics:9")
    let list = try closed.closures(from: date("2026-12-18"), to: date("2026-12-31")).map {
      "\($0.day.description.suffix(2)) \($0.name ?? "-") \($0.origin)"
    }
    #expect(
      list == [
        "20 - closed-weekdays", "21 Inventory closures.ics:3", "24 Christmas closed-days",
        "25 Christmas closed-days", "26 Christmas closed-days", "27 Christmas closed-days",
        "31 - closed-days",
      ])
    #expect(try closed.closures(from: date("2026-12-31"), to: date("2026-12-18")).isEmpty)
  }

  // MARK: - Weekdays

  @Test func `A day of the week follows from the date`() throws {
    #expect(try date("2026-11-24").weekday == .tuesday)
    #expect(try date("1969-12-31").weekday == .wednesday)
    #expect(CivilDate.first.weekday == .monday)
    #expect(CivilDate.last.weekday == .friday)
    #expect(
      Weekday.allCases.map(\.shortName) == ["mon", "tue", "wed", "thu", "fri", "sat", "sun"])
    #expect(
      Weekday.allCases.map(\.name) == [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
      ])
  }

  // MARK: - Reading

  @Test(arguments: [
    ("2026-12-24..2027-01-03 Christmas", "Christmas"), ("03-15", nil), ("03-15 ", nil),
    ("2026-11-27  All  staff, away ", "All  staff, away "), ("12-24..01-03\tWinter", "Winter"),
  ])
  func `A text after the days is their name`(text: String, name: String?) throws {
    #expect(try DayRange(reading: text).name == name)
  }

  @Test func `29 February of every year is a day of leap years`() throws {
    let days = try DayRange(reading: "02-29")
    #expect(try days.contains(date("2028-02-29")))
    #expect(try !days.contains(date("2027-02-28")))
    #expect(try !days.contains(date("2027-03-01")))
  }

  private static let form = """
    does not begin with a day; write YYYY-MM-DD, or MM-DD for every year, or two of them as in \
    2026-12-24..2027-01-03, and a name after a space
    """

  @Test(arguments: [
    ("2026-02-30 x", "\"2026-02-30\" is not a day of the calendar"),
    ("13-01", "\"13-01\" is not a day of the calendar"),
    ("2026-12-24..2026-11-31", "\"2026-11-31\" is not a day of the calendar"),
    ("2027-01-03..2026-12-24", "\"2027-01-03..2026-12-24\" ends before it begins"),
    ("", "\"\" \(form)"), ("Christmas", "\"Christmas\" \(form)"),
    ("2026.12.24", "\"2026.12.24\" \(form)"), ("2026-12-24.", "\"2026-12-24.\" \(form)"),
    ("2026-12-24...2026-12-26", "\"2026-12-24...2026-12-26\" \(form)"),
    ("2026-12-24..01-03", "\"2026-12-24..01-03\" \(form)"),
    ("12-24..2027-01-03", "\"12-24..2027-01-03\" \(form)"), ("..03-15", "\"..03-15\" \(form)"),
    ("1-1", "\"1-1\" \(form)"), ("٠١-٠١", "\"٠١-٠١\" \(form)"),
    ("2026-12-2x", "\"2026-12-2x\" \(form)"),
  ])
  func `A text that names no days is refused in plain words`(text: String, message: String) {
    #expect(throws: DayRange.Fault(message: message)) { try DayRange(reading: text) }
  }
}

import Loans
import Testing

/// All representable days, 1 January 0001 to 31 December 9999, in parts that run in parallel.
private let thousands = (0..<10).map { max(1, $0 * 1_000)...($0 * 1_000 + 999) }

private func dayNumbers(of years: ClosedRange<Int>) -> ClosedRange<Int> {
  let first = LibraryCalendar.seconds(year: years.lowerBound, month: 1, day: 1) / 86_400
  let last = LibraryCalendar.seconds(year: years.upperBound, month: 12, day: 31) / 86_400
  return first...last
}

struct CivilDateTests {
  @Test func `The calendar has 3,652,059 days`() {
    #expect(CivilDate.first.days(until: .last) + 1 == 3_652_059)
    #expect(thousands.map { dayNumbers(of: $0).count }.reduce(0, +) == 3_652_059)
    #expect(CivilDate.first.parts == (1, 1, 1))
    #expect(CivilDate.last.parts == (9_999, 12, 31))
    #expect(CivilDate(year: 1970, month: 1, day: 1)?.dayNumber == 0)
  }

  @Test(arguments: thousands)
  func `Every day has the number and the parts that the C library gives it`(
    years: ClosedRange<Int>
  ) throws {
    for number in dayNumbers(of: years) {
      let (year, month, day) = LibraryCalendar.parts(ofDay: number)
      // A macro for each of millions of days takes half a minute.
      guard let date = CivilDate(dayNumber: number), date.parts == (year, month, day),
        CivilDate(year: year, month: month, day: day)?.dayNumber == number,
        LibraryCalendar.seconds(year: year, month: month, day: day) == number * 86_400
      else {
        let parts = CivilDate(dayNumber: number)?.parts
        Issue.record("day \(number) is \(String(describing: parts)), not \((year, month, day))")
        return
      }
    }
  }

  @Test(arguments: thousands)
  func `Every day printed and parsed again is the same day`(years: ClosedRange<Int>) throws {
    for number in dayNumbers(of: years) {
      guard let date = CivilDate(dayNumber: number) else {
        Issue.record("day \(number) is none")
        return
      }
      let dotted = Array(date.dotted.utf8)
      let iso = Array(date.description.utf8)
      guard try CivilDate(dotted: dotted.span) == date, try CivilDate(iso: iso.span) == date else {
        Issue.record("day \(number) is printed as \(date.dotted) and \(date)")
        return
      }
    }
  }

  @Test(arguments: [
    (CivilDate.first, "0001.01.01", "0001-01-01"),
    (CivilDate.last, "9999.12.31", "9999-12-31"),
    (CivilDate(year: 987, month: 6, day: 5), "0987.06.05", "0987-06-05"),
    (CivilDate(year: 2026, month: 11, day: 28), "2026.11.28", "2026-11-28"),
  ])
  func `A date is printed with four digits, two and two`(
    date: CivilDate?, dotted: String, iso: String
  ) {
    #expect(date?.dotted == dotted)
    #expect(date?.description == iso)
  }

  @Test func `Outside the years 1 to 9999 there is no day`() {
    #expect(CivilDate(dayNumber: CivilDate.first.dayNumber - 1) == nil)
    #expect(CivilDate(dayNumber: CivilDate.last.dayNumber + 1) == nil)
    #expect(CivilDate(dayNumber: .min) == nil)
    #expect(CivilDate(dayNumber: .max) == nil)
  }

  @Test(arguments: [
    (0, 1, 1), (10_000, 1, 1), (-1, 1, 1), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (2026, 1, 32),
    (2026, 2, 29), (2026, 1, -1), (.max, 1, 1), (.min, 1, 1), (2026, .max, 1), (2026, .min, 1),
    (2026, 1, .max), (2026, 1, .min),
  ])
  func `Parts that are no day of the calendar are refused`(year: Int, month: Int, day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test func `Days are ordered as on the calendar`() {
    let days = [
      (1, 1, 1), (1969, 12, 31), (1970, 1, 1), (2026, 1, 31), (2026, 2, 1), (9999, 12, 31),
    ]
    .compactMap { CivilDate(year: $0.0, month: $0.1, day: $0.2) }
    #expect(days.count == 6)
    #expect(days.shuffled().sorted() == days)
    #expect(!(days[0] < days[0]))
  }
}

struct CivilDateArithmeticTests {
  private let day = CivilDate(year: 2026, month: 3, day: 1) ?? .first

  @Test(arguments: [
    (0, "2026-03-01"), (1, "2026-03-02"), (-1, "2026-02-28"), (365, "2027-03-01"),
    (-731, "2024-02-29"), (-739_675, "0001-01-01"), (2_912_383, "9999-12-31"),
  ])
  func `Days are added on the calendar`(days: Int, expected: String) {
    let other = day.adding(days: days)
    #expect(other.description == expected)
    #expect(day.days(until: other) == days)
    #expect(other.days(until: day) == -days)
  }

  @Test(arguments: [-739_676, -3_652_059, -1_000_000_000, .min, .min + 1])
  func `Before the first day there is only the first day`(days: Int) {
    #expect(day.adding(days: days) == .first)
    #expect(CivilDate.first.adding(days: days) == .first)
  }

  @Test(arguments: [2_912_384, 3_652_059, 1_000_000_000, .max, .max - 1])
  func `Behind the last day there is only the last day`(days: Int) {
    #expect(day.adding(days: days) == .last)
    #expect(CivilDate.last.adding(days: days) == .last)
  }

  @Test func `One day before the first and behind the last is the same day`() {
    #expect(CivilDate.first.adding(days: -1) == .first)
    #expect(CivilDate.last.adding(days: 1) == .last)
  }

  @Test func `The whole calendar can be crossed in one step`() {
    #expect(CivilDate.first.adding(days: 3_652_058) == .last)
    #expect(CivilDate.last.adding(days: -3_652_058) == .first)
    #expect(CivilDate.last.days(until: .first) == -3_652_058)
  }
}

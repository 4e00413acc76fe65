import Loans
import Testing

struct CivilTimeTests {
  @Test func `Every minute printed and parsed again is the same minute`() throws {
    for second in stride(from: 0, to: 86_400, by: 60) {
      let time = try #require(CivilTime(secondOfDay: second))
      #expect(CivilTime(iso: time.description.utf8) == time)
    }
  }

  @Test func `A time has hours below 24 and minutes and seconds below 60`() {
    for first in 0...99 {
      for second in 0...99 {
        let (hour, minute) = (twoDigits(first), twoDigits(second))
        let isTime = first < 24 && second < 60
        let seconds = isTime ? first * 3_600 + second * 60 : nil
        if CivilTime(iso: "\(hour):\(minute)".utf8)?.secondOfDay != seconds {
          Issue.record("\(hour):\(minute)")
        }
        if CivilTime(iso: "\(hour):\(minute):59".utf8)?.secondOfDay != seconds.map({ $0 + 59 }) {
          Issue.record("\(hour):\(minute):59")
        }
        let inLast = first < 60 && second < 60 ? 72_000 + first * 60 + second : nil
        if CivilTime(iso: "20:\(hour):\(minute)".utf8)?.secondOfDay != inLast {
          Issue.record("20:\(hour):\(minute)")
        }
      }
    }
  }

  private func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  @Test(arguments: [
    "", "7", "07", "07:", "07:0", "7:00", "07:000", "07:00:", "07:00:0", "07:00:000", "07:00:00:00",
    "0700", "07.00", "07-00", "07:00.00", "07:00Z", " 7:00", "07: 0", "-7:00", "+7:00", "07:00am",
    "24:00", "24:00:00", "23:60", "23:59:60", "٠٧:٠٠", "０７:00", "07:00:0\u{0}",
  ])
  func `Anything else is refused as a time`(text: String) {
    #expect(CivilTime(iso: text.utf8) == nil)
  }

  @Test(arguments: [
    ("00:00", 0), ("00:01", 60), ("07:30", 27_000), ("23:59", 86_340), ("23:59:59", 86_399),
  ])
  func `A time counts the seconds since midnight`(text: String, seconds: Int) {
    #expect(CivilTime(iso: text.utf8)?.secondOfDay == seconds)
    #expect(CivilTime(secondOfDay: seconds)?.description == String(text.prefix(5)))
  }

  @Test(arguments: [-1, 86_400, .min, .max])
  func `A day has no other seconds`(second: Int) {
    #expect(CivilTime(secondOfDay: second) == nil)
  }

  @Test func `Midnight is the first second`() {
    #expect(CivilTime.midnight.secondOfDay == 0)
    #expect(CivilTime.midnight.description == "00:00")
  }
}

struct CivilDateTimeTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00", 0), ("1970-01-01T00:00:01", 1), ("1969-12-31T23:59:59", -1),
    ("1969-12-31T00:00:00", -86_400), ("1969-12-30T23:59:59", -86_401),
    ("0001-01-01T00:00:00", -62_135_596_800), ("9999-12-31T23:59:59", 253_402_300_799),
    ("2026-11-21T07:00:05", 1_795_244_405),
  ])
  func `A moment counts the seconds since 1970, below zero before it`(text: String, ordinal: Int) {
    #expect(CivilDateTime(iso: text)?.ordinal == ordinal)
    #expect(CivilDateTime(ordinal: ordinal)?.description == text)
  }

  @Test func `Moments have the ordinals of the C library's seconds`() throws {
    let (first, last) = (-62_135_596_800, 253_402_300_799)
    for ordinal in stride(from: first, through: last, by: 1_234_577) {
      let moment = try #require(CivilDateTime(ordinal: ordinal))
      let (year, month, day) = moment.date.parts
      let second = moment.time.secondOfDay
      let expected = LibraryCalendar.seconds(
        year: year, month: month, day: day, hour: second / 3_600, minute: second / 60 % 60,
        second: second % 60)
      guard moment.ordinal == ordinal, expected == ordinal,
        CivilDateTime(iso: moment.description) == moment
      else {
        Issue.record("ordinal \(ordinal) is \(moment)")
        return
      }
    }
  }

  @Test func `Every second around 1970 has its own ordinal`() {
    for ordinal in -90_000...90_000 where CivilDateTime(ordinal: ordinal)?.ordinal != ordinal {
      Issue.record("ordinal \(ordinal)")
    }
  }

  @Test(arguments: [-62_135_596_801, 253_402_300_800, Int.max])
  func `Outside the years 1 to 9999 there is no moment`(ordinal: Int) {
    #expect(CivilDateTime(ordinal: ordinal) == nil)
  }

  @Test func `The least ordinal is no moment either`() async {
    await #expect(processExitsWith: .success) {
      #expect(CivilDateTime(ordinal: .min) == nil)
    }
  }

  @Test(arguments: [
    ("2026-11-21", "2026-11-21T00:00:00"), ("2026-11-21T07:05", "2026-11-21T07:05:00"),
    ("2026-11-21T07:05:09", "2026-11-21T07:05:09"), ("0001-01-01T23:59:59", "0001-01-01T23:59:59"),
  ])
  func `The time and its seconds may be left out`(text: String, expected: String) {
    let moment = CivilDateTime(iso: text)
    #expect(moment?.description == expected)
    #expect(moment?.toTheMinute == String(expected.prefix(16)))
  }

  @Test(arguments: [
    "", "2026", "2026-11-2", "2026-11-21 ", " 2026-11-21", "2026.11.21", "2026-11-31", "20261121",
    "2026-11-21T", "2026-11-21T7", "2026-11-21T07", "2026-11-21T07:0", "2026-11-21T24:00",
    "2026-11-21 07:00", "2026-11-21t07:00", "2026-11-21T07:00Z", "2026-11-21T07:00:00Z",
    "2026-11-21T07:00+01:00", "2026-11-21T07:00:00.5", "2026-11-21T07:00:60", "2026-11-21TT7:00",
    "2026-11-21T07:00:00:00", "２026-11-21",
  ])
  func `Anything else is refused as a moment`(text: String) {
    #expect(CivilDateTime(iso: text) == nil)
  }

  @Test func `Moments are ordered by day, then by time of day`() {
    let moments = [
      "0001-01-01", "1969-12-31T23:59:59", "1970-01-01", "2026-11-21T00:00:01", "2026-11-21T07:00",
      "2026-11-22", "9999-12-31T23:59:59",
    ].compactMap { CivilDateTime(iso: $0) }
    #expect(moments.count == 7)
    #expect(moments.shuffled().sorted() == moments)
  }

  @Test func `A day without a time begins at midnight`() {
    #expect(CivilDateTime(.first) == CivilDateTime(.first, .midnight))
  }
}

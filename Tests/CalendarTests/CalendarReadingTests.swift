import Calendar
import Loans
import TestSupport
import Testing

struct CalendarReadingTests {
  private func date(_ text: String) throws -> CivilDate {
    try CivilDate(iso: Array(text.utf8).span)
  }

  /// A calendar around lines, which end as `lineBreak` says.
  private func calendar(_ lines: [String], lineBreak: String = "\r\n") -> [UInt8] {
    let all = ["BEGIN:VCALENDAR", "VERSION:2.0"] + lines + ["END:VCALENDAR"]
    return Array((all.joined(separator: lineBreak) + lineBreak).utf8)
  }

  private func event(_ lines: String...) -> [String] {
    ["BEGIN:VEVENT", "UID:1"] + lines + ["END:VEVENT"]
  }

  private func read(
    _ lines: [String], lineBreak: String = "\r\n", from first: String = "2026-01-01",
    to last: String = "2027-12-31", only: String? = nil
  ) throws -> CalendarReading {
    try CalendarReading(
      calendar(lines, lineBreak: lineBreak), within: date(first)...date(last),
      isChosen: { texts in only.map { only in texts.contains { $0.hasPrefix(only) } } ?? true })
  }

  private func days(_ lines: [String], from first: String = "2026-01-01") throws -> [String] {
    try read(lines, from: first).days.map { "\($0.day)" }
  }

  // MARK: - What real calendars hold

  @Test func `A holiday is a closed day although it says that it takes up no time`() throws {
    let lines = event("DTSTART;VALUE=DATE:20261225", "TRANSP:TRANSPARENT", "SUMMARY:Christmas")
    let reading = try read(lines)
    #expect(
      try reading.days == [CalendarDay(day: date("2026-12-25"), name: "Christmas", line: 3)])
    #expect(reading.warnings.isEmpty)
  }

  @Test func `Only events that are chosen by a text count`() throws {
    let lines =
      event("DTSTART;VALUE=DATE:20260601", "SUMMARY:Common local holiday")
      + event("DTSTART;VALUE=DATE:20260602", "SUMMARY:A", "CATEGORIES:Rest,National holiday")
      + event("DTSTART;VALUE=DATE:20260603", "SUMMARY:B", "DESCRIPTION:National holiday\\, all")
      + event("DTSTART;VALUE=DATE:20260604", "SUMMARY:National holiday")
    let reading = try read(lines, only: "National holiday")
    #expect(reading.days.map { "\($0.day)" } == ["2026-06-02", "2026-06-03", "2026-06-04"])
    #expect(reading.chosen == 3)
    #expect(try read(lines, only: "Summer").chosen == 0)
  }

  @Test func `An event that takes the place of an occurrence moves it`() throws {
    let lines =
      event("DTSTART;VALUE=DATE:20210402", "RRULE:FREQ=YEARLY", "SUMMARY:Good Friday")
      + event(
        "RECURRENCE-ID;VALUE=DATE:20260402", "DTSTART;VALUE=DATE:20260403", "SUMMARY:Good Friday")
      + event(
        "RECURRENCE-ID;VALUE=DATE:20270402", "DTSTART;VALUE=DATE:20270326", "STATUS:CANCELLED")
    #expect(try days(lines) == ["2026-04-03"])
    // Those that take the place of others may come first, and need not be chosen.
    let size = event("a", "b", "c").count
    #expect(try days(Array(lines.dropFirst(size) + lines.prefix(size))) == ["2026-04-03"])
    #expect(try read(lines, only: "Good").days.count == 1)
  }

  @Test(arguments: [
    ("FREQ=YEARLY", ["2026-05-25", "2027-05-25"]),
    ("FREQ=YEARLY;UNTIL=20260525T000000Z", ["2026-05-25"]),
    ("FREQ=YEARLY;UNTIL=20260525", ["2026-05-25"]),
    ("FREQ=YEARLY;UNTIL=20260524T235959Z", []),
    ("FREQ=YEARLY;COUNT=2", ["2026-05-25"]), ("FREQ=YEARLY;COUNT=1", []),
    ("FREQ=YEARLY;INTERVAL=2", ["2027-05-25"]),
    ("FREQ=YEARLY;BYDAY=-1MO;BYMONTH=5", ["2026-05-25", "2027-05-31"]),
    ("FREQ=MONTHLY;BYDAY=2SU;UNTIL=20260301", ["2026-01-11", "2026-02-08"]),
  ])
  func `A recurring event is on the days of its rule`(rule: String, expected: [String]) throws {
    #expect(try days(event("DTSTART;VALUE=DATE:20250525", "RRULE:\(rule)")) == expected)
  }

  @Test func `Days are added to an event and taken out of it`() throws {
    let lines = event(
      "DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=MONTHLY;COUNT=4",
      "RDATE;VALUE=DATE:20260615,20260616", "EXDATE;VALUE=DATE:20260201,20260616",
      "EXDATE:20260401T000000Z")
    #expect(try days(lines) == ["2026-01-01", "2026-03-01", "2026-06-15"])
  }

  @Test(arguments: [
    ("DTEND;VALUE=DATE:20261224", 1), ("DTEND;VALUE=DATE:20261225", 1),
    ("DTEND;VALUE=DATE:20261227", 3), ("DURATION:P1D", 1), ("DURATION:P3D", 3),
    ("DURATION:P1W", 7), ("DURATION:PT24H", 1), ("DURATION:PT12H", 1), ("CLASS:PUBLIC", 1),
  ])
  func `An event lasts until the day before its end, and for one day at least`(
    end: String, count: Int
  ) throws {
    let days = try days(event("DTSTART;VALUE=DATE:20261224", end))
    #expect(days.count == count)
    #expect(days.first == "2026-12-24")
  }

  @Test func `An occurrence that began before the period counts with its days in it`() throws {
    let lines = event(
      "DTSTART;VALUE=DATE:20201230", "DTEND;VALUE=DATE:20210103", "RRULE:FREQ=YEARLY")
    let reading = try read(lines, from: "2026-01-01", to: "2026-12-30")
    #expect(reading.days.map { "\($0.day)" } == ["2026-01-01", "2026-01-02", "2026-12-30"])
  }

  @Test(arguments: ["\n", "\r\n"])
  func `Lines may be folded, blank, and end in either way`(lineBreak: String) throws {
    let lines = [
      "BEGIN:VEVENT", "", "DTSTART;VALUE=DA", "\tTE:202", " 61224", "SUMMARY:Weihnachts", "  abend",
      "", "DESCRIPTION:a", " ", "END:VEVENT",
    ]
    let reading = try read(lines, lineBreak: lineBreak)
    #expect(
      try reading.days == [CalendarDay(day: date("2026-12-24"), name: "Weihnachts abend", line: 3)])
    #expect(reading.warnings.isEmpty)
  }

  @Test func `A character may be folded in two, and a byte order mark comes first`() throws {
    let text = "\u{FEFF}BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261224\nSUMMARY:"
    let bytes =
      Array(text.utf8) + [0xC3, 10, 32, 0xA9] + Array("\nEND:VEVENT\nEND:VCALENDAR".utf8)
    let reading = try CalendarReading(bytes, within: date("2026-01-01")...date("2026-12-31"))
    #expect(reading.days.map(\.name) == ["é"])
  }

  @Test func `A line that was folded badly is a warning`() throws {
    let lines = event("DTSTART;VALUE=DATE:20261224", "COMMENT:first", "second half")
    let reading = try read(lines)
    #expect(reading.days.count == 1)
    #expect(
      reading.warnings == [
        CalendarFault(line: 7, "\"second half\" is not of the form NAME:VALUE; it is ignored")
      ])
  }

  @Test(arguments: [
    // Outlook's, with its zone in quotation marks or without, and the same without its property.
    (
      [
        "DTSTART;TZID=\"W. Europe Standard Time\":20261126T000000",
        "DTEND;TZID=\"W. Europe Standard Time\":20261127T000000",
        "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE",
      ], ["2026-11-26"]
    ),
    (
      ["DTSTART;TZID=Europe/Berlin:20261126T000000", "DTEND;TZID=Europe/Berlin:20261128T000000"],
      ["2026-11-26", "2026-11-27"]
    ),
    (["dtstart:20261126T000000", "dtend:20261127T000000"], ["2026-11-26"]),
    (["DTSTART:20261126T000000Z", "DTEND:20261127T000000Z"], ["2026-11-26"]),
    (["DTSTART:20261126T000000", "DTEND:20261126T235900"], ["2026-11-26"]),
    (["DTSTART:20261126T000000", "DTEND:20261126T235959"], ["2026-11-26"]),
    (["DTSTART:20261126T000000", "DURATION:P1D"], ["2026-11-26"]),
    (["DTSTART:20261126T000000", "DURATION:PT48H"], ["2026-11-26", "2026-11-27"]),
    (["DTSTART:20261126T000000", "DURATION:PT1439M60S"], ["2026-11-26"]),
    // What begins and ends during a day closes the whole days between.
    (["DTSTART:20261126T120000", "DTEND:20261129T093000"], ["2026-11-27", "2026-11-28"]),
    (["DTSTART:20261126T120000", "DTEND:20261127T120000"], []),
    (["DTSTART:20261126T000100", "DTEND:20261126T235900"], []),
    (["DTSTART:20261126T000000", "DTEND:20261126T180000"], []),
    (["DTSTART:20261126T000000", "DURATION:PT8H"], []), (["DTSTART:20261126T000000"], []),
    (["DTSTART:20261126Tnoon", "DTEND:20261127T000000"], []),
    (["DTSTART:20261126T000000", "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE"], ["2026-11-26"]),
    (["DTSTART:20261126T000000", "X-MICROSOFT-CDO-ALLDAYEVENT:FALSE"], []),
    // The midnights of an event of all day in UTC: of Berlin, New York, Honolulu and Auckland.
    (
      [
        "DTSTART:20261125T230000Z", "DTEND:20261126T230000Z",
        "x-microsoft-cdo-alldayevent:true",
      ], ["2026-11-26"]
    ),
    (
      [
        "DTSTART:20261126T050000Z", "DTEND:20261127T050000Z",
        "X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT:TRUE",
      ], ["2026-11-26"]
    ),
    (
      [
        "DTSTART:20261126T100000Z", "DTEND:20261127T095900Z", "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE",
      ], ["2026-11-26"]
    ),
    (
      ["DTSTART:20261125T110000Z", "DTEND:20261126T110000Z", "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE"],
      ["2026-11-26"]
    ),
    (["DTSTART:20261125T230000Z", "DTEND:20261126T230000Z"], []),
  ])
  func `An event of hours closes the days that it fills`(lines: [String], expected: [String]) throws
  {
    let reading = try read(["BEGIN:VEVENT"] + lines + ["END:VEVENT"])
    #expect(reading.days.map { "\($0.day)" } == expected)
    #expect(reading.warnings.count == (expected.isEmpty ? 1 : 0))
  }

  @Test func `Whole days with times recur, move and are left out`() throws {
    let lines =
      event(
        "DTSTART:20261125T230000Z", "DURATION:P1D", "RRULE:FREQ=WEEKLY;COUNT=4",
        "EXDATE:20261202T230000Z", "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE")
      + event("RECURRENCE-ID:20261210T000000", "DTSTART:20261211T000000", "DURATION:P1D")
    #expect(try days(lines) == ["2026-11-26", "2026-12-11", "2026-12-17"])
  }

  @Test func `The days of an EXRULE are taken out, in any case`() throws {
    let lines = event(
      "DTSTART;VALUE=DATE:20261007", "DTEND;VALUE=DATE:20261008", "rrule:freq=weekly;BYday=WE",
      "EXRULE:FREQ=MONTHLY;WKST=MO;BYday=3WE")
    #expect(
      try read(lines, to: "2026-12-31").days.map { "\($0.day)" } == [
        "2026-10-07", "2026-10-14", "2026-10-28", "2026-11-04", "2026-11-11", "2026-11-25",
        "2026-12-02", "2026-12-09", "2026-12-23", "2026-12-30",
      ])
    let message = "\"FREQ=HOURLY\" is not a recurrence rule for whole days, as FREQ=YEARLY is"
    #expect(
      fault(event("DTSTART:20261224", "EXRULE:FREQ=HOURLY")) == CalendarFault(line: 6, message))
  }

  @Test func `An event with a time of day is a warning and no closed day`() throws {
    let lines = event("DTSTART;TZID=\"Europe:Budapest\":20261224T120000", "SUMMARY:Party")
    let reading = try read(lines)
    #expect(reading.days.isEmpty)
    let words = "this event has a time of day and closes no day; only events of whole days do"
    #expect(reading.warnings == [CalendarFault(line: 3, words)])
  }

  @Test func `What is in other components, and in those of an event, says nothing of its days`()
    throws
  {
    let lines =
      [
        "BEGIN:VTIMEZONE", "BEGIN:STANDARD", "DTSTART:19701025T030000", "RRULE:FREQ=YEARLY",
        "END:STANDARD", "END:VTIMEZONE", "BEGIN:VTODO", "DTSTART;VALUE=DATE:20261001", "END:VTODO",
      ]
      + event(
        "DTSTART;VALUE=DATE:20261224", "BEGIN:VALARM", "DURATION:P3D", "DESCRIPTION:x",
        "END:VALARM", "SUMMARY:Christmas\\, all; day\\nx")
    let reading = try read(lines)
    #expect(reading.days.map(\.name) == ["Christmas, all; day x"])
  }

  // MARK: - Malformed calendars

  private func fault(_ lines: [String]) -> CalendarFault? {
    do { _ = try read(lines) } catch { return error as? CalendarFault }
    return nil
  }

  @Test(arguments: [
    (["SUMMARY:x"], 3, "this event has no DTSTART; add the line of its first day"),
    (
      ["DTSTART;VALUE=DATE:20260230"], 5, "\"20260230\" is not a day; write it as 20261224"
    ),
    (["DTSTART:2026-12-24"], 5, "\"2026-12-24\" is not a day; write it as 20261224"),
    (
      ["DTSTART:20261224", "DTEND:20261223"], 6, "this event ends before it begins"
    ),
    (["DTSTART:20261224", "DURATION:2D"], 6, "\"2D\" is not a duration; write it as P2D"),
    (
      ["DTSTART:20261224", "RRULE:FREQ=SOMETIMES"], 6,
      "\"FREQ=SOMETIMES\" is not a recurrence rule for whole days, as FREQ=YEARLY is"
    ),
    (
      ["DTSTART:20261224", "RRULE:FREQ=HOURLY"], 6,
      "\"FREQ=HOURLY\" is not a recurrence rule for whole days, as FREQ=YEARLY is"
    ),
    (["DTSTART:20261224", "EXDATE:20261224,x"], 6, "\"x\" is not a day; write it as 20261224"),
    (
      ["DTSTART:20261224", "RECURRENCE-ID;RANGE=THISANDFUTURE:20261224"], 6,
      "a change of all later occurrences is not supported; end the event, and add another one"
    ),
    (
      ["DTSTART:20161223", "DTEND:20270101"], 3,
      "this event lasts for more than ten years; correct its end"
    ),
    (["DTSTART:20261224", "END:VTODO"], 6, "END:VTODO ends nothing that began"),
    (
      ["DTSTART:20161223T000000", "DURATION:P999999W"], 3,
      "this event lasts for more than ten years; correct its end"
    ),
    (["DTSTART:20261224", "DURATION:PT"], 6, "\"PT\" is not a duration; write it as P2D"),
    (["DTSTART:20261224", "DURATION:P"], 6, "\"P\" is not a duration; write it as P2D"),
    (["DTSTART:20261224", "DURATION:P٣D"], 6, "\"P٣D\" is not a duration; write it as P2D"),
    (
      ["DTSTART:20261224", "RRULE:FREQ=YEARLY\0;COUNT=1"], 6,
      "\"FREQ=YEARLY\\u{0};COUNT=1\" is not a recurrence rule for whole days, as FREQ=YEARLY is"
    ),
    (
      ["DTSTART:20261224", "END:" + String(repeating: "x", count: 1_000_000)], 6,
      "END:\(String(repeating: "X", count: 80))… ends nothing that began"
    ),
  ])
  func `An event that makes no sense is reported with its line`(
    lines: [String], line: Int, message: String
  ) {
    let event = ["BEGIN:VEVENT", "UID:1"] + lines + ["END:VEVENT"]
    #expect(fault(event) == CalendarFault(line: line, message))
  }

  @Test func `A calendar that is cut short is reported, and what is no calendar`() throws {
    let period = try date("2026-01-01")...date("2026-12-31")
    for (text, line, message) in [
      ("", 1, "this is not a calendar; expected BEGIN:VCALENDAR"),
      ("<html>\n", 1, "this is not a calendar; expected BEGIN:VCALENDAR"),
      ("BEGIN:VEVENT\n", 1, "this is not a calendar; expected BEGIN:VCALENDAR"),
      ("BEGIN:VCALENDAR\n", 1, "BEGIN:VCALENDAR has no end; is the file cut short?"),
      (
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261224\nSUMM", 2,
        "BEGIN:VEVENT has no end; is the file cut short?"
      ),
    ] {
      #expect(throws: CalendarFault(line: line, message)) {
        try CalendarReading(Array(text.utf8), within: period)
      }
    }
  }

  @Test func `More than 5,000 days of one file are refused`() throws {
    let event = event("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;COUNT=250")
    let most = Array(repeating: event, count: 20).flatMap(\.self)
    #expect(try read(most).days.count == CalendarReading.most)
    #expect(
      fault(most + self.event("DTSTART;VALUE=DATE:20260101"))
        == CalendarFault(
          line: 103,
          "there are more than 5000 days up to here; choose events, or use another calendar"))
  }

  @Test func `Of many problems of a kind only the first ten are reported one by one`() throws {
    let lines =
      Array(repeating: "x", count: 15)
      + (0..<12).flatMap { _ in event("DTSTART:20261224T120000") }
    let warnings = try read(lines).warnings
    #expect(warnings.map(\.line) == Array(3...13) + stride(from: 18, through: 58, by: 4))
    let last = warnings.filter { $0.message.contains("like this") }
    #expect(last.map(\.line) == [13, 58])
    #expect(last[0].message.hasSuffix("; 5 are like this from here on"))
    #expect(last[1].message.hasSuffix("; 2 are like this from here on"))
  }

  @Test func `A long name is shortened`() throws {
    let name = String(repeating: "x", count: 1_000_000)
    let reading = try read(event("DTSTART:20261224", "SUMMARY:\(name)"))
    #expect(reading.days.map(\.name) == ["\(name.prefix(200))…"])
  }

  @Test func `Times of day in a rule are ignored, however many there are`() throws {
    let numbers = { (last: Int) in (0...last).map(String.init).joined(separator: ",") }
    let rule = "BYHOUR=\(numbers(23));BYMINUTE=\(numbers(59));BYSECOND=\(numbers(59))"
    let lines = event("DTSTART;VALUE=DATE:20251230", "RRULE:FREQ=DAILY;COUNT=4;\(rule)")
    #expect(try days(lines) == ["2026-01-01", "2026-01-02"])
  }

  @Test(arguments: [
    ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", [1, 1_000]),
    ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", [1_000, 1]),
    ("RSCALE=CHINESE;FREQ=DAILY;COUNT=1000000000", [1, 1]),
  ])
  func `Rules with too much to work out are given up after some seconds`(
    rule: String, counts: [Int]
  ) throws {
    let event =
      ["BEGIN:VEVENT", "DTSTART;VALUE=DATE:00010101"]
      + Array(repeating: "RRULE:\(rule)", count: counts[0]) + ["END:VEVENT"]
    let duration = try SuspendingClock().measure {
      let fault = try #require(
        self.fault(Array(repeating: event, count: counts[1]).flatMap(\.self)))
      #expect(
        fault.message
          == "the recurrence rules up to here take too long; leave out events, or use another calendar"
      )
    }
    #expect(duration < .seconds(60))
  }

  @Test(arguments: Effort.seeds(0..<300))
  func `A damaged calendar is read, or refused with a line of it`(seed: Int) throws {
    let lines = event(
      "DTSTART;VALUE=DATE:20210402", "RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1FR", "SUMMARY:A\\,b",
      "EXDATE;VALUE=DATE:20260403,20270402", "DTEND;VALUE=DATE:20210403")
    var bytes = calendar(lines)
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    for _ in 0..<(1 + seed % 4) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let place = Int(state >> 33) % bytes.count
      bytes[place] =
        [0, 9, 10, 13, 32, 0x3A, 0x3B, 0x22, 0x5C, 0x2C, 0x39, 0xFF][Int(state >> 20) % 12]
    }
    let period = try date("2026-01-01")...date("2027-12-31")
    do throws(CalendarFault) {
      let reading = try CalendarReading(bytes, within: period)
      #expect(reading.days.count <= 800)
    } catch {
      #expect((1...12).contains(error.line))
      #expect(!error.message.contains("\n"))
    }
  }
}

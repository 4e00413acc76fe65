import TestSupport
import Testing

/// The days on which a library is closed, as the command knows them.
struct ClosedDaysTests {
  private static let calendar = """
    BEGIN:VCALENDAR
    BEGIN:VEVENT
    UID:1
    DTSTART;VALUE=DATE:20251225
    RRULE:FREQ=YEARLY
    SUMMARY:Christmas Day
    END:VEVENT
    BEGIN:VEVENT
    UID:2
    DTSTART;VALUE=DATE:20261228
    DTEND;VALUE=DATE:20261230
    SUMMARY:Inventory
    END:VEVENT
    BEGIN:VEVENT
    UID:3
    DTSTART:20261222T180000
    SUMMARY:Party
    END:VEVENT
    END:VCALENDAR

    """

  @Test func `Closed days are listed with their names and where they are set`() async throws {
    let desk = try Desk()
    try desk.writeSettings(
      """
      at = "07:00"
      [closed]
      weekdays = ["sat", "sun"]
      # Comments do no harm.
      days = ["2026-12-31..2027-01-02 New Year", "12-24"]
      calendars = ["../holidays.ics"]
      open = ["2026-12-19"]
      """)
    try desk.folder.write(Self.calendar, to: ".config/holidays.ics")
    let result = try await desk.run("closed", "--from", "2026-12-14", "--to", "2027-01-04")
    let settings = "\(desk.folder.path)/\(Desk.settings)"
    let calendar = "\(desk.folder.path)/.config/holidays.ics"
    #expect(
      result.lines == [
        "2026-12-20              (\(settings):3)", "2026-12-24              (\(settings):5)",
        "2026-12-25              Christmas Day  (\(calendar):2)",
        "2026-12-26..2026-12-27  (\(settings):3)",
        "2026-12-28..2026-12-29  Inventory  (\(calendar):8)",
        "2026-12-31..2027-01-02  New Year  (\(settings):5)",
        "2027-01-03              (\(settings):3)",
      ])
    #expect(
      result.ends(0, output: result.text, saying: "\(calendar):14: this event has a time of day"))
    let json = try await desk.run(
      "closed", "--from", "2026-12-31", "--to", "2026-12-31", "--format", "json")
    #expect(
      json.text == """
        {"version":1,"closed":[{"from":"2026-12-31","to":"2026-12-31","name":"New Year",\
        "origin":"\(settings):5","catalogue":null}]}

        """)
    let only = try await desk.run(
      "closed", "--closed-only", "*mas", "--from", "2026-12-25", "--to", "2026-12-28")
    #expect(only.lines.map { $0.prefix(11) } == ["2026-12-25 ", "2026-12-26."])
    let none = ["weekdays", "days", "calendars"].flatMap { ["--closed-\($0)", "none"] }
    #expect(try await desk.run(["closed"] + none).lines == [])
  }

  @Test func `The table of closed days is the same as its options`() async throws {
    let desk = try Desk()
    for text in [
      "closed-weekdays = \"sat,sun\"\nclosed-days = [\"12-24 Eve\"]\nclosed-calendars = \"a.ics\"\n",
      "[closed]\nweekdays = [\"sat\", \"sun\"]\ndays = \"12-24 Eve\"\ncalendars = [\"a.ics\"]\n",
    ] {
      try desk.writeSettings(text)
      let settings = try await desk.inForce()
      #expect(settings["closed-days"]?.value.elements.map(\.text) == ["12-24 Eve"])
      #expect(
        settings["closed-calendars"]?.value.elements.map(\.text) == [
          "\(desk.folder.path)/.config/check-loans/a.ics"
        ])
      let line = text.hasPrefix("[") ? 2 : 1
      #expect(
        settings["closed-weekdays"]?.place.text == "\(desk.folder.path)/\(Desk.settings):\(line)")
    }
  }

  @Test(arguments: [
    (
      "[closed]\nweekdays = [\"sat\", \"sunn\"]\n", 2, "there is no day \"sunn\"; did you mean sun?"
    ),
    ("[closed]\n\ndays = [\"2026-02-30\"]\n", 3, "\"2026-02-30\" is not"),
    ("closed-open = [\"x\"]\n", 1, "\"x\" does not begin with a day"),
    ("[closed]\nweekday = \"sat\"\n", 2, "unknown key \"weekday\"; did you mean \"weekdays\"?"),
    (
      "[closed]\nremind = 3\n", 2, "\"remind\" is for all catalogues; put it before the first table"
    ),
    (
      "closed-days = \"12-24\"\n[closed]\ndays = \"12-25\"\n", 3,
      "\"closed-days\" is set already; leave out one of the lines"
    ),
    ("closed = 1\n", 1, "write \"closed\" as a table of its own: [closed]"),
  ])
  func `What makes no sense in the settings is reported with its line`(
    text: String, line: Int, words: String
  ) async throws {
    let desk = try Desk()
    try desk.writeSettings(text)
    let result = try await desk.run("config")
    #expect(result.status == 78)
    #expect(result.errorText.contains("\(Desk.settings):\(line): "))
    #expect(result.errorText.contains(words), "\(result.errorText)")
  }

  @Test func `A catalogue can have closed days of its own, or none`() async throws {
    let desk = try Desk()
    try desk.writeSettings(
      """
      [closed]
      calendars = ["missing.ics"]
      [[catalogue]]
      path = "\(desk.folder.path)/books.xml"
      closed-calendars = "none"
      """)
    #expect(try await desk.run().status == 0)
  }

  @Test func `A calendar that was good keeps its days while it is not`() async throws {
    let desk = try Desk()
    let path = "\(desk.folder.path)/holidays.ics"
    let never = try await desk.run("--closed-calendars", "holidays.ics", "books.xml")
    #expect(never.status == 78)
    #expect(
      never.errorText == "check-loans: \(path): cannot read the calendar: no such file\n")
    try desk.folder.write(Self.calendar, to: "holidays.ics")
    #expect(try await desk.run("--closed-calendars", "holidays.ics", "books.xml").status == 0)
    let state = try desk.stateBytes()
    #expect(try await desk.run("--closed-calendars", "holidays.ics", "books.xml").status == 0)
    #expect(try desk.stateBytes() == state)
    try desk.folder.write("BEGIN:VCALENDAR\n", to: "holidays.ics")
    for arguments in [["books.xml"], ["closed", "--to", "2026-12-31"]] {
      let result = try await desk.run(arguments + ["--closed-calendars", "holidays.ics"])
      #expect(result.ends(65, output: result.text, saying: "\(path):1: BEGIN:VCALENDAR has no end"))
      #expect(result.errorText.hasSuffix("; using the closed days that it had on 2026-11-21\n"))
      #expect(!result.lines.isEmpty)
      if arguments.count > 1 {
        #expect(
          result.lines.map { $0.prefix(23) } == [
            "2026-12-25             ", "2026-12-28..2026-12-29 ",
          ])
      }
    }
  }

  @Test func `What closes no day is said once, until the calendar changes`() async throws {
    let desk = try Desk()
    let path = "\(desk.folder.path)/holidays.ics"
    let arguments = ["-q", "--closed-calendars", "holidays.ics", "books.xml"]
    try desk.folder.write(Self.calendar, to: "holidays.ics")
    let first = try await desk.run(arguments)
    #expect(
      first.ends(
        0, output: first.text,
        saying: "\(path):14: this event has a time of day and closes no day; only events of whole"))
    #expect(try await desk.run(arguments).errorText == "")
    #expect(try await desk.run(arguments + ["--verbose"]).errorText.contains(":14: this event"))
    let party = "BEGIN:VEVENT\nUID:4\nDTSTART:20261223T180000\nEND:VEVENT\nEND:VCALENDAR"
    try desk.folder.write(
      Self.calendar.replacing("END:VCALENDAR", with: party), to: "holidays.ics")
    let changed = try await desk.run(arguments)
    #expect(changed.errorLines.count == 1)
    #expect(changed.errorText.hasSuffix("; check-loans closed has the others\n"))
    #expect(try await desk.run(arguments).errorText == "")
    // Nothing is remembered of a look.
    #expect(try await desk.run(arguments + ["--state", "none"]).errorLines.count == 1)
    #expect(try await desk.run(arguments + ["--state", "none"]).errorLines.count == 1)
    let closed = try await desk.run("closed", "--closed-calendars", "holidays.ics")
    #expect(closed.errorLines.count == 2)
  }

  @Test func `A calendar without events keeps the days that it had`() async throws {
    let desk = try Desk()
    let arguments = ["--closed-calendars", "holidays.ics"]
    try desk.folder.write(Self.calendar, to: "holidays.ics")
    #expect(try await desk.run(["books.xml"] + arguments).status == 0)
    try desk.folder.write("BEGIN:VCALENDAR\nEND:VCALENDAR\n", to: "holidays.ics")
    for _ in 1...2 {
      #expect(
        try await desk.run(["-q", "books.xml"] + arguments).errorText == """
          check-loans: \(desk.folder.path)/holidays.ics: no event is left in this calendar; using the \
          closed days that it had on 2026-11-21; if it is right, leave it out of closed-calendars

          """)
    }
    let closed = try await desk.run(["closed", "--to", "2026-12-31"] + arguments)
    #expect(closed.status == 0)
    #expect(closed.lines.count == 2)
  }

  @Test(arguments: [
    ("folder", "this is a directory, not a calendar"),
    ("pipe", "this is a named pipe, not a calendar"),
    ("/dev/zero", "this is a device, not a calendar"),
    ("loop", "cannot read the calendar: too many levels of symbolic links"),
    ("long", "the calendar is longer than 16777216 bytes"),
  ])
  func `What is no calendar is refused at once`(name: String, words: String) async throws {
    let desk = try Desk()
    let made = try await desk.shell(
      "mkdir folder && mkfifo pipe && ln -s loop loop && truncate -s 17M long")
    #expect(made.status == 0)
    let result = try await desk.run("closed", "--closed-calendars", name)
    #expect(result.status == 78)
    #expect(result.errorText.hasSuffix("/\(name.split(separator: "/").last ?? ""): \(words)\n"))
    #expect(result.elapsed < .seconds(10))
  }

  @Test func `Names and messages of a calendar cannot steer a terminal`() async throws {
    let desk = try Desk()
    let attack = "\u{1B}[31m\u{202E}\u{0}x"
    try desk.folder.write(
      Self.calendar.replacing("Christmas Day", with: attack)
        .replacing("END:VCALENDAR", with: "\(attack)\nEND:VCALENDAR"), to: "holidays.ics")
    let result = try await desk.run(
      "closed", "--closed-calendars", "holidays.ics", "--to", "2026-12-25")
    let visible = #"\u{1b}[31m\u{202e}\u{0}x"#
    #expect(
      result.lines == [
        "2026-12-25              \(visible)  (\(desk.folder.path)/holidays.ics:2)"
      ])
    #expect(result.errorLines.first?.contains("/holidays.ics:19: \"\(visible)\" is not") == true)
  }

  @Test func `Without libical a recurring event is refused with what to install`() async throws {
    let desk = try Desk()
    try desk.folder.write(Self.calendar, to: "holidays.ics")
    // A library of that name that is none stands in its way.
    try desk.folder.makeDirectory("lib")
    try desk.folder.write("", to: "lib/libical.so.3")
    let result = try await desk.run(
      ["closed", "--closed-calendars", "holidays.ics"],
      variables: ["LD_LIBRARY_PATH": "\(desk.folder.path)/lib"])
    #expect(result.status == 78)
    #expect(
      result.errorText.contains(
        "holidays.ics:5: recurring events need libical.so.3, which is not installed (Debian: libical3)"
      ))
  }

  @Test func `watch reads a calendar again that has changed`() async throws {
    let watcher = try Watcher(
      [("Abigél", 1)], ["--verbose", "--closed-calendars", "holidays.ics", "books.xml"]
    ) { desk in try desk.folder.write("BEGIN:VCALENDAR\n", to: "holidays.ics") }
    try await watcher.wait { watcher.errors.contains { $0.contains("has no end") } }
    #expect(watcher.titles == [])
    try watcher.desk.folder.write(Self.calendar, to: "holidays.ics")
    try await watcher.wait(for: ["Abigél"])
    #expect(try await watcher.end().status == 0)
  }
}

import Calendar
import Loans
import TestSupport
import Testing

/// The form of calendars, byte by byte and as other programs read it.
struct WrittenCalendarTests {
  @Test func `A calendar has these lines`() throws {
    let modified = try #require(CivilDateTime(iso: "2026-11-21T06:00:00"))
    var calendar = WrittenCalendar(
      "Loans; all", identity: "calendar-1", modified: modified, program: "check-loans 1.2.3")
    calendar.add(
      on: try day(2026, 11, 22), identity: "loan-1", modified: modified,
      summary: "Return \"Abigél\"", description: "by Szabó, Magda\nlent to Anna",
      location: "Town Library", alarm: 16)
    #expect(
      String(decoding: calendar.bytes, as: UTF8.self)
        == """
        BEGIN:VCALENDAR
        VERSION:2.0
        X-CHECK-LOANS-IDENTITY:calendar-1
        PRODID:-//check-loans//check-loans 1.2.3//EN
        CALSCALE:GREGORIAN
        METHOD:PUBLISH
        NAME:Loans\\; all
        X-WR-CALNAME:Loans\\; all
        LAST-MODIFIED:20261121T060000Z
        REFRESH-INTERVAL;VALUE=DURATION:PT12H
        X-PUBLISHED-TTL:PT12H
        BEGIN:VEVENT
        UID:loan-1
        DTSTAMP:20261121T060000Z
        LAST-MODIFIED:20261121T060000Z
        SEQUENCE:9822
        DTSTART;VALUE=DATE:20261122
        DTEND;VALUE=DATE:20261123
        TRANSP:TRANSPARENT
        CLASS:PRIVATE
        CATEGORIES:Loans\\; all
        SUMMARY:Return "Abigél"
        DESCRIPTION:by Szabó\\, Magda\\nlent to Anna
        LOCATION:Town Library
        BEGIN:VALARM
        ACTION:DISPLAY
        DESCRIPTION:Return "Abigél"
        TRIGGER:-PT16H
        END:VALARM
        END:VEVENT
        END:VCALENDAR

        """.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n"))
  }

  @Test func `A task is due on its day, and its alarm counts from there`() throws {
    let modified = try #require(CivilDateTime(iso: "2026-11-21"))
    var calendar = WrittenCalendar(
      "", identity: "", modified: modified, program: "", kind: .task)
    calendar.add(
      on: .last, identity: "x", modified: modified, summary: "", description: "", alarm: 40)
    let text = String(decoding: calendar.bytes, as: UTF8.self)
    for line in [
      "BEGIN:VTODO", "DUE;VALUE=DATE:99991231", "STATUS:NEEDS-ACTION",
      "TRIGGER;RELATED=END:-PT40H", "END:VTODO",
    ] {
      #expect(text.contains("\r\n\(line)\r\n"))
    }
    #expect(!text.contains("DTSTART") && !text.contains("TRANSP"))
  }

  @Test func `The last day of all has an event without an end`() throws {
    let modified = try #require(CivilDateTime(iso: "2026-11-21"))
    var calendar = WrittenCalendar("", identity: "", modified: modified, program: "")
    calendar.add(on: .last, identity: "x", modified: modified, summary: "", description: "")
    #expect(!String(decoding: calendar.bytes, as: UTF8.self).contains("DTEND"))
  }

  @Test func `No line is longer than 75 bytes, and no text begins a line`() throws {
    for sample in try RandomCalendars(seed: 5).samples {
      let text = String(decoding: sample.bytes, as: UTF8.self)
      #expect(!text.contains("\u{FFFD}"))
      let lines = sample.bytes.split(separator: 10, omittingEmptySubsequences: false)
      #expect(lines.last == [])
      for line in lines.dropLast() {
        #expect(line.count <= 76 && line.last == 13 && !line.dropLast().contains(13))
        // Where a character is cut in two, what is left of it is not UTF-8.
        #expect(String(validating: line, as: UTF8.self) != nil)
      }
      let names = lines.dropLast().filter { $0.first != 32 }.map { line in
        String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
      }
      #expect(names.count(where: { $0 == "BEGIN" }) == 1 + sample.entries + sample.alarms)
      #expect(names.allSatisfy(RandomCalendars.properties.contains), "\(names)")
    }
  }

  /// Of a backslash before some letters, icalendar 4 makes a line break or nothing.
  @Test(
    .enabled(if: RandomCalendars.hasPython, "needs python3-icalendar and python3-vobject"),
    arguments: ["icalendar", "vobject"])
  func `icalendar and vobject read every text back`(library: String) async throws {
    let samples = try RandomCalendars(seed: 6, hasBackslashes: library != "icalendar")
    let result = try await samples.run(
      "/usr/bin/python3 -I '\(RandomCalendars.tools)/judge.py' . \(samples.samples.count)")
    #expect(result.outcome == .init(0))
    samples.expectReadBack(by: library)
  }

  @Test(.enabled(if: File.exists("/usr/include/libical/ical.h"), "needs libical-dev"))
  func `libical reads every text back, and finds no error`() async throws {
    let samples = try RandomCalendars(seed: 7)
    let result = try await samples.run(
      """
      cc -Wall -Werror -o judge '\(RandomCalendars.tools)/judge.c' -lical
      ./judge . \(samples.samples.count)
      """)
    #expect(result.outcome == .init(0))
    samples.expectReadBack(by: "libical")
  }
}

private func day(_ year: Int, _ month: Int, _ day: Int) throws -> CivilDate {
  try #require(CivilDate(year: year, month: month, day: day))
}

/// Calendars of everything that has ever broken a calendar program, in a folder.
private struct RandomCalendars {
  struct Sample {
    var bytes: [UInt8] = []
    var texts: [String] = []
    var entries = 0
    var alarms = 0
  }

  let samples: [Sample]
  private let folder: ScratchFolder

  static let tools =
    #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Tools"
  static let hasPython =
    File.exists("/usr/lib/python3/dist-packages/icalendar")
    && File.exists("/usr/lib/python3/dist-packages/vobject")

  /// All that a line may begin with.
  static let properties: Set = [
    "BEGIN", "END", "VERSION", "X-CHECK-LOANS-IDENTITY", "UID", "PRODID", "CALSCALE", "METHOD",
    "NAME", "X-WR-CALNAME",
    "LAST-MODIFIED", "REFRESH-INTERVAL;VALUE=DURATION", "X-PUBLISHED-TTL", "DTSTAMP", "SEQUENCE",
    "DTSTART;VALUE=DATE", "DTEND;VALUE=DATE", "DUE;VALUE=DATE", "STATUS", "TRANSP", "CLASS",
    "CATEGORIES", "SUMMARY", "DESCRIPTION", "LOCATION", "ACTION", "TRIGGER",
    "TRIGGER;RELATED=END",
  ]

  private static let pieces = [
    "Abigél", "e\u{301}\u{302}", "שלום", "مرحبا", "👩‍👩‍👧", "𝒳", "书", "\r\n", "\r", "\n", "\0", "\u{1B}",
    "\u{85}", "\u{2028}", "\u{202E}", "\u{FEFF}", "\\", "\\n", "\\,", ";", ",", ":", "\"", "^n",
    "=",
    "%0D%0A", "a", " ", "\t", "the", "\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:x\r\n",
    "\nATTACH:file:///etc/passwd\n", String(repeating: "x", count: 74),
    String(repeating: "é", count: 300), String(repeating: "word ", count: 60),
  ]

  init(seed: UInt64, hasBackslashes: Bool = true) throws {
    var dice = Dice(state: seed)
    let pieces = Self.pieces.filter { hasBackslashes || !$0.contains("\\") }
    func text(_ most: Int) -> String {
      let chosen = (0..<Int.random(in: 1...most, using: &dice)).map { _ in
        pieces.randomElement(using: &dice) ?? ""
      }
      // Spaces at the ends are left out by some readers.
      return "(\(chosen.joined()))"
    }
    folder = try ScratchFolder()
    let modified = try #require(CivilDateTime(iso: "2026-11-21T06:00:00"))
    samples = try (0..<200).map { number in
      var sample = Sample(entries: Int.random(in: 0...4, using: &dice))
      var calendar = WrittenCalendar(
        text(3), identity: "c\(number)", modified: modified, program: "check-loans 1",
        kind: Bool.random(using: &dice) ? .event : .task)
      for entry in 0..<sample.entries {
        let (summary, description, location) = (text(6), text(20), text(3))
        let alarm = Bool.random(using: &dice) ? 16 : nil as Int?
        if alarm != nil { sample.alarms += 1 }
        calendar.add(
          on: try day(2026, 11, 1 + entry), identity: "e\(entry)", modified: modified,
          summary: summary, description: description, location: location, alarm: alarm)
        sample.texts += ["e\(entry)", "2026110\(1 + entry)", summary, description, location]
      }
      sample.bytes = calendar.bytes
      return sample
    }
    for (number, sample) in samples.enumerated() {
      try folder.write(bytes: sample.bytes, to: "\(number).ics")
    }
  }

  func run(_ script: String) async throws -> CommandResult {
    let environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8"]
    return try await Command(
      "/bin/sh", ["-e", "-c", script], environment: environment, directory: folder.path
    ).run()
  }

  /// Fails unless a library has written down what each calendar was made of.
  func expectReadBack(by library: String) {
    for (number, sample) in samples.enumerated() {
      let texts = folder.contents(of: "\(number).\(library)")
        .split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
      // Only a line break is a line break to them.
      let expected = sample.texts.map { text in
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
          .map { String($0).visibleInCalendar }.joined(separator: "\n")
      }
      #expect(texts.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(number)")
    }
  }
}

extension String {
  /// The text with every character made visible that could steer or reorder a line.
  fileprivate var visibleInCalendar: String {
    unicodeScalars.map { $0.isUnsafeToShow ? "\\u{\(String($0.value, radix: 16))}" : String($0) }
      .joined()
  }
}

import TestSupport
import Testing

/// What day it is, and where.
struct TimeTests {
  @Test(arguments: ["Europe/Budapest", ":Europe/Budapest"])
  func `A zone that TZDIR hides is not told to be another`(zone: String) async throws {
    let desk = try Desk()
    let result = try await desk.run(
      ["--time-zone", zone, "books.xml"], variables: ["TZDIR": desk.folder.path])
    #expect(result.status == 78)
    #expect(
      result.errorText == "check-loans: the time zone \"\(zone)\" is unknown; its data is not in "
        + "TZDIR, \(desk.folder.path); unset TZDIR\n")
  }

  private static let edge = catalogue(("Abigél", "2026.11.28"))

  @Test(arguments: [
    ("2026-11-26T23:59:59", nil, "next reminder 2026-11-27 00:00"),
    ("2026-11-27T00:00:00", "expires tomorrow", "no further reminder"),
    ("2026-11-27T23:59:59", "expires tomorrow", "no further reminder"),
    ("2026-11-28T00:00:00", "expires today", "no further reminder"),
    ("2026-11-28T23:59:59", "expires today", "no further reminder"),
    ("2026-11-29T00:00:00", "expired yesterday", "no further reminder"),
    ("2026-11-30", "expired 2 days ago", "no further reminder"),
  ])
  func `A day ends at midnight`(now: String, fate: String?, next: String) async throws {
    let desk = try Desk(now: now, catalogue: Self.edge)
    let report = try await desk.run("books.xml")
    #expect(report.lines.dropLast() == (fate.map { ["\"Abigél\" \($0) (2026.11.28)"] } ?? [])[...])
    #expect(report.lines.last?.hasSuffix(", \(next)") == true)
    let notices = try await desk.run("--notify", "stdout", "books.xml")
    #expect(notices.lines == Array(report.lines.dropLast()))
  }

  @Test func `A reminder with a time of day waits for it`() async throws {
    let desk = try Desk(catalogue: Self.edge)
    let arguments = ["--notify", "stdout", "--at", "18:30", "books.xml", "--now"]
    #expect(try await desk.run(arguments + ["2026-11-27T18:29:59"]).outcome == Outcome(0))
    #expect(
      try await desk.run(arguments + ["2026-11-27T18:30"]).text
        == "\"Abigél\" expires tomorrow (2026.11.28)\n")
    #expect(try await desk.run(arguments + ["2026-11-27T18:30:01"]).outcome == Outcome(0))
  }

  /// What GNU date(1) says of the present in a zone.
  private func date(in zone: String, _ desk: Desk) async throws -> String {
    let result = try await Command(
      "/bin/date", ["+%Y-%m-%dT%H:%M:%S"], environment: ["TZ": zone, "LC_ALL": "C"],
      directory: desk.folder.path
    ).run()
    return result.lines.first ?? ""
  }

  private static let zones = [
    ("UTC", "UTC"), ("", "UTC"), ("Europe/Budapest", "Europe/Budapest"),
    (":Europe/Berlin", ":Europe/Berlin"), ("America/St_Johns", "America/St_Johns"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3"), ("EST5", "EST5"),
    ("<+0545>-5:45", "<+0545>-5:45"), ("Pacific/Kiritimati", "Pacific/Kiritimati"),
    ("Etc/GMT+12", "Etc/GMT+12"),
    ("/usr/share/zoneinfo/Asia/Tokyo", "/usr/share/zoneinfo/Asia/Tokyo"),
  ]

  @Test(arguments: zones)
  func `Now is the real time in the zone`(zone: String, name: String) async throws {
    let desk = try Desk(now: nil)
    for (arguments, variables) in [
      ([], ["TZ": zone]), (["--time-zone", zone], ["TZ": "Asia/Kathmandu"]),
    ] {
      let before = try await date(in: zone, desk)
      let result = try await desk.run(
        ["books.xml", "--format", "json"] + arguments, variables: variables)
      let report = try JSON(parsing: result.text)
      let after = try await date(in: zone, desk)
      let now = try #require(report.now.text)
      #expect(before <= now && now <= after, "\(before) \(now) \(after)")
      #expect(report.timeZone.text == name)
    }
  }

  @Test func `Zones at the two ends of the world have different days`() async throws {
    let desk = try Desk(now: nil)
    var days: [String] = []
    for zone in ["Etc/GMT-14", "Etc/GMT+12"] {
      let report = try await desk.run("books.xml", "--format", "json", "--time-zone", zone)
      days.append(String(try #require(try JSON(parsing: report.text).now.text).prefix(10)))
    }
    #expect(days[0] > days[1], "26 hours lie between them")
  }

  @Test(arguments: [
    "Mars/Olympus_Mons", "../../etc/passwd", "/etc/passwd", ":CET-1", "Europe",
    "A1",
  ])
  func `An unknown zone is 78`(zone: String) async throws {
    let desk = try Desk()
    let words = """
      the time zone "\(zone)" is unknown; give one of /usr/share/zoneinfo such as Europe/Budapest \
      (Debian: apt install tzdata)

      """
    let outcome = Outcome(78, errors: "check-loans: \(words)")
    #expect(try await desk.run("books.xml", variables: ["TZ": zone]).outcome == outcome)
    #expect(try await desk.run("books.xml", "--time-zone", zone).outcome == outcome)
    let result = try await desk.run("books.xml", variables: ["CHECK_LOANS_TIME_ZONE": zone])
    #expect(result.ends(78, saying: "CHECK_LOANS_TIME_ZONE: the time zone \"\(zone)\" is unknown;"))
    #expect(!desk.folder.contains("state"))
  }

  @Test(arguments: [
    ("europe/budapest", "Europe/Budapest"), ("Europe/Budapesht", "Europe/Budapest"),
    ("budapest", "Europe/Budapest"), ("America/New York", "America/New_York"),
  ])
  func `A zone that is nearly right is guessed`(zone: String, guess: String) async throws {
    #expect(
      try await Desk().run("books.xml", "--time-zone", zone).outcome
        == Outcome(
          78,
          errors:
            "check-loans: the time zone \"\(zone)\" is unknown; did you mean \(guess)?\n"))
  }

  @Test(arguments: [
    ("UTC+5", "5 hours behind UTC", "UTC-5"), ("UTC-1", "1 hour ahead of UTC", "UTC+1"),
    ("GMT-5:30", "5:30 hours ahead of UTC", "GMT+5:30"),
  ])
  func `A zone that counts the other way than people do is used, with a warning`(
    zone: String, offset: String, other: String
  ) async throws {
    let desk = try Desk()
    let words = "by the rules of POSIX; if you mean the other way, write \(other)"
    let result = try await desk.run("books.xml", "--time-zone", zone)
    #expect(result.status == 0)
    #expect(
      result.errorText == "check-loans: the time zone \(zone) is \(offset), \(words)\n")
    #expect(try await desk.run("books.xml", "--time-zone", "CET-1").errorText == "")
  }

  @Test func `Without TZ the zone is the system's`() async throws {
    var desk = try Desk(now: nil)
    desk.environment["TZ"] = nil
    let result = try await desk.run("books.xml", "--format", "json")
    #expect(result.status == 0)
    let report = try JSON(parsing: result.text)
    let date = try await Command(
      "/bin/date", ["+%Y-%m-%dT%H"], environment: [:], directory: desk.folder.path
    ).run()
    // The hour may have turned in between.
    let hour = try #require(date.lines.first)
    #expect(try #require(report.now.text).prefix(13) <= hour)
    #expect(report.timeZone.text?.isEmpty == false)
  }

  @Test(arguments: [
    ("America/Sao_Paulo", "2018-11-04T00:00"), ("Pacific/Apia", "2011-12-30T00:00"),
    ("Africa/Cairo", "2023-04-28T00:00"), ("America/Havana", "2024-11-03T00:30"),
    ("Australia/Lord_Howe", "2024-10-06T02:15"),
  ])
  func `A midnight that a zone skips or repeats is a midnight`(
    zone: String, now: String
  ) async throws {
    let day = String(now.prefix(10))
    let desk = try Desk(
      now: now,
      catalogue: catalogue(("Abigél", String(day.map { $0 == "-" ? "." : $0 }))))
    let arguments = ["--notify", "stdout", "--remind", "0", "--time-zone", zone, "books.xml"]
    let result = try await desk.run(arguments)
    #expect(result.status == 0)
    #expect(result.text.hasPrefix("\"Abigél\" expires today ("))
    #expect(try await desk.run(arguments).outcome == Outcome(0), "the hour comes twice")
    #expect(try await desk.schedule(at: now).map(\.fireAt) == ["\(day)T00:00"])
  }

  @Test func `Who travels to another zone is not told again`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    let arguments = ["--notify", "stdout", "books.xml", "--now"]
    #expect(try await desk.run(arguments + ["2026-11-21T00:30"]).lines.count == 1)
    #expect(try await desk.run(arguments + ["2026-11-20T18:30"]).outcome == Outcome(0))
    #expect(try await desk.run(arguments + ["2026-11-21T06:00"]).outcome == Outcome(0))
  }

  @Test(
    .enabled(if: faketime != nil, "needs libfaketime (Debian: apt install libfaketime)"),
    arguments: [
      ("2026-11-21 22:59:59", "expires today"), ("2026-11-21 23:00:00", "expired yesterday"),
    ])
  func `The real clock turns the day at the library's midnight`(
    time: String, fate: String
  ) async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "2026.11.21")))
    let result = try await desk.run(
      "books.xml", "--time-zone", "Europe/Budapest",
      variables: ["LD_PRELOAD": Self.faketime ?? "", "FAKETIME": time])
    #expect(result.lines.first == "\"Abigél\" \(fate) (2026.11.21)")
  }

  private static let faketime = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
  ].first(where: File.exists)
}

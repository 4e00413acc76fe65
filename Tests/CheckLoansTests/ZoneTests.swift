import TestSupport
import Testing

@testable import CheckLoans
@testable import CommandOutput
@testable import Settings

/// The days and hours that zones skip and repeat, by the real clock.
@Suite(.enabled(if: FakeClock.canBeSet, "needs libfaketime (Debian: apt install libfaketime)"))
struct ZoneTests {
  /// What `localtime_r` makes of an instant: nothing is ever ambiguous in this direction.
  private static let table: [(zone: String, instant: Int, now: String)] = [
    ("America/Sao_Paulo", 1_541_300_399, "2018-11-03T23:59:59"),
    ("America/Sao_Paulo", 1_541_300_400, "2018-11-04T01:00:00"),
    ("Asia/Beirut", 1_648_331_999, "2022-03-26T23:59:59"),
    ("Asia/Beirut", 1_648_332_000, "2022-03-27T01:00:00"),
    ("Africa/Cairo", 1_682_632_799, "2023-04-27T23:59:59"),
    ("Africa/Cairo", 1_682_632_800, "2023-04-28T01:00:00"),
    ("America/Havana", 1_710_046_799, "2024-03-09T23:59:59"),
    ("America/Havana", 1_710_046_800, "2024-03-10T01:00:00"),
    ("America/Havana", 1_730_608_200, "2024-11-03T00:30:00"),
    ("America/Havana", 1_730_611_800, "2024-11-03T00:30:00"),
    ("Pacific/Apia", 1_325_239_199, "2011-12-29T23:59:59"),
    ("Pacific/Apia", 1_325_239_200, "2011-12-31T00:00:00"),
    ("Kwajalein", 745_934_399, "1993-08-20T23:59:59"),
    ("Kwajalein", 745_934_400, "1993-08-22T00:00:00"),
    ("Europe/Berlin", 1_774_745_999, "2026-03-29T01:59:59"),
    ("Europe/Berlin", 1_774_747_800, "2026-03-29T03:30:00"),
    ("Europe/Berlin", 1_792_888_200, "2026-10-25T02:30:00"),
    ("Europe/Berlin", 1_792_891_800, "2026-10-25T02:30:00"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_745_999, "2026-03-29T01:59:59"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_747_800, "2026-03-29T03:30:00"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_792_891_800, "2026-10-25T02:30:00"),
    (":Europe/Berlin", 1_774_747_800, "2026-03-29T03:30:00"),
    ("Australia/Lord_Howe", 1_728_143_100, "2024-10-06T02:45:00"),
    ("Antarctica/Troll", 1_711_848_600, "2024-03-31T03:30:00"),
    ("Asia/Tehran", 1_616_358_600, "2021-03-22T01:00:00"),
    ("America/Asuncion", 1_696_132_800, "2023-10-01T01:00:00"),
    ("America/Santiago", 1_693_713_600, "2023-09-03T01:00:00"),
    ("Asia/Amman", 1_645_740_000, "2022-02-25T01:00:00"),
    ("Atlantic/Azores", 1_711_846_800, "2024-03-31T01:00:00"),
    ("America/Sao_Paulo", 1_518_919_199, "2018-02-17T23:59:59"),
    ("America/Sao_Paulo", 1_518_919_200, "2018-02-17T23:00:00"),
    ("UTC", 0, "1970-01-01T00:00:00"), ("", 1_792_888_200, "2026-10-25T00:30:00"),
    ("Asia/Kathmandu", 4_102_444_800, "2100-01-01T05:45:00"),
  ]

  @Test(arguments: table)
  func `An instant is one civil time`(zone: String, instant: Int, now: String) async throws {
    let desk = try Desk(now: nil)
    for (arguments, variables) in [
      (["--time-zone", zone], ["TZ": "Asia/Kathmandu"]), ([], ["TZ": zone]),
    ] {
      let result = try await desk.run(
        ["--state", "none", "books.xml", "--format", "json"] + arguments,
        variables: variables.merging(FakeClock.set(to: instant)) { old, _ in old })
      #expect(try JSON(parsing: result.text).now.text == now, "\(zone) \(variables)")
    }
  }

  /// Runs with the clock set, and tells the words after the title.
  private func notices(
    _ desk: Desk, at instant: Int, in zone: String, _ arguments: [String] = []
  ) async throws -> [String] {
    let result = try await desk.run(
      ["--notify", "stdout", "books.xml", "--time-zone", zone] + arguments,
      variables: FakeClock.set(to: instant))
    #expect(result.status == 0, "\(result.errorText)")
    return result.lines.map { $0.split(separator: "\" ").dropFirst().joined() }
  }

  @Test(arguments: [
    ("America/Sao_Paulo", 1_541_300_400, "2018.11.05"),
    ("Asia/Beirut", 1_648_332_000, "2022.03.28"),
    ("Africa/Cairo", 1_682_632_800, "2023.04.29"), ("America/Havana", 1_710_046_800, "2024.03.11"),
    ("Asia/Tehran", 1_616_358_600, "2021.03.23"), ("America/Santiago", 1_693_713_600, "2023.09.04"),
    ("America/Asuncion", 1_696_132_800, "2023.10.02"), ("Asia/Amman", 1_645_740_000, "2022.02.26"),
    ("Atlantic/Azores", 1_711_846_800, "2024.04.01"),
  ])
  func `A reminder for a midnight that is skipped comes right after it, once`(
    zone: String, transition: Int, expiration: String
  ) async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("A", expiration)))
    #expect(try await notices(desk, at: transition - 1, in: zone) == [])
    #expect(
      try await notices(desk, at: transition, in: zone) == ["expires tomorrow (\(expiration))"])
    #expect(try await notices(desk, at: transition + 3_600, in: zone) == [])
  }

  @Test(arguments: [
    ("Pacific/Apia", 1_325_239_200, ["2011.12.29", "2011.12.30", "2011.12.31", "2012.01.01"]),
    ("Kwajalein", 745_934_400, ["1993.08.20", "1993.08.21", "1993.08.22", "1993.08.23"]),
  ])
  func `A day that is skipped ends nothing before its time`(
    zone: String, transition: Int, days: [String]
  ) async throws {
    let books = days.map { (title: $0, expiration: Optional($0)) }
    let desk = try Desk(now: nil, catalogue: catalogue(books))
    #expect(
      try await notices(desk, at: transition - 1, in: zone)
        == ["expires today (\(days[0]))", "expires tomorrow (\(days[1]))"])
    #expect(
      try await notices(desk, at: transition, in: zone) == [
        "expired 2 days ago (\(days[0]))", "expired yesterday (\(days[1]))",
        "expires today (\(days[2]))", "expires tomorrow (\(days[3]))",
      ])
    #expect(try await notices(desk, at: transition + 80_000, in: zone) == [])
  }

  @Test(arguments: [
    ("Europe/Berlin", 1_792_888_200, "02:30", "2026.10.26"),
    ("America/Havana", 1_730_608_200, "00:30", "2024.11.04"),
  ])
  func `An hour that comes twice brings its notice once`(
    zone: String, instant: Int, time: String, expiration: String
  ) async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("A", expiration)))
    let at = ["--at", time]
    #expect(try await notices(desk, at: instant - 60, in: zone, at) == [])
    #expect(try await notices(desk, at: instant, in: zone, at).count == 1)
    #expect(try await notices(desk, at: instant + 3_540, in: zone, at) == [], "before it again")
    #expect(try await notices(desk, at: instant + 3_600, in: zone, at) == [])
  }

  @Test func `An hour before midnight that comes twice brings nothing again`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("A", "2018.02.17"), ("B", "2018.02.18")))
    let zone = "America/Sao_Paulo"
    #expect(try await notices(desk, at: 1_518_919_199, in: zone).count == 2)
    #expect(try await notices(desk, at: 1_518_919_200, in: zone) == [])
    #expect(
      try await notices(desk, at: 1_518_922_800, in: zone) == ["expired yesterday (2018.02.17)"])
    #expect(try await notices(desk, at: 1_518_919_200, in: zone) == [], "a clock set back")
  }

  @Test func `Each zone has its own day`() async throws {
    // 2026-11-21 11:00 UTC: from -12 to +12 it is that day, from +13 on it is the next.
    let desk = try Desk(now: nil, catalogue: catalogue(("A", "2026.11.21")))
    for offset in -12...14 {
      let zone = "Etc/GMT\(offset < 0 ? "+\(-offset)" : offset == 0 ? "" : "-\(offset)")"
      let result = try await desk.run(
        ["--state", "none", "--notify", "stdout", "books.xml", "--time-zone", zone],
        variables: FakeClock.set(to: 1_795_258_800))
      let fate =
        offset >= 13 ? "expired yesterday" : offset == -12 ? "expires tomorrow" : "expires today"
      #expect(result.text == "\"A\" \(fate) (2026.11.21)\n", "\(zone)")
    }
  }

  @Test func `Whoever travels west over midnight is told nothing twice`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("A", "2026.11.21"), ("B", "2026.11.22")))
    let instant = 1_795_258_800
    #expect(
      try await notices(desk, at: instant, in: "Pacific/Kiritimati")
        == ["expired yesterday (2026.11.21)", "expires today (2026.11.22)"])
    #expect(try await notices(desk, at: instant + 60, in: "Pacific/Honolulu") == [])
    #expect(try await notices(desk, at: instant + 120, in: "Pacific/Kiritimati") == [])
    #expect(try await notices(desk, at: instant + 180, in: "Pacific/Honolulu") == [])
  }
}

/// Zones and clocks that are wrong.
struct WrongClockTests {
  @Test func `A zone file that is cut off is refused`() async throws {
    let desk = try Desk(now: nil)
    let whole = try File.bytes(of: "/usr/share/zoneinfo/Europe/Berlin")
    let path = "\(desk.folder.path)/zone"
    var lengths = [0, 3, 4, 20, 43, 44, 45, 100]
    lengths += stride(from: 150, to: whole.count, by: 150)
    for length in lengths {
      try desk.folder.write(bytes: Array(whole.prefix(length)), to: "zone")
      for (arguments, variables) in [(["--time-zone", path], [:]), ([], ["TZ": ":\(path)"])] {
        let result = try await desk.run(
          ["--state", "none", "books.xml"] + arguments, variables: variables)
        #expect(result.status == 78, "\(length) of \(whole.count) bytes")
        #expect(result.errorText.contains("is unknown"), "\(length) of \(whole.count) bytes")
      }
    }
    try desk.folder.write(bytes: whole, to: "zone")
    #expect(try await desk.run("--state", "none", "books.xml", "--time-zone", path).status == 0)
  }

  @Test func `Every installed zone is known`() async throws {
    let desk = try Desk()
    let result = try await desk.shell(
      """
      cd /usr/share/zoneinfo
      for zone in $(find . -maxdepth 2 -type f -size +1 | cut -c3- | sort | awk 'NR % 7 == 0'); do
        [ "$(head -c 4 $zone)" = TZif ] || continue
        "$0" --state none --quiet --notify stdout --time-zone $zone "$HOME/books.xml" >/dev/null \\
          || exit 1
        echo $zone
      done
      """)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.lines.count > 20)
  }

  /// What is told on standard output in a run at a time.
  private func told(_ desk: Desk, _ now: String) async throws -> [String] {
    let result = try await desk.run("--notify", "stdout", "books.xml", "--now", now)
    #expect(result.status == 0, "\(result.errorText)")
    return result.lines
  }

  @Test func `A clock ten years ahead and back repeats nothing and loses nothing`() async throws {
    let desk = try Desk(
      catalogue: catalogue(("A", "2026.11.20"), ("B", "2026.11.22"), ("C", "2026.12.24")))
    #expect(
      try await told(desk, "2026-11-21")
        == ["\"A\" expired yesterday (2026.11.20)", "\"B\" expires tomorrow (2026.11.22)"])
    #expect(
      try await told(desk, "2036-11-21") == [
        "\"B\" expired 3652 days ago (2026.11.22)", "\"C\" expired 3620 days ago (2026.12.24)",
      ])
    let back = try await desk.run("--notify", "stdout", "books.xml", "--now", "2026-11-22")
    #expect(back.status == 0)
    #expect(back.lines == [])
    #expect(
      try await told(desk, "2026-11-23") == ["\"B\" expired yesterday (2026.11.22)"],
      "ten years ahead it had not really expired")
    #expect(try await told(desk, "2026-12-23") == ["\"C\" expires tomorrow (2026.12.24)"])
    #expect(
      try await told(desk, "2026-12-25") == ["\"C\" expired yesterday (2026.12.24)"])
    #expect(try await told(desk, "2026-12-26") == [])
  }

  @Test func `A clock without battery cancels nothing and marks nothing`() async throws {
    let desk = try Desk(catalogue: catalogue(("A", "2026.11.20"), ("B", "2026.11.22")))
    try await desk.run("-q", "books.xml")
    let before = try await desk.schedule()
    #expect(try await told(desk, "1970-01-01T00:00:07") == [])
    #expect(try await desk.schedule() == before)
    #expect(try await told(desk, "2026-11-21").count == 2)
    #expect(try await told(desk, "1970-01-01T00:00:07") == [])
    #expect(try await told(desk, "2026-11-21") == [])
  }

  @Test func `After thirty days off each notice comes once`() async throws {
    let books = (0..<40).map { day in
      (title: "\(day)", expiration: Optional("2026.\(day < 30 ? 11 : 12).\(pad(day % 30 + 1))"))
    }
    let desk = try Desk(catalogue: catalogue(books))
    let before = try await told(desk, "2026-11-01")
    #expect(before.count == 2)
    let after = try await told(desk, "2026-12-01")
    #expect(after.filter { $0.contains(" expired ") }.count == 30)
    #expect(after.filter { $0.contains(" expires ") }.count == 2)
    #expect(after.count == 32)
    #expect(Set(after).count == 32)
    #expect(try await told(desk, "2026-12-01") == [])
  }

  private func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  @Test func `A day that comes again brings nothing back`() async throws {
    let desk = try Desk(catalogue: catalogue(("A", "2018.02.17"), ("B", "2018.02.19")))
    #expect(try await told(desk, "2018-02-18T00:00").count == 2)
    let back = try await desk.run(
      "--notify", "stdout", "books.xml", "--now", "2018-02-17T23:00")
    #expect(back.lines == [], "it was told that the loan has expired")
    #expect(try await told(desk, "2018-02-18T00:00") == [])
    #expect(try await told(desk, "2018-02-18T23:00") == [])
  }
}

import Loans
import Testing

@testable import CommandOutput

/// When a civil time is reached, in zones that change their offset in between.
struct LocalClockTests {
  /// A zone as a list of changes: from an instant on, the civil time is so many seconds ahead.
  struct Zone: CustomTestStringConvertible, Sendable {
    var name: String
    var first: Int
    var changes: [(instant: Int, offset: Int)]

    var testDescription: String { name }

    func civil(_ instant: Int) -> Int {
      instant + (changes.last { $0.instant <= instant }?.offset ?? first)
    }

    /// What the search is to find, by looking at every second.
    func firstInstant(of target: Int, from now: Int) -> Int {
      var instant = now
      while civil(instant) < target { instant += 1 }
      return instant
    }
  }

  /// The changes of real zones, in hours or so; checked against their known instants below.
  private static func zone(_ name: String, at instant: Int, from: Double, to: Double) -> Zone {
    Zone(name: name, first: Int(from * 3_600), changes: [(instant, Int(to * 3_600))])
  }

  private static let saoPaulo = zone("Sao Paulo", at: 1_541_300_400, from: -3, to: -2)
  private static let saoPauloBack = zone("Sao Paulo, back", at: 1_518_919_200, from: -2, to: -3)
  private static let beirut = zone("Beirut", at: 1_648_332_000, from: 2, to: 3)
  private static let cairo = zone("Cairo", at: 1_682_632_800, from: 2, to: 3)
  private static let havana = zone("Havana", at: 1_710_046_800, from: -5, to: -4)
  private static let havanaBack = zone("Havana, back", at: 1_730_610_000, from: -4, to: -5)
  private static let apia = zone("Apia", at: 1_325_239_200, from: -10, to: 14)
  private static let kwajalein = zone("Kwajalein", at: 745_934_400, from: -12, to: 12)
  private static let berlin = zone("Berlin", at: 1_774_746_000, from: 1, to: 2)
  private static let berlinBack = zone("Berlin, back", at: 1_792_890_000, from: 2, to: 1)
  private static let lordHowe = zone("Lord Howe", at: 1_728_142_200, from: 10.5, to: 11)
  private static let troll = zone("Troll", at: 1_711_846_800, from: 0, to: 2)

  static let zones = [
    saoPaulo, saoPauloBack, beirut, cairo, havana, havanaBack, apia, kwajalein, berlin, berlinBack,
    lordHowe, troll,
  ]

  private func ordinal(_ text: String) throws -> Int {
    try #require(CivilDateTime(iso: text)).ordinal
  }

  @Test(arguments: [
    (saoPaulo, "2018-11-04", 1_541_300_400),
    (beirut, "2022-03-27", 1_648_332_000),
    (cairo, "2023-04-28", 1_682_632_800),
    (havana, "2024-03-10", 1_710_046_800),
    (havanaBack, "2024-11-03T00:30", 1_730_608_200),
    (apia, "2011-12-30", 1_325_239_200),
    (apia, "2011-12-30T12:00", 1_325_239_200),
    (apia, "2011-12-31", 1_325_239_200),
    (kwajalein, "1993-08-21", 745_934_400),
    (berlin, "2026-03-29T02:30", 1_774_746_000),
    (berlin, "2026-03-29T03:30", 1_774_747_800),
    (berlinBack, "2026-10-25T02:30", 1_792_888_200),
    (berlinBack, "2026-10-25T03:00", 1_792_893_600),
    (lordHowe, "2024-10-06T02:15", 1_728_142_200),
    (troll, "2024-03-31T01:30", 1_711_846_800),
  ])
  func `A skipped time comes with the next one, a time that comes twice the first time`(
    zone: Zone, civil: String, instant: Int
  ) throws {
    let target = try ordinal(civil)
    for days in [0, 1, 2, 40] {
      let start = instant - days * 86_400 - 4_000
      #expect(LocalClock.instant(of: target, from: start, civil: zone.civil) == instant)
    }
  }

  @Test(arguments: zones)
  func `Around a change it finds what looking at every second finds`(zone: Zone) throws {
    let change = try #require(zone.changes.first).instant
    for _ in 0..<15 {
      let now = change + Int.random(in: -20_000...1_000)
      let target = zone.civil(change) + Int.random(in: -10_000...10_000)
      #expect(
        LocalClock.instant(of: target, from: now, civil: zone.civil)
          == zone.firstInstant(of: target, from: now), "\(target) from \(now)")
    }
  }

  @Test func `However the offset changes, it finds what looking at every second finds`() {
    for _ in 0..<40 {
      var instant = 0
      var zone = Zone(name: "random", first: 0, changes: [])
      for _ in 0..<Int.random(in: 0...6) {
        instant += Int.random(in: 1...80) * 60
        zone.changes.append((instant, Int.random(in: -5_000...5_000)))
      }
      let target = Int.random(in: -1_000...25_000)
      #expect(
        LocalClock.instant(of: target, from: 0, civil: zone.civil)
          == zone.firstInstant(of: target, from: 0), "\(target) in \(zone.changes)")
    }
  }

  @Test func `A time that has come is reached now`() {
    for (target, instant) in [(4_600, 1_000), (0, 1_000), (4_601, 1_001)] {
      #expect(LocalClock.instant(of: target, from: 1_000) { $0 + 3_600 } == instant)
    }
  }
}

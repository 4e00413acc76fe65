import ArgumentParser
package import Loans

/// Days of a ladder as they are given: some numbers with commas between them, or `none`.
package struct RungDays: Hashable, Sendable {
  let days: [Int]

  /// Reads days in a range; `2w` are 14.
  static func parse(_ range: ClosedRange<Int>) -> @Sendable (String) throws -> RungDays {
    { text in
      if text == "none" { return RungDays(days: []) }
      let words = text.split(separator: ",", omittingEmptySubsequences: false)
      let days = words.compactMap { word in
        Int(word) ?? TimeSpan(String(word), "dw").map { $0.seconds / 86_400 }
      }
      guard days.count == words.count, days.allSatisfy(range.contains) else {
        throw ValidationError(
          "give numbers from \(range.lowerBound) to \(range.upperBound), as in 7,3,1, or none")
      }
      return RungDays(days: days)
    }
  }

  /// Checks days that make one ladder.
  static func list(_ lists: [RungDays], _ name: String) throws -> [RungDays] {
    if lists.count > 1, lists.contains(where: \.days.isEmpty) {
      throw ValidationError("\(name) none means no such notice, and cannot go with a number")
    }
    if Set(lists.flatMap(\.days)).count > Ladder.mostRungs {
      throw ValidationError("\(name) has more than \(Ladder.mostRungs) days")
    }
    return lists
  }

  /// The days as they are given one by one.
  var texts: [String] { days.isEmpty ? ["none"] : days.map(String.init) }
}

/// The options for the days on which notices about a loan are sent.
package struct LadderOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [
    OptionFact("remind", .numbers, .table), OptionFact("at", .text, .table),
    OptionFact("expired", .numbers, .table), OptionFact("repeat-expired", .number, .table),
    OptionFact("expired-until", .number, .table),
  ]

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Send reminders this many days before the expiration, as in 7,3,1, or none. (default: 1)",
      valueName: "days"), transform: leads)
  package var remind = [RungDays(days: [1])]

  @Option(
    help: ArgumentHelp(
      "Send reminders from this time on. (default: 00:00)", valueName: "HH:MM"),
    transform: CivilTime.parse)
  package var at = Ladder.standard.time

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      Send expired notices this many days after the expiration, as in 1,7,14, or none. (default: 1)
      """,
      valueName: "days"), transform: delays)
  package var expired = [RungDays(days: [1])]

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Repeat the last expired notice every N days, 1 to 3650. (default: send it once)",
      valueName: "days", visibility: .hidden), transform: period)
  var repeatExpired: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Send no notice about a loan that has been expired for more than N days, 1 to 36500. \
      (default: no limit)
      """, valueName: "days", visibility: .hidden), transform: limit)
  var expiredUntil: Int?

  static let leads = RungDays.parse(0...Ladder.longest)
  static let delays = RungDays.parse(1...Ladder.longest)
  package static let period = number(1...3_650)
  package static let limit = number(1...36_500)

  /// The ladder that the options make.
  package var ladder: Ladder {
    let delays = expired.flatMap(\.days)
    return Ladder(
      leads: remind.flatMap(\.days), delays: delays, period: delays.isEmpty ? nil : repeatExpired,
      limit: expiredUntil, time: at)
  }

  package func validate() throws {
    _ = try RungDays.list(remind, "--remind")
    _ = try RungDays.list(expired, "--expired")
  }
}

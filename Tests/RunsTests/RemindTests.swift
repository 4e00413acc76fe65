import Loans
import TestSupport
import Testing

/// The dates of ladders with closed days, held against those of the program remind, which counts
/// warnings of a reminder in days that are not omitted.
@Suite(.enabled(if: File.exists(Remind.program), "the Debian package remind is not installed"))
struct RemindTests {
  @Test(arguments: Effort.seeds(0..<32 as Range<UInt64>))
  func `Notices are planned for the days on which remind has them`(seed: UInt64) async throws {
    let library = try RandomLibrary(Dice(state: seed))
    let planned = try await library.planned()
    let expected = try await library.expected()
    #expect(expected.count >= library.expirations.count || library.leads.isEmpty)
    #expect(planned == expected, "\(library.options)")
  }
}

/// A notice of a loan on a day of the ladder.
private struct Planned: Hashable, CustomStringConvertible {
  /// The number of the loan, from 1.
  let loan: Int
  let rung: Int
  let date: String
  var description: String { "loan \(loan), rung \(rung): \(date)" }
}

private enum Remind {
  static let program = "/usr/bin/remind"
}

/// A library with loans, a ladder and closed days that follow from dice.
private struct RandomLibrary {
  let expirations: [CivilDate]
  /// Days before the expiration, falling.
  let leads: [Int]
  private let delays: [Int]
  private let period: Int?
  private let weekdays: [String]
  /// The first and the last days of ranges.
  private let ranges: [(first: CivilDate, last: CivilDate)]
  private let desk: Desk

  private static let today = CivilDate(year: 2026, month: 9, day: 1) ?? .first
  private static let span = 240

  init(_ dice: consuming Dice) throws {
    desk = try Desk(now: "\(Self.today)T07:00")
    expirations = (0..<25).map { _ in
      // So late that the first rung is after the first day, and so early that all have an end.
      Self.today.adding(days: .random(in: 80...200, using: &dice))
    }
    leads = (0..<Int.random(in: 0...4, using: &dice)).map { _ in
      Int.random(in: 0...14, using: &dice)
    }
    delays = (0..<Int.random(in: 0...3, using: &dice)).map { _ in
      Int.random(in: 1...20, using: &dice)
    }
    period = delays.isEmpty || Bool.random(using: &dice) ? nil : .random(in: 1...9, using: &dice)
    let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    weekdays = Array(names.shuffled(using: &dice).prefix(.random(in: 0...3, using: &dice)))
    ranges = (0..<Int.random(in: 0...4, using: &dice)).map { _ in
      let first = Self.today.adding(days: .random(in: 70...210, using: &dice))
      return (first, first.adding(days: .random(in: 0...14, using: &dice)))
    }
  }

  var options: [String] {
    let list = { (days: [Int]) in
      days.isEmpty ? "none" : days.map(String.init).joined(separator: ",")
    }
    var options = ["--remind", list(leads), "--expired", list(delays)]
    if let period { options += ["--repeat-expired", "\(period)"] }
    if !weekdays.isEmpty { options += ["--closed-weekdays", weekdays.joined(separator: ",")] }
    return options + ranges.flatMap { ["--closed-days", "\($0.first)..\($0.last) Holidays"] }
  }

  /// The notices that check-loans plans.
  func planned() async throws -> Set<Planned> {
    let books = expirations.enumerated().map { index, date in
      (title: "\(index + 1)", expiration: Optional("\(date)".replacing("-", with: ".")))
    }
    try desk.folder.write(catalogue(books), to: "books.xml")
    let result = try await desk.run(
      ["plan", "--format", "json", "--days", "\(Self.span + 1)"] + options + ["books.xml"])
    try #require(result.status == 0 && result.errorText == "", "\(result.errorText)")
    let notices = try JSON(parsing: result.text).notices.elements.map { notice in
      Planned(
        loan: Int(notice.loan.title.text ?? "") ?? 0, rung: notice.rung.number ?? 0,
        date: notice.date.text ?? "")
    }
    #expect(Set(notices).count == notices.count)
    return Set(notices)
  }

  /// The notices that the dates of remind mean.
  func expected() async throws -> Set<Planned> {
    let last = Self.today.adding(days: Self.span)
    var notices: Set<Planned> = []
    for (index, dates) in try await reminded().enumerated() {
      let lastOpen = try #require(dates.before.max())
      for date in dates.before where leads.contains(date.days(until: lastOpen)) {
        notices.insert(
          Planned(loan: index + 1, rung: lastOpen.days(until: date), date: "\(date)"))
      }
      let firstOpen = try #require(dates.after)
      var rungs = Set(delays)
      if let period, let last = delays.max() {
        rungs.formUnion(stride(from: last, through: Self.span, by: period))
      }
      for rung in rungs where firstOpen.adding(days: rung) <= last {
        notices.insert(
          Planned(loan: index + 1, rung: rung, date: "\(firstOpen.adding(days: rung))"))
      }
    }
    return notices
  }

  /// The days on which remind reminds of each loan before it expires, and the first open day from the
  /// expiration on.
  private func reminded() async throws -> [(before: [CivilDate], after: CivilDate?)] {
    let months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(separator: " ")
    let date = { (date: CivilDate) in
      let (year, month, day) = date.parts
      return "\(day) \(months[month - 1]) \(year)"
    }
    // Positive numbers count all days back; they have to fall, and the day itself always counts.
    let steps = Set(leads + [0]).sorted(by: >).map(String.init).joined(separator: ", ")
    var lines = ["BANNER =%y-%t-%d", "FSET ladder(x) choose(x, \(steps))"]
    lines += ranges.map { "OMIT \(date($0.first)) THROUGH \(date($0.last))" }
    let omit = (["OMIT"] + weekdays).joined(separator: " ")
    for (index, expiration) in expirations.enumerated() {
      let day = weekdays.isEmpty ? "\(expiration)" : "\(expiration) \(omit)"
      lines.append("REM \(day) BEFORE WARN ladder MSG \(index + 1) before")
      lines.append("REM \(day) AFTER MSG \(index + 1) after")
    }
    try desk.folder.write(lines.joined(separator: "\n") + "\n", to: "loans.rem")
    let result = try await Command(
      Remind.program, ["-h", "loans.rem", "\(Self.today)", "*\(Self.span + 1)"],
      environment: ["PATH": "/usr/bin:/bin", "TZ": "UTC"], directory: desk.folder.path
    ).run()
    try #require(result.status == 0 && result.errorText == "", "\(result.errorText)")
    var dates = [(before: [CivilDate], after: CivilDate?)](
      repeating: ([], nil), count: expirations.count)
    var day: CivilDate?
    for line in result.lines {
      if line.hasPrefix("=") {
        // The month has a leading zero, the day has none.
        let parts = line.dropFirst().split(separator: "-").compactMap { Int($0) }
        try #require(parts.count == 3, "\(line)")
        day = CivilDate(year: parts[0], month: parts[1], day: parts[2])
        continue
      }
      let words = line.split(separator: " ")
      let number = try #require(words.first.flatMap { Int($0) }, "\(line)")
      let today = try #require(day, "\(line)")
      if words.last == "before" {
        dates[number - 1].before.append(today)
      } else {
        dates[number - 1].after = today
      }
    }
    return dates
  }
}

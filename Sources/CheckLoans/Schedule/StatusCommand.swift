import ArgumentParser
import CommandOutput
import Loans
import ReminderSchedule
import Runs
import Settings

/// `check-loans status`.
struct StatusCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Report whether the daily run works, for monitoring.",
    discussion: """
      Shows when a run last read a catalogue or delivered, when each catalogue was last read \
      successfully (both recorded at most every ten minutes), and for each channel used in the \
      last week how many notices are pending, due, failed and undeliverable: the borrower has no \
      usable address. Does not lock the schedule.

      Exit status: 0 if every delivered catalogue was read within --max-age and is not older than \
      --stale-after, no server reports an unknown borrower, no notice has failed, and none has \
      been due for two days; otherwise 1, with what to do on standard error; 74 if the schedule is \
      damaged. A schedule without catalogues has status 1. Catalogues that were read without \
      --notify count only if there are no others.

      Examples:
        check-loans status
        check-loans status --max-age 8d --format json
      """)

  static let facts: [OptionFact] =
    [OptionFact("max-age", .text, .line)] + StaleOptions.facts + [OptionFact("format", .text, .run)]
    + ClockOptions.facts + StateOptions.facts

  @Option(
    help: ArgumentHelp(
      "Longest time since a catalogue was last read, as in 90m or 8d. (default: 36h)",
      valueName: "age"), transform: TimeSpan.parse)
  var maxAge = TimeSpan(seconds: 36 * 3_600)

  @OptionGroup var stale: StaleOptions

  @Option(help: "Format of the status.")
  var format = OutputFormat.text

  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let (time, zone) = try clock.read(environment)
    let schedule = try ScheduleReader(opening: state.path(environment))
    try schedule.checkForDamage()
    let (delivered, lookedAt) = try environment.delivered(schedule)
    let names = delivered.isEmpty ? lookedAt : delivered
    let known = try KnownCatalogues(
      names, environment, zone, now: clock.now.now, stale: stale)
    let now = zone.clockTime(time)
    let status = try ScheduleStatus(
      schedule, names, delivered: delivered, known.zones, now: now, maxAge: maxAge,
      stale: StaleCatalogues(schedule, known.staleLimits, at: now))
    switch format {
    case .text: for line in status.lines { try console.print(line: line) }
    case .json: try console.print(line: status.json.text)
    }
    let problems = status.problems
    for problem in problems { console.printError(problem) }
    return problems.isEmpty ? .done : .findings
  }
}

extension CatalogueStatus {
  /// Whether a program fetches it: it has no path, and what was fetched last is a file.
  fileprivate var isFetched: Bool { !name.hasPrefix("/") && modifiedAt != nil }
  /// What was done with it last.
  fileprivate var verb: String { isFetched ? "fetched" : "read" }
  /// When it was last read, or fetched before that: what was fetched once can be read for years.
  fileprivate var doneAt: ClockTime? {
    [readAt, isFetched ? modifiedAt : nil].compactMap(\.self).min { $0.seconds(until: $1) > 0 }
  }
}

/// What there is to say about the runs that keep a schedule.
private struct ScheduleStatus {
  let now: ClockTime
  let maxAge: TimeSpan
  let stale: StaleCatalogues
  /// What there is to ask about catalogues that were moved.
  private var moved: [String] = []
  let lastRun: ClockTime?
  /// The catalogues that are delivered, and those that somebody has only looked at.
  let catalogues: [CatalogueStatus]
  let lookedAt: [CatalogueStatus]
  /// The names of those that are delivered.
  private let delivered: Set<[UInt8]>
  let channels: [ChannelStatus]

  init(
    _ schedule: ScheduleReader, _ names: [String], delivered: [String], _ groups: [ZoneGroup],
    now: ClockTime, maxAge: TimeSpan, stale: StaleCatalogues
  ) throws(ScheduleError) {
    self.now = now
    self.maxAge = maxAge
    self.stale = stale
    self.delivered = Set(delivered.map { Array($0.utf8) })
    lastRun = try schedule.lastRun()
    let all = try schedule.catalogueStatus()
    let names = Set(names.map { Array($0.utf8) })
    catalogues = all.filter { names.contains(Array($0.name.utf8)) }
    lookedAt = all.filter { !names.contains(Array($0.name.utf8)) }
    channels = try schedule.channelStatus(in: groups.questions)
    _ = try groups.withoutMoved(schedule) { moved.append($0) }
  }

  /// The age of a reading; `nil` if there was none.
  private func age(_ time: ClockTime?) -> TimeSpan? {
    time.map { TimeSpan(seconds: $0.seconds(until: now)) }
  }

  private func isOld(_ catalogue: CatalogueStatus) -> Bool {
    age(catalogue.doneAt).map { $0.seconds >= maxAge.seconds || $0.isOfWrongClock } ?? true
  }

  /// What needs somebody to look, and what to do.
  var problems: [String] {
    if catalogues.isEmpty {
      return ["the schedule has no catalogue; run check-loans CATALOGUE first"]
    }
    return catalogues.filter { isOld($0) && !stale.isBorrowerUnknown(of: $0.name) }.map {
      catalogue in
      let name = catalogue.name.visibleCatalogue
      let age = age(catalogue.doneAt)
      if age?.isOfWrongClock == true {
        return
          "\(name) was last \(catalogue.verb) by a clock that was ahead of this one; check the clock"
      }
      let words = age.map { "was last \(catalogue.verb) \($0.words) ago" } ?? "was never read"
      let advice = catalogue.isFetched ? "" : "; \(catalogue.name.adviceOnMissing)"
      return """
        \(name) \(words), longer than \(maxAge); check that the daily run still runs, and read its \
        output\(advice)
        """
    }
      + moved + stale.sentences
      + channels.filter { $0.failed > 0 }.map { channel in
        """
        \(counted(channel.failed, "notice")) failed through \(channel.name.visible): \
        \(Delivery.failure(channel.error ?? "no reason is known", of: channel.name)); see \
        check-loans schedule list --failed
        """
      }
      + channels.filter { $0.late > 0 && $0.failed == 0 }.map { channel in
        """
        \(counted(channel.late, "notice")) through \(channel.name.visible) \
        \(channel.late == 1 ? "has" : "have") been due for two days; see check-loans schedule list --due \
        and the output of the daily run
        """
      }
  }

  var lines: [String] {
    ["last run: \(words(lastRun))"] + catalogueLines
      + lookedAt.map { catalogue in
        """
        \(catalogue.name.visibleCatalogue): only looked at, \(words(catalogue.readAt)); not delivered
        """
      }
      + channels.map { channel in
        """
        \(channel.name.visible): \(channel.pending) pending, \(channel.due) due, \
        \(channel.failed) failed\
        \(channel.undeliverable == 0 ? "" : ", \(channel.undeliverable) undeliverable")
        """
      }
  }

  /// A line for each catalogue; one for all of a library that has several.
  private var catalogueLines: [String] {
    let groups = Dictionary(grouping: catalogues) { $0.library ?? "" }
    var done: Set<String> = []
    return catalogues.compactMap { catalogue in
      let loans = counted(catalogue.loans, "loan")
      guard let library = catalogue.library, let group = groups[library], group.count > 1 else {
        let isFetched = catalogue.isFetched
        let library = isFetched ? nil : catalogue.library.map { " (\($0.visible))" }
        let file = isFetched ? nil : catalogue.modifiedAt.map { "; file modified \($0.words)" }
        return """
          \(catalogue.name.visibleCatalogue)\(library ?? ""): last \(catalogue.verb) \
          \(words(catalogue.doneAt))\(file ?? ""); \(loans)
          """
      }
      guard done.insert(library).inserted else { return nil }
      let first = group.compactMap(\.doneAt).max { $0.seconds(until: $1) < 0 }
      let sum = counted(group.reduce(0) { $0 + $1.loans }, "loan")
      return """
        \(library.visible): \(group.count) catalogues, the oldest read \(words(first)); \(sum)
        """
    }
  }

  private func words(_ time: ClockTime?) -> String {
    guard let time, let age = age(time) else { return "never" }
    let isNow = (-60..<60).contains(age.seconds)
    let ago = isNow ? "just now" : age.seconds < 0 ? "in the future" : "\(age.words) ago"
    return "\(time.words), \(ago)"
  }

  var json: JSONValue {
    let catalogues = (catalogues + lookedAt).map { catalogue in
      [
        "path": .string(catalogue.name), "library": JSONValue(catalogue.library),
        "readAt": JSONValue(catalogue.doneAt?.description),
        "ageSeconds": JSONValue(age(catalogue.doneAt)?.seconds),
        "modifiedAt": JSONValue(catalogue.modifiedAt?.description),
        "loans": .int(catalogue.loans),
        "ok": .bool(
          !isOld(catalogue) && !stale.contains(catalogue.name)
            && !stale.isBorrowerUnknown(of: catalogue.name)),
        "delivered": .bool(delivered.contains(Array(catalogue.name.utf8))),
      ] as JSONValue
    }
    let channels = channels.map { channel in
      [
        "channel": .string(channel.name), "pending": .int(channel.pending),
        "due": .int(channel.due), "failed": .int(channel.failed),
        "undeliverable": .int(channel.undeliverable),
        "late": .int(channel.late), "error": JSONValue(channel.error),
        "ok": .bool(channel.failed == 0 && channel.late == 0),
      ] as JSONValue
    }
    return [
      "version": 1, "ok": .bool(problems.isEmpty), "now": .string("\(now)"),
      "lastRun": JSONValue(lastRun?.description), "maxAgeSeconds": .int(maxAge.seconds),
      "catalogues": .array(catalogues), "channels": .array(channels),
    ]
  }
}

import ArgumentParser
import Loans
import ReminderSchedule

/// The form of a list of the schedule.
enum ListFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
  case waybar
  case i3blocks
}

/// `check-loans schedule list`.
struct ListCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List what is pending, delivered, failed and cancelled.",
    discussion: """
      One line for each reminder in the order in which they fire: ID, fire date, state, kind, \
      loan. Reads the schedule without locking it.

      The formats waybar and i3blocks give status bars a badge: the number of open notices, \
      delivered or not, with the most urgent first. Nothing open is an empty badge.

      Loans that are no longer in their catalogue are kept for 400 days; --returned lists them, latest \
      first, and schedule explain shows what was sent about each.

      Examples:
        check-loans schedule list --format json
        check-loans schedule list --returned
        check-loans schedule list --failed
        check-loans schedule list --format waybar
      """)

  static var settingsKeys: SettingsKeys? { .user }

  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions

  @Option(help: "Format of the list.")
  var format = ListFormat.text

  @Flag(help: "List the loans that are no longer in their catalogue.")
  var returned = false

  @Flag(help: "List only what could not be delivered.")
  var failed = false

  var configFile: String? { state.config }

  func validate() throws {
    if returned || failed, format == .waybar || format == .i3blocks {
      throw ValidationError("--returned and --failed go with the formats text and json")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws(CommandError) -> ExitStatus {
    let (_, clock) = try clock.read(environment)
    let path = try state.path(environment)
    do {
      let schedule = try ScheduleReader(opening: path)
      // A catalogue may have its own time zone.
      let groups = try environment.namesByZone(
        schedule.catalogues(), clock, now: self.clock.now.now)
      switch format {
      case .text: try list(schedule, groups, console)
      case .json: try listJSON(schedule, groups, console)
      case .waybar: try console.print(line: Badge(schedule, groups).waybar)
      case .i3blocks: try console.print(line: Badge(schedule, groups).i3blocks)
      }
    } catch {
      throw CommandError(error)
    }
    return .done
  }

  private func list(
    _ schedule: ScheduleReader, _ groups: [ZoneGroup], _ console: Console
  ) throws {
    var isEmpty = true
    try forEach(schedule, groups) { entry in
      isEmpty = false
      try console.print(line: entry.line)
    }
    if isEmpty {
      console.printError(emptyWords)
    }
  }

  private var emptyWords: String {
    if failed { return "nothing has failed" }
    return returned
      ? "no loan was returned within the last 400 days"
      : "nothing is scheduled; run check-loans CATALOGUE first"
  }

  /// Calls `body` with the entries of all catalogues, in one order.
  private func forEach(
    _ schedule: ScheduleReader, _ groups: [ZoneGroup], _ body: (ScheduleEntry) throws -> Void
  ) throws {
    var lists = try groups.map { _, now, names in
      try ZoneEntries(
        returned ? schedule.returned(at: now) : schedule.entries(at: now), of: Set(names))
    }
    while true {
      let next = lists.indices.filter { lists[$0].next != nil }.min { left, right in
        guard let left = lists[left].next, let right = lists[right].next else { return false }
        return left.isListed(before: right)
      }
      guard let next, let entry = lists[next].next else { return }
      if !failed || entry.state == .failed { try body(entry) }
      try lists[next].advance()
    }
  }

  private func listJSON(
    _ schedule: ScheduleReader, _ groups: [ZoneGroup], _ console: Console
  ) throws {
    try console.print("{\"version\":1,\"reminders\":[")
    var isFirst = true
    try forEach(schedule, groups) { entry in
      if !isFirst { try console.print(",") }
      isFirst = false
      try console.print(entry.json.text)
    }
    try console.print(line: "]}")
  }
}

/// The entries of the catalogues in one time zone, one after the other.
private struct ZoneEntries {
  private var entries: ScheduleEntries
  private let names: Set<String>
  private(set) var next: ScheduleEntry?

  init(_ entries: ScheduleEntries, of names: Set<String>) throws(ScheduleError) {
    self.entries = entries
    self.names = names
    try advance()
  }

  mutating func advance() throws(ScheduleError) {
    repeat { next = try entries.next() } while next.map { !names.contains($0.catalogue) } ?? false
  }
}

extension ScheduleEntry {
  /// Whether it comes before an entry of another time zone.
  fileprivate func isListed(before other: ScheduleEntry) -> Bool {
    if let leftOn = scheduled.leftOn, let other = other.leftOn { return leftOn > other }
    return (fireAt, scheduled.id) < (other.fireAt, other.id)
  }

  fileprivate var line: String {
    let id = String(scheduled.id).padded(to: 6)
    let state = state.rawValue.padded(to: 9)
    let kind = kind.rawValue.padded(to: 8)
    let verb = self.kind == .expired ? "expired" : "expires"
    let moment = scheduled.leftOn.map { "\($0) returned" } ?? fireAt.words
    var line = "\(id)  \(moment)  \(state)  \(kind)  \(scheduled.loan.label) \(verb) "
    line += scheduled.loan.expiration.dotted
    if let borrower = scheduled.loan.borrower { line += ", lent to \(borrower.visible)" }
    line += " (\(scheduled.library?.visible ?? scheduled.catalogue.visibleCatalogue))"
    for delivery in deliveries where delivery.state == .failed && delivery.isInUse {
      line += "; \(delivery.channel): \((delivery.error ?? "failed").visible)"
    }
    return line
  }

  fileprivate var json: JSONValue {
    .object(
      [
        ("id", .int(scheduled.id)), ("catalogue", .string(scheduled.catalogue)),
        (
          "loan",
          .object([
            ("id", JSONValue(scheduled.loan.id)), ("title", JSONValue(scheduled.loan.title)),
            ("author", JSONValue(scheduled.loan.author)),
            ("borrower", JSONValue(scheduled.loan.borrower)),
          ])
        ),
        ("kind", .string(kind.rawValue)), ("expiration", .string("\(scheduled.loan.expiration)")),
        ("fireAt", .string(fireAt.toTheMinute)), ("state", .string(state.rawValue)),
        ("deliveries", .array(deliveries.map(\.json))), ("library", JSONValue(scheduled.library)),
      ] + (scheduled.leftOn.map { [("leftOn", .string("\($0)"))] } ?? []))
  }
}

extension Delivery {
  fileprivate var json: JSONValue {
    .object([
      ("channel", .string(channel)), ("state", .string(state.rawValue)),
      ("at", JSONValue(timestamp)), ("attempts", .int(attempts)),
      ("error", JSONValue(error)),
    ])
  }
}

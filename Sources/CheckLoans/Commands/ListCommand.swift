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
    abstract: "List what is pending, delivered, failed, silenced and cancelled.",
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

  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions

  @Option(help: "Format of the list.")
  var format = ListFormat.text

  @Flag(help: "List the loans that are no longer in their catalogue.")
  var returned = false

  @Flag(help: "List only what could not be delivered.")
  var failed = false

  func validate() throws {
    if returned || failed, format == .waybar || format == .i3blocks {
      throw ValidationError("--returned and --failed go with the formats text and json")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let (_, zone) = try clock.read(environment)
    let schedule = try ScheduleReader(opening: state.path(environment))
    // A catalogue may have its own time zone.
    let groups = try environment.namesByZone(schedule.catalogues(), zone, now: clock.now.now)
    if format == .waybar || format == .i3blocks {
      let badge = try Badge(schedule, groups)
      try console.print(line: format == .waybar ? badge.waybar : badge.i3blocks)
      return .done
    }
    let isJSON = format == .json
    if isJSON { try console.print("{\"version\":1,\"reminders\":[") }
    var isEmpty = true
    try forEach(schedule, groups) { entry in
      let separator = isJSON && !isEmpty ? "," : ""
      try console.print(separator + (isJSON ? entry.json.text : "\(entry.line)\n"))
      isEmpty = false
    }
    if isJSON { try console.print(line: "]}") } else if isEmpty { console.printError(emptyWords) }
    return .done
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
    if let silence { line += "; silenced \(silence.words)" }
    return line
  }

  fileprivate var json: JSONValue {
    .object(
      [
        ("id", .int(scheduled.id)), ("catalogue", .string(scheduled.catalogue)),
        ("loan", .object(scheduled.loan.members(library: scheduled.library))),
        ("kind", .string(kind.rawValue)), ("expiration", .string("\(scheduled.loan.expiration)")),
        ("fireAt", .string(fireAt.toTheMinute)), ("state", .string(state.rawValue)),
        ("deliveries", .array(deliveries.map(\.json))), ("library", JSONValue(scheduled.library)),
        ("silence", silence.map(\.json) ?? .null),
      ] + (scheduled.leftOn.map { [("leftOn", .string("\($0)"))] } ?? []))
  }
}

extension Silence {
  fileprivate var json: JSONValue {
    .object([
      ("until", JSONValue(until?.description)), ("by", .string(origin.by)),
      ("reason", .string(origin.reason)),
    ])
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

/// The number of open notices, for a status bar: reminders that have fired for loans that have not
/// expired, and loans that have.
struct Badge {
  private static let shown = 10

  private var reminders = 0
  private var expired = 0
  private var mostUrgent: [(notice: Notice, today: CivilDate)] = []

  /// - Parameter groups: the catalogues in each time zone.
  init(_ schedule: ScheduleReader, _ groups: [ZoneGroup]) throws(ScheduleError) {
    for (_, now, names) in groups {
      let open = try schedule.openCount(at: now, catalogues: names)
      reminders += open.reminders
      expired += open.expired
      mostUrgent += try schedule.openNotices(at: now, catalogues: names, limit: Self.shown)
        .map { ($0, now.date) }
    }
    mostUrgent.sort { $0.notice.loan.expiration < $1.notice.loan.expiration }
  }

  private var count: Int { reminders + expired }

  private var kind: String { expired > 0 ? "expired" : count > 0 ? "reminder" : "none" }

  /// One JSON object, waybar-custom(5); the tooltip is Pango markup.
  var waybar: String {
    JSONValue.object([
      ("text", .string(count > 0 ? "\(count)" : "")),
      ("alt", .string(kind)),
      ("tooltip", .string(tooltip)),
      ("class", .string(kind)),
    ]).text
  }

  private var tooltip: String {
    var lines = mostUrgent.prefix(Self.shown).map { notice, today in
      let title = notice.loan.label.shortened(toColumns: 60)
      let line = "\(title) \(notice.loan.dueDescription(today: today))"
      let place = notice.library.map { ", at \($0.visible.shortened(toColumns: 60))" } ?? ""
      return (line + place).escapedAsMarkup
    }
    if count > lines.count { lines.append("and \(count - lines.count) more") }
    return lines.joined(separator: "\n")
  }

  /// The long text, the short text and, once a loan has expired, the colour, each in a line of its
  /// own; see i3blocks(1).
  ///
  /// Empty lines hide the block.
  var i3blocks: String {
    if count == 0 { return "\n" }
    let loans = counted(count, "loan")
    let long = expired > 0 ? "\(loans), \(expired) expired" : loans
    return "\(long)\n\(count)" + (expired > 0 ? "\n#FF0000" : "")
  }
}

import ArgumentParser
import CommandOutput
import Languages
import Loans
import ReminderSchedule
import ReminderService
import Runs
import Settings
import System

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
    abstract: "List notices: pending, delivered, failed, silenced and cancelled.",
    discussion: """
      Prints one line for each notice, by the time at which it is due: ID, due time, state, kind, \
      loan, and the day of the next notice, if there is one. At a terminal it prints a table. Does \
      not lock the schedule.

      The formats waybar and i3blocks are badges for status bars: the number of loans that have \
      expired or have a due reminder, and the most urgent of these. Without any, the badge is \
      empty.

      Loans that are no longer in their catalogue are kept for 400 days. --returned lists them, \
      the latest first, and schedule explain shows what was sent about each.

      Examples:
        check-loans schedule list --format json
        check-loans schedule list --returned
        check-loans schedule list --failed
        check-loans schedule list --due --borrower Halmos
        check-loans schedule list --format waybar
      """)

  static let facts: [OptionFact] =
    ClockOptions.facts + StateOptions.facts + [
      OptionFact("format", .text, .run), OptionFact("returned", .flag, .line),
      OptionFact("failed", .flag, .line), OptionFact("due", .flag, .line),
      OptionFact("borrower", .text, .line), OptionFact("catalogue", .list, .line),
    ] + ColorOptions.facts + PagerOptions.facts

  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions

  @Option(help: "Format of the list.")
  var format = ListFormat.text

  @Flag(help: "List loans that are no longer in their catalogue.")
  var returned = false

  @Flag(help: "List only notices that could not be delivered.")
  var failed = false

  @Flag(help: "List only notices that are due and not yet delivered.")
  var due = false

  @Option(
    help: ArgumentHelp(
      "List only loans to borrowers whose name contains this, ignoring case.",
      valueName: "name"))
  var borrower: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "List only loans in this catalogue. Can be repeated.", valueName: "catalogue"),
    completion: .custom { _, _, word in ScheduleCompletion.catalogues(of: word) })
  var catalogue: [String] = []

  @OptionGroup var color: ColorOptions
  @OptionGroup var pager: PagerOptions

  func validate() throws {
    let filters = [returned, failed, due, borrower != nil, !catalogue.isEmpty]
    if filters.contains(true), format == .waybar || format == .i3blocks {
      throw ValidationError("only the formats text and json can be filtered")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let (_, zone) = try clock.read(environment)
    let schedule = try ScheduleReader(opening: state.path(environment))
    let known = try schedule.catalogues()
    let isBadge = format == .waybar || format == .i3blocks
    let names =
      try isBadge
      ? environment.watched(schedule)
      : catalogue.isEmpty ? known : environment.names(of: catalogue, in: known)
    // A catalogue may have its own time zone.
    let groups = try KnownCatalogues(names, environment, zone, now: clock.now.now).zones
    if isBadge {
      let badge = try Badge(schedule, groups)
      try console.print(line: format == .waybar ? badge.waybar : badge.i3blocks)
      return .done
    }
    let isJSON = format == .json
    let isTable = format == .text && ProcessSetup.isOutputATerminal
    var table = EntryTable(directory: environment.temporaryDirectory)
    if isJSON { try console.print("{\"version\":1,\"reminders\":[") }
    var isEmpty = true
    var filter = EntryFilter()
    (filter.haveLeft, filter.isDue) = (returned, due)
    if failed { filter.state = .failed }
    var entries = try schedule.entries(in: groups.questions, filter)
    while let entry = try entries.next() {
      if !entry.scheduled.loan.borrower.fits(anyCase: borrower) { continue }
      if isJSON {
        try console.print((isEmpty ? "" : ",") + entry.json.text)
      } else if isTable {
        table.add(entry)
      } else {
        try console.print(line: entry.line)
      }
      isEmpty = false
    }
    if isJSON {
      try console.print(line: "]}")
    } else if isEmpty {
      console.printError(emptyWords(catalogues: known.count))
    }
    if isTable && !isEmpty {
      let terminal = Terminal(environment.variables)
      let pager = pager.pager(terminal, environment)
      try table.print(
        isReturned: returned, isColored: color.isColored(environment), terminal,
        ResultsOutput(console, file: nil, pager: pager))
    }
    return .done
  }

  /// Why nothing is listed.
  ///
  /// - Parameter catalogues: the number of those in the schedule.
  private func emptyWords(catalogues: Int) -> String {
    if borrower != nil || !catalogue.isEmpty || (due && (failed || returned)) {
      return "nothing in the schedule matches"
    }
    if due { return "nothing is due" }
    if failed { return "nothing has failed" }
    if returned { return "no loan was returned within the last 400 days" }
    return catalogues == 0
      ? "nothing is scheduled; run check-loans CATALOGUE first"
      : "the schedule has \(counted(catalogues, "catalogue")), but no loans to remind of"
  }
}

extension ScheduleEntry {
  fileprivate var line: String {
    let id = String(scheduled.id).padded(to: 6)
    let state = state.rawValue.padded(to: 9)
    let kind = kind.rawValue.padded(to: 8)
    let verb = self.kind == .expired ? "expired" : "expires"
    let moment = scheduled.leftOn.map { "\($0) returned" } ?? fireAt.words
    var line = "\(id)  \(moment)  \(state)  \(kind)  \(scheduled.loan.label()) \(verb) "
    line += scheduled.loan.expiration.dotted
    if let borrower = scheduled.loan.borrower { line += ", lent to \(borrower.visible)" }
    line += " (\(scheduled.library?.visible ?? scheduled.catalogue.visibleCatalogue))"
    if let (_, fireAt) = later { line += "; next \(fireAt.date)" }
    for delivery in deliveries where delivery.hasFailed && delivery.isInUse {
      line += "; \(delivery.channel.visible): \(delivery.failure)"
    }
    if let silence { line += "; silenced \(silence.words())" }
    return line
  }

  /// The notice that comes after that of the entry.
  var later: (rung: Int, fireAt: CivilDateTime)? {
    scheduled.next(after: now).flatMap { $0.rung == rung ? nil : $0 }
  }

  fileprivate var json: JSONValue {
    // What a returned loan had last.
    let rung = scheduled.leftOn == nil ? rung : deliveries.map(\.rung).max()
    return .object(
      scheduled.jsonMembers + [
        ("kind", .string(kind.rawValue)), ("expiration", .string("\(scheduled.loan.expiration)")),
        ("fireAt", .string(fireAt.toTheMinute)), ("state", .string(state.rawValue)),
        ("deliveries", .array(deliveries.map(\.json))), ("library", JSONValue(scheduled.library)),
        ("rung", JSONValue(rung)), ("next", scheduled.nextJSON(after: now)),
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
      let title = notice.loan.label().shortened(toColumns: 60)
      let line = notice.loan.sentence(title, for: .report, today: today)
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

import ArgumentParser
import CommandOutput
import Languages
import LoanCatalogue
import Loans
import ReminderSchedule
import ReminderService
import Runs
import Settings

/// `check-loans silence`.
struct SilenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "silence",
    abstract: "Stop notices about some loans.",
    discussion: """
      Loans are read and reported as usual. When a silence ends, whichever notice is then due is \
      sent, once. To silence a single loan, use check-loans schedule snooze.

      Examples:
        check-loans silence list
        check-loans silence add --borrower-is "Lee, An" --until 2w --reason "holiday"
        check-loans silence end 1
      """,
    subcommands: [SilenceListCommand.self, SilenceAddCommand.self, SilenceEndCommand.self],
    defaultSubcommand: SilenceListCommand.self)
}

/// `check-loans silence add`.
struct SilenceAddCommand: TimedChange {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Stop notices about all loans that match, including future ones.",
    discussion: """
      A loan must meet every condition given, of which at least one says which loans: \
      --borrower-is, --email, --category, --status, --loan or --title. Texts are compared with \
      those of the catalogue: case matters, except in addresses, and a run of white space counts \
      as one space. silence list, schedule list and schedule explain show who ordered a silence, \
      when and why.

      Examples:
        check-loans silence add --borrower-is "Lee, An" --until 2w --reason "holiday"
        check-loans silence add --title "Atlas *" --until forever --reason reference
      """)

  static let facts: [OptionFact] =
    SilenceConditionOptions.facts
    + [OptionFact("until", .text, .line), OptionFact("reason", .text, .line)]
    + ChangeOptions.facts

  @OptionGroup var conditions: SilenceConditionOptions

  @Option(
    help: ArgumentHelp(
      """
      Send notices again after 3d or 2w, or from a day on, YYYY-MM-DD; forever is never. Required.
      """,
      valueName: "end"),
    transform: SilenceEnd.parse)
  var until: SilenceEnd?

  @Option(help: ArgumentHelp("Reason, shown with the silence. Required.", valueName: "text"))
  var reason: String?

  @OptionGroup var change: ChangeOptions

  func validate() throws {
    if until == nil {
      throw ValidationError("say for how long: give --until, as in 2w, 2026-12-01 or forever")
    }
    let texts = conditions.texts + [reason].compactMap(\.self)
    if texts.contains(where: { $0.utf8.count > 1_000 }) {
      throw ValidationError("no text can be longer than 1000 bytes")
    }
    if reason?.spaceNormalized.isEmpty ?? true {
      throw ValidationError("give a reason: --reason \"on holiday\"")
    }
  }

  func check(at now: CivilDateTime) throws { _ = try until?.day(from: now.date) }

  func change(
    _ schedule: Schedule, _ time: ChangeTime, _ changes: inout ScheduleChanges
  ) throws {
    let until = try self.until?.day(from: time.now.date)
    let (id, loans) = try schedule.silence(
      try conditions.conditions(time.environment), until: until,
      by: Silence.Origin(
        reason: (reason ?? "").spaceNormalized, by: time.environment.userName,
        at: time.now)
    )
    let duration = until.map { "until \($0)" } ?? "forever"
    changes.done = ["silence \(id): \(counted(loans, "loan")), \(duration)"]
    if loans == 0 { changes.notes = [try advice(onUnmet: id, schedule.reader)] }
  }

  /// The warning about a silence that is about no loan, since a text may be misspelt.
  private func advice(onUnmet id: Int, _ schedule: ScheduleReader) throws -> String {
    let guess = try conditions.borrowerIs.flatMap { name in
      try name.nearest(among: schedule.borrowers().filter { $0 != name.spaceNormalized })
    }
    let advice =
      guess.map { "did you mean --borrower-is \($0.shellQuoted.visible)?" }
      ?? "is something misspelt?"
    return "no loan meets the conditions now; \(advice) (check-loans silence end \(id) ends it)"
  }
}

/// `check-loans silence list`.
struct SilenceListCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List silences, snoozed loans and returned books.",
    discussion: """
      Prints one line for each silence: its number, the loans, its end, who ordered it and why, \
      and the day on which it was made. Silences of schedule snooze and schedule returned are \
      included. Returned books that are still on loan after 7 days come last: look for them on the \
      shelf.

      Example:
        check-loans silence list --format json
      """)

  static let facts: [OptionFact] =
    ClockOptions.facts + StateOptions.facts + [OptionFact("format", .text, .run)]

  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions

  @Option(help: "Format of the list.")
  var format = OutputFormat.text

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let (now, _) = try clock.read(environment)
    let silences = try ScheduleReader(opening: state.path(environment)).silences(today: now.date)
    if format == .json {
      let list = JSONValue.array(silences.map { $0.json(today: now.date) }).text
      try console.print(line: "{\"version\":1,\"silences\":\(list)}")
      return .done
    }
    if silences.isEmpty { console.printError("nothing is silenced") }
    let isOverdue = { (silence: Silence) in silence.isOverdueReturn(today: now.date) }
    for silence in silences where !isOverdue(silence) { try console.print(line: silence.line) }
    if silences.contains(where: isOverdue) {
      try console.print(line: "reported as returned, still on loan: look on the shelf")
    }
    for silence in silences where isOverdue(silence) { try console.print(line: silence.line) }
    return .done
  }
}

extension Silence {
  fileprivate var line: String {
    "\(String(id).padded(to: 6))  \(subject); \(words()) (\(origin.at.date))"
  }

  /// Which loans it is about.
  private var subject: String {
    if let target {
      let borrower = target.loan.borrower.map { ", lent to \($0.visible)" } ?? ""
      return "loan \(target.id): \(target.loan.label())\(borrower)"
    }
    return conditions.named.map { "\($0) \($1.quoted())" }.joined(separator: ", ")
  }

  fileprivate func json(today: CivilDate) -> JSONValue {
    .object([
      ("id", .int(id)),
      ("reminder", JSONValue(target?.id)),
      ("catalogue", JSONValue(target?.catalogue)),
      ("title", JSONValue(target?.loan.title)),
      ("conditions", .object(conditions.named.map { ($0, .string($1)) })),
      ("until", JSONValue(until?.description)), ("by", .string(origin.by)),
      ("reason", .string(origin.reason)), ("at", .string("\(origin.at)")),
      ("isOverdueReturn", .bool(isOverdueReturn(today: today))),
    ])
  }
}

extension SilenceConditions {
  /// Those that are set, by the names of their options.
  fileprivate var named: [(name: String, value: String)] {
    [
      ("borrower", borrower), ("email", email), ("category", category),
      ("status", status?.rawValue), ("loan", loan), ("title", title),
      ("kind", kind?.rawValue), ("channel", channel),
    ].compactMap { name, value in value.map { (name, $0) } }
  }
}

/// `check-loans silence end`.
struct SilenceEndCommand: ScheduleChange {
  static let configuration = CommandConfiguration(
    commandName: "end",
    abstract: "End silences; the next run sends the notices then due.",
    discussion: """
      Example:
        check-loans silence end 1 4
      """)

  static let facts: [OptionFact] = StateOptions.facts + QuietOptions.facts

  @Argument(
    help: ArgumentHelp("Numbers of silences, as silence list shows them.", valueName: "number"),
    transform: { text in
      if let number = Int(text) { return number }
      throw ValidationError("give a number of silence list")
    })
  var numbers: [Int]

  @OptionGroup var state: StateOptions
  @OptionGroup var quiet: QuietOptions

  func change(
    _ schedule: Schedule, _ environment: Environment, _ changes: inout ScheduleChanges
  ) throws {
    let (ended, unknown) = try schedule.endSilences(numbers)
    if ended > 0 { changes.done = ["ended \(counted(ended, "silence"))"] }
    changes.complaints = unknown.map { "there is no silence \($0); see check-loans silence list" }
  }
}

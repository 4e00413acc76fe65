import ArgumentParser
import Loans
import ReminderSchedule

/// `check-loans schedule`.
struct ScheduleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule",
    abstract: "Show or cancel what is scheduled.",
    discussion: """
      Examples:
        check-loans schedule list
        check-loans schedule cancel --all
      """,
    subcommands: [ListCommand.self, CancelCommand.self],
    defaultSubcommand: ListCommand.self)
}

/// `check-loans schedule list`.
struct ListCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List what is pending, delivered, failed and cancelled.",
    discussion: """
      One line for each reminder in the order in which they fire: ID, fire date, state, kind, \
      loan. Reads the schedule without locking it.

      Example:
        check-loans schedule list --format json
      """)

  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions

  @Option(help: "The form of the list.")
  var format: OutputFormat?

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let (now, _) = try clock.read(environment)
    let format = try environment.value(format, "FORMAT") ?? .text
    let path = try state.path(environment)
    do {
      var entries = try ScheduleReader(opening: path).entries(at: now, catalogues: nil)
      switch format {
      case .text: try list(&entries, console)
      case .json: try listJSON(&entries, console)
      }
    } catch {
      throw CommandError(error)
    }
    return .done
  }

  private func list(_ entries: inout ScheduleEntries, _ console: Console) throws {
    var isEmpty = true
    while let entry = try entries.next() {
      isEmpty = false
      try console.print(line: entry.line)
    }
    if isEmpty { console.complain("nothing is scheduled; run check-loans CATALOGUE first") }
  }

  private func listJSON(_ entries: inout ScheduleEntries, _ console: Console) throws {
    try console.print("{\"version\":1,\"reminders\":[")
    var isFirst = true
    while let entry = try entries.next() {
      if !isFirst { try console.print(",") }
      isFirst = false
      try console.print(entry.json.text)
    }
    try console.print(line: "]}")
  }
}

extension ScheduleEntry {
  fileprivate var line: String {
    let id = String(id).padded(to: 6)
    let state = state.rawValue.padded(to: 9)
    let kind = kind.rawValue.padded(to: 8)
    let verb = self.kind == .expired ? "expired" : "expires"
    var line = "\(id)  \(fireAt.words)  \(state)  \(kind)  \(loan.label) \(verb) "
    line += loan.expiration.dotted
    if let borrower = loan.borrower { line += ", lent to \(borrower.visible)" }
    line += " (\(catalogue == "-" ? "standard input" : catalogue.visible))"
    for delivery in deliveries where delivery.state == .failed {
      line += "; \(delivery.channel): \((delivery.error ?? "failed").visible)"
    }
    return line
  }

  fileprivate var json: JSONValue {
    .object([
      ("id", .int(id)), ("catalogue", .string(catalogue)),
      (
        "loan",
        .object([
          ("id", JSONValue(loan.id)), ("title", JSONValue(loan.title)),
          ("author", JSONValue(loan.author)), ("borrower", JSONValue(loan.borrower)),
        ])
      ),
      ("kind", .string(kind.rawValue)), ("expiration", .string("\(loan.expiration)")),
      ("fireAt", .string(fireAt.toTheMinute)), ("state", .string(state.rawValue)),
      ("deliveries", .array(deliveries.map(\.json))),
    ])
  }
}

extension Delivery {
  fileprivate var json: JSONValue {
    .object([
      ("channel", .string(channel)), ("state", .string(state.rawValue)),
      ("at", JSONValue(at.map { "\($0)" })), ("attempts", .int(attempts)),
      ("error", JSONValue(error)),
    ])
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

/// `check-loans schedule cancel`.
struct CancelCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel pending reminders until the next reload of their catalogue.",
    discussion: """
      The next run that reads the catalogue schedules the loans again.

      Examples:
        check-loans schedule cancel --all
        check-loans schedule cancel 3 7
      """)

  @Argument(help: ArgumentHelp("IDs, as schedule list shows them.", valueName: "id"))
  var ids: [Int] = []

  @Flag(help: "Cancel all pending reminders.")
  var all = false

  @OptionGroup var state: StateOptions

  @Flag(name: .shortAndLong, help: "Do not say how many were cancelled.")
  var quiet = false

  func validate() throws {
    guard all == ids.isEmpty else {
      throw ValidationError("Give either --all or the IDs that schedule list shows.")
    }
  }

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let path = try state.path(environment)
    let isQuiet = try environment.isOn(quiet, "QUIET")
    var unknown: [Int] = []
    do {
      let schedule = try Schedule(opening: path)
      let ids = Set(ids)
      let cancelled: Int
      if all {
        cancelled = try schedule.cancelAll()
      } else {
        (cancelled, unknown) = try schedule.cancel(ids: ids.sorted())
      }
      if !isQuiet {
        try console.print(line: "cancelled what was pending for \(counted(cancelled, "loan"))")
      }
    } catch {
      throw CommandError(error)
    }
    for id in unknown {
      console.complain("there is no reminder \(id); see check-loans schedule list")
    }
    return unknown.isEmpty ? .done : .usage
  }
}

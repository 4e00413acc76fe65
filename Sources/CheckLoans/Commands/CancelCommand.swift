import ArgumentParser
import ReminderSchedule

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

  static var commandLineOnly: Set<String> { ["all"] }

  @Argument(
    help: ArgumentHelp("IDs, as schedule list shows them.", valueName: "id"),
    completion: LoanNumbers.completion, transform: LoanNumbers.parse)
  var ids: [Int] = []

  @Flag(help: "Cancel all pending reminders.")
  var all = false

  @OptionGroup var state: StateOptions

  @OptionGroup var quiet: QuietOptions

  func validate() throws {
    guard all == ids.isEmpty else {
      throw ValidationError("give either --all or the IDs that schedule list shows")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    try environment.refuseDryRun()
    let schedule = try Schedule(opening: state.path(environment))
    let (cancelled, unknown) = try schedule.cancel(ids: all ? nil : Set(ids).sorted())
    if !quiet.quiet {
      let loans = counted(cancelled, "loan")
      try console.print(
        line: "cancelled the notices of \(loans) until their catalogue is next read")
    }
    console.printError(ofUnknownLoans: unknown)
    return unknown.isEmpty ? .done : .usage
  }
}

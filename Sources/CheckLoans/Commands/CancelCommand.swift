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
    console.printError(ofUnknownLoans: unknown)
    return unknown.isEmpty ? .done : .usage
  }
}

import ArgumentParser

/// `check-loans schedule`.
struct ScheduleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule",
    abstract: "Show, explain, cancel or forget what is scheduled.",
    discussion: """
      Examples:
        check-loans schedule list
        check-loans schedule explain 3
        check-loans schedule cancel --all
        check-loans schedule forget old-books.xml
      """,
    subcommands: [
      ListCommand.self, ExplainCommand.self, CancelCommand.self, ForgetCommand.self,
    ],
    defaultSubcommand: ListCommand.self)
}

extension Console {
  /// Reports the IDs that no loan in the schedule has.
  func printError(ofUnknownLoans ids: [Int]) {
    for id in ids {
      printError("there is no loan \(id) in the schedule; see check-loans schedule list")
    }
  }
}

import ArgumentParser
import CommandOutput

/// The `check-loans` command.
struct RootCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-loans",
    abstract: "Remind people to bring library books back on time.",
    usage: """
      check-loans [check] [<options>] <catalogues> ...
      check-loans <subcommand> ...
      """,
    discussion: """
      Reads catalogues of book loans in XML, including files from library systems (check-loans \
      profiles), reports the loans that have expired or expire soon, and schedules notices about \
      them. Each notice is sent once. Every run updates the schedule of the catalogues that it \
      reads.

      Examples:
        check-loans books.xml                      report the loans of a catalogue
        check-loans --notify stdout books.xml      for cron: print only new notices
        check-loans validate books.xml             for CI: check the dates
        check-loans timer install --notify mail    run it every day
        check-loans watch books.xml                keep running, notify on time
        check-loans help check                     show all options

      Options can also be set in ~/.config/check-loans/config.toml, for example time-zone = \
      "Europe/Budapest", and by variables: CHECK_LOANS_TIME_ZONE sets --time-zone. The command \
      line wins over a variable, and a variable over the file: CHECK_LOANS_VERBOSE=0 switches off \
      verbose = true. check-loans config shows the settings in force. Exit statuses are in \
      check-loans(1).
      """,
    version: ProgramVersion.text,
    subcommands: [
      CheckCommand.self, ValidateCommand.self, ScheduleCommand.self, SilenceCommand.self,
      DeliverCommand.self, WatchCommand.self, PlanCommand.self, StatusCommand.self,
      RulesCommand.self, ConfigCommand.self, TimerCommand.self, SchemaCommand.self,
      ProfilesCommand.self,
      ClosedCommand.self, CalendarCommand.self, LanguagesCommand.self, PreviewCommand.self,
      ListsCommand.self,
    ])

  /// Arguments with the word of their command first, which nobody has to write for `check`.
  ///
  /// - Returns: the arguments as they are where they ask something of the program as a whole.
  static func withCommand(_ arguments: [String]) -> [String] {
    let first = arguments.first ?? ""
    let isOfProgram =
      ["-h", "--help", "--help-hidden", "--experimental-dump-help"].contains(first)
      // This is how a shell asks for completions.
      || first.hasPrefix("---")
    return isOfProgram || names.contains(first) ? arguments : [CheckCommand.name] + arguments
  }
}

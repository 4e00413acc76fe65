import ArgumentParser
import CommandOutput

/// The `check-loans` command.
struct RootCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-loans",
    abstract: "Remind people of book loans before they expire.",
    usage: """
      check-loans [check] [<options>] <catalogues> ...
      check-loans <subcommand> ...
      """,
    discussion: """
      Reads book catalogues in XML, also what library systems answer (check-loans profiles), \
      reports which loans have expired or expire soon, and schedules reminders before each \
      expiration. Every run replaces the schedule of the catalogues it reads; what was delivered \
      is remembered and never sent twice.

      Examples:
        check-loans books.xml                      look at a catalogue
        check-loans --notify stdout books.xml      for cron: only what is due and new
        check-loans validate books.xml             for CI: are the dates right?
        check-loans timer install --notify mail    to run it every day
        check-loans watch books.xml                keep running, notify on time
        check-loans help check                     all options

      Options can also be set in ~/.config/check-loans/config.toml, for example time-zone = \
      "Europe/Budapest", and by environment variables: --time-zone by CHECK_LOANS_TIME_ZONE, and so \
      on. An option on the command line wins over its variable, and the variable over the file; \
      CHECK_LOANS_VERBOSE=0 switches off what the file switches on. See check-loans config, and the manual \
      page for exit statuses.
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

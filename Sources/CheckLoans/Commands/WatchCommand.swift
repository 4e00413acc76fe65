import ArgumentParser
import CommandOutput
import Languages
import Notifiers
import ReminderService
import Runs
import Settings

/// `check-loans watch`.
struct WatchCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Keep running: read changed catalogues, deliver notices on time.",
    discussion: """
      Delivers due notices at once, and each later one on time, to standard output unless --notify \
      names other channels. Reads a catalogue again when it is changed, replaced, or removed and \
      restored, and all of them on SIGHUP or when the settings or the system's time zone change. \
      The notices of a broken or missing catalogue stay unchanged until it is fixed. Other \
      commands can use the schedule meanwhile. Changes that another machine makes on a network \
      disk go unnoticed: send SIGHUP after them.

      Examples:
        check-loans watch --notify notify-send books.xml
        check-loans watch --time-zone Europe/Budapest --at 08:00 books.xml
        check-loans watch --notify notify-send --action View=my-loans books.xml

      The buttons of --buttons do what check-loans schedule snooze and schedule returned do.

      The command of --action gets the loan in the variables CHECK_LOANS_ID, _TITLE, _AUTHOR, \
      _ISBN, _BARCODE, _BORROWER, _EMAIL, _BORROWER_LANGUAGE, _CATEGORY, _TYPE, _RENEWABLE (true \
      or false), _EXPIRATION, _KIND (reminder or expired), _CATALOGUE and _LIBRARY, as far as they \
      are known, and the number of notices in CHECK_LOANS_COUNT.

      Runs until SIGTERM or SIGINT, or until its terminal is closed. Then it finishes the message \
      being sent and exits with status 0; a second signal stops it at once.
      """)

  static let facts: [OptionFact] = WatchOptions.facts

  @OptionGroup var options: WatchOptions

  var files: [String] { options.catalogues }
  var readingOptions: CatalogueOptions? { options.catalogue }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    // What is set elsewhere can change while it runs.
    let line = environment.given.line
    let settings = try WatchSettings(options, Self.settingsPath(environment)?.path, environment)
    return try WatchRun(settings, environment) { () throws(CommandError) in
      let (command, environment) = try Self.completed(line, environment)
      return try WatchSettings(
        command.options, Self.settingsPath(environment)?.path, environment)
    }.run()
  }
}

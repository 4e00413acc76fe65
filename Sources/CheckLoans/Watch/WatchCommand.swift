import ArgumentParser
import CommandOutput
import Languages
import Notifiers
import ReminderService
import Settings

/// `check-loans watch`.
struct WatchCommand: Subcommand, RunOptions {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Keep running: reload changed catalogues, deliver on time.",
    discussion: """
      Delivers what is due at once, and then each notice at its time to the second, through \
      standard output unless --notify names others. A catalogue is read again when it is changed, \
      replaced, or removed and restored; all are read again on SIGHUP, or when the settings or the \
      system's time zone change. The reminders of one that is broken or missing are unchanged until \
      it is fixed. Other runs of check-loans can use the schedule at the same time. Changes that \
      another computer makes on a network disk are not noticed: send SIGHUP after them.

      Examples:
        check-loans watch --notify notify-send books.xml
        check-loans watch --time-zone Europe/Budapest --at 08:00 books.xml
        check-loans watch --notify notify-send --action View=my-loans books.xml

      The buttons of --buttons do what check-loans schedule snooze and schedule returned do.

      The command of --action is given the loan in the variables CHECK_LOANS_ID, _TITLE, _AUTHOR, \
      _ISBN, _BARCODE, _BORROWER, _EMAIL, _BORROWER_LANGUAGE, _CATEGORY, _TYPE, _RENEWABLE (true or \
      false), _EXPIRATION, _KIND (reminder or expired), _CATALOGUE and _LIBRARY, as far as they are \
      known, and the number of notices in CHECK_LOANS_COUNT.

      Runs until SIGTERM or SIGINT, or until its terminal is closed, and then ends with status 0 \
      after the message being sent; a second signal ends it at once.
      """)

  static let facts: [OptionFact] =
    ChannelOptions.facts + StaleOptions.facts + ActionOptions.facts + CatalogueOptions.facts
    + StateOptions.facts + LanguageOptions.facts + VerboseOptions.facts

  @Argument(
    help: "Catalogues to watch. (default: those of the settings file)", completion: .file())
  var catalogues: [String] = []

  @OptionGroup var channels: ChannelOptions

  @OptionGroup var stale: StaleOptions

  @OptionGroup var action: ActionOptions

  @OptionGroup var catalogue: CatalogueOptions

  @OptionGroup var state: StateOptions

  @OptionGroup var language: LanguageOptions

  @OptionGroup var verbose: VerboseOptions

  var files: [String] { catalogues }
  var readingOptions: CatalogueOptions? { catalogue }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    // What is set elsewhere can change while it runs.
    let line = environment.given.line
    return try WatchRun(WatchSettings(self, environment), environment) { () throws(CommandError) in
      let (command, environment) = try Self.completed(line, environment)
      return try WatchSettings(command, environment)
    }.run()
  }
}

/// The buttons of desktop notifications.
struct ActionOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [
    OptionFact("action", .text, .file), OptionFact("buttons", .text, .file),
  ]

  @Option(
    help: ArgumentHelp(
      """
      Put a button with this label on the notifications of notify-send, which runs this command. \
      No shell is used, and nothing in the command is expanded.
      """, valueName: "label=command"), transform: { try NotificationAction(argument: $0) })
  var action: NotificationAction?

  @Option(
    help: ArgumentHelp(
      """
      Put these buttons on the notifications of notify-send: snooze, for "Remind me tomorrow", \
      returned, for "I have returned it", or both with a comma between them.
      """, valueName: "buttons"),
    completion: .list(["snooze", "returned", "snooze,returned"]), transform: LoanButtons.parse)
  var buttons: LoanButtons?
}

/// The buttons of notifications that are made known by their names.
struct LoanButtons: Equatable, CustomStringConvertible {
  private let names: [String]

  /// The name of each, which is that of a command of schedule too, with its label.
  private static let labels: [(String, Message)] = [
    ("snooze", .remindTomorrow), ("returned", .haveReturned),
  ]

  /// Reads names with commas between them.
  @Sendable static func parse(_ text: String) throws -> LoanButtons {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard Set(names).count == names.count,
      names.allSatisfy({ name in labels.contains { $0.0 == name } })
    else {
      throw ValidationError(
        "give \(labels.map(\.0).joined(separator: ", ")), or both with a comma between them")
    }
    return LoanButtons(names: names)
  }

  var description: String { names.joined(separator: ",") }

  /// The buttons, which run this very program.
  ///
  /// - Parameter options: those of the commands.
  func buttons(options: [String], in language: Language) -> [NotificationButton] {
    Self.labels.filter { names.contains($0.0) }.map { name, label in
      NotificationButton(
        name: name, label: language.text(label), program: ProcessSetup.ownPath ?? "check-loans",
        arguments: ["schedule", name] + options, isForOneLoan: name == "returned")
    }
  }
}

/// A run of `watch` as it was asked for, with its buttons and what it watches.
struct WatchSettings {
  let command: WatchCommand
  private(set) var run: RunSettings
  /// Where the schedule is kept.
  let state: String
  /// The absolute paths of the catalogues, in which links to directories may come to lead elsewhere.
  let cataloguePaths: [String]
  /// The settings file's absolute path, whether it exists or not.
  let file: String?
  /// The buttons of notifications that silence their loans.
  let buttons: [NotificationButton]
  /// The absolute paths of the translation and the style of mail, as far as they are set.
  private let texts: [String]

  init(_ command: WatchCommand, _ environment: Environment) throws(CommandError) {
    try environment.refuseDryRun()
    self.command = command
    state = try command.state.path(environment)
    run = try RunSettings(
      command, environment, otherwise: [.stdout], example: "check-loans watch books.xml")
    try run.checkRepeatable()
    texts = [command.language.own.translation, command.channels.mail.mailCss]
      .compactMap { $0.map(environment.absolutePath) }
    file = WatchCommand.settingsPath(environment).map { environment.absolutePath($0.path) }
    // Elsewhere than on the command line, the program finds them by itself.
    let zone = environment.given["time-zone"].flatMap { $0.isFromCommandLine ? $0.texts.last : nil }
    let options: [(String, String?)] = [
      ("state", environment.absolutePath(state)),
      ("config", command.state.settings.config == nil ? nil : file), ("time-zone", zone),
    ]
    buttons =
      command.action.buttons?.buttons(
        options: options.compactMap { name, value in value.map { "--\(name)=\($0)" } },
        in: run.notifiers.language
      ) ?? []
    cataloguePaths = run.catalogues.map { environment.absolutePath($0.file) }
  }

  var isVerbose: Bool { command.verbose.verbose }
  /// The text of the button on notifications and its command.
  var action: NotificationAction? { command.action.action }
  /// Whether notifications have any button.
  var hasButtons: Bool { action != nil || !buttons.isEmpty }

  /// Enters the system's zone as it is now, where that is the zone.
  ///
  /// - Throws: ``CommandError`` if it is unknown; then nothing has changed.
  mutating func renewSystemZone(_ environment: Environment) throws(CommandError) {
    if run.clock.variable != nil { return }
    run.clock = try LocalClock(nil, environment.variables)
    for index in run.catalogues.indices where run.catalogues[index].clock.variable == nil {
      run.catalogues[index].clock = run.clock
    }
  }

  /// What to watch, by absolute paths.
  var watchedPaths: [WatchEvent: [String]] {
    var paths: [WatchEvent: [String]] = [:]
    for (index, path) in cataloguePaths.enumerated() { paths[.catalogue(index)] = [path] }
    // Everybody writes to /dev/null, which stands for no settings.
    if let file, file != "/dev/null" { paths[.settings] = [file] }
    let others =
      run.catalogues.compactMap(\.profileFile) + run.catalogues.flatMap(\.closed.calendars) + texts
    paths[.settings, default: []] += Set(others).sorted()
    if run.clock.variable == nil { paths[.systemZone] = ["/etc/localtime", "/etc/timezone"] }
    return paths
  }
}

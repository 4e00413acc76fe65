import ArgumentParser
import Loans
import Notifiers
import ReminderService

/// `check-loans watch`.
struct WatchCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Stay: reload when a catalogue changes, deliver at the fire date.",
    discussion: """
      Delivers what is due at once, and then each notice at its time to the second, through \
      standard output unless --notify names others. A catalogue is read again when it is changed, \
      replaced, or removed and restored; all are on SIGHUP, or when the settings or the system's \
      time zone change. One that is broken or gone leaves its reminders as they were until it is \
      mended. Other runs of check-loans can use the schedule at the same time. Changes on network \
      disks that another computer makes are not seen: send SIGHUP after them.

      Examples:
        check-loans watch --notify notify-send books.xml
        check-loans watch --time-zone Europe/Budapest --at 08:00 books.xml
        check-loans watch --notify notify-send --action View=my-loans books.xml

      The command of --action is given the loan in the variables CHECK_LOANS_ID, _TITLE, _AUTHOR, \
      _ISBN, _BARCODE, _BORROWER, _EMAIL, _EXPIRATION, _KIND (reminder or expired), \
      _CATALOGUE and _LIBRARY, as far as they are known, and the number of notices in CHECK_LOANS_COUNT.

      Runs until SIGTERM or SIGINT, or until its terminal is closed, and then ends with status 0 \
      after the notice in flight; a second signal ends it at once.
      """)

  @Argument(
    help: "Catalogues to watch. (default: those of the settings file)", completion: .file())
  var catalogues: [String] = []

  @OptionGroup var channels: ChannelOptions

  @Option(
    help: ArgumentHelp(
      """
      Put a button with this label on the notifications of notify-send, that runs this command. \
      No shell is used, and nothing in the command is expanded.
      """, valueName: "label=command"))
  var action: String?

  @OptionGroup var policy: PolicyOptions

  @OptionGroup var form: ProfileOptions

  @OptionGroup var zone: ZoneOptions

  @OptionGroup var state: StateOptions

  @Flag(name: .shortAndLong, help: "Say on standard error what is done, and show all warnings.")
  var verbose = false

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    // The process's own TZ becomes the library's.
    let inherited = environment["TZ"]
    let settings = try WatchSettings(self, environment, inheritedZone: inherited)
    return try await WatchRun(settings, environment) { () throws(CommandError) in
      try WatchSettings(
        self, .ofProcess().withSettings(named: state.config), inheritedZone: inherited)
    }.run()
  }
}

/// What `watch` goes by, flags, environment and settings file taken together.
struct WatchSettings {
  /// The catalogues as given, each once.
  var catalogues: [CatalogueSource] = []
  /// Their absolute paths, in which links to directories may come to lead elsewhere.
  var cataloguePaths: [String] = []
  var channels: [ChannelName]
  /// The text of the button on notifications and its command.
  var action: ActionSetting?
  var reload: ReloadSettings
  /// After how many days an expired notice is delivered again.
  var repeatExpired: Int?
  var clock: LocalClock
  /// Where the schedule is kept.
  var state: String
  var isVerbose: Bool
  /// The absolute path of the profile's file, if it has one.
  var profileFile: String?
  /// The settings file's absolute path, whether it is there or not.
  var file: String?

  /// - Parameter inheritedZone: what TZ was when the program began.
  init(
    _ command: WatchCommand, _ environment: Environment, inheritedZone: String?
  ) throws(CommandError) {
    channels = try command.channels.channels(environment, otherwise: [.stdout])
    action = try ActionSetting(
      environment.value(command.action, "ACTION"), isGiven: command.action != nil)
    let profile = try command.form.profile(environment)
    profileFile = profile?.path
    reload = try command.policy.settings(
      environment, profile: profile?.profile, loanDays: command.form.days(environment))
    repeatExpired = try command.channels.repetition.days(environment)
    let zoneText = try command.zone.text(environment, inherited: inheritedZone)
    clock = try LocalClock(zoneText, environment)
    state = try command.state.path(environment)
    isVerbose = try environment.isOn(command.verbose, "VERBOSE")
    file = try environment.settingsFile(named: command.state.config).map {
      environment.absolutePath($0.path)
    }
    let given = try environment.catalogues(
      command.catalogues, config: command.state.config, example: "check-loans watch books.xml")
    for path in given {
      guard path != "-" else {
        throw CommandError(.usage, "standard input cannot be watched; name a file")
      }
      catalogues.append(CatalogueSource(path: path, name: environment.catalogueName(path)))
      cataloguePaths.append(environment.absolutePath(path))
    }
  }

  /// What to watch, by absolute paths.
  var watchedPaths: [WatchedFile: [String]] {
    var paths: [WatchedFile: [String]] = [:]
    for (index, path) in cataloguePaths.enumerated() { paths[.catalogue(index)] = [path] }
    // Everybody writes to /dev/null, which stands for no settings.
    if let file, file != "/dev/null" { paths[.settings] = [file] }
    if let profileFile { paths[.settings, default: []].append(profileFile) }
    if clock.variable == nil { paths[.systemZone] = ["/etc/localtime", "/etc/timezone"] }
    return paths
  }
}

/// A notification's button, as it was given.
struct ActionSetting: Equatable {
  let text: String
  let action: NotificationAction

  /// - Parameter isGiven: whether it is the command line's.
  /// - Throws: ``CommandError`` if it makes no sense.
  init?(_ text: String?, isGiven: Bool) throws(CommandError) {
    guard let text else { return nil }
    self.text = text
    do throws(NotificationActionError) {
      action = try NotificationAction(argument: text)
    } catch {
      throw CommandError(isGiven ? .usage : .badSetting, "--action: \(error)")
    }
  }

  static func == (left: ActionSetting, right: ActionSetting) -> Bool { left.text == right.text }
}

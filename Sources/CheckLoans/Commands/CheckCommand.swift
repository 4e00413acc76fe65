import ArgumentParser
import Loans
import ReminderService

/// `check-loans check`, the default.
struct CheckCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report every loan that needs attention, and reload the schedule.",
    discussion: """
      Without --notify it prints a report: loans that have expired, expire today, or expire within \
      the reminder's lead, the most urgent first, then a summary. Running it twice prints it \
      twice. With --notify it is silent but for what is due and was not yet delivered through the \
      channel: the form for cron. A catalogue that is called - is standard input.

      Examples:
        check-loans books.xml
        check-loans --notify stdout --time-zone Europe/Budapest books.xml
        check-loans --dry-run
        curl -s https://example.org/books.xml | check-loans --no-state -
        check-loans --profile ours.xml --notify stdout export.xml
      """)

  @OptionGroup var options: CheckOptions

  var state: StateOptions { options.state }

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let settings = try CheckSettings(options, environment)
    return try await CheckRun(settings, environment, console).run()
  }
}

/// The options of `check`, for other commands to take too.
struct CheckOptions: ParsableArguments {
  @Argument(
    help: "Catalogues to read. (default: those of the settings file)",
    completion: .file())
  var catalogues: [String] = []

  @OptionGroup var channels: ChannelOptions

  @OptionGroup var policy: PolicyOptions

  @OptionGroup var form: ProfileOptions

  @OptionGroup var clock: ClockOptions

  @OptionGroup var state: StateOptions

  @Flag(help: "Keep no schedule: nothing is remembered, and what is due is delivered each time.")
  var noState = false

  @Flag(help: "Write nothing and deliver nothing; say what would be done.")
  var dryRun = false

  @Option(help: "The form of the report.")
  var format: OutputFormat?

  @Flag(help: "Report every loan, not only those that need attention.")
  var all = false

  @OptionGroup var loudness: LoudnessOptions

  @Option(help: ArgumentHelp("Whether to colour the report.", valueName: "when"))
  var color: ColorChoice?

  @Option(help: ArgumentHelp("End with status 1 if a loan has expired.", valueName: "condition"))
  var failOn: FailureCondition?

  func validate() throws {
    if format == .json && channels.notify.contains(.channel(.stdout)) {
      throw ValidationError(CheckSettings.outputConflict)
    }
  }
}

/// What a run of `check` goes by, flags, environment and settings file taken together.
struct CheckSettings {
  /// The catalogues as given, each once.
  var catalogues: [String] = []
  var channels: [ChannelName]
  var reload: ReloadSettings
  /// After how many days an expired loan is told again; `nil` for once.
  var repeatExpired: Int?
  var now: CivilDateTime
  var zone: String
  /// Where the schedule is kept; `nil` for no schedule.
  var state: String?
  var isDryRun: Bool
  var format: OutputFormat
  var showsAll: Bool
  var isQuiet: Bool
  var isVerbose: Bool
  var isColored: Bool
  var failsOnExpired: Bool

  init(_ command: CheckOptions, _ environment: Environment) throws(CommandError) {
    channels = try command.channels.channels(environment)
    reload = try command.policy.settings(
      environment, profile: command.form.profile(environment)?.profile,
      loanDays: command.form.days(environment))
    (now, zone) = try command.clock.read(environment)
    repeatExpired = try command.channels.repetition.days(environment)
    state = try command.keepsNoState(environment) ? nil : command.state.path(environment)
    isDryRun = try environment.isOn(command.dryRun, "DRY_RUN")
    format = try environment.value(command.format, "FORMAT") ?? .text
    showsAll = try environment.isOn(command.all, "ALL")
    isQuiet = try environment.isOn(command.loudness.quiet, "QUIET")
    isVerbose = try environment.isOn(command.loudness.verbose, "VERBOSE")
    isColored = try environment.isColored(command.color)
    failsOnExpired = try environment.value(command.failOn, "FAIL_ON") != nil
    catalogues = try command.catalogues(environment)
    if format == .json && channels.contains(.stdout) {
      guard command.format == nil else { throw try command.outputConflict(environment) }
      format = .text
    }
  }

  static let outputConflict =
    "--notify stdout and --format json both need standard output; choose one of them"

  /// Whether the report goes to standard output, rather than notices.
  var reports: Bool { channels.isEmpty || format == .json }
}

extension CheckOptions {
  /// The catalogues as given, each once: those of the command line, else of the settings file.
  ///
  /// - Throws: ``CommandError`` with the status `usage` if there is none.
  func catalogues(_ environment: Environment) throws(CommandError) -> [String] {
    try environment.catalogues(catalogues, state, example: "check-loans books.xml")
  }

  /// That a channel set elsewhere needs standard output, which `--format json` needs too.
  fileprivate func outputConflict(
    _ environment: Environment
  ) throws(CommandError) -> CommandError {
    let given = given["notify"]
    guard given == nil, let setting = Setting.named("notify"),
      let place = try environment.inForce(setting, given: nil).place
    else { return CommandError(.usage, CheckSettings.outputConflict) }
    return CommandError(
      .usage,
      """
      \(place.visible) names the channel stdout, and --format json needs standard output too; add \
      --notify none
      """)
  }

  /// Whether no schedule is kept.
  ///
  /// That and a schedule's file are one setting: a flag of the one wins over a variable of the
  /// other.
  func keepsNoState(_ environment: Environment) throws(CommandError) -> Bool {
    guard try environment.isOn(noState, "NO_STATE") else { return false }
    return environment.source(of: "NO_STATE", isGiven: noState)
      <= environment.source(of: "STATE", isGiven: state.state != nil)
  }
}

extension Environment {
  /// The catalogues given on the command line, else those of the settings file, each once.
  ///
  /// - Parameter example: a command line with a catalogue.
  /// - Throws: ``CommandError`` with the status `usage` if there is none.
  func catalogues(
    _ given: [String], _ options: StateOptions, example: String
  ) throws(CommandError) -> [String] {
    let given = given.isEmpty ? file?["catalogues"]?.texts ?? [] : given
    guard !given.isEmpty else {
      let file = try settingsFile(options)?.path ?? "config.toml"
      throw CommandError(
        .usage,
        """
        no catalogue is named; name one, as in \(example), or write \
        catalogues = ["/path/to/books.xml"] into \(file.visible)
        """)
    }
    try checkWorkingDirectory(for: given)
    var names: Set<[UInt8]> = []
    return given.filter { names.insert(Array(catalogueName($0).utf8)).inserted }
  }

  /// Whether to colour: what is asked for, else if standard output is a terminal that can and
  /// `NO_COLOR` is not set.
  func isColored(_ flag: ColorChoice?) throws(CommandError) -> Bool {
    switch try value(flag, "COLOR") ?? .auto {
    case .always: true
    case .never: false
    case .auto:
      (self["NO_COLOR"] ?? "").isEmpty && self["TERM"] != "dumb" && self["TERM"] != nil
        && ProcessSetup.isOutputATerminal
    }
  }
}

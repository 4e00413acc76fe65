import ArgumentParser
import LoanRules
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
      channel: the form for cron.

      Examples:
        check-loans books.xml
        check-loans --notify stdout --time-zone Europe/Budapest books.xml
        curl -s https://example.org/books.xml | check-loans --no-state -
      """)

  @Argument(help: "Catalogues to read; - is standard input.", completion: .file())
  var catalogues: [String]

  @OptionGroup var channels: ChannelOptions

  @Option(
    help: ArgumentHelp(
      "Remind so many days before the expiration, 0 to 3650. (default: 1)", valueName: "days"))
  var remind: LeadDays?

  @Option(
    help: ArgumentHelp("Remind at this time of day. (default: 00:00)", valueName: "HH:MM"))
  var at: TimeOfDay?

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

  @Flag(help: "A book without <expiration> is an error.")
  var requireExpiration = false

  @Flag(help: "Let a catalogue without any record replace one that had loans.")
  var allowEmpty = false

  func validate() throws {
    if format == .json && channels.notify.contains(.stdout) {
      throw ValidationError(CheckSettings.outputConflict)
    }
  }

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let settings = try CheckSettings(self, environment)
    return try await CheckRun(settings, environment, console).run()
  }
}

/// What a run of `check` goes by, flags and environment taken together.
struct CheckSettings {
  /// The catalogues as given, each once.
  var catalogues: [String] = []
  var channels: [ChannelName]
  var reload: ReloadSettings
  /// After how many days an expired notice is delivered again.
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

  init(_ command: CheckCommand, _ environment: Environment) throws(CommandError) {
    channels = try command.channels.channels(environment)
    let lead = try environment.value(command.remind, "REMIND")?.value
    let time = try environment.value(command.at, "AT")?.value
    reload = ReloadSettings(
      policy: ReminderPolicy(
        lead: lead ?? ReminderPolicy.standard.lead, time: time ?? ReminderPolicy.standard.time)
        ?? .standard,
      requiresExpiration: try environment.isOn(command.requireExpiration, "REQUIRE_EXPIRATION"),
      allowsEmpty: try environment.isOn(command.allowEmpty, "ALLOW_EMPTY"))
    (now, zone) = try command.clock.read(environment)
    state =
      try environment.isOn(command.noState, "NO_STATE") ? nil : command.state.path(environment)
    isDryRun = try environment.isOn(command.dryRun, "DRY_RUN")
    format = try environment.value(command.format, "FORMAT") ?? .text
    showsAll = try environment.isOn(command.all, "ALL")
    isQuiet = try environment.isOn(command.loudness.quiet, "QUIET")
    isVerbose = try environment.isOn(command.loudness.verbose, "VERBOSE")
    isColored = try environment.isColored(command.color)
    failsOnExpired = try environment.value(command.failOn, "FAIL_ON") != nil
    try environment.checkWorkingDirectory(for: command.catalogues)
    var names: Set<[UInt8]> = []
    for path in command.catalogues
    where names.insert(Array(environment.catalogueName(path).utf8)).inserted {
      catalogues.append(path)
    }
    if format == .json && channels.contains(.stdout) {
      guard command.format == nil else { throw CommandError(.usage, Self.outputConflict) }
      format = .text
    }
  }

  static let outputConflict =
    "--notify stdout and --format json both need standard output; choose one of them"

  /// Whether the report goes to standard output, rather than notices.
  var reports: Bool { channels.isEmpty || format == .json }
}

extension Environment {
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

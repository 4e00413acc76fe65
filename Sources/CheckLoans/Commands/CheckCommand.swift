import ArgumentParser
import LoanCatalogue
import Loans
import ReminderService
import System

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
    try await options.request.run(environment, console)
  }

  func runAlone(
    _ environment: Environment, _ console: Console
  ) throws(CommandError) -> ExitStatus? {
    try options.request.runAlone(environment, console)
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

  @Option(
    help: ArgumentHelp(
      "Read large catalogues with so many threads, 1 to 256. (default: the processor's cores)",
      valueName: "number"))
  var jobs: JobCount?

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
  var clock: LocalClock
  /// Where the schedule is kept; `nil` for no schedule.
  var state: String?
  var isDryRun: Bool
  var format: OutputFormat
  var showsAll: Bool
  var isQuiet: Bool
  var isVerbose: Bool
  var isColored: Bool
  var failsOnExpired: Bool

  init(_ request: CheckRequest, _ environment: Environment) throws(CommandError) {
    channels = try environment.channels(request.notify)
    reload = try request.reloadSettings(
      environment, profile: NamedProfile(given: request.profile, environment)?.profile,
      loanDays: environment.value(request.loanDays, "LOAN_DAYS")?.value)
    (now, clock) = try ClockOptions.read(
      now: request.now, timeZone: request.timeZone, environment)
    repeatExpired = try environment.value(request.repeatExpired, "REPEAT_EXPIRED")?.value
    state = try request.keepsNoState(environment) ? nil : environment.stateFile(request.state)
    isDryRun = try environment.isOn(request.isDryRun, "DRY_RUN")
    format = try environment.value(request.format, "FORMAT") ?? .text
    showsAll = try environment.isOn(request.showsAll, "ALL")
    isQuiet = try environment.isOn(request.isQuiet, "QUIET")
    isVerbose = try environment.isOn(request.isVerbose, "VERBOSE")
    isColored = try environment.isColored(request.color)
    failsOnExpired = try environment.value(request.failOn, "FAIL_ON") != nil
    catalogues = try environment.catalogues(
      request.catalogues, config: request.config, example: "check-loans books.xml")
    if format == .json && channels.contains(.stdout) {
      guard request.format == nil else { throw try request.outputConflict(environment) }
      format = .text
    }
  }

  static let outputConflict =
    "--notify stdout and --format json both need standard output; choose one of them"

  /// Whether the report goes to standard output, rather than notices.
  var reports: Bool { channels.isEmpty || format == .json }
}

extension CheckOptions {
  /// What was asked for.
  var request: CheckRequest {
    var request = CheckRequest()
    request.catalogues = catalogues
    request.notify = channels.notify
    request.repeatExpired = channels.repetition.repeatExpired
    policy.add(to: &request)
    request.profile = form.profile
    request.loanDays = form.loanDays
    request.jobs = jobs
    request.timeZone = clock.zone.timeZone
    request.now = clock.now
    request.config = state.config
    request.state = state.state
    request.keepsNoState = noState
    request.isDryRun = dryRun
    request.format = format
    request.showsAll = all
    request.isQuiet = loudness.quiet
    request.isVerbose = loudness.verbose
    request.color = color
    request.failOn = failOn
    return request
  }
}

/// What `check` was asked for, before the environment and the settings file have had their say.
struct CheckRequest: Sendable, Equatable {
  var catalogues: [String] = []
  var notify: [ChannelChoice] = []
  var repeatExpired: RepetitionDays?
  var remind: LeadDays?
  var at: TimeOfDay?
  var requiresExpiration = false
  var allowsEmpty = false
  var profile: String?
  var loanDays: LoanDays?
  var timeZone: String?
  var now: Moment?
  var config: String?
  var state: String?
  var keepsNoState = false
  var isDryRun = false
  var format: OutputFormat?
  var showsAll = false
  var isQuiet = false
  var isVerbose = false
  var color: ColorChoice?
  var failOn: FailureCondition?
  var jobs: JobCount?
}

extension CheckRequest: Job {
  var settings: SettingsPlace { .file(named: config) }

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let settings = try CheckSettings(self, environment)
    return try await CheckRun(settings, environment, console).run()
  }

  /// Without channels nobody is waited for; a large catalogue is read by a thread of its own.
  func runAlone(
    _ environment: Environment, _ console: Console
  ) throws(CommandError) -> ExitStatus? {
    guard try environment.channels(notify).isEmpty else { return nil }
    let catalogues = environment.givenCatalogues(catalogues)
    let isLarge = catalogues.contains { FileVersion(of: $0)?.regularSize ?? 0 > 1_000_000 }
    if isLarge { return nil }
    let settings = try CheckSettings(self, environment)
    return try CheckRun(settings, environment, console).runWithoutDelivery()
  }

  /// How catalogues are read into the schedule.
  func reloadSettings(
    _ environment: Environment, profile: CatalogueProfile?, loanDays: Int?
  ) throws(CommandError) -> ReloadSettings {
    ReloadSettings(
      policy: try environment.policy(remind: remind, at: at),
      requiresExpiration: try environment.isOn(requiresExpiration, "REQUIRE_EXPIRATION"),
      allowsEmpty: try environment.isOn(allowsEmpty, "ALLOW_EMPTY"), profile: profile,
      loanDays: loanDays, jobs: try environment.jobs(jobs))
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
    guard try environment.isOn(keepsNoState, "NO_STATE") else { return false }
    return environment.source(of: "NO_STATE", isGiven: keepsNoState)
      <= environment.source(of: "STATE", isGiven: state != nil)
  }
}

extension Environment {
  /// The catalogues given on the command line, else those of the settings file.
  fileprivate func givenCatalogues(_ given: [String]) -> [String] {
    given.isEmpty ? file?["catalogues"]?.texts ?? [] : given
  }

  /// The same, each once.
  ///
  /// - Parameters:
  ///   - config: the settings file that the command line names.
  ///   - example: a command line with a catalogue.
  /// - Throws: ``CommandError`` with the status `usage` if there is none.
  func catalogues(
    _ given: [String], config: String?, example: String
  ) throws(CommandError) -> [String] {
    let given = givenCatalogues(given)
    guard !given.isEmpty else {
      let file = try settingsFile(named: config)?.path ?? "config.toml"
      throw CommandError(
        .usage,
        """
        no catalogue is named; name one, as in \(example), or write \
        catalogues = ["/path/to/books.xml"] into \(file.visible)
        """)
    }
    try checkWorkingDirectory(for: given)
    if given.count == 1 { return given }
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

import ArgumentParser
import LoanCatalogue
import LoanRules
import Loans
import ReminderService
import System

/// A moment as the command line gives it.
struct Moment: ExpressibleByArgument, Equatable {
  let value: CivilDateTime

  init?(argument: String) {
    guard let value = CivilDateTime(iso: argument) else { return nil }
    self.value = value
  }
}

/// A time of day as the command line gives it.
struct TimeOfDay: ExpressibleByArgument, Equatable {
  let value: CivilTime

  init?(argument: String) {
    guard argument.utf8.count == 5, let value = CivilTime(iso: argument.utf8) else { return nil }
    self.value = value
  }
}

/// A number of days before the expiration.
struct LeadDays: ExpressibleByArgument, Equatable {
  let value: Int

  init?(argument: String) {
    guard let value = Int(argument), ReminderPolicy.leads.contains(value) else { return nil }
    self.value = value
  }
}

/// After how many days a loan that has expired is told again.
struct RepetitionDays: ExpressibleByArgument, Equatable {
  let value: Int

  init?(argument: String) {
    guard let value = Int(argument), (1...3_650).contains(value) else { return nil }
    self.value = value
  }
}

/// A way to tell someone.
enum ChannelName: Hashable, Sendable, ExpressibleByArgument {
  case stdout
  case notifySend
  /// A program, by its absolute path or by a name to be looked for in PATH.
  case exec(String)

  init?(argument: String) {
    switch argument {
    case "stdout": self = .stdout
    case "notify-send": self = .notifySend
    case _ where argument.hasPrefix("exec:"):
      let program = String(argument.dropFirst("exec:".count))
      if program.isEmpty || program.hasSuffix("/") { return nil }
      self = .exec(program)
    default: return nil
    }
  }

  /// What the channel is called, in the ledger too.
  var name: String {
    switch self {
    case .stdout: "stdout"
    case .notifySend: "notify-send"
    case .exec(let program): "exec:\(program)"
    }
  }

  // A path is bytes: names that Unicode takes for equal are different programs.
  static func == (left: ChannelName, right: ChannelName) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine(byte) }
  }
}

/// A channel as the command line names it, or that there is to be none.
enum ChannelChoice: Hashable, Sendable, ExpressibleByArgument {
  case none
  case channel(ChannelName)

  init?(argument: String) {
    if argument == "none" {
      self = .none
    } else if let channel = ChannelName(argument: argument) {
      self = .channel(channel)
    } else {
      return nil
    }
  }

  static let allValueStrings = ["stdout", "notify-send", "exec:PROGRAM", "none"]

  /// As it is given on the command line.
  var name: String {
    switch self {
    case .none: "none"
    case .channel(let channel): channel.name
    }
  }
}

/// The form of the results.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
}

/// When to colour the report.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
  case auto
  case always
  case never
}

/// What makes `check` end with status 1.
enum FailureCondition: String, CaseIterable, ExpressibleByArgument {
  case expired
}

/// Where the library is.
struct ZoneOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The library's time zone, for example Europe/Budapest. (default: TZ, then the system's)",
      valueName: "zone"))
  var timeZone: String?

  /// The time zone as it was given, unchecked; `nil` for the system's.
  ///
  /// - Parameter inherited: the variable TZ.
  func text(_ environment: Environment, inherited: String?) throws(CommandError) -> String? {
    try environment.value(timeZone, "TIME_ZONE") ?? inherited
  }
}

/// What the time is, and where.
struct ClockOptions: ParsableArguments {
  @OptionGroup var zone: ZoneOptions

  @Option(
    help: ArgumentHelp(
      "Take this for the time now: YYYY-MM-DD[THH:MM[:SS]].", valueName: "time"))
  var now: Moment?

  /// Reads the clock, once for the whole run.
  func read(
    _ environment: Environment
  ) throws(CommandError) -> (now: CivilDateTime, clock: LocalClock) {
    try Self.read(now: now, timeZone: zone.timeZone, environment)
  }

  /// Reads the clock, with these for the options.
  static func read(
    now: Moment?, timeZone: String?, _ environment: Environment
  ) throws(CommandError) -> (now: CivilDateTime, clock: LocalClock) {
    let text = try environment.value(timeZone, "TIME_ZONE") ?? environment["TZ"]
    let clock = try LocalClock(text, environment)
    if let now = try environment.value(now, "NOW") { return (now.value, clock) }
    guard let now = clock.read()?.now else {
      throw CommandError(
        .badSetting, "the system's clock is outside the years 1 to 9999; set it, or use --now")
    }
    return (now, clock)
  }
}

/// Where the settings and the schedule are kept.
struct StateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Take settings from this file; /dev/null is none. \
      (default: $XDG_CONFIG_HOME/check-loans/config.toml)
      """, valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      """
      Keep the schedule in this file. \
      (default: $XDG_STATE_HOME/check-loans/schedule.sqlite)
      """, valueName: "file"))
  var state: String?

  /// Where the schedule is kept.
  ///
  /// The directory of a file that somebody has named must be there: one that is misspelt must not
  /// be made. The standard place is made, also where it is named.
  ///
  /// - Throws: ``CommandError`` with the status `cannotCreate` if the directory is not there.
  func path(_ environment: Environment) throws(CommandError) -> String {
    try environment.stateFile(state)
  }
}

extension Environment {
  /// Where the schedule is kept; see ``StateOptions/path(_:)``.
  ///
  /// - Parameter given: the file of the command line.
  func stateFile(_ given: String?) throws(CommandError) -> String {
    guard let path = try value(given, "STATE") else { return try standardStateFile() }
    if let directory = path.directory, !path.hasSuffix("/\(Environment.stateFile)"),
      !FileSystem.exists(directory)
    {
      throw CommandError(
        .cannotCreate,
        """
        the directory \(directory.quoted(limit: 200)) does not exist; create it, or name another \
        file for the schedule
        """)
    }
    return path
  }
}

extension String {
  /// The directory of a path with a slash in it.
  fileprivate var directory: String? {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}

/// How much is said.
struct LoudnessOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Leave out the summary.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Say on standard error what is done, and show all warnings.")
  var verbose = false
}

/// Through which channels notices go, and how often.
struct ChannelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Deliver what is due through stdout, notify-send or a program that reads JSON; none is for \
      a run without what the settings name. Can be given several times.
      """,
      valueName: "channel"))
  var notify: [ChannelChoice] = []

  @OptionGroup var repetition: RepeatOptions

  func validate() throws {
    if notify.isContradiction { throw ValidationError("\([ChannelChoice].contradiction).") }
  }

  /// The channels, each once, in the order given.
  ///
  /// - Parameter standard: the channels if nothing says which, not even that there be none.
  func channels(
    _ environment: Environment, otherwise standard: [ChannelName] = []
  ) throws(CommandError) -> [ChannelName] {
    try environment.channels(notify, otherwise: standard)
  }
}

extension Environment {
  /// The channels, each once, in the order given.
  ///
  /// - Parameters:
  ///   - given: those of the command line.
  ///   - standard: the channels if nothing says which, not even that there be none.
  func channels(
    _ given: [ChannelChoice], otherwise standard: [ChannelName] = []
  ) throws(CommandError) -> [ChannelName] {
    if source(of: "NOTIFY", isGiven: !given.isEmpty) == .standard { return standard }
    let choices = try values(given, "NOTIFY")
    if choices.isContradiction {
      throw CommandError(.badSetting, "CHECK_LOANS_NOTIFY: \([ChannelChoice].contradiction)")
    }
    var channels: [ChannelName] = []
    for choice in choices {
      guard case .channel(let given) = choice else { continue }
      let channel = resolved(given)
      if !channels.contains(channel) { channels.append(channel) }
    }
    return channels
  }

  /// The channel by the one name that it has in the ledger, however it was given: that of a program
  /// is its absolute path, so that a PATH or a directory of another run makes no other channel of it.
  ///
  /// One that is not found keeps its name, and fails.
  func resolved(_ channel: ChannelName) -> ChannelName {
    guard case .exec(let program) = channel else { return channel }
    return .exec(programPath(program, in: workingDirectory))
  }
}

extension [ChannelChoice] {
  fileprivate static let contradiction =
    "none means that there is no channel, and cannot be given together with one"

  fileprivate var isContradiction: Bool { contains(.none) && contains { $0 != .none } }
}

/// When loans are reminded of, and what of a catalogue is taken for an error.
struct PolicyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Remind so many days before the expiration, 0 to 3650. (default: 1)", valueName: "days"))
  var remind: LeadDays?

  @Option(
    help: ArgumentHelp("Remind at this time of day. (default: 00:00)", valueName: "HH:MM"))
  var at: TimeOfDay?

  @Flag(help: "A book without <expiration> is an error.")
  var requireExpiration = false

  @Flag(help: "Let a catalogue without any record replace one that had loans.")
  var allowEmpty = false

  /// How catalogues are read into the schedule.
  func settings(
    _ environment: Environment, profile: CatalogueProfile?, loanDays: Int?
  ) throws(CommandError) -> ReloadSettings {
    var request = CheckRequest()
    add(to: &request)
    return try request.reloadSettings(environment, profile: profile, loanDays: loanDays)
  }

  func add(to request: inout CheckRequest) {
    request.remind = remind
    request.at = at
    request.requiresExpiration = requireExpiration
    request.allowsEmpty = allowEmpty
  }
}

extension Environment {
  /// When loans are reminded of, with these for the options.
  func policy(remind: LeadDays?, at time: TimeOfDay?) throws(CommandError) -> ReminderPolicy {
    let lead = try value(remind, "REMIND")?.value ?? ReminderPolicy.standard.lead
    let time = try value(time, "AT")?.value ?? ReminderPolicy.standard.time
    return ReminderPolicy(lead: lead, time: time) ?? .standard
  }
}

/// For how many days books are lent.
struct LoanDays: ExpressibleByArgument, Equatable, Sendable {
  let value: Int

  init?(argument: String) {
    guard let value = Int(argument), (1...3_650).contains(value) else { return nil }
    self.value = value
  }
}

/// How catalogues are written.
struct ProfileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Read catalogues by this profile: a name that check-loans profiles lists, or the file of one; \
      auto is to find it out from each catalogue. (default: auto)
      """, valueName: "name|file"), completion: .list(["auto"] + BuiltInProfiles.names))
  var profile: String?

  @Option(
    help: ArgumentHelp(
      "Loans are for so many days, 1 to 3650, where a catalogue only tells when they began.",
      valueName: "days"))
  var loanDays: LoanDays?

  /// The file that the command line names, if it does.
  var profileFile: String? { profile.flatMap { NamedProfile.isPath($0) ? $0 : nil } }

  /// The profile to read by; `nil` to find it out.
  func profile(_ environment: Environment) throws(CommandError) -> NamedProfile? {
    try NamedProfile(given: profile, environment)
  }

  /// For how many days books are lent; `nil` if that is not known.
  func days(_ environment: Environment) throws(CommandError) -> Int? {
    try environment.value(loanDays, "LOAN_DAYS")?.value
  }
}

/// How often notices are delivered.
struct RepeatOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Tell again of a loan that has expired, every 1 to 3650 days. (default: once)",
      valueName: "days"))
  var repeatExpired: RepetitionDays?

  /// After how many days an expired loan is told again; `nil` for once.
  func days(_ environment: Environment) throws(CommandError) -> Int? {
    try environment.value(repeatExpired, "REPEAT_EXPIRED")?.value
  }
}

/// How many threads read.
struct JobCount: ExpressibleByArgument, Hashable, Sendable {
  let value: Int

  init?(argument: String) {
    guard let value = Int(argument), (1...256).contains(value) else { return nil }
    self.value = value
  }
}

extension Environment {
  /// How many threads read: as many as were asked for, else as the processor has cores.
  func jobs(_ given: JobCount?) throws(CommandError) -> Int {
    try value(given, "JOBS")?.value ?? SystemLimits.processors
  }
}

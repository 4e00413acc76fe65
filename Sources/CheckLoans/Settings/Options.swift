import ArgumentParser
import LoanCatalogue
import LoanRules
import Loans
import ReminderService
import System
import SystemPackage

/// The option for the library's time zone.
struct ZoneOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [OptionFact("time-zone", .text, .table)]

  @Option(
    help: ArgumentHelp(
      "The library's time zone, as in Europe/Budapest. (default: TZ, then the system's)",
      valueName: "zone"),
    completion: .custom { _, _, _ in TimeZoneNames.all })
  var timeZone: String?

  /// A clock in the zone.
  ///
  /// - Parameter own: what a catalogue has of its own.
  /// - Throws: ``CommandError`` with the status `badSetting`, for a zone that is unknown after the
  ///   place where it is set.
  func clock(
    _ environment: Environment, own: [Setting] = []
  ) throws(CommandError) -> LocalClock {
    do throws(CommandError) {
      return try LocalClock(timeZone ?? environment["TZ"], environment)
    } catch {
      throw error.located(at: "time-zone", own, environment.given)
    }
  }
}

extension LocalClock {
  /// The time in the zone, or the one to take for it.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting` if the system's clock makes no sense.
  func now(_ given: CivilDateTime?) throws(CommandError) -> CivilDateTime {
    if let now = given ?? read()?.now { return now }
    throw CommandError(
      .badSetting, "the system's clock is outside the years 1 to 9999; set it, or use --now")
  }

  /// The time at which a run began, with the zone.
  func words(for now: CivilDateTime) -> String {
    "now is \(now) in the time zone \(name.visible)"
  }
}

/// A time to use instead of the system's.
struct NowOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [OptionFact("now", .text, .run)]

  @Option(
    help: ArgumentHelp(
      "Use this as the current time: YYYY-MM-DD[THH:MM[:SS]].", valueName: "time",
      visibility: .hidden),
    transform: CivilDateTime.parse)
  var now: CivilDateTime?
}

/// The options for the time and the time zone.
struct ClockOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = ZoneOptions.facts + NowOptions.facts

  @OptionGroup var zone: ZoneOptions
  @OptionGroup var now: NowOptions

  /// Reads the clock, once for the whole run.
  func read(
    _ environment: Environment
  ) throws(CommandError) -> (now: CivilDateTime, clock: LocalClock) {
    let clock = try zone.clock(environment)
    return (try clock.now(now.now), clock)
  }
}

/// The option that names the settings file.
struct ConfigOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [OptionFact("config", .text, .run, path: .fileOrNone)]

  @Option(
    help: ArgumentHelp(
      """
      Take settings from this file; none takes none. \
      (default: $XDG_CONFIG_HOME/check-loans/config.toml)
      """, valueName: "file"), completion: .file())
  var config: String?
}

/// The options that name the settings file and the schedule.
struct StateOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] =
    ConfigOptions.facts + [OptionFact("state", .text, .file, path: .fileOrNone)]

  @OptionGroup var settings: ConfigOptions

  @Option(
    help: ArgumentHelp(
      """
      Keep the schedule in this file; none keeps none. \
      (default: $XDG_STATE_HOME/check-loans/schedule.sqlite)
      """, valueName: "file"), completion: .file())
  var state: String?

  /// The path of the schedule; `nil` for none.
  ///
  /// - Throws: as ``path(_:)``.
  func optionalPath(_ environment: Environment) throws(CommandError) -> String? {
    state == "none" ? nil : try path(environment)
  }

  /// The path of the schedule.
  ///
  /// The directory of a file that somebody has named must exist: one that is misspelt must not be
  /// made. The standard place is made, also where it is named.
  ///
  /// - Throws: ``CommandError`` with the status `cannotCreate` if the directory does not exist.
  func path(_ environment: Environment) throws(CommandError) -> String {
    guard let state else { return try environment.standardStateFile() }
    if state == "none" {
      throw CommandError(.usage, "this needs a schedule, and --state none keeps none; leave it out")
        .located(at: "state", [], environment.given)
    }
    let directory = FilePath(state).removingLastComponent().string
    if !directory.isEmpty, !state.hasSuffix("/\(Environment.stateFile)"),
      !FileSystem.exists(directory)
    {
      throw CommandError(
        .cannotCreate,
        """
        the directory \(directory.quoted(limit: 200)) does not exist; create it, or \
        name another file for the schedule
        """)
    }
    return state
  }
}

/// Whether the last line is left out.
struct QuietOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [OptionFact("quiet", .flag, .file, short: "q")]

  @Flag(name: .shortAndLong, help: "Leave out the summary.")
  var quiet = false
}

/// The options of what is changed in the schedule at some time.
struct ChangeOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = ClockOptions.facts + StateOptions.facts + QuietOptions.facts

  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions
  @OptionGroup var quiet: QuietOptions
}

/// Whether more is printed.
struct VerboseOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [OptionFact("verbose", .flag, .file, short: "v")]

  @Flag(name: .shortAndLong, help: "Print progress and all warnings.")
  var verbose = false
}

/// Whether nothing is changed.
struct DryRunOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [OptionFact("dry-run", .flag, .run)]

  @Flag(help: "Write and deliver nothing; say what would be done.")
  var dryRun = false
}

/// Whether results are coloured.
struct ColorOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [OptionFact("color", .text, .file)]

  @Option(help: ArgumentHelp("When to colour the results.", valueName: "when"))
  var color = ColorChoice.auto

  /// Whether to colour: what is asked for, else if standard output is a terminal that can and
  /// `NO_COLOR` is not set.
  func isColored(_ environment: Environment) -> Bool {
    switch color {
    case .always: true
    case .never: false
    case .auto:
      (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        && environment["TERM"] != nil && ProcessSetup.isOutputATerminal
    }
  }
}

/// The options for what is printed.
struct PrintOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = QuietOptions.facts + VerboseOptions.facts + ColorOptions.facts

  @OptionGroup var quiet: QuietOptions
  @OptionGroup var verbose: VerboseOptions
  @OptionGroup var color: ColorOptions
}

/// The switches that decide what is an error in a catalogue.
struct RecordOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [
    OptionFact("require-expiration", .flag, .table), OptionFact("allow-empty", .flag, .table),
  ]

  @Flag(help: "A book without <expiration> is an error.")
  var requireExpiration = false

  @Flag(help: "Accept a catalogue without any loan.")
  var allowEmpty = false
}

/// The options for the times at which notices are sent.
struct DeliveryTimeOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [
    OptionFact("deliver-between", .text, .file), OptionFact("hold-when-closed", .flag, .file),
  ]

  @Option(
    help: ArgumentHelp(
      """
      Deliver only between these times of day, as in 08:00-20:00; what is due at another time is held. \
      (default: all day)
      """, valueName: "HH:MM-HH:MM"), transform: DailyHours.parse)
  var deliverBetween: DailyHours?

  @Flag(help: "Hold what is due on days on which the library is closed.")
  var holdWhenClosed = false
}

/// The options for the channels of notices.
struct ChannelOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] =
    [
      OptionFact("notify", .list, .file, path: .channel), OptionFact("backlog", .text, .run),
      OptionFact("exec-timeout", .number, .file), OptionFact("titles", .list, .file),
    ] + MailOptions.facts + DeliveryTimeOptions.facts

  @Option(
    help: ArgumentHelp(
      "Deliver what is due through this channel. Can be given several times.", valueName: "channel")
  )
  var notify: [ChannelChoice] = []

  @Option(
    help: ArgumentHelp(
      "Send notices that are old, or mark them as sent. (default: ask about many)",
      valueName: "send|mark"))
  var backlog: BacklogChoice?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Seconds until the program of exec: is stopped, 1 to 3600. (default: 10)",
      valueName: "seconds", visibility: .hidden),
    transform: number(1...3_600))
  var execTimeout = 10

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      How much notices give away of titles and authors: full, initials or none; after CHANNEL= for one \
      channel. Can be given several times. (default: full)
      """, valueName: "[channel=]detail", visibility: .hidden))
  var titles: [TitleChoice] = []

  @OptionGroup(visibility: .hidden) var mail: MailOptions

  @OptionGroup(visibility: .hidden) var times: DeliveryTimeOptions

  func validate() throws {
    if notify.contains(.none) && notify.contains(where: { $0 != .none }) {
      throw ValidationError("none means no channel, and cannot be given together with one")
    }
  }

  /// The channels, each once, in the order given.
  ///
  /// - Parameter standard: the channels if none is given, not even that there be none.
  /// - Throws: ``CommandError`` with the status `badSetting` for a name that is none's.
  func channels(
    _ environment: Environment, otherwise standard: [ChannelName] = []
  ) throws(CommandError) -> [ChannelName] {
    try checkTitles(environment)
    if notify.isEmpty { return standard }
    var channels: [ChannelName] = []
    for case .channel(let given) in notify {
      var channel = environment.resolved(given)
      try environment.checkKnown(channel, at: "notify")
      if mail.mailRedirect != nil, channel == .mail { channel = .mailRedirect }
      if !channels.contains(channel) { channels.append(channel) }
    }
    return channels
  }

  /// A choice for a channel that there is not would leave another without one.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting`.
  func checkTitles(_ environment: Environment) throws(CommandError) {
    for case let channel? in titles.map(\.channel) {
      try environment.checkKnown(channel, at: "titles")
    }
  }
}

extension Environment {
  /// The channel by the one name that it has in the ledger, however it was given: that of a program
  /// is its absolute path, so that a PATH or a directory of another run makes no other channel of it.
  ///
  /// One that is not found keeps its name, and fails.
  func resolved(_ channel: ChannelName) -> ChannelName { resolved(channel, in: workingDirectory) }

  /// The same for a channel in a file of the directory.
  func resolved(_ channel: ChannelName, in directory: String) -> ChannelName {
    switch channel {
    case .exec(let program): .exec(programPath(program, in: directory))
    case .maildir(let path): .maildir(absolutePath(absolute(path, in: directory)))
    default: channel
    }
  }
}

/// Days of a ladder as they are given: some numbers with commas between them, or `none`.
struct RungDays: Hashable, Sendable {
  let days: [Int]

  /// Reads days in a range; `2w` are 14.
  static func parse(_ range: ClosedRange<Int>) -> @Sendable (String) throws -> RungDays {
    { text in
      if text == "none" { return RungDays(days: []) }
      let words = text.split(separator: ",", omittingEmptySubsequences: false)
      let days = words.compactMap { word in
        Int(word) ?? TimeSpan(String(word), "dw").map { $0.seconds / 86_400 }
      }
      guard days.count == words.count, days.allSatisfy(range.contains) else {
        throw ValidationError(
          "give numbers from \(range.lowerBound) to \(range.upperBound), as in 7,3,1, or none")
      }
      return RungDays(days: days)
    }
  }

  /// Checks days that make one ladder.
  static func list(_ lists: [RungDays], _ name: String) throws -> [RungDays] {
    if lists.count > 1, lists.contains(where: \.days.isEmpty) {
      throw ValidationError("\(name) none means no such notice, and cannot go with a number")
    }
    if Set(lists.flatMap(\.days)).count > Ladder.mostRungs {
      throw ValidationError("\(name) has more than \(Ladder.mostRungs) days")
    }
    return lists
  }

  /// The days as they are given one by one.
  var texts: [String] { days.isEmpty ? ["none"] : days.map(String.init) }
}

/// The options for the days on which notices about a loan are sent.
struct LadderOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [
    OptionFact("remind", .numbers, .rule), OptionFact("at", .text, .rule),
    OptionFact("expired", .numbers, .rule), OptionFact("repeat-expired", .number, .rule),
    OptionFact("expired-until", .number, .rule),
  ]

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Days before the expiration to send reminders, as in 7,3,1, or none. (default: 1)",
      valueName: "days"), transform: leads)
  var remind = [RungDays(days: [1])]

  @Option(
    help: ArgumentHelp(
      "Time of day to send reminders. (default: 00:00)", valueName: "HH:MM"),
    transform: CivilTime.parse)
  var at = Ladder.standard.time

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Days after it to send notices that it has expired, as in 1,7,14, or none. (default: 1)",
      valueName: "days"), transform: delays)
  var expired = [RungDays(days: [1])]

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Repeat the last of these notices every N days, 1 to 3650. (default: send it once)
      """, valueName: "days", visibility: .hidden), transform: period)
  var repeatExpired: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Send nothing more once a loan has been expired for more than N days, 1 to 36500. (default: no \
      limit)
      """, valueName: "days", visibility: .hidden), transform: limit)
  var expiredUntil: Int?

  static let leads = RungDays.parse(0...Ladder.longest)
  static let delays = RungDays.parse(1...Ladder.longest)
  static let period = number(1...3_650)
  static let limit = number(1...36_500)

  /// The ladder that the options make.
  var ladder: Ladder {
    let delays = expired.flatMap(\.days)
    return Ladder(
      leads: remind.flatMap(\.days), delays: delays, period: delays.isEmpty ? nil : repeatExpired,
      limit: expiredUntil, time: at)
  }

  func validate() throws {
    _ = try RungDays.list(remind, "--remind")
    _ = try RungDays.list(expired, "--expired")
  }
}

/// The options for how catalogues are read, and when their loans are reminded of.
struct CatalogueOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] =
    LadderOptions.facts + ClosedDayOptions.facts + RecordOptions.facts + ProfileOptions.facts
    + ZoneOptions.facts

  @OptionGroup var ladder: LadderOptions

  @OptionGroup(visibility: .hidden) var closed: ClosedDayOptions

  @OptionGroup var records: RecordOptions

  @OptionGroup var form: ProfileOptions

  @OptionGroup var zone: ZoneOptions

  /// How the catalogue is read into the schedule.
  func reloadSettings(_ profile: CatalogueProfile?, jobs: Int) -> ReloadSettings {
    var settings = ReloadSettings(policy: ReminderPolicy(ladder.ladder))
    settings.requiresExpiration = records.requireExpiration
    settings.allowsEmpty = records.allowEmpty
    settings.profile = profile
    settings.loanDays = form.loanDays
    settings.jobs = jobs
    return settings
  }
}

/// The options for the form of catalogues.
struct ProfileOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [
    OptionFact("profile", .text, .table, path: .profile), OptionFact("loan-days", .number, .table),
  ]

  @Option(
    help: ArgumentHelp(
      "Read catalogues by this profile, see check-loans profiles. (default: auto)",
      valueName: "name|file"),
    completion: .custom { _, _, word in NamedProfile.completions(of: word) },
    transform: NamedProfile.checkedName)
  var profile = NamedProfile.automatic

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Loan period in days, 1 to 3650, for catalogues that record only the start.",
      valueName: "days", visibility: .hidden),
    transform: period)
  var loanDays: Int?

  static let period = number(1...3_650)

  /// The profile to read by; `nil` to detect it.
  ///
  /// - Parameter own: what a catalogue has of its own.
  /// - Throws: ``CommandError`` for one that cannot be read, after the place where it is set.
  func profile(
    _ environment: Environment, own: [Setting] = []
  ) throws(CommandError) -> NamedProfile? {
    if profile == NamedProfile.automatic { return nil }
    do throws(CommandError) { return try NamedProfile(profile, environment) } catch {
      throw error.located(at: "profile", own, environment.given)
    }
  }
}

/// The option for the number of threads.
struct JobOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [OptionFact("jobs", .number, .file)]

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Number of threads for large catalogues, and for several, 1 to 256. (default: the processor's \
      cores)
      """, valueName: "number", visibility: .hidden), transform: number(1...256))
  var jobs: Int?

  /// The most threads that read.
  var count: Int { jobs ?? SystemLimits.processors }
}

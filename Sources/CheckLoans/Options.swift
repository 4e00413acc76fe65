import ArgumentParser
import LoanRules
import Loans

/// A moment as the command line gives it.
struct Moment: ExpressibleByArgument {
  let value: CivilDateTime

  init?(argument: String) {
    guard let value = CivilDateTime(iso: argument) else { return nil }
    self.value = value
  }
}

/// A time of day as the command line gives it.
struct TimeOfDay: ExpressibleByArgument {
  let value: CivilTime

  init?(argument: String) {
    guard argument.utf8.count == 5, let value = CivilTime(iso: argument.utf8) else { return nil }
    self.value = value
  }
}

/// A number of days before the expiration.
struct LeadDays: ExpressibleByArgument {
  let value: Int

  init?(argument: String) {
    guard let value = Int(argument), ReminderPolicy.leads.contains(value) else { return nil }
    self.value = value
  }
}

/// A way to tell someone.
enum ChannelName: String, CaseIterable, ExpressibleByArgument {
  case stdout
  case notifySend = "notify-send"
  var name: String { rawValue }
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

/// What the time is, and where.
struct ClockOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The library's time zone, for example Europe/Budapest. (default: TZ, then the system's)",
      valueName: "zone"))
  var timeZone: String?

  @Option(
    help: ArgumentHelp(
      "Take this for the time now: YYYY-MM-DD[THH:MM[:SS]].", valueName: "time"))
  var now: Moment?

  /// Reads the clock, once for the whole run.
  func read(_ environment: Environment) throws(CommandError) -> (now: CivilDateTime, zone: String) {
    let text = try environment.value(timeZone, "TIME_ZONE") ?? environment["TZ"]
    let zone = try TimeZoneSetting(text, environment: environment)
    if let now = try environment.value(now, "NOW") { return (now.value, zone.name) }
    guard let now = SystemClock.now(in: zone.variable) else {
      throw CommandError(
        .badSetting, "the system's clock is outside the years 1 to 9999; set it, or use --now")
    }
    return (now, zone.name)
  }
}

/// Where the schedule is kept.
struct StateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Keep the schedule in this file. \
      (default: $XDG_STATE_HOME/check-loans/schedule.sqlite)
      """, valueName: "file"))
  var state: String?

  func path(_ environment: Environment) throws(CommandError) -> String {
    if let path = try environment.value(state, "STATE") { return path }
    return try environment.standardStateFile()
  }
}

/// How much is said.
struct LoudnessOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Leave out the summary.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Say on standard error what is done, and show all warnings.")
  var verbose = false
}

/// Through which channels notices go.
struct ChannelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Deliver what is due through stdout or notify-send. Can be given several times.",
      valueName: "channel"))
  var notify: [ChannelName] = []

  /// The channels, each once, in the order given.
  func channels(_ environment: Environment) throws(CommandError) -> [ChannelName] {
    var channels: [ChannelName] = []
    for channel in try environment.values(notify, "NOTIFY") where !channels.contains(channel) {
      channels.append(channel)
    }
    return channels
  }
}

/// STUB
struct RepeatOptions: ParsableArguments {
  func days(_ environment: Environment) throws(CommandError) -> Int? { nil }
}

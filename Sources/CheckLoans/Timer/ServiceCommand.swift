import CommandOutput
import Loans
import Notifiers
import Runs
import Settings
import SystemPackage
import Validation

/// The run of `check`, or of `watch`, that systemd starts.
struct ServiceCommand {
  let kind: ServiceKind
  /// The program's absolute path, then its arguments.
  let line: [String]
  /// The library's time zone as systemd knows it; `nil` for the system's.
  let calendarZone: String?
  /// Whether systemd does not know the library's time zone, so that a timer goes by the system's.
  let isOfOtherZone: Bool
  let channels: [ChannelName]
  let catalogues: [CatalogueToRead]
  /// The settings of the run.
  let environment: Environment
  /// The hours in which it may send.
  let times: DeliveryTimeOptions
  private let mailProgram: String
  /// The directories that it writes to, besides its own.
  let writable: [String]
  /// What is odd about the settings.
  let warnings: [String]
  /// Whether a notification has a button that starts a program, which may be anything.
  private let hasAction: Bool

  /// - Parameters:
  ///   - words: `check` or `watch`, which nobody has to write for `check`, then its arguments.
  ///   - isSystem: whether the machine runs it, by an account of its own.
  ///   - environment: that of whoever runs it.
  /// - Throws: ``CommandError`` for what would keep each run from its work, or cannot be in a service.
  init(_ words: [String], isSystem: Bool, _ environment: Environment) throws(CommandError) {
    let isWatch = words.first == WatchCommand.name
    let rest = Array(words.dropFirst(isWatch || words.first == CheckCommand.name ? 1 : 0))
    if isWatch && isSystem {
      throw CommandError(.usage, "watch belongs to a user's session; leave out --system")
    }
    kind = isSystem ? .system : isWatch ? .watch : .daily
    let options: any RunOptions
    var output: String?
    if isWatch {
      let (command, known) = try WatchCommand.completed(rest, environment)
      // What would end each start of the service.
      _ = try command.options.state.path(known)
      (options, self.environment) = (command.options, known)
      (hasAction, warnings) = (command.options.action.action != nil, command.warnings(known))
    } else {
      let (command, known) = try CheckCommand.completed(rest, environment)
      for name in ["now", "dry-run"] where known.given[name]?.isFromCommandLine == true {
        throw CommandError(.usage, "--\(name) would be the same every day; leave it out")
      }
      _ = try command.options.format(known)
      (options, self.environment) = (command.options, known)
      (hasAction, warnings) = (false, command.warnings(known))
      output = command.options.report.output
    }
    let run = try RunSettings(
      options, self.environment, otherwise: isWatch ? [.stdout] : [], makesSecrets: false,
      example: "check-loans timer books.xml")
    try run.checkRepeatable()
    if options.channels.backlog != nil {
      throw CommandError(.usage, "--backlog is for one run; leave it out")
    }
    (channels, catalogues) = (run.channels, run.catalogues)
    output = try self.environment.output(
      output, sparing: catalogues.map(\.file), state: run.state)
    let channelOptions = options.channels
    times = channelOptions.times
    let program = channelOptions.mail.program(environment)?.first ?? MailNotifier.standardProgram
    mailProgram = environment.program(named: program) ?? program
    let maildirs = channels.compactMap { channel -> String? in
      if case .maildir(let directory) = channel { directory } else { nil }
    }
    let folder = output.map {
      FilePath(environment.absolutePath($0)).removingLastComponent().string
    }
    writable = maildirs + [folder].compactMap(\.self)
    let given = self.environment.given
    let timeZone = options.catalogue.zone.timeZone ?? environment["TZ"]
    calendarZone = timeZone.flatMap(Self.nameInDatabase)
    isOfOtherZone =
      calendarZone == nil && timeZone.map { $0.trimmingPrefix(":") != "/etc/localtime" } ?? false
    guard let program = ProcessSetup.ownPath else {
      throw CommandError(.inputOutput, "/proc/self/exe cannot be read, and so the program's path")
    }
    line =
      [program, isWatch ? WatchCommand.name : CheckCommand.name]
      + (try Self.additions(options.state, timeZone, given, isSystem: isSystem, environment))
      + Self.absolute(rest, isWatch ? WatchCommand.facts : CheckCommand.facts, self.environment)
  }

  /// What the run could not know: other directories than the standard ones, and the time zone.
  private static func additions(
    _ state: StateOptions, _ zone: String?, _ given: GivenSettings, isSystem: Bool,
    _ environment: Environment
  ) throws(CommandError) -> [String] {
    var additions: [String] = []
    let variable = environment[Environment.variable(of: "config")]
    if isSystem || variable != nil || environment["XDG_CONFIG_HOME"] != nil,
      given["config"]?.isFromCommandLine != true, let file = given.file
    {
      additions += ["--config", file.path]
    }
    if let zone, given["time-zone"] == nil {
      if let own = given.tables.lazy.compactMap({ $0.own["time-zone"] }).first {
        throw CommandError(
          .badSetting,
          """
          the service does not have the variable TZ, and --time-zone would win over \
          \(own.place.visible); write time-zone = "\(zone.visible)" before the first [[catalogue]]
          """)
      }
      additions += ["--time-zone", zone]
    }
    if isSystem {
      if let state = given["state"], state.texts != ["none"] {
        throw CommandError(
          state.isFromCommandLine ? .usage : .badSetting,
          "\(state.place.visible): the system's schedule is \(SystemAccount.schedule); leave this out"
        )
      }
      if state.state == nil { additions += ["--state", SystemAccount.schedule] }
    } else if environment["XDG_STATE_HOME"]?.hasPrefix("/") == true, given["state"] == nil {
      additions += ["--state", try environment.standardStateFile()]
    }
    return additions
  }

  /// The words of a line with whole paths.
  private static func absolute(
    _ line: [String], _ facts: [OptionFact], _ environment: Environment
  ) -> [String] {
    var given: Set<String> = []
    return LinePart.all(of: line, facts).flatMap { part -> [String] in
      switch part {
      case .other(let word): return [word]
      case .argument(let path):
        return [environment.isFetched(path) ? path : environment.absolutePath(path)]
      case .option(let fact, let text, let words):
        if fact.kind == .flag { return words }
        // The words after a program are its arguments.
        let isFirst = given.insert(fact.name).inserted
        let path = fact.path == .program && !isFirst ? .words : fact.path
        let directory = environment.workingDirectory
        return ["--\(fact.name)"] + environment.resolved([text], path, in: directory)
      }
    }
  }

  /// The name by which systemd knows a time zone, see systemd.time(7); `nil` if it does not.
  private static func nameInDatabase(_ zone: String) -> String? {
    // So it is for localtime(3).
    if zone.isEmpty { return "UTC" }
    let database = "/usr/share/zoneinfo/"
    let path = zone.trimmingPrefix(":")
    let name = String(path.trimmingPrefix(database))
    let isPlain = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_+/".utf8.contains($0) }
    return isPlain && !name.isEmpty && !name.hasPrefix("/")
      && LocalClock.isZoneFile(database + name) ? name : nil
  }

  /// How far systemd confines it.
  var confinement: Confinement {
    hasAction
      ? .none
      : Confinement(
        kind, channels, fetched: catalogues.compactMap(\.fetch?.name), mailProgram: mailProgram)
  }
}

/// What systemd is to run.
enum ServiceKind {
  /// `check` every day, for a user.
  case daily
  /// `check` every day, for the machine, by an account of its own.
  case system
  /// `watch`, from the beginning of its user's session.
  case watch

  /// The units' name if no other is given.
  var standardName: String { self == .watch ? "check-loans-watch" : "check-loans" }
}

import ArgumentParser
import CommandOutput
import LoanRules
import Loans
import ReminderService
import Runs
import Settings
import System

/// `check-loans timer`.
struct TimerCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "timer",
    abstract: "Print or install a daily systemd timer.",
    discussion: """
      Prints, installs or removes the units. The timer runs check-loans check once a day with the \
      other arguments, and makes up for a missed run. A user's timer runs while the user is logged \
      in, or always after loginctl enable-linger. With watch before the arguments, there is no \
      timer, but a service that keeps check-loans watch running during the session.

      With --system, the service runs as the user \(SystemAccount.name), with the settings in \
      \(SystemAccount.settingsFile) and the schedule in \(SystemAccount.home). It is confined as \
      far as its channels allow.

      Examples:
        check-loans timer --notify notify-send books.xml
        check-loans timer install --daily-at 08:00
        sudo check-loans timer install --system
        check-loans timer install watch --notify notify-send books.xml
        check-loans timer uninstall
      """)

  static let facts: [OptionFact] = [
    OptionFact("daily-at", .text, .line), OptionFact("system", .flag, .line),
    OptionFact("name", .text, .line),
  ]

  static var scheme: SettingsScheme? { nil }

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      """
      show (the default), install or uninstall, then the arguments of check, or watch and its \
      arguments.
      """,
      valueName: "action"),
    completion: .list(Action.allCases.map(\.rawValue) + ["watch"]))
  var words: [String] = []

  @Option(
    help: ArgumentHelp("Start at this time of day. (default: 07:30)", valueName: "HH:MM"),
    transform: CivilTime.parse)
  var dailyAt: CivilTime?

  @Flag(help: "Make a system service, not a user's.")
  var system = false

  @Option(
    help: ArgumentHelp(
      "Name of the units. (default: check-loans, or check-loans-watch for watch)",
      valueName: "name"))
  var name: String?

  /// What is done with the units.
  private enum Action: String, CaseIterable { case show, install, uninstall }

  private static let standardTime = CivilTime(secondOfDay: (7 * 60 + 30) * 60) ?? .midnight

  func validate() throws {
    guard let name else { return }
    let isPlain = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.:".utf8.contains($0) }
    if !isPlain || name.isEmpty || name.hasPrefix(".") || name.hasPrefix("-") || name.count > 200 {
      throw ValidationError("a unit's name has only letters, digits and -_.: in it")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let environment = system ? environment.ofSystemAccount : environment
    let all = LinePart.all(of: environment.given.line, Self.facts).flatMap { part -> [String] in
      switch part {
      case .option: []
      case .other(let word), .argument(let word): [word]
      }
    }
    let action = all.first.flatMap(Action.init)
    if action == nil, let word = all.first, word.isBareWord, !FileSystem.exists(word),
      let guess = word.nearest(among: Action.allCases.map(\.rawValue))
    {
      throw CommandError(
        .usage,
        "there is no action or file \(word.quoted()); did you mean check-loans timer \(guess)?")
    }
    let words = Array(all.dropFirst(action == nil ? 0 : 1))
    if let late = words.first(where: { Action(rawValue: $0) != nil && !FileSystem.exists($0) }) {
      throw CommandError(.usage, "\(late) comes first: check-loans timer \(late) …")
    }
    if action == .install || action == .uninstall { try checkRights(environment) }
    if action == .uninstall {
      guard words.isEmpty || words == ["watch"] else {
        throw CommandError(
          .usage,
          """
          uninstall takes only watch, --name and --system, not \
          \((words.first { $0 != "watch" } ?? "watch").quoted())
          """)
      }
      let kind = words.isEmpty ? ServiceKind.daily : .watch
      try installer(kind.standardName, environment, console).uninstall()
      return .done
    }
    let service = try ServiceCommand(words, isSystem: system, environment)
    let installer = try installer(service.kind.standardName, environment, console)
    let time = dailyAt ?? Self.standardTime
    let units = TimerUnits(
      kind: service.kind, name: installer.name, command: service.line, time: time,
      zone: service.calendarZone, confinement: service.confinement, writable: service.writable,
      needsDesktop: service.channels.contains(.notifySend))
    try check(units)
    warn(service, time, console)
    try console.print(installer.listing(units))
    try console.flush()
    if action == .install {
      if system { try checkProgram(units.command.first ?? "") }
      try installer.install(units)
    }
    return .done
  }

  /// What writes and removes the units.
  private func installer(
    _ standardName: String, _ environment: Environment, _ console: Console
  ) throws(CommandError) -> UnitInstaller {
    let folder = system ? SystemAccount.configuration : environment.configurationDirectory
    guard let folder else {
      throw CommandError(.badSetting, "there is no home directory; set HOME")
    }
    return UnitInstaller(
      isSystem: system, name: name ?? standardName,
      directory: "\(folder)/systemd/\(system ? "system" : "user")", environment: environment,
      console: console)
  }

  /// - Throws: ``CommandError`` if the user may not change the units, or there is no account to run them.
  private func checkRights(_ environment: Environment) throws(CommandError) {
    try environment.refuseDryRun()
    guard system else { return }
    if environment.userID != 0 {
      throw CommandError(.noPermission, "--system needs root; use sudo")
    }
    if !Environment.hasUser(SystemAccount.name) {
      throw CommandError(
        .unavailable,
        "there is no user \(SystemAccount.name); create it with \(SystemAccount.creation)")
    }
  }

  /// - Throws: ``CommandError`` if anybody but root can replace the program, and so read what the service
  ///   reads.
  private func checkProgram(_ program: String) throws(CommandError) {
    guard let path = FileSystem.pathOthersCanWrite(above: program) else { return }
    throw CommandError(
      .noPermission,
      """
      the service would run \(program.quoted(limit: 200)), and users other than root can write to \
      \(path.quoted(limit: 200)); install check-loans where only root can, in /usr/local for example
      """)
  }

  /// - Throws: ``CommandError`` with the status `usage` for what the service could not do.
  private func check(_ units: TimerUnits) throws(CommandError) {
    if units.kind == .system && units.needsDesktop {
      throw CommandError(
        .usage, "notify-send needs a desktop session and cannot be used with --system")
    }
    if units.kind == .watch && dailyAt != nil {
      throw CommandError(.usage, "watch runs all day; leave out --daily-at")
    }
    if units.kind == .system, let path = units.writable.first(where: { $0.visible != $0 }) {
      throw CommandError(
        .usage,
        "systemd takes no path with control characters, as in \(path.quoted(limit: 200)); rename it"
      )
    }
    if !units.isProgramAllowed {
      throw CommandError(
        .usage,
        """
        systemd runs no program with a quotation mark or backslash in its path, as in \
        \((units.command.first ?? "").quoted(limit: 200)); move it, or use cron
        """)
    }
  }

  private func warn(_ service: ServiceCommand, _ time: CivilTime, _ console: Console) {
    let run = service.kind == .watch ? "the service" : "the daily run"
    for warning in service.warnings { console.printError(warning) }
    for catalogue in service.catalogues
    where catalogue.fetch == nil && !FileSystem.exists(catalogue.path) {
      console.printError(
        "\(catalogue.path.visible): there is no such file yet, and \(run) needs it")
    }
    let variables = service.variables
    if !variables.isEmpty {
      let place = system ? SystemAccount.variables : "a file of ~/.config/environment.d"
      let names = variables.joined(separator: ", ")
      console.printError("\(run) will not know \(names), which is set here; set it in \(place)")
    }
    if service.kind == .watch { return }
    if service.isOfOtherZone {
      console.printError(
        """
        systemd does not know the library's time zone, and starts the run at \(time) in the system's; name \
        the zone, as in --time-zone Europe/Budapest
        """)
    }
    if service.channels.isEmpty {
      console.printError(
        "no channel is named, so each run prints the whole report; see --notify")
    } else if let start = service.sendingStart(at: time) {
      console.printError(
        """
        at \(time) every notice is held, and this run sends none; choose --daily-at \(start) or later, \
        within --deliver-between
        """)
    }
    if let fireTime = service.lastFireTime, fireTime.secondOfDay > time.secondOfDay {
      console.printError(
        """
        reminders wait for \(fireTime), after the daily run, and so come a day late; \
        choose --daily-at \(fireTime) or later
        """)
    }
  }
}

extension ServiceCommand {
  /// The variables that are set here and decide what it does.
  fileprivate var variables: [String] {
    let options = environment.given.values.compactMap { value -> String? in
      guard case .variable(let name) = value.origin, value.name != "time-zone",
        CheckCommand.facts[value.name]?.sources.contains(.inFile) == true
      else { return nil }
      return name
    }
    let ofChannels = channels.flatMap { environment.channelTable($0.name)?.environment ?? [] }
    let ofFetches = environment.given.tables.filter(\.isFetched)
      .flatMap(\.options.fetch.environment)
    return options + ofChannels + ofFetches
  }

  /// When the first notice of a day is sent that a run at a time of day would hold; `nil` for none.
  fileprivate func sendingStart(at time: CivilTime) -> CivilTime? {
    guard let now = catalogues.first?.now else { return nil }
    return DeliveryHours(times.deliverBetween).holds(at: CivilDateTime(now.date, time))?.time
  }

  /// The latest time of day of any catalogue's reminders.
  fileprivate var lastFireTime: CivilTime? {
    catalogues.map(\.settings.policy.ladder.time).max { $0.secondOfDay < $1.secondOfDay }
  }
}

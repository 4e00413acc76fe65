import ArgumentParser
import Loans
import System

/// `check-loans timer`.
struct TimerCommand: Subcommand {
  static let standardName = "check-loans"

  static let configuration = CommandConfiguration(
    commandName: "timer",
    abstract: "Print, or install, what runs check-loans every day.",
    discussion: """
      Prints a systemd user service and its timer, or with --cron a line for crontab -e, that run \
      check-loans with the given catalogues and options once a day. A run that was missed is made \
      up for. A user's timers run while the user is logged in; loginctl enable-linger lets them \
      run at any time.

      Examples:
        check-loans timer --notify notify-send books.xml
        check-loans timer --install --daily-at 08:00
        check-loans timer --cron --notify stdout books.xml
        check-loans timer --uninstall
      """)

  @Flag(help: "Show the units, write them where systemd looks for them, and start the timer.")
  var install = false

  @Flag(help: "Stop the timer and remove the units that --install wrote.")
  var uninstall = false

  @Flag(help: "Print a line for crontab -e.")
  var cron = false

  @Option(help: ArgumentHelp("Start at this time of day. (default: 07:30)", valueName: "HH:MM"))
  var dailyAt: TimeOfDay?

  @Option(help: ArgumentHelp("Call the units so, to have several.", valueName: "name"))
  var name = Self.standardName

  @OptionGroup var options: CheckOptions

  var state: StateOptions { options.state }

  func validate() throws {
    if [install, uninstall, cron].count(where: { $0 }) > 1 {
      throw ValidationError("Give only one of --install, --uninstall and --cron.")
    }
    let isPlain = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.:".utf8.contains($0) }
    if !isPlain || name.isEmpty || name.hasPrefix(".") || name.hasPrefix("-") || name.count > 200 {
      throw ValidationError("A unit's name has only letters, digits and -_.: in it.")
    }
    if options.clock.now != nil {
      throw ValidationError("--now would be the same every day; leave it out.")
    }
    if options.dryRun {
      throw ValidationError("With --dry-run the daily run would never tell anybody; leave it out.")
    }
  }

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    guard let directory = environment.configurationDirectory else {
      throw CommandError(.badSetting, "there is no home directory; set HOME")
    }
    if uninstall {
      try installer(nil, "\(directory)/systemd/user", environment, console).uninstall()
      return .done
    }
    // Whatever would keep each run from its work is said now.
    let settings = try CheckSettings(options.request, environment)
    if settings.catalogues.contains("-") {
      throw CommandError(.usage, "a timer has no standard input; name a catalogue's file")
    }
    warn(settings, environment, console)
    let command = try DailyCommand(options, environment)
    if cron {
      try printCronLine(command, settings, environment, console)
    } else {
      try printUnits(
        installer((command, settings), "\(directory)/systemd/user", environment, console), console)
    }
    return .done
  }

  private func printCronLine(
    _ command: DailyCommand, _ settings: CheckSettings, _ environment: Environment,
    _ console: Console
  ) throws(CommandError) {
    try warnOfCron(environment, console)
    let line = CronLine(
      command: command.words, time: time, usesDesktop: settings.channels.contains(.notifySend),
      userID: environment.userID)
    try console.print(try line.text())
  }

  /// Prints the units, and installs them if that is wanted.
  private func printUnits(_ installer: UnitInstaller, _ console: Console) throws(CommandError) {
    guard installer.units.isProgramAllowed else {
      throw CommandError(
        .usage,
        """
        systemd runs no program with a quotation mark or backslash in its path, as in \
        \((installer.units.command.first ?? "").quoted(limit: 200)); move it, or use --cron
        """)
    }
    try console.print(installer.listing)
    try console.flush()
    if install { try installer.install() }
  }

  private var time: CivilTime {
    dailyAt?.value ?? CivilTime(secondOfDay: (7 * 60 + 30) * 60) ?? .midnight
  }

  private func installer(
    _ run: (command: DailyCommand, settings: CheckSettings)?, _ directory: String,
    _ environment: Environment, _ console: Console
  ) -> UnitInstaller {
    let programs = run?.settings.channels.contains {
      if case .exec = $0 { true } else { false }
    }
    let units = TimerUnits(
      name: name, command: run?.command.words ?? [], time: time, zone: run?.command.calendarZone,
      runsPrograms: programs ?? false)
    return UnitInstaller(
      units: units, directory: directory, environment: environment, console: console)
  }

  private func warn(_ settings: CheckSettings, _ environment: Environment, _ console: Console) {
    if settings.channels.isEmpty {
      console.printError(
        "no channel is named, so that each run prints the whole report; see --notify")
    }
    for path in settings.catalogues where !FileSystem.exists(path) {
      console.printError(
        "\(path.visible): there is no such file yet; the daily run fails until there is")
    }
    for setting in Setting.all where !setting.isForOneRun {
      let name = Setting.variableName(setting.name)
      let isGiven = options.given[setting.name] != nil || setting.name == "time-zone"
      if environment.source(of: name, isGiven: isGiven) == .variable {
        console.printError(
          "the daily run will not know \(setting.variable); give --\(setting.name) instead")
      }
    }
  }

  /// What a crontab cannot say.
  private func warnOfCron(
    _ environment: Environment, _ console: Console
  ) throws(CommandError) {
    if time.secondOfDay < 4 * 3_600 {
      console.printError(
        """
        where the clock is set forward in that hour, cron may leave out the day; choose a time \
        from 04:00 on
        """)
    }
    let zone = try options.clock.zone.text(environment, inherited: environment["TZ"])
    if let zone, zone != (try? LocalClock(nil, environment))?.name {
      console.printError(
        """
        cron starts it at \(time.hoursAndMinutes) of the system's time zone, not of \
        \(zone.isEmpty ? "UTC" : zone.visible)
        """)
    }
  }
}

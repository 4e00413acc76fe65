import ArgumentParser
import LoanRules
import Loans
import Notifiers
import ReminderService
import System
import SystemPackage

/// `check-loans timer`.
struct TimerCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "timer",
    abstract: "Print, or install, what runs check-loans every day.",
    discussion: """
      Prints a systemd user service and its timer, or with --cron a line for crontab -e, that run \
      check-loans with the given catalogues and options once a day. systemd makes up for a missed \
      run. A user's timers run while the user is logged in; loginctl enable-linger lets them run at \
      any time.

      With --system it is a service of the machine: it runs as the user \(SystemAccount.name), with the \
      settings in \(SystemAccount.settingsFile) and the schedule in \(SystemAccount.home), and is \
      confined as far as its channels allow. With --watch it is a user service that keeps check-loans \
      watch running during the session.

      Examples:
        check-loans timer --notify notify-send books.xml
        check-loans timer --install --daily-at 08:00
        check-loans timer --cron --notify stdout books.xml
        sudo check-loans timer --system --install
        check-loans timer --watch --install --notify notify-send books.xml
        check-loans timer --uninstall
      """)

  static let facts: [OptionFact] =
    [
      OptionFact("install", .flag, .line), OptionFact("uninstall", .flag, .line),
      OptionFact("cron", .flag, .line), OptionFact("system", .flag, .line),
      OptionFact("watch", .flag, .line), OptionFact("daily-at", .text, .line),
      OptionFact("name", .text, .line),
    ] + CheckOptions.facts + ActionOptions.facts + [
      // Parsed only to be refused with a reason.
      OptionFact("now", .text, .line), OptionFact("dry-run", .flag, .line),
    ]

  @Flag(help: "Show the units, write them where systemd looks for them, and start the timer.")
  var install = false

  @Flag(help: "Stop the timer and remove the units that --install wrote.")
  var uninstall = false

  @Flag(help: "Print a line for crontab -e.")
  var cron = false

  @Flag(help: "A daily run of the machine, not of a user.")
  var system = false

  @Flag(help: "A service that keeps check-loans watch running, with the options of watch.")
  var watch = false

  @Option(
    help: ArgumentHelp("Start at this time of day. (default: 07:30)", valueName: "HH:MM"),
    transform: CivilTime.parse)
  var dailyAt = CivilTime(secondOfDay: (7 * 60 + 30) * 60) ?? .midnight

  @Option(
    help: ArgumentHelp(
      """
      Name of the units, if you want several. (default: check-loans, for --watch check-loans-watch)
      """, valueName: "name"))
  var name: String?

  @OptionGroup var options: CheckOptions

  @OptionGroup var action: ActionOptions

  /// Parsed only to be refused with a reason.
  @OptionGroup(visibility: .hidden) var once: OneRunOptions

  var files: [String] { options.catalogues }
  var readingOptions: CatalogueOptions? { options.catalogue }

  static func ignoresSettings(_ given: GivenSettings) -> Bool { given["uninstall"] != nil }

  private var kind: ServiceKind { system ? .system : watch ? .watch : .daily }

  static func standardSettingsFile(_ environment: Environment) -> String? {
    environment.given["system"] != nil
      ? SystemAccount.settingsFile : environment.standardSettingsFile
  }

  func validate() throws {
    try options.report.checkPage()
    if [install, uninstall, cron].count(where: { $0 }) > 1 {
      throw ValidationError("give only one of --install, --uninstall and --cron")
    }
    if [cron, system, watch].count(where: { $0 }) > 1 {
      throw ValidationError("give only one of --cron, --system and --watch")
    }
    let name = self.name ?? kind.standardName
    let isPlain = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.:".utf8.contains($0) }
    if !isPlain || name.isEmpty || name.hasPrefix(".") || name.hasPrefix("-") || name.count > 200 {
      throw ValidationError("a unit's name has only letters, digits and -_.: in it")
    }
    if once.now.now != nil {
      throw ValidationError("--now would be the same every day; leave it out")
    }
    if once.dryRun.dryRun {
      throw ValidationError(
        """
        --dry-run would make the daily run send nothing; leave it out (without --install nothing \
        is written)
        """)
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let environment = system ? environment.ofSystemAccount : environment
    let installer = UnitInstaller(
      kind: kind, name: name ?? kind.standardName, directory: try directory(environment),
      environment: environment, console: console)
    if install || uninstall {
      try environment.refuseDryRun()
      try checkRights(environment)
    }
    if uninstall {
      try installer.uninstall()
      return .done
    }
    // Whatever would keep each run from its work is said now.
    let plan = try CheckPlan(options, once, environment, example: "check-loans timer books.xml")
    if let fault = plan.catalogues.lazy.compactMap(\.fault).first { throw fault }
    if plan.catalogues.contains(where: { $0.path == "-" }) {
      throw CommandError(.usage, "a timer has no standard input; name a catalogue's file")
    }
    try refuseOptions(plan, environment)
    warn(plan, environment, console)
    let command = try ServiceCommand(kind, options, environment)
    if cron {
      warnOfCron(environment, console)
      let desktop = plan.channels.contains(.notifySend) ? environment.userID : nil
      try console.print(command.crontab(at: dailyAt, desktop: desktop))
      return .done
    }
    let units = units(command, plan, environment)
    if !units.isProgramAllowed {
      throw CommandError(
        .usage,
        """
        systemd runs no program with a quotation mark or backslash in its path, as in \
        \((command.line.first ?? "").quoted(limit: 200)); move it, or use --cron
        """)
    }
    try console.print(installer.listing(units))
    try console.flush()
    if install { try installer.install(units) }
    return .done
  }

  private func units(
    _ command: ServiceCommand, _ plan: CheckPlan, _ environment: Environment
  ) -> TimerUnits {
    let mailProgram =
      options.channels.mail.program(environment)?.first ?? MailNotifier.standardProgram
    var confinement = Confinement(
      kind, plan.channels, fetched: plan.catalogues.compactMap(\.fetch?.name),
      mailProgram: environment.program(named: mailProgram) ?? mailProgram)
    // Its program may be anything, for example a browser.
    if watch, action.action != nil { confinement = .none }
    let directories = plan.channels.compactMap { channel -> String? in
      if case .maildir(let directory) = channel { directory } else { nil }
    }
    let output = plan.output.map {
      FilePath(environment.absolutePath($0)).removingLastComponent().string
    }
    return TimerUnits(
      kind: kind, name: name ?? kind.standardName, command: command.line, time: dailyAt,
      zone: command.calendarZone, confinement: confinement,
      writable: directories + [output].compactMap(\.self),
      needsDesktop: plan.channels.contains(.notifySend))
  }

  /// The directory of the units.
  private func directory(_ environment: Environment) throws(CommandError) -> String {
    if system { return "\(SystemAccount.configuration)/systemd/system" }
    guard let directory = environment.configurationDirectory else {
      throw CommandError(.badSetting, "there is no home directory; set HOME")
    }
    return "\(directory)/systemd/user"
  }

  private func checkRights(_ environment: Environment) throws(CommandError) {
    guard system else { return }
    if environment.userID != 0 {
      throw CommandError(.noPermission, "only root changes what the machine runs; use sudo")
    }
    if install, !Environment.hasUser(SystemAccount.name) {
      throw CommandError(.unavailable, missingAccount)
    }
  }

  private var missingAccount: String {
    "there is no user \(SystemAccount.name); create it with \(SystemAccount.creation)"
  }

  /// - Throws: ``CommandError`` with the status `usage` for what the service could not do.
  private func refuseOptions(
    _ plan: CheckPlan, _ environment: Environment
  ) throws(CommandError) {
    let given = environment.given
    if watch, given["daily-at"]?.isFromCommandLine == true {
      throw CommandError(.usage, "watch runs all day; leave out --daily-at")
    }
    guard system else { return }
    if let state = given["state"] {
      throw CommandError(
        state.isFromCommandLine ? .usage : .badSetting,
        "\(state.place.visible): the system's schedule is \(SystemAccount.schedule); leave this out"
      )
    }
    if plan.channels.contains(.notifySend) {
      throw CommandError(
        .usage, "the machine has no desktop for notify-send; choose another channel")
    }
  }

  private func warn(_ plan: CheckPlan, _ environment: Environment, _ console: Console) {
    if plan.channels.isEmpty && !watch {
      console.printError(
        "no channel is named, so that each run prints the whole report; see --notify")
    }
    let files = plan.catalogues.filter { $0.fetch == nil }.map(\.path)
    for path in files where !FileSystem.exists(path) {
      let fault = watch ? "watch waits for it" : "the daily run fails until there is"
      console.printError("\(path.visible): there is no such file yet; \(fault)")
    }
    if system, !install, !Environment.hasUser(SystemAccount.name) {
      console.printError(missingAccount)
    }
    warnOfVariables(plan, environment, console)
    if !watch { warnOfTimes(plan, console) }
  }

  private func warnOfVariables(
    _ plan: CheckPlan, _ environment: Environment, _ console: Console
  ) {
    let run = watch ? "the service" : "the daily run"
    for value in environment.given.values {
      guard case .variable(let variable) = value.origin, value.name != "time-zone" else { continue }
      console.printError("\(run) will not know \(variable); give --\(value.name) instead")
    }
    let place =
      cron
      ? "the crontab" : system ? SystemAccount.variables : "a file of ~/.config/environment.d"
    for case .named(let name) in plan.channels {
      for variable in environment.channelTable(name)?.environment ?? [] {
        console.printError(
          """
          \(run) will not know \(variable), which the channel \(name) needs; set it in \(place)
          """)
      }
    }
    for table in environment.given.tables where table.isFetched {
      for variable in table.options.fetch.environment {
        let name = (table.name ?? "").visible
        console.printError(
          "\(run) will not know \(variable), with which \(name) is fetched; set it in \(place)")
      }
    }
  }

  private func warnOfTimes(_ plan: CheckPlan, _ console: Console) {
    let hours = DeliveryHours(options.channels.times.deliverBetween)
    let run = CivilDateTime(plan.now.date, dailyAt)
    if !plan.channels.isEmpty, let start = hours.holds(at: run)?.time {
      console.printError(
        """
        at \(dailyAt) every notice is held, and this run sends none; choose --daily-at \(start) or later, \
        within --deliver-between
        """)
    }
    let times = plan.catalogues.map(\.settings.policy.ladder.time)
    let fireTime = times.max { $0.secondOfDay < $1.secondOfDay } ?? options.catalogue.ladder.at
    if fireTime.secondOfDay > dailyAt.secondOfDay {
      console.printError(
        """
        reminders wait for \(fireTime), after the daily run, and so come a day late; \
        choose --daily-at \(fireTime) or later
        """)
    }
  }

  /// What a crontab cannot say.
  private func warnOfCron(_ environment: Environment, _ console: Console) {
    if dailyAt.secondOfDay < 4 * 3_600 {
      console.printError(
        """
        where the clock is set forward in that hour, cron may leave out the day; choose a time \
        from 04:00 on
        """)
    }
    let zone = options.catalogue.zone.timeZone ?? environment["TZ"]
    if let zone, zone != (try? LocalClock(nil, environment))?.name {
      console.printError(
        """
        cron starts it at \(dailyAt) in the system's time zone, not in \
        \(zone.isEmpty ? "UTC" : zone.visible)
        """)
    }
  }
}

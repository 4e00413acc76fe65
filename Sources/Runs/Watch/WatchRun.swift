package import CommandOutput
import LoanRules
import Loans
import Notifiers
import ReminderSchedule
import ReminderService
package import Settings
import System
import SystemPackage

/// The run of `watch`: each time that something happens, reloads what has changed and delivers what
/// is due.
///
/// The schedule is open, and locked, only while it is used.
package final class WatchRun {
  private var settings: WatchSettings
  private let environment: Environment
  private let readSettings: () throws(CommandError) -> WatchSettings
  private let loop: EventLoop
  /// Of its own: what nobody has read when it is stopped is given up, which is no failure.
  private let console = Console()
  private var reporter: Reporter
  /// What is known of each catalogue of the settings.
  private var catalogues: [WatchedCatalogue]
  private var access = ScheduleAccess()
  private var channelPauses: [String: RetryPause] = [:]
  private var nextMoment: CivilDateTime?
  /// Whether the sentence about what is watched was printed.
  private var hasStarted = false
  private var actions: NotificationActions?
  /// When each command line is to fetch again, on a clock that never jumps, and its last failure.
  private var fetches: [[String]: (next: Duration, failure: String?)] = [:]

  /// - Parameter readSettings: reads the settings again, once they have changed.
  package init(
    _ settings: WatchSettings, _ environment: Environment,
    readSettings: @escaping () throws(CommandError) -> WatchSettings
  ) throws(CommandError) {
    self.settings = settings
    self.environment = environment
    self.readSettings = readSettings
    catalogues = settings.run.catalogues.map { _ in WatchedCatalogue() }
    reporter = Reporter(console)
    do throws(Errno) {
      loop = try EventLoop(settings.watchedPaths)
    } catch {
      throw CommandError(
        .systemLimit, "the catalogues cannot be watched: \(error.watchingWords)")
    }
  }

  /// Runs until it is stopped.
  ///
  /// - Throws: ``CommandError`` if it cannot begin, or standard output fails.
  package func run() throws(CommandError) -> ExitStatus {
    try refuseDirectories()
    if settings.hasButtons { try SystemLimits.checkThreads() }
    reportUnusedAction()
    reportMissedChanges()
    defer { actions?.close() }
    try workUntilStop()
    say("stopping")
    return .done
  }

  private func workUntilStop() throws(CommandError) {
    setActions()
    try handle([.everything])
    while case let events = loop.next(), !events.isEmpty {
      reportMissedChanges()
      // Files that a pattern fits now are found once a day at least.
      let hasOtherFiles =
        events.contains(.due)
        && (try? readSettings().watchedPaths != settings.watchedPaths) == true
      if !events.isDisjoint(with: [.everything, .settings, .systemZone]) || hasOtherFiles {
        renewSettings()
      }
      try handle(events)
    }
  }

  /// Prints what is done, if that is wanted.
  private func say(_ line: @autoclosure () -> String) {
    if settings.isVerbose { console.printError(line()) }
  }

  /// Says once, to whoever looks, what is watched and what comes next.
  private func sayStart(_ schedule: Schedule, _ groups: [ZoneGroup]) throws(ScheduleError) {
    if hasStarted { return }
    hasStarted = true
    guard ProcessSetup.isErrorATerminal else { return }
    var reminders: [CivilDateTime] = []
    for (_, now, names) in groups {
      let pending = try schedule.reader.pending(after: now, catalogues: names)
      if let next = pending.nextFireAt { reminders.append(next) }
    }
    let paths = settings.run.catalogues.map(\.path.visible)
    let watched = paths.count > 3 ? "\(paths.count) catalogues" : paths.joined(separator: ", ")
    let next = reminders.min().map { "next reminder \($0.words)" } ?? "no further reminder"
    console.printError("watching \(watched); \(next); press Ctrl-C to stop")
  }

  private func refuseDirectories() throws(CommandError) {
    for catalogue in settings.run.catalogues where FileSystem.isDirectory(catalogue.file) {
      throw CommandError(
        .noInput,
        "\(catalogue.path.visible): this is a directory, not a file; give a catalogue file")
    }
  }

  private func reportUnusedAction() {
    let isIdle = settings.hasButtons && !settings.run.channels.contains(.notifySend)
    let option = settings.action == nil ? "--buttons" : "--action"
    let line = "\(option) has no effect without --notify notify-send"
    reporter.report(isIdle ? line : nil, about: .action)
  }

  private func reportMissedChanges() {
    let line = loop.files.failure.map { failure in
      """
      some changes are missed: \(failure.watchingWords); until this is fixed, all catalogues are \
      checked every minute
      """
    }
    reporter.report(line, about: .changes)
    let lines = loop.files.closedDirectories.sorted().map { directory in
      """
      no permission to list "\(directory.visible)", so changes in it are missed; allow it, or send \
      SIGHUP after a change
      """
    }
    reporter.report(lines, about: .directories)
  }
}

// MARK: - Events

extension WatchRun {
  private func handle(_ events: Set<WatchEvent>) throws(CommandError) {
    for index in catalogues.indices {
      // What the system does not report, a disk that is mounted for example, is noticed when something is due.
      let isRetried = events.contains(.due) && !catalogues[index].isUsable
      if isRetried || !events.isDisjoint(with: [.everything, .catalogue(index)]) {
        catalogues[index].isUnread = true
      }
    }
    do {
      try useSchedule()
      access.noteSuccess()
      reporter.report(nil, about: .schedule)
    } catch let error as ScheduleError {
      let (retry, line) = try access.noteFailure(error, at: LocalClock.uptime)
      if line != nil { reporter.report(line, about: .schedule) }
      loop.plan.note(.due, at: retry)
    } catch {
      throw CommandError(error)
    }
    for catalogue in settings.run.catalogues where !StopSignals.isStopRequested {
      if let fetch = catalogue.fetch { run(fetch, events) }
    }
  }

  /// Has a program fetch a catalogue once its time has come: the new file is then read as others are.
  private func run(_ fetch: CatalogueFetch, _ events: Set<WatchEvent>) {
    let key = [fetch.name] + fetch.command
    let last = fetches[key]
    if let last, last.next > LocalClock.uptime, !events.contains(.fetch) {
      return loop.plan.note(.due, at: last.next)
    }
    var failure: String?
    do throws(CommandError) { _ = try fetch.fetch(keeps: true) } catch { failure = error.message }
    // What is stopped has not failed.
    if StopSignals.isStopRequested { return }
    if failure != last?.failure {
      console.printError(failure ?? "\(fetch.name.visible): fetched again")
    }
    let next = LocalClock.uptime + fetch.pause(hasFailed: failure != nil)
    fetches[key] = (next, failure)
    loop.plan.note(.due, at: next)
  }

  /// Reads what is to be read, and each catalogue once a day, delivers what is due, and has the next event come when something
  /// becomes due or a day ends, in each time zone.
  ///
  /// - Throws: `ScheduleError`, or ``CommandError`` if standard output fails.
  private func useSchedule() throws {
    let schedule = try Schedule(opening: settings.state, timeout: .milliseconds(100))
    if access.noteUse(of: schedule, at: settings.state) { readAllAgain() }
    let onEvent = console.eventPrinter(isVerbose: settings.isVerbose)
    let known = KnownCatalogues(settings.run.catalogues)
    var groups = known.zones
    var closedDays = ClosedDaysReader()
    var start = Int.min
    for number in groups.indices {
      let clock = groups[number].clock
      guard let (instant, now) = clock.read() else {
        throw CommandError(
          .badSetting, "the system's clock is outside the years 1 to 9999; set it")
      }
      reporter.report(try schedule.clockSetBackWarning(now: now), about: .clock(clock.name))
      for (index, entry) in settings.run.catalogues.enumerated()
      where entry.clock.variable == clock.variable
        && (catalogues[index].isUnread || catalogues[index].readOn != now.date)
        && !StopSignals.isStopRequested
      {
        try reload(index, at: now, schedule, &closedDays)
      }
      groups[number].now = now
      start = max(start, instant)
    }
    let times = DeliveryTimes(
      settings.options.channels.times, known.closedDays,
      today: groups.first?.now.date ?? .first, schedule.reader, after: closedDays)
    let stale = try StaleCatalogues(
      schedule.reader, known.staleLimits,
      at: groups.first.map { $0.clock.clockTime($0.now) } ?? ClockTime(CivilDateTime(.first)))
    var held = stale.sentences
    let delivered = try groups.withoutMoved(schedule.reader) { held.append($0) }
    reporter.report(held, about: .age)
    var delivery = ChannelDelivery(
      schedule, delivered, times, stale, settings.run.notifiers,
      backlog: settings.run.backlog, console, onEvent: onEvent)
    (delivery.actions, delivery.isRepeated) = (actions, true)
    // A program that was not found may be there by now.
    for channel in settings.run.channels.map(environment.resolved)
    where !StopSignals.isStopRequested {
      try deliver(through: channel, delivery)
    }
    try sayStart(schedule, groups)
    var wakes: [(second: Int, instant: Int, moment: CivilDateTime)] = []
    for (clock, now, names) in groups {
      guard let instant = clock.read()?.instant else { continue }
      let next = try schedule.reader.nextCheck(after: now)
      let moment = times.held(names, at: now).compactMap(\.until).reduce(next, min)
      wakes.append((clock.instant(of: moment, from: instant), instant, moment))
    }
    guard let wake = wakes.min(by: { $0.second < $1.second }) else {
      // There may be a catalogue by then.
      return loop.plan.note(.due, at: LocalClock.uptime + .seconds(3_600))
    }
    loop.wake(
      at: max(wake.second, wake.instant + 1), chosenAt: start, by: settings.run.clock)
    if wake.moment != nextMoment { say("next check at \(wake.moment)") }
    nextMoment = wake.moment
  }

  private func readAllAgain() {
    for index in catalogues.indices { catalogues[index].isUnread = true }
  }

  private func reload(
    _ index: Int, at now: CivilDateTime, _ schedule: Schedule, _ closedDays: inout ClosedDaysReader
  ) throws {
    let entry = settings.run.catalogues[index]
    var lines: [String] = []
    var reading = CatalogueReadings(schedule) { lines.append($0) }
    (reading.isVerbose, reading.closedDays) = (settings.isVerbose, closedDays)
    reading.onEvent = console.eventPrinter(isVerbose: settings.isVerbose)
    reading.hasFetched = true
    var calendars: [String]?
    reading.onClosedDays = { calendars = $1 }
    let findings = try reading.read(entry, at: now)
    if let calendars { reporter.report(calendars, about: .calendars(entry.closed)) }
    closedDays = reading.closedDays
    catalogues[index].readOn = now.date
    let (known, retry) = catalogues[index].note(
      findings, lines, path: entry.path, file: entry.file, at: LocalClock.uptime)
    if let known { reporter.report(lines: known, about: .catalogue(entry.source.name)) }
    if !findings.isUsable { say("\(entry.path.visible): cannot be used at the moment") }
    if let retry { loop.plan.note(.catalogue(index), at: LocalClock.uptime + retry) }
  }

  /// Reports failures once, and has the next try come later each time.
  private func deliver(
    through channel: ChannelName, _ delivery: ChannelDelivery
  ) throws {
    let outcome = try delivery.deliver(through: channel)
    reporter.report(outcome.lines, about: .channel(channel.name))
    if let failure = outcome.outputFailure { throw failure }
    // What stays pending though the channel works is for the next delivery, whenever that is.
    if outcome.hasFailed {
      let pause = channelPauses[channel.name, default: RetryPause()]
        .noteFailure(at: LocalClock.uptime)
      loop.plan.note(.due, at: pause)
    } else {
      channelPauses[channel.name] = nil
    }
  }
}

// MARK: - Settings

extension WatchRun {
  /// Uses the new settings, and the system's time zone where none is set, from now on; the old
  /// settings if the new are wrong, and the old zone only if the new one is.
  private func renewSettings() {
    let old = settings
    do throws(CommandError) {
      settings = try readSettings()
      if settings.watchedPaths != old.watchedPaths {
        // What has happened since the settings were read.
        loop.readFiles()
        loop.files.paths = settings.watchedPaths
      }
      let known = Dictionary(
        zip(old.run.catalogues.map(\.source.name), catalogues),
        uniquingKeysWith: { first, _ in first })
      catalogues = settings.run.catalogues.map { known[$0.source.name] ?? WatchedCatalogue() }
      if settings.action != old.action || settings.buttons != old.buttons { setActions() }
      reportUnusedAction()
      readAllAgain()
      reporter.report(nil, about: .settings)
      reportMissedChanges()
    } catch {
      let settingsError = error
      var lines = error.message.map { ["\($0); the settings are unchanged"] } ?? []
      do throws(CommandError) {
        try settings.renewSystemZone(environment)
      } catch {
        if error.message == settingsError.message { lines = [] }
        lines += error.message.map { ["\($0); the time zone is unchanged"] } ?? []
      }
      reporter.report(lines, about: .settings)
    }
    if settings.run.clock.name != old.run.clock.name {
      say("the time zone is now \(settings.run.clock.name.visible)")
    }
  }

  /// Gives notifications the buttons that are set; those that are shown with others lose them.
  private func setActions() {
    actions?.close()
    actions = nil
    if !settings.hasButtons { return }
    actions = NotificationActions(
      settings.action, buttons: settings.buttons, environment: environment.variables
    ) { [console] line in console.printError(line) }
  }
}

extension Errno {
  /// The meaning of the error where files are watched; see inotify_init(2), inotify_add_watch(2).
  fileprivate var watchingWords: String {
    guard [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noSpace].contains(self) else {
      return words
    }
    return """
      too many files are watched already (end other programs that watch files, or raise the limits in \
      /proc/sys/fs/inotify)
      """
  }
}

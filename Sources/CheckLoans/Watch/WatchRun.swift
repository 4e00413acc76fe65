import LoanCatalogue
import Loans
import Notifiers
import ReminderSchedule
import ReminderService

/// The run of `watch`: each time that something happens, reloads what has changed and delivers
/// what is due.
///
/// The schedule is open, and locked, only while it is used.
final class WatchRun {
  private var settings: WatchSettings
  private let environment: Environment
  private let console: Console
  private let readSettings: () throws(CommandError) -> WatchSettings
  private let awaiter: Awaiter
  private var events: ScheduleEvents
  /// The process's variables before the library's zone became its own.
  private let inheritedVariables: [String: String]
  private var actions: NotificationActions?

  /// The catalogues that are to be read, by their places.
  private var unread: Set<Int> = []
  /// Those that have been there since it began.
  private var seen: Set<Int> = []
  /// Those that could not be used when they were read.
  private var unusable: Set<Int> = []
  private var troubles: [Int: CatalogueTroubles] = [:]
  private var scheduleTroubles = ToldTroubles()
  private var settingsTroubles = ToldTroubles()
  private var zoneTroubles = ToldTroubles()
  private var clockTroubles = ToldTroubles()
  private var directoryTroubles = ToldTroubles()
  private var watchTroubles = ToldTroubles()
  private var actionTroubles = ToldTroubles()
  private var channelTroubles: [String: ToldTroubles] = [:]
  private var schedulePause = RetryPause()
  private var channelPauses: [String: RetryPause] = [:]
  /// Since when another run has held the lock.
  private var lockedSince: Duration?
  /// Whether the schedule could be used once.
  private var hasBegun = false
  /// The schedule when it was last used.
  private var usedSchedule: UsedSchedule?
  private var nextMoment: CivilDateTime?
  private var outputFailure: CommandError?

  /// How long another run may hold the lock before that is told.
  private static let longestLock = Duration.seconds(5)
  /// After how long it is tried again to read what cannot be read, although nothing is heard of it.
  private static let unreadablePause = Duration.seconds(60)

  /// - Parameter readSettings: reads the settings anew, once they have changed.
  init(
    _ settings: WatchSettings, _ environment: Environment,
    readSettings: @escaping () throws(CommandError) -> WatchSettings
  ) throws(CommandError) {
    self.settings = settings
    self.environment = environment
    self.readSettings = readSettings
    inheritedVariables = environment.variables
    let awaiter: Awaiter
    do throws(SystemFailure) {
      awaiter = try Awaiter(settings.watchedPaths)
    } catch {
      throw CommandError(watching: error)
    }
    self.awaiter = awaiter
    console = Console(isStopRequested: { awaiter.mustStop })
    events = ScheduleEvents(isTold: settings.isVerbose, console)
  }

  /// Runs until it is told to stop.
  ///
  /// - Throws: ``CommandError`` if it cannot begin, or standard output fails.
  func run() async throws(CommandError) -> ExitStatus {
    ZoneClock.enter(settings.zone.variable)
    try refuseDirectories()
    tellOfIdleAction()
    tellOfUnseenChanges()
    let result: Result<Void, CommandError>
    do throws(CommandError) {
      result = .success(try await workUntilStop())
    } catch {
      result = .failure(error)
    }
    await actions?.close()
    try result.get()
    tell("told to stop")
    return .done
  }

  private func workUntilStop() async throws(CommandError) {
    await setActions()
    var step = WatchStep(concernsAll: true)
    while !step.stops {
      try await work(on: step)
      step = await awaiter.step()
      tellOfUnseenChanges()
      if step.concernsAll || step.files.contains(.settings) { await renewSettings() }
      if step.concernsAll || step.files.contains(.systemZone) { renewZone() }
    }
  }

  /// Says what is done, if that is wanted.
  private func tell(_ line: @autoclosure () -> String) {
    if settings.isVerbose { console.complain(line()) }
  }

  /// Tells of troubles those that were not told the last time.
  private func complain(
    of troubles: [String], told: inout ToldTroubles, ending: String = ""
  ) {
    for line in told.news(in: troubles) { console.complain(line + ending) }
  }

  private func refuseDirectories() throws(CommandError) {
    for catalogue in settings.catalogues where WholeFile.isDirectory(catalogue.path) {
      throw CommandError(
        .noInput,
        "\(catalogue.path.visible): this is a directory, not a file; give a catalogue file")
    }
  }

  private func tellOfIdleAction() {
    let isIdle = settings.action != nil && !settings.channels.contains(.notifySend)
    let line = "--action has no effect without --notify notify-send"
    complain(of: isIdle ? [line] : [], told: &actionTroubles)
  }

  private func tellOfUnseenChanges() {
    let failures = awaiter.watchFailure.map { failure in
      [
        """
        some changes are not seen, \(failure.watchingWords); until they are, everything is looked \
        at every minute
        """
      ]
    }
    complain(of: failures ?? [], told: &watchTroubles)
    let lines = awaiter.closedDirectories.sorted().map { directory in
      """
      no permission to list "\(directory.visible)", so changes in it are not seen; give it, or send \
      SIGHUP after a change
      """
    }
    complain(of: lines, told: &directoryTroubles)
  }
}

/// By what a schedule is told from another.
private struct UsedSchedule: Equatable {
  /// A copy of it, from yesterday perhaps, is another file.
  var file: FileIdentity?
  /// One that was made anew may be the same file again.
  var identity: Int64
}

// One step.
extension WatchRun {
  private func work(on step: WatchStep) async throws(CommandError) {
    for index in settings.catalogues.indices
    where step.concernsAll || step.files.contains(.catalogue(index)) { unread.insert(index) }
    // What the system does not tell of, a disk that is mounted for example, is found now and then.
    if step.isDue { unread.formUnion(unusable) }
    guard let (instant, now) = ZoneClock.read() else {
      throw CommandError(.badSetting, "the system's clock is outside the years 1 to 9999; set it")
    }
    do throws(ScheduleError) {
      wake(at: try await useSchedule(now), now, instant)
      scheduleWorks()
    } catch {
      try note(error)
    }
    if let outputFailure { throw outputFailure }
  }

  /// Reads what is to be read and delivers what is due.
  ///
  /// - Returns: when the next notice becomes due.
  private func useSchedule(_ now: CivilDateTime) async throws(ScheduleError) -> CivilDateTime? {
    let schedule = try Schedule(opening: settings.state, timeout: .milliseconds(100))
    // One that was made anew, or put in the place of another, may know nothing of the loans.
    let used = UsedSchedule(
      file: FileIdentity(of: settings.state), identity: schedule.identity)
    if used != usedSchedule { unread = Set(settings.catalogues.indices) }
    usedSchedule = used
    let warning = try schedule.clockSetBackWarning(now: now)
    complain(of: warning.map { [$0] } ?? [], told: &clockTroubles)
    let center = ReminderCenter(
      schedule: schedule, events: events, civilTime: ZoneClock.civilTime)
    for index in unread.sorted() where !awaiter.mustStop { try reload(index, center, now) }
    // A program that was not found may be there by now.
    for channel in settings.channels.map(environment.resolved) where !awaiter.mustStop {
      let isComplete = try await deliver(through: channel, center, now)
      noteDelivery(through: channel, isComplete)
    }
    return try schedule.reader.pending(after: now, catalogues: names).next
  }

  private var names: [String] { settings.catalogues.map(\.source.name) }

  /// Has the next step come when something becomes due, or when the day ends.
  private func wake(at next: CivilDateTime?, _ now: CivilDateTime, _ instant: Int) {
    let midnight = CivilDateTime(now.date.adding(days: 1))
    let moment = min(next ?? midnight, midnight)
    let second = ReachedMoment(civil: ZoneClock.civilOrdinal).instant(
      of: moment.ordinal, from: instant)
    awaiter.wake(at: max(second, instant + 1), chosenAt: instant)
    if moment != nextMoment { tell("next look at the clock: \(moment)") }
    nextMoment = moment
  }

  private func scheduleWorks() {
    hasBegun = true
    lockedSince = nil
    schedulePause.reset()
    _ = scheduleTroubles.news(in: [])
  }

  /// What could not be done is tried again soon, once the program has begun to work.
  private func note(_ error: ScheduleError) throws(CommandError) {
    let failure = CommandError(error)
    guard error.code == .locked else {
      // A damaged one was set aside, and there will be a new one.
      let isSetAside = error.code == .damaged
      if !hasBegun && !isSetAside { throw failure }
      let passed = ZoneClock.passed
      let next = isSetAside ? passed + .seconds(1) : schedulePause.noteFailure(at: passed)
      complain(
        of: [failure.message ?? ""], told: &scheduleTroubles, ending: "; trying again")
      awaiter.deliverAgain(at: next)
      return
    }
    let since = lockedSince ?? ZoneClock.passed
    lockedSince = since
    awaiter.deliverAgain(at: ZoneClock.passed + .seconds(1))
    guard ZoneClock.passed - since >= Self.longestLock else { return }
    complain(of: ["another run uses the schedule; waiting for it"], told: &scheduleTroubles)
  }
}

// Reloading.
extension WatchRun {
  private func reload(
    _ index: Int, _ center: ReminderCenter, _ now: CivilDateTime
  ) throws(ScheduleError) {
    let source = settings.catalogues[index].source
    var findings = CatalogueFindings(path: source.path, showsAll: settings.isVerbose)
    do throws(ReminderError) {
      let report = try center.reload(
        source, at: now, settings: settings.catalogues[index].settings,
        onDiagnostic: { findings.note($0) })
      findings.note(report)
    } catch {
      switch error {
      case .schedule(let error): throw error
      case .catalogue(let error): findings.note(error)
      }
    }
    unread.remove(index)
    if findings.isUsable { unusable.remove(index) } else { unusable.insert(index) }
    follow(findings, index)
  }

  /// Tells what is new, and has the catalogue looked at again if something is wrong with it.
  private func follow(_ findings: CatalogueFindings, _ index: Int) {
    let source = settings.catalogues[index].source
    let isAwaited = isAwaited(index, findings.isReadable)
    let advice = troubles[index, default: CatalogueTroubles()].note(
      isAwaited ? [waiting(for: source)] : findings.lines, isUsable: findings.isUsable,
      at: ZoneClock.passed)
    for line in advice.news { console.complain(line: line) }
    if advice.isWellAgain {
      console.complain("\(source.path.visible): read again, \(counted(findings.loans, "loan"))")
    }
    if !findings.isUsable { tell("\(source.path.visible): cannot be used now") }
    if advice.looksAgain {
      awaiter.lookAgain(at: .catalogue(index), after: CatalogueTroubles.delay)
    } else if !findings.isReadable {
      awaiter.lookAgain(at: .catalogue(index), after: Self.unreadablePause)
    }
  }
}

// Catalogues that are not there yet.
extension WatchRun {
  private func isAwaited(_ index: Int, _ isReadable: Bool) -> Bool {
    if isReadable || WholeFile.exists(settings.catalogues[index].path) { seen.insert(index) }
    return !seen.contains(index)
  }

  private func waiting(for source: CatalogueSource) -> String {
    "check-loans: \(source.path.visible) is not there yet; waiting for it"
  }
}

// Delivering.
extension WatchRun {
  private func noteDelivery(through channel: ChannelName, _ isComplete: Bool) {
    if isComplete {
      channelPauses[channel.name] = nil
    } else {
      let next = channelPauses[channel.name, default: RetryPause()].noteFailure(
        at: ZoneClock.passed)
      awaiter.deliverAgain(at: next)
    }
  }

  /// - Returns: whether everything was delivered.
  private func deliver(
    through channel: ChannelName, _ center: ReminderCenter, _ now: CivilDateTime
  ) async throws(ScheduleError) -> Bool {
    let report: DeliveryReport
    do throws(ReminderError) {
      report = try await center.deliver(
        through: channel.notifier(environment, console, actions: actions), at: now,
        catalogues: names, repeatExpired: settings.repeatExpired,
        isStopRequested: { [awaiter] in awaiter.mustStop })
    } catch {
      switch error {
      case .schedule(let error): throw error
      case .catalogue(let error): preconditionFailure("delivering read a catalogue: \(error)")
      }
    }
    let failures = report.failures.map(\.error)
    for case .outputFailed(let number) in failures.map(\.code) {
      let failure = OutputError(errno: number, descriptor: 1)
      if !failure.isByStop { outputFailure = CommandError(failure) }
      return false
    }
    complain(
      of: failures.map { "\($0.message); what was due stays pending" },
      told: &channelTroubles[channel.name, default: ToldTroubles()])
    return failures.isEmpty
  }
}

// Settings.
extension WatchRun {
  /// Goes by other settings from now on; by the old ones if they are wrong.
  private func renewSettings() async {
    do throws(CommandError) {
      let new = try readSettings()
      let old = settings
      if new.watchedPaths != settings.watchedPaths { watch(new) }
      if new.zone.variable != settings.zone.variable { ZoneClock.enter(new.zone.variable) }
      settings = new
      if new.isVerbose != old.isVerbose {
        events = ScheduleEvents(isTold: new.isVerbose, console)
      }
      if new.action != old.action { await setActions() }
      tellOfIdleAction()
      unread = Set(settings.catalogues.indices)
      _ = settingsTroubles.news(in: [])
      tellOfUnseenChanges()
    } catch {
      complain(
        of: [error.message ?? ""], told: &settingsTroubles,
        ending: "; the settings stay as they were")
    }
  }

  /// Gives notifications the button that is set; those that are shown with another lose it.
  private func setActions() async {
    await actions?.close()
    actions = settings.action.map { setting in
      NotificationActions(setting.action, environment: inheritedVariables) { [console] line in
        console.complain(line)
      }
    }
  }

  private func watch(_ new: WatchSettings) {
    awaiter.watch(new.watchedPaths)
    (seen, unusable, troubles) = ([], [], [:])
  }

  /// Goes by the system's time zone of now, where none is set.
  private func renewZone() {
    guard settings.zone.variable == nil else { return }
    do throws(CommandError) {
      let zone = try TimeZoneSetting(nil, environment: environment)
      if zone.name != settings.zone.name { tell("the time zone is now \(zone.name.visible)") }
      settings.zone = zone
      ZoneClock.enter(nil)
      _ = zoneTroubles.news(in: [])
    } catch {
      let lines = [error.message ?? ""]
      if settingsTroubles.contain(lines) { return }
      complain(of: lines, told: &zoneTroubles, ending: "; the time zone stays as it was")
    }
  }
}

extension CommandError {
  /// The system cannot give what it takes to watch.
  fileprivate init(watching failure: SystemFailure) {
    self.init(.systemLimit, "the catalogues cannot be watched, \(failure.watchingWords)")
  }
}

extension SystemFailure {
  /// What errno(3) means where files are watched; see inotify_init(2), inotify_add_watch(2).
  fileprivate var watchingWords: String {
    guard isLimit else { return words }
    return """
      since too many files are watched already (end other programs that watch files, or raise the \
      limits below /proc/sys/fs/inotify)
      """
  }
}

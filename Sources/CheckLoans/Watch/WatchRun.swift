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
  private let events: ScheduleEvents
  /// The process's variables before the library's zone became its own.
  private let inheritedVariables: [String: String]
  private var actions: NotificationActions?

  /// The catalogues that are to be read, by their places.
  private var unread: Set<Int> = []
  /// Those that could not be used when they were read.
  private var unusable: Set<Int> = []
  private var troubles: [Int: CatalogueTroubles] = [:]
  private var scheduleTroubles = ToldTroubles()
  private var settingsTroubles = ToldTroubles()
  private var clockTroubles = ToldTroubles()
  private var channelTroubles: [String: ToldTroubles] = [:]
  private var schedulePatience = Patience()
  private var channelPatience = Patience()
  /// Since when another run has held the lock.
  private var lockedSince: Duration?
  /// Whether the schedule could be used once.
  private var hasBegun = false
  /// The schedule's file when it was last used.
  private var scheduleFile: FileIdentity?
  private var nextMoment: CivilDateTime?
  private var outputFailure: CommandError?

  /// How long another run may hold the lock before that is told.
  private static let lockPatience = Duration.seconds(5)
  /// After how long it is tried again to read what cannot be read, although nothing is heard of it.
  private static let unreadablePatience = Duration.seconds(60)

  /// - Parameter readSettings: reads the settings anew, once they have changed.
  init(
    _ settings: WatchSettings, _ environment: Environment, _ console: Console,
    readSettings: @escaping () throws(CommandError) -> WatchSettings
  ) throws(CommandError) {
    self.settings = settings
    self.environment = environment
    self.console = console
    self.readSettings = readSettings
    inheritedVariables = environment.variables
    let isVerbose = settings.isVerbose
    events = ScheduleEvents { event in if isVerbose { console.complain("\(event)") } }
    do throws(SystemFailure) {
      awaiter = try Awaiter(settings.watchedPaths)
    } catch {
      throw CommandError(watching: error)
    }
  }

  /// Runs until it is told to stop.
  ///
  /// - Throws: ``CommandError`` if it cannot begin, or standard output fails.
  func run() async throws(CommandError) -> ExitStatus {
    ZoneClock.enter(settings.zone.variable)
    tellOfClosedDirectories()
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
      do throws(SystemFailure) {
        step = try await awaiter.step()
      } catch {
        throw CommandError(watching: error)
      }
    }
  }

  /// Says what is done, if that is wanted.
  private func tell(_ line: @autoclosure () -> String) {
    if settings.isVerbose { console.complain(line()) }
  }

  private func tellOfClosedDirectories() {
    for directory in awaiter.closedDirectories.sorted() {
      console.complain(
        """
        no permission to list "\(directory.visible)", so changes in it are not seen; give it, or \
        send SIGHUP after a change
        """)
    }
  }
}

// One step.
extension WatchRun {
  private func work(on step: WatchStep) async throws(CommandError) {
    if hasBegun {
      if step.concernsAll || step.files.contains(.settings) { await renewSettings() }
      if step.concernsAll || step.files.contains(.systemZone) { renewZone() }
    }
    for index in settings.catalogues.indices
    where step.concernsAll || step.files.contains(.catalogue(index)) { unread.insert(index) }
    // What the system does not tell of, a disk that is mounted for example, is found now and then.
    if step.isDue { unread.formUnion(unusable) }
    guard let (instant, now) = ZoneClock.read() else {
      throw CommandError(.badSetting, "the system's clock is outside the years 1 to 9999; set it")
    }
    do throws(ScheduleError) {
      setAlarm(at: try await useSchedule(now), now, instant)
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
    let schedule = try Schedule(opening: settings.state, patience: .milliseconds(100))
    // One that somebody has removed, or put another in the place of, knows nothing of the loans.
    let file = FileIdentity(of: settings.state)
    if file != scheduleFile { unread = Set(settings.catalogues.indices) }
    scheduleFile = file
    for line in clockTroubles.news(
      in: try schedule.clockSetBackWarning(now: now).map { [$0] } ?? [])
    {
      console.complain(line)
    }
    let center = ReminderCenter(schedule: schedule, events: events)
    for index in unread.sorted() where !awaiter.mustStop { try reload(index, center, now) }
    var isComplete = true
    for channel in settings.channels where !awaiter.mustStop {
      if try await !deliver(through: channel, center, now) { isComplete = false }
    }
    if isComplete {
      channelPatience.reset()
    } else {
      awaiter.deliverAgain(after: channelPatience.afterFailure())
    }
    return try schedule.reader.nextNoticeDate(after: now, catalogues: names)
  }

  private var names: [String] { settings.catalogues.map(\.name) }

  /// Has the next step come when something becomes due, or when the day ends.
  private func setAlarm(at next: CivilDateTime?, _ now: CivilDateTime, _ instant: Int) {
    let midnight = CivilDateTime(now.date.adding(days: 1))
    let moment = min(next ?? midnight, midnight)
    let second = ReachedMoment(civil: ZoneClock.civilOrdinal).instant(
      of: moment.ordinal, from: instant)
    awaiter.setAlarm(max(second, instant + 1), chosenAt: instant)
    if moment != nextMoment { tell("next look at the clock: \(moment)") }
    nextMoment = moment
  }

  private func scheduleWorks() {
    hasBegun = true
    lockedSince = nil
    schedulePatience.reset()
    _ = scheduleTroubles.news(in: [])
  }

  /// What could not be done is tried again soon, once the program has begun to work.
  private func note(_ error: ScheduleError) throws(CommandError) {
    let failure = CommandError(error)
    guard error.code == .locked else {
      // A damaged one was set aside, and there will be a new one.
      let isSetAside = error.code == .damaged
      if !hasBegun && !isSetAside { throw failure }
      let time = isSetAside ? .seconds(1) : schedulePatience.afterFailure()
      for line in scheduleTroubles.news(in: [failure.message ?? ""]) {
        console.complain("\(line); trying again")
      }
      awaiter.deliverAgain(after: time)
      return
    }
    let since = lockedSince ?? ZoneClock.passed
    lockedSince = since
    awaiter.deliverAgain(after: .seconds(1))
    guard ZoneClock.passed - since >= Self.lockPatience else { return }
    for line in scheduleTroubles.news(in: ["another run uses the schedule; waiting for it"]) {
      console.complain(line)
    }
  }
}

// Reloading.
extension WatchRun {
  private func reload(
    _ index: Int, _ center: ReminderCenter, _ now: CivilDateTime
  ) throws(ScheduleError) {
    let source = settings.catalogues[index]
    var findings = Findings(path: source.path, showsAll: settings.isVerbose)
    var isUsable = false
    var isReadable = true
    do throws(ReminderError) {
      let report = try center.reload(
        source, at: now, settings: settings.reload, onDiagnostic: { findings.note($0) })
      isUsable = findings.note(report)
    } catch {
      switch error {
      case .schedule(let error): throw error
      case .catalogue(let error): findings.note(error)
      }
      isReadable = false
    }
    unread.remove(index)
    if isUsable { unusable.remove(index) } else { unusable.insert(index) }
    let advice = troubles[index, default: CatalogueTroubles()].note(
      findings.lines, isUsable: isUsable, at: ZoneClock.passed)
    for line in advice.news { console.complain(line: line) }
    if advice.looksAgain {
      tell("\(source.path.visible): cannot be used now; looking again")
      awaiter.lookAgain(at: .catalogue(index), after: CatalogueTroubles.patience)
    } else if !isReadable {
      awaiter.lookAgain(at: .catalogue(index), after: Self.unreadablePatience)
    }
  }

  /// What there is to tell about one reading of a catalogue, as lines for standard error.
  private struct Findings {
    let path: String
    /// Whether warnings are told that hide no loan.
    let showsAll: Bool
    private(set) var lines: [String] = []

    private static let most = 1_000

    init(path: String, showsAll: Bool) {
      self.path = path
      self.showsAll = showsAll
    }

    mutating func note(_ diagnostic: Diagnostic) {
      guard showsAll || diagnostic.mayHideALoan, lines.count <= Self.most else { return }
      if lines.count == Self.most {
        complain("there is more; see check-loans validate")
      } else {
        lines.append(LocatedDiagnostic(path: path, diagnostic: diagnostic).line)
      }
    }

    /// - Returns: whether the catalogue's part of the schedule is what it says.
    mutating func note(_ report: ReloadReport) -> Bool {
      switch report.outcome {
      case .replaced:
        return true
      case .refusedEmpty(let stored):
        complain(
          """
          no loan record, but \(counted(stored, "loan")) in the schedule; nothing was changed; if \
          all books are back, run again with --allow-empty
          """)
      case .kept:
        complain("its reminders stay as they were until it is mended")
      }
      return false
    }

    mutating func note(_ error: CatalogueError) {
      lines.append("check-loans: \(error); its reminders stay as they were")
    }

    private mutating func complain(_ words: String) {
      lines.append("check-loans: \(path.visible): \(words)")
    }
  }
}

// Delivering.
extension WatchRun {
  /// - Returns: whether everything was delivered.
  private func deliver(
    through channel: ChannelName, _ center: ReminderCenter, _ now: CivilDateTime
  ) async throws(ScheduleError) -> Bool {
    let report: DeliveryReport
    do throws(ReminderError) {
      report = try await center.deliver(
        through: channel.notifier(environment, console, actions: actions), at: now,
        catalogues: names,
        repeatExpired: settings.repeatExpired, isStopRequested: { [awaiter] in awaiter.mustStop })
    } catch {
      switch error {
      case .schedule(let error): throw error
      case .catalogue(let error): preconditionFailure("delivering read a catalogue: \(error)")
      }
    }
    let failures = report.failures.map(\.error)
    for case .outputFailed(let number) in failures.map(\.code) {
      outputFailure = CommandError(OutputError(errno: number, descriptor: 1))
      return false
    }
    let news = channelTroubles[channel.name, default: ToldTroubles()].news(
      in: failures.map { "\($0.message); what was due stays pending" })
    for line in news { console.complain(line) }
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
      if new.watchedPaths != settings.watchedPaths { try watch(new) }
      if new.zone.variable != settings.zone.variable { ZoneClock.enter(new.zone.variable) }
      settings = new
      if new.action != old.action { await setActions() }
      unread = Set(settings.catalogues.indices)
      _ = settingsTroubles.news(in: [])
      tellOfClosedDirectories()
    } catch {
      for line in settingsTroubles.news(in: [error.message ?? ""]) {
        console.complain("\(line); the settings stay as they were")
      }
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

  private func watch(_ new: WatchSettings) throws(CommandError) {
    do throws(SystemFailure) {
      try awaiter.watch(new.watchedPaths)
    } catch {
      throw CommandError(watching: error)
    }
    unusable = []
    troubles = [:]
  }

  /// Goes by the system's time zone of now, where none is set.
  private func renewZone() {
    guard settings.zone.variable == nil else { return }
    do throws(CommandError) {
      let zone = try TimeZoneSetting(nil, environment: environment)
      if zone.name != settings.zone.name { tell("the time zone is now \(zone.name.visible)") }
      settings.zone = zone
      ZoneClock.enter(nil)
      _ = settingsTroubles.news(in: [])
    } catch {
      for line in settingsTroubles.news(in: [error.message ?? ""]) {
        console.complain("\(line); the time zone stays as it was")
      }
    }
  }
}

extension CommandError {
  /// The system cannot give what it takes to watch.
  fileprivate init(watching failure: SystemFailure) {
    self.init(
      .systemLimit,
      """
      the catalogues cannot be watched (\(failure.words)); end other programs that watch files, \
      or raise the limits below /proc/sys/fs/inotify
      """)
  }
}

public import LoanCatalogue
internal import LoanRules
public import Loans
public import Notifiers
public import ReminderSchedule

/// Keeps a schedule in step with catalogues, and sends people the notices that are due.
///
/// It joins the other modules: it reads a catalogue, judges its loans, replaces the catalogue's
/// part of the schedule, and delivers through ``Notifiers/Notifier``s what is due and was not yet
/// delivered. It has no clock: each call is given the time in the library.
///
///     let center = ReminderCenter(schedule: try Schedule(opening: "schedule.sqlite"))
///     try center.reload(CatalogueSource(path: "books.xml"), at: now)
///     let report = try await center.deliver(
///       through: StandardOutputNotifier(output: CheckedOutput(descriptor: 1)), at: now)
///
/// The schedule's lock is held for as long as the schedule lives: a program that stays running
/// makes a new center, with the same ``events``, for each reload and delivery.
public final class ReminderCenter: Sendable {
  /// Where reminders are kept; `nil` to look at catalogues only.
  public let schedule: Schedule?
  /// The events of the schedule, for whoever wants to know.
  public let events: ScheduleEvents
  private let civilTime: @Sendable (Int) -> CivilDateTime?

  /// A center for a schedule.
  ///
  /// - Parameters:
  ///   - schedule: where reminders are kept; without one, nothing is ever due.
  ///   - events: where to announce what happens.
  ///   - civilTime: the library's civil time at an instant, in seconds since 1970-01-01T00:00:00Z,
  ///     for catalogues that have instants; without it, the library's time is UTC.
  public init(
    schedule: Schedule?, events: ScheduleEvents = ScheduleEvents(),
    civilTime: @escaping @Sendable (Int) -> CivilDateTime? = { CivilDateTime(ordinal: $0) }
  ) {
    self.schedule = schedule
    self.events = events
    self.civilTime = civilTime
  }

  /// Reads a catalogue and replaces its part of the schedule, in one transaction.
  ///
  /// A catalogue that is not read to its end, is of no known form, or has no record where there
  /// were loans before, leaves the schedule as it was.
  ///
  /// - Parameters:
  ///   - catalogue: what to read.
  ///   - now: the library's civil time.
  ///   - settings: how loans are judged and reminders scheduled.
  ///   - onDiagnostic: gets each problem found, in the order of their locations.
  ///   - onLoan: gets each loan with a usable expiration, in the order of the catalogue. None of them
  ///     counts if the call then throws.
  /// - Throws: ``ReminderError``; then the schedule is as it was.
  @discardableResult
  public func reload(
    _ catalogue: CatalogueSource, at now: CivilDateTime, settings: ReloadSettings = .standard,
    onDiagnostic: (Diagnostic) -> Void = { _ in },
    onLoan: (inout ReadLoan) -> Void = { _ in }
  ) throws(ReminderError) -> ReloadReport {
    let reload = CatalogueReload(
      catalogue, settings: settings, today: now.date, civilTime: civilTime)
    let report = try reload.run(
      into: schedule, now: now, onDiagnostic: onDiagnostic, onLoan: onLoan)
    announce(report, of: catalogue)
    return report
  }

  /// Delivers what is due and was not yet delivered through a channel, each notice once.
  ///
  /// A message that fails leaves its notices pending. Where every other would fail too, no more
  /// are tried.
  ///
  /// - Parameters:
  ///   - notifier: the channel.
  ///   - now: the library's civil time.
  ///   - catalogues: the names of the catalogues whose loans count; `nil` for all.
  ///   - repeatExpired: the number of days, 1 or more, after which an expired notice is delivered
  ///     again; `nil` for never.
  ///   - isStopRequested: asked before each message; once it says yes, the rest stays pending.
  /// - Throws: ``ReminderError`` `schedule`: what was sent and could not be noted is sent again.
  @discardableResult
  public func deliver(
    through notifier: any Notifier, at now: CivilDateTime, catalogues: [String]? = nil,
    repeatExpired: Int? = nil, isStopRequested: @Sendable () -> Bool = { false }
  ) async throws(ReminderError) -> DeliveryReport {
    guard let schedule else { return DeliveryReport(channel: notifier.channel) }
    do throws(ScheduleError) {
      try schedule.noteUse(of: notifier.channel, at: now)
      let due = try schedule.reader.due(
        at: now, channel: notifier.channel, catalogues: catalogues, repeatExpired: repeatExpired)
      if due.isEmpty { return DeliveryReport(channel: notifier.channel) }
      let open = try schedule.reader.openCount(at: now)
      var run = DeliveryRun(
        notifier: notifier, schedule: schedule, events: events,
        context: DeliveryContext(now: now, openCount: open.reminders + open.expired),
        utcOffset: utcOffset(at: now))
      return try await run.deliver(due, isStopRequested: isStopRequested)
    } catch {
      throw .schedule(error)
    }
  }

  /// Cancels the pending notices of loans until the next reload of their catalogue.
  ///
  /// - Parameter ids: numbers as ``ReminderSchedule/ScheduleEntry/id`` has them; `nil` for all.
  /// - Returns: how many loans were not cancelled before, and the numbers that no loan has.
  /// - Throws: ``ReminderError`` `schedule`.
  @discardableResult
  public func cancel(
    ids: [Int]?
  ) throws(ReminderError) -> (cancelled: Int, unknown: [Int]) {
    guard let schedule else { return (0, ids ?? []) }
    let result: (cancelled: Int, unknown: [Int])
    do throws(ScheduleError) {
      result = try schedule.cancel(ids: ids)
    } catch {
      throw .schedule(error)
    }
    if result.cancelled > 0 { events.announce(.cancelled(catalogue: nil, loans: result.cancelled)) }
    return result
  }

  /// The number of seconds by which the library's clock is ahead of UTC when it shows a time; `nil` if
  /// that is not known.
  public func utcOffset(at now: CivilDateTime) -> Int? {
    var instant = now.ordinal
    // The first guess is off by the offset, and the clocks may change in between.
    for _ in 0..<2 {
      guard let shown = civilTime(instant) else { return nil }
      instant += now.ordinal - shown.ordinal
    }
    return now.ordinal - instant
  }

  private func announce(_ report: ReloadReport, of catalogue: CatalogueSource) {
    guard case .replaced(let summary) = report.outcome else { return }
    let gone = summary.removed + summary.changed
    if gone > 0 { events.announce(.cancelled(catalogue: catalogue.name, loans: gone)) }
    let new = summary.added + summary.changed
    if new > 0 {
      events.announce(
        .scheduled(catalogue: catalogue.name, loans: new, nextFireAt: summary.nextFireAt))
    }
    events.announce(.reloaded(catalogue: catalogue.name, summary))
  }
}

/// The reason why a reload or delivery did not finish.
public enum ReminderError: Error, Sendable {
  /// The catalogue cannot be read.
  case catalogue(CatalogueError)
  /// The schedule cannot be used.
  case schedule(ScheduleError)
}

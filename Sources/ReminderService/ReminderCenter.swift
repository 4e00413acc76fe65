internal import Failpoints
public import LoanCatalogue
internal import LoanRules
public import Loans
public import ReminderSchedule

/// Keeps a schedule in step with catalogues, and sends people the notices that are due.
///
/// It joins the other modules: it reads a catalogue, judges its loans, replaces the catalogue's
/// part of the schedule, and delivers through ``Notifiers/Notifier``s what is due and was not yet
/// delivered. It has no clock: each call is given the time in the library.
///
///     let center = ReminderCenter(schedule: try Schedule(opening: "schedule.sqlite"))
///     try center.reload(CatalogueSource(path: "books.xml"), at: now)
///     let report = try center.deliver(
///       through: StandardOutputNotifier(output: CheckedOutput(descriptor: 1)),
///       in: [center.zone(at: now)])
///
/// The schedule's lock is held for as long as the schedule lives: a program that stays running
/// makes a new center for each reload and delivery.
public struct ReminderCenter: Sendable {
  /// Where reminders are kept; `nil` to look at catalogues only.
  public let schedule: Schedule?
  let civilTime: @Sendable (Int) -> CivilDateTime?
  let onEvent: @Sendable (ScheduleEvent) -> Void

  /// A center for a schedule.
  ///
  /// - Parameters:
  ///   - schedule: where reminders are kept; without one, nothing is ever due.
  ///   - civilTime: the library's civil time at an instant, in seconds since 1970-01-01T00:00:00Z,
  ///     for catalogues that have instants; without it, the library's time is UTC.
  ///   - onEvent: gets each event when it happens; it must not take long, and must not use the schedule.
  public init(
    schedule: Schedule?,
    civilTime: @escaping @Sendable (Int) -> CivilDateTime? = { CivilDateTime(ordinal: $0) },
    onEvent: @escaping @Sendable (ScheduleEvent) -> Void = { _ in }
  ) {
    self.schedule = schedule
    self.civilTime = civilTime
    self.onEvent = onEvent
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
    _ catalogue: CatalogueSource, at now: CivilDateTime,
    settings: ReloadSettings = ReloadSettings(),
    onDiagnostic: (Diagnostic) -> Void = { _ in },
    onLoan: (ReadLoan) -> Void = { _ in }
  ) throws(ReminderError) -> ReloadReport {
    do {
      var reload = try schedule?.beginReload(
        of: catalogue.name, library: catalogue.library, at: now, utcOffset: now.utcOffset(civilTime)
      )
      var reader = settings.reader(today: now.date, civilTime)
      // Otherwise there is too little to be done on other threads.
      if reload?.isFirst == true { reader.prepare = { $0.attachment = PreparedLoans($0) } }
      let reading = try reader.open(catalogue.path)
      var days = JudgedDays(settings.policy, today: now.date)
      // The finding that the catalogue has no record, which may be allowed.
      var emptiness: Diagnostic?
      var mayHideLoans = false
      while let batch = try reading.next() {
        let prepared = batch.attachment as? PreparedLoans
        try batch.forEach { diagnostic throws(ScheduleError) in
          if diagnostic.code == .noLoans && emptiness == nil {
            emptiness = diagnostic
            return
          }
          let hints: [Diagnostic.Code] = [.unknownCase, .unknownDateElement, .misplacedExpiration]
          if diagnostic.severity == .error || hints.contains(diagnostic.code) {
            mayHideLoans = true
          }
          onDiagnostic(diagnostic)
        } record: { record throws(ScheduleError) in
          switch record.expiration {
          case .none: break
          case .unusable: try reload?.keep(record, record.identity)
          case .date:
            let day = try days.day(of: record) { plan throws(ScheduleError) in
              try reload?.day(of: plan)
            }
            onLoan(ReadLoan(record: record, day: day))
            guard let scheduled = day.scheduled else { return }
            try reload?.add(
              record, record.identity,
              fingerprint: prepared?.fingerprints[record.index] ?? record.fingerprint, scheduled,
              encoded: prepared.map { ($0.encoded, record.index) })
          }
        }
      }
      let summary = reading.summary
      failpoint("catalogue-read")
      // It may be allowed that nothing is lent, but not that no date is where it was.
      guard summary.isUsable, !(summary.isUndated && settings.allowsEmpty) else {
        if let emptiness { onDiagnostic(emptiness) }
        if summary.answer.isBorrowerUnknown {
          // What it has changed is undone first.
          reload = nil
          try schedule?.noteUnknownBorrower(of: catalogue.name, on: now.date)
        }
        return ReloadReport(summary: summary, outcome: .kept)
      }
      let modifiedAt = reading.modifiedAt.flatMap { instant in
        civilTime(instant).map { ClockTime($0, utcOffset: $0.ordinal - instant) }
      }
      let isAllBack = summary.isWithoutLoans && !mayHideLoans
      let outcome =
        try reload?.commit(
          records: summary.hasExpirations ? summary.records - summary.withoutExpiration : 0,
          allowEmpty: settings.allowsEmpty, isAllBack: isAllBack,
          modifiedAt: modifiedAt, isDelivered: settings.isDelivered) ?? .kept
      if case .replaced(let changes) = outcome { announce(changes, of: catalogue.name) }
      if case .refusedEmpty = outcome {
        // Who has nothing is known.
        reload = nil
        try schedule?.noteUnknownBorrower(of: catalogue.name, on: nil)
      }
      let isGoodNews =
        switch outcome {
        case .replaced(let changes): changes.removed > 0 || summary.answer.isListEmpty
        case .kept: isAllBack && summary.answer.isListEmpty
        case .refusedEmpty: false
        }
      if let emptiness, !settings.allowsEmpty, !isGoodNews { onDiagnostic(emptiness) }
      return ReloadReport(
        summary: summary, outcome: outcome, closedForLong: days.closedForLong,
        modifiedAt: modifiedAt)
    } catch let error as ScheduleError {
      throw .schedule(error)
    } catch let error as CatalogueError {
      throw .catalogue(error)
    } catch {
      preconditionFailure("reading \(catalogue.path) threw \(error)")
    }
  }

  private func announce(_ changes: ReloadSummary, of catalogue: String) {
    let gone = changes.removed + changes.changed
    if gone > 0 { onEvent(.cancelled(catalogue: catalogue, loans: gone)) }
    let new = changes.added + changes.changed
    if new > 0 {
      onEvent(.scheduled(catalogue: catalogue, loans: new, nextFireAt: changes.nextFireAt))
    }
    onEvent(.reloaded(catalogue: catalogue, changes))
  }
}

/// What the threads that read a catalogue work out of a batch, since they have more time than the one that
/// stores.
private final class PreparedLoans: Sendable {
  /// The fingerprint of each record.
  let fingerprints: [UInt64]
  let encoded: EncodedLoans

  init(_ batch: RecordBatch) {
    fingerprints = (0..<batch.count).map { batch[$0].fingerprint }
    encoded = EncodedLoans(batch.count) { number in
      if case .date = batch[number].expiration { batch[number] } else { nil }
    }
  }
}

extension CivilDateTime {
  /// The number of seconds by which a clock that shows this time is ahead of UTC; `nil` if that is not
  /// known.
  ///
  /// - Parameter civilTime: what the clock shows at an instant.
  package func utcOffset(_ civilTime: (Int) -> CivilDateTime?) -> Int? {
    var instant = ordinal
    // The first guess is off by the offset, and the clocks may change in between.
    for _ in 0..<2 {
      guard let shown = civilTime(instant) else { return nil }
      instant += ordinal - shown.ordinal
    }
    return ordinal - instant
  }
}

/// The reason why a reload did not finish.
public enum ReminderError: Error, Sendable {
  /// The catalogue cannot be read.
  case catalogue(CatalogueError)
  /// The schedule cannot be used.
  case schedule(ScheduleError)
}

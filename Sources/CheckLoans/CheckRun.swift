import LoanCatalogue
import LoanRules
import Loans
import ReminderSchedule

/// One run of `check`: reads each catalogue, reloads its part of the schedule while reading,
/// reports, and delivers.
final class CheckRun {
  private let settings: CheckSettings
  private let environment: Environment
  private let console: Console
  private let schedule: Schedule?
  private let reader: CatalogueReader

  private var status = ExitStatus.done
  private var report = Report()
  private var total = Report.Counts()
  private var catalogues: [JSONValue] = []
  /// Whether some catalogue was read to its end.
  private var hasRead = false
  private var diagnostics: [String] = []
  private var nextReminder: CivilDateTime?
  /// What is due, where no schedule is kept.
  private var unscheduled: [DueNotice] = []

  init(
    _ settings: CheckSettings, _ environment: Environment, _ console: Console
  ) throws(CommandError) {
    self.settings = settings
    self.environment = environment
    self.console = console
    schedule = try Self.openSchedule(settings)
    reader = CatalogueReader(
      detail: .loans, requiresExpiration: settings.requiresExpiration,
      dateRule: ExpirationRule.judge)
  }

  private static func openSchedule(
    _ settings: CheckSettings
  ) throws(CommandError) -> Schedule? {
    guard let path = settings.state else { return nil }
    do throws(ScheduleError) {
      return try Schedule(path, isDryRun: settings.isDryRun)
    } catch {
      throw CommandError(error)
    }
  }

  /// - Throws: ``CommandError`` if nothing more can be done.
  func run() async throws(CommandError) -> ExitStatus {
    if settings.isVerbose {
      console.complain("now is \(settings.now) in the time zone \(settings.zone.visible)")
    }
    for path in settings.catalogues { try check(path) }
    if settings.reports { try printReport() }
    try console.flush()
    try await deliver()
    if settings.failsOnExpired && total.expired > 0 { note(.findings) }
    return status
  }

  private func note(_ status: ExitStatus) { self.status = self.status.worse(status) }
}

// Reading.
extension CheckRun {
  private func check(_ path: String) throws(CommandError) {
    let tally = Tally(path: path)
    do {
      guard let schedule else {
        _ = try read(tally, into: nil)
        return try end(tally)
      }
      let outcome = try schedule.reload(
        catalogue: environment.catalogueName(path), now: settings.now,
        allowEmpty: settings.allowsEmpty
      ) { reload in try read(tally, into: reload) }
      note(outcome, tally)
      try end(tally)
    } catch let error as ReloadError<any Error> {
      switch error {
      case .schedule(let error): throw CommandError(error)
      case .reading(let error): try fail(tally, error)
      }
    } catch {
      try fail(tally, error)
    }
  }

  /// What is counted while one catalogue is read.
  private final class Tally {
    let path: String
    var counts = Report.Counts()
    var hasErrors = false
    /// That the catalogue has no record, which may be allowed.
    var emptiness: Diagnostic?
    /// Whether the catalogue's part of the schedule is what was read now.
    var isReplaced = false

    init(path: String) { self.path = path }
  }

  /// Reads the catalogue.
  ///
  /// If that fails, nothing is taken from it, not even for the report.
  private func read(_ tally: Tally, into reload: Reload?) throws -> ReloadDecision {
    let before = (report: report.mark, unscheduled: unscheduled.count)
    do {
      return try readToTheEnd(tally, into: reload)
    } catch {
      report.goBack(to: before.report)
      unscheduled.removeSubrange(before.unscheduled...)
      tally.counts = Report.Counts(diagnostics: tally.counts.diagnostics)
      throw error
    }
  }

  private func readToTheEnd(_ tally: Tally, into reload: Reload?) throws -> ReloadDecision {
    let summary = try reader.read(
      tally.path,
      onDiagnostic: { diagnostic in note(diagnostic, tally) },
      onRecord: { record in
        if case .date(let expiration) = record.expiration {
          try take(record, expiration, tally, into: reload)
        }
      })
    tally.counts.loans = summary.loans
    tally.counts.onShelf = summary.onShelf
    if summary.isComplete && summary.isKnownForm { hasRead = true }
    if let emptiness = tally.emptiness, !summary.isKnownForm { note(emptiness, tally) }
    if tally.hasErrors { note(.invalidData) }
    guard summary.isComplete && summary.isKnownForm else {
      keepSchedule(of: tally)
      return .keep
    }
    return .replace(records: summary.records)
  }

  private func take(
    _ record: LoanRecord, _ expiration: CivilDate, _ tally: Tally, into reload: Reload?
  ) throws {
    let status = LoanStatus(
      expiration: expiration, today: settings.now.date, lead: settings.policy.lead)
    let fireAt = settings.policy.fireDate(expiration: expiration)
    tally.counts.note(status)
    var loan: Loan?
    if settings.reports, settings.showsAll || status.needsAttention, let known = record.loan {
      loan = known
      report.add(text(of: known, status, fireAt, tally.path, record), expiration: expiration)
    }
    guard let reload else {
      keepInMind(record, status, fireAt, tally.path)
      return
    }
    let goesOn = reload.add(
      key: record.key, fingerprint: record.fingerprint(fireAt: fireAt), expiration: expiration,
      fireAt: fireAt
    ) {
      let loan = loan ?? record.loan ?? Loan(expiration: expiration)
      return (record.identity, Reminder(loan: loan, fireAt: fireAt))
    }
    if !goesOn, let failure = reload.failure { throw failure }
  }

  /// Without a schedule, what is due is delivered from what was just read.
  private func keepInMind(
    _ record: LoanRecord, _ status: LoanStatus, _ fireAt: CivilDateTime, _ path: String
  ) {
    guard !settings.channels.isEmpty, status == .expired || fireAt <= settings.now,
      let loan = record.loan
    else { return }
    let kind: Notice.Kind = status == .expired ? .expired : .reminder
    unscheduled.append(
      DueNotice(
        reminderID: unscheduled.count, notice: Notice(kind: kind, loan: loan, catalogue: path)))
  }

  private func note(_ diagnostic: Diagnostic, _ tally: Tally) {
    if diagnostic.code == .noLoans && settings.allowsEmpty && tally.emptiness == nil {
      tally.emptiness = diagnostic
      return
    }
    let found = LocatedDiagnostic(path: tally.path, diagnostic: diagnostic)
    tally.counts.diagnostics += 1
    if diagnostic.severity == .error { tally.hasErrors = true }
    if diagnostic.mayHideALoan || settings.isVerbose { console.complain(line: found.line) }
    if settings.format == .json { diagnostics.append(found.json.text) }
  }

  private func note(_ outcome: ReloadOutcome, _ tally: Tally) {
    switch outcome {
    case .replaced(let summary):
      tally.isReplaced = true
      tally.counts.scheduled = summary.scheduled
      note(next: summary.nextFireAt)
      if settings.isVerbose {
        console.complain("\(tally.path.visible): reloaded: \(summary.words)")
      }
    case .refusedEmpty(let stored):
      console.complain(
        """
        \(tally.path.visible): no loan record, but \(counted(stored, "loan")) in the schedule; \
        nothing was changed; if all books are back, run again with --allow-empty
        """)
      note(.invalidData)
    case .kept:
      break
    }
  }

  /// Counts the reminders that a catalogue has from before.
  private func countWhatStays(_ tally: Tally) throws(CommandError) {
    guard let schedule, settings.reports else { return }
    let names = [environment.catalogueName(tally.path)]
    do throws(ScheduleError) {
      tally.counts.scheduled = try schedule.reader.scheduledCount(
        at: settings.now, catalogues: names)
      note(next: try schedule.nextFireDate(after: settings.now, catalogues: names))
    } catch {
      throw CommandError(error)
    }
  }

  private func note(next fireAt: CivilDateTime?) {
    nextReminder = [nextReminder, fireAt].compactMap { $0 }.min()
  }

  private func keepSchedule(of tally: Tally) {
    guard schedule != nil else { return }
    console.complain(
      "\(tally.path.visible): its reminders stay as they were; mend the catalogue and run again")
  }

  /// A catalogue that cannot be read leaves its reminders as they were, and the others go on.
  private func fail(_ tally: Tally, _ error: any Error) throws(CommandError) {
    guard let error = error as? CatalogueError else { throw CommandError(error) }
    let failure = CommandError(error)
    if let message = failure.message { console.complain(message) }
    note(failure.status)
    try end(tally)
  }

  private func end(_ tally: Tally) throws(CommandError) {
    if !tally.isReplaced { try countWhatStays(tally) }
    total = total + tally.counts
    guard settings.format == .json else { return }
    catalogues.append(tally.counts.json(path: tally.path))
  }
}

// Reporting.
extension CheckRun {
  private func text(
    of loan: Loan, _ status: LoanStatus, _ fireAt: CivilDateTime, _ path: String,
    _ record: LoanRecord
  ) -> String {
    switch settings.format {
    case .text:
      return status.colored(loan.line(today: settings.now.date), settings.isColored)
    case .json:
      return JSONValue.object([
        ("catalogue", .string(path)),
        ("line", .int(record.location.line)),
        ("id", JSONValue(loan.id)),
        ("title", JSONValue(loan.title)),
        ("author", JSONValue(loan.author)),
        ("borrower", JSONValue(loan.borrower)),
        ("expiration", .string("\(loan.expiration)")),
        ("status", .string(status.rawValue)),
        ("daysLeft", .int(loan.daysLeft(today: settings.now.date))),
        ("remindAt", status == .expired ? .null : .string(fireAt.toTheMinute)),
      ]).text
    }
  }

  private func printReport() throws(CommandError) {
    switch settings.format {
    case .text: try printText()
    case .json: try printJSON()
    }
  }

  private func printText() throws(CommandError) {
    try report.forEach { text throws(CommandError) in
      try console.print(text)
      try console.print("\n".utf8.span)
    }
    if hasRead && !settings.isQuiet { try console.print(line: summary) }
  }

  private var summary: String {
    var parts = [
      counted(total.loans, "loan"), "\(total.expired) expired",
      "\(total.expiresToday) \(total.expiresToday == 1 ? "expires" : "expire") today",
    ]
    if schedule == nil {
      parts.append("nothing scheduled (--no-state)")
    } else {
      parts.append("\(total.scheduled) scheduled")
      parts.append(nextReminder.map { "next reminder \($0.words)" } ?? "no reminder to come")
    }
    if settings.isDryRun { parts.append("nothing written (--dry-run)") }
    return parts.joined(separator: ", ")
      + (total.onShelf > 0 ? "; \(counted(total.onShelf, "book")) on the shelf" : "")
  }

  private func printJSON() throws(CommandError) {
    let zone = JSONValue.string(settings.zone).text
    try console.print(
      "{\"version\":1,\"now\":\"\(settings.now)\",\"timeZone\":\(zone),\"catalogues\":")
    try console.print(JSONValue.array(catalogues).text + ",\"loans\":[")
    var isFirst = true
    try report.forEach { text throws(CommandError) in
      if !isFirst { try console.print(",") }
      isFirst = false
      try console.print(text)
    }
    try console.print(line: "],\"diagnostics\":[\(diagnostics.joined(separator: ","))]}")
  }
}

// Delivering.
extension CheckRun {
  private func deliver() async throws(CommandError) {
    for channel in settings.channels {
      let delivery = DeliveryRun(
        notifier: channel.notifier(environment, console), schedule: schedule, now: settings.now,
        isDryRun: settings.isDryRun, isVerbose: settings.isVerbose,
        announces: settings.format == .text, console: console)
      note(try await delivery.run(try due(through: channel)))
    }
  }

  private func due(through channel: ChannelName) throws(CommandError) -> [DueNotice] {
    guard let schedule else {
      return unscheduled.sorted { $0.notice.loan.expiration < $1.notice.loan.expiration }
    }
    do throws(ScheduleError) {
      return try schedule.due(
        at: settings.now, channel: channel.rawValue,
        catalogues: settings.catalogues.map(environment.catalogueName))
    } catch {
      throw CommandError(error)
    }
  }
}

extension Diagnostic {
  /// Whether a loan may go unnoticed because of it: then it is always told.
  fileprivate var mayHideALoan: Bool {
    severity == .error || code == .unknownCase || code == .misplacedExpiration
  }
}

extension Report.Counts {
  fileprivate mutating func note(_ status: LoanStatus) {
    if status == .expired { expired += 1 }
    if status == .expiresToday { expiresToday += 1 }
  }

  fileprivate func json(path: String) -> JSONValue {
    .object([
      ("path", .string(path)), ("loans", .int(loans)), ("onShelf", .int(onShelf)),
      ("expired", .int(expired)), ("expiresToday", .int(expiresToday)),
      ("scheduled", .int(scheduled)), ("diagnostics", .int(diagnostics)),
    ])
  }
}

extension ReloadSummary {
  /// What the reload did, for people.
  fileprivate var words: String {
    """
    \(scheduled) scheduled; \(added) new, \(changed) changed, \(removed) gone, \
    \(unchanged) as before
    """
  }
}

extension LoanStatus {
  /// The line in the colour of its urgency (ECMA-48, SGR).
  fileprivate func colored(_ line: String, _ isColored: Bool) -> String {
    guard isColored else { return line }
    switch self {
    case .expired: return "\u{1B}[31m\(line)\u{1B}[0m"
    case .expiresToday: return "\u{1B}[33m\(line)\u{1B}[0m"
    case .expiresSoon, .onLoan: return line
    }
  }
}

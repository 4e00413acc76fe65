import CommandOutput
import LoanCatalogue
import LoanRules
import Loans
import ReminderSchedule
import ReminderService
import Reports
import Settings
import System
import SystemPackage

/// One run of `check`: has each catalogue read and its part of the schedule reloaded, reports, and
/// has delivered what is due.
final class CheckRun {
  private var request: CheckRequest
  private let environment: Environment
  private let console: Console
  /// Open, and locked, until nothing more is done to it.
  private var schedule: Schedule?
  private let onEvent: @Sendable (ScheduleEvent) -> Void

  private var status = ExitStatus.done
  private var report: CheckReport
  /// Where the report goes.
  private var output: ResultsOutput?
  /// Whether standard input could be taken in.
  private var input = Result<Void, CommandError>.success(())
  private let progress: Progress?
  private var closedDays = ClosedDaysReader()
  /// When the files of catalogues were written last.
  private var files: [(name: String, modifiedAt: ClockTime?)] = []
  /// The catalogues that the schedule had before this run.
  private var known: Set<[UInt8]> = []
  /// Those that are in it now, and that only this look has put there.
  private var lookedAt: [String] = []

  /// The loans after which a transaction ends and the next one begins, since readers may have to
  /// wait for its end.
  private static let loansPerCommit = 10_000

  init(_ request: CheckRequest, _ environment: Environment, _ console: Console) {
    self.request = request
    self.environment = environment
    self.console = console
    report = CheckReport(request.report, directory: environment.temporaryDirectory)
    progress =
      request.isQuiet
      ? nil : Progress(of: request.catalogues.map(\.path), environment.variables, console)
    onEvent = console.eventPrinter(isVerbose: request.options.printing.verbose.verbose)
  }

  /// - Throws: ``CommandError`` if nothing more can be done.
  func run() throws(CommandError) -> ExitStatus {
    try read()
    var failure: CommandError?
    do { try deliver() } catch { failure = CommandError(error) }
    return try end(failure)
  }

  private func read() throws(CommandError) {
    if request.reports {
      let options = request.options.report
      do throws(CommandError) {
        output = try ResultsOutput(
          console, file: request.output, permissions: options.screen ? nil : .ownerReadWrite,
          pager: options.pager.pager(request.terminal, environment))
      } catch {
        // Reminders do not wait for a place for the report.
        printError(error)
      }
    }
    // Whoever writes to a pipe may take as long as he likes: it keeps no other run waiting.
    if request.state != nil && request.catalogues.contains(where: { $0.path == "-" }) {
      input = Result { () throws(CommandError) in
        try StandardInput.spool(environment.temporaryDirectory)
      }
    }
    do {
      try fetch()
      if let path = request.state {
        schedule = try Schedule(path, isDryRun: request.isDryRun)
      } else if !request.channels.isEmpty {
        // Holds what is due in this run.
        schedule = try Schedule()
      }
      if request.state != nil, let names = try schedule?.reader.catalogues() {
        known = Set(names.map { Array($0.utf8) })
      }
      if request.options.printing.verbose.verbose {
        console.printError(request.clock.words(for: request.now))
      }
      if let warning = try schedule?.clockSetBackWarning(now: request.now) {
        console.printError(warning)
      }
      try readCatalogues()
    } catch {
      throw CommandError(error)
    }
    console.statusLine.clear()
  }

  /// Has programs fetch catalogues, before the lock is taken: a server may take as long as it likes.
  private func fetch() throws(ScheduleError) {
    if request.catalogues.allSatisfy({ $0.fetch == nil }) { return }
    let kept = request.isDryRun ? nil : request.state
    if let kept { try Schedule.prepareDirectory(of: kept) }
    ChildProcess.endWithThisProcess()
    for index in request.catalogues.indices {
      request.catalogues[index].fetch(keeps: kept != nil)
    }
  }

  /// Reads the catalogues, several small ones in each commit.
  private func readCatalogues() throws {
    var transaction = try schedule?.begin()
    var uncommitted = 0
    for (number, catalogue) in request.catalogues.enumerated() {
      try check(catalogue, number)
      if request.reports, request.state != nil, let reader = schedule?.reader {
        report.catalogues[number].silenced = try reader.silencedCount(
          at: catalogue.now, catalogues: [catalogue.source.name])
      }
      uncommitted += report.catalogues[number].summary.loans
      if uncommitted < Self.loansPerCommit { continue }
      uncommitted = 0
      try transaction?.commit()
      transaction = try schedule?.begin()
    }
    try transaction?.commit()
  }

  /// Prints the report.
  ///
  /// - Parameter failure: why the delivery ended early.
  private func end(_ failure: CommandError?) throws(CommandError) -> ExitStatus {
    // Whoever reads the report may take as long as he likes: it keeps no other run waiting.
    schedule = nil
    do throws(CommandError) {
      if request.reports, let output { try report.print(output) }
    } catch {
      throw failure ?? error
    }
    if let failure { throw failure }
    if !lookedAt.isEmpty, !request.isQuiet {
      let (names, isOne) = (lookedAt.map(\.visible).joined(separator: ", "), lookedAt.count == 1)
      console.printError(
        """
        \(names) \(isOne ? "is" : "are") now in the schedule; check-loans schedule forget \
        \(lookedAt.map(\.shellQuoted.visible).joined(separator: " ")) takes \(isOne ? "it" : "them") out
        """)
    }
    try console.flush()
    if request.options.exitCode && report.expired > 0 { note(.findings) }
    return status
  }

  private func deliver() throws {
    let (limits, now) = (request.staleLimits, request.clock.clockTime(request.now))
    let stale =
      try schedule.map { try StaleCatalogues($0.reader, limits, at: now) }
      ?? StaleCatalogues(files, limits, at: now)
    note(console.report(stale))
    guard let schedule, !request.channels.isEmpty else { return }
    let groups = try request.catalogues.namesByZone.withoutMoved(schedule.reader) { sentence in
      console.printError(sentence)
      note(.badSetting)
    }
    let delivery = ChannelDelivery(
      schedule: schedule, groups: groups,
      times: DeliveryTimes(
        request.options.channels.times, request.catalogues.closedDays, today: request.now.date,
        schedule.reader, after: closedDays),
      onEvent: onEvent, notifiers: request.notifiers, console: console, stale: stale,
      isRemembered: request.state != nil, backlog: request.options.channels.backlog)
    if request.isDryRun {
      try delivery.rehearse(
        request.channels, before: request.state.map { try ScheduleReader(opening: $0) },
        isResult: request.options.report.format.isForPeople)
    } else {
      note(try delivery.run(request.channels))
    }
  }

  private func note(_ status: ExitStatus) { self.status = self.status.worse(status) }
}

// MARK: - Reading

extension CheckRun {
  /// A catalogue that cannot be read leaves its reminders as they were, and the others go on.
  private func check(_ catalogue: CatalogueToRead, _ number: Int) throws {
    var part = CatalogueReport(catalogue: catalogue.reported)
    defer { report.catalogues.append(part) }
    var fault = catalogue.fault
    if catalogue.path == "-", case .failure(let failure) = input { fault = failure }
    if let fault {
      note(fault, &part)
      return try countPending(catalogue, &part)
    }
    var contents = report.contents
    var catalogue = catalogue
    do {
      part.catalogue.closedDays = try readClosedDays(catalogue)
      catalogue.settings.policy.closedDays = part.catalogue.closedDays
    } catch let fault as CommandError {
      note(fault, &part)
      return try countPending(catalogue, &part)
    }
    catalogue.settings.onProgress = progress?.notes(of: number)
    // A trial reaches no borrower.
    catalogue.settings.isDelivered = request.channels.contains { $0 != .mailRedirect }
    do throws(ReminderError) {
      let center = ReminderCenter(
        schedule: schedule, civilTime: catalogue.clock.civilTime, onEvent: onEvent)
      let result = try center.reload(
        catalogue.source, at: catalogue.now, settings: catalogue.settings,
        onDiagnostic: { note($0, &part) },
        onLoan: { [reported = part.catalogue] read in
          part.note(read.status)
          contents.add(read, of: reported)
        })
      report.contents = contents
      part.summary = result.summary
      files.append((catalogue.source.name, result.modifiedAt))
      note(result, catalogue, &part)
      if case .replaced = result.outcome { return noteLook(at: catalogue) }
    } catch {
      (part.expired, part.expiresToday, part.lost, part.claimedReturned) = (0, 0, 0, 0)
      guard case .catalogue = error else { throw error }
      note(CommandError(error), &part)
      try adviseOnMissing(catalogue)
    }
    try countPending(catalogue, &part)
  }

  /// Notes that a look has added a catalogue to those of others, which nobody may have meant.
  private func noteLook(at catalogue: CatalogueToRead) {
    let name = catalogue.source.name
    if request.channels.isEmpty, !request.isDryRun, !known.isEmpty,
      !known.contains(Array(name.utf8)),
      !environment.isListed(name)
    {
      lookedAt.append(catalogue.forgettable)
    }
  }

  private func readClosedDays(_ catalogue: CatalogueToRead) throws -> ClosedDays {
    try closedDays.read(catalogue.closed, today: catalogue.now.date, schedule) { result in
      let warnings = request.options.printing.verbose.verbose ? result.warnings : result.news
      for line in result.errors + result.unused + warnings { console.printError(line) }
      note(result.status)
    }
  }

  /// Says what to do about a catalogue whose file is gone.
  private func adviseOnMissing(_ catalogue: CatalogueToRead) throws {
    guard request.state != nil, let schedule, !FileSystem.exists(catalogue.file) else { return }
    let loans = try schedule.reader.loansWithNotices(
      at: catalogue.now, channels: request.channels.map(\.name), in: catalogue.source.name)
    if loans == 0 { return }
    console.printError(
      """
      \(catalogue.path.visible): the notices of \(counted(loans, "loan")) will still be delivered; \
      \(catalogue.forgettable.adviceOnMissing)
      """)
  }

  private func note(_ fault: CommandError, _ part: inout CatalogueReport) {
    printError(fault)
    part.failure = fault.message ?? part.catalogue.path.visibleCatalogue
  }

  private func note(_ diagnostic: Diagnostic, _ part: inout CatalogueReport) {
    let found = LocatedDiagnostic(path: part.catalogue.path, diagnostic: diagnostic)
    part.diagnostics += 1
    if diagnostic.severity == .error {
      note(.invalidData)
      part.lastError = found
    }
    if diagnostic.mayHideALoan || request.options.printing.verbose.verbose {
      console.printError(line: found.line)
    }
    report.add(found)
  }

  private func note(
    _ result: ReloadReport, _ catalogue: CatalogueToRead, _ part: inout CatalogueReport
  ) {
    let path = part.catalogue.path.visible
    if request.options.printing.verbose.verbose, let modifiedAt = result.modifiedAt {
      console.printError("\(path): last written \(modifiedAt.words)")
    }
    if !result.isUsable { part.gap = part.lastError?.line ?? path }
    if result.isUsable {
      report.hasRead = true
    } else if request.state != nil, !result.summary.answer.isBorrowerUnknown {
      console.printError("\(path): its reminders are unchanged; fix the catalogue and run again")
    }
    if let words = result.closedForLongWords { console.printError("\(path): \(words)") }
    switch result.outcome {
    case .replaced(let summary):
      (part.scheduled, part.nextReminder) = (summary.scheduled, summary.nextFireAt)
      if request.state != nil, !catalogue.settings.allowsEmpty, let words = summary.lossWords {
        console.printError("\(path): \(words)")
      }
    case .refusedEmpty(let stored):
      let reason = emptinessWords(stored: stored, mayBeEmpty: result.summary.mayBeEmpty)
      let words = "\(path): \(reason)"
      console.printError(words)
      note(.invalidData)
      part.gap = words
    case .kept where result.isUsable && request.state != nil:
      console.printError("\(path): its reminders are unchanged")
    case .kept: break
    }
  }

  private func printError(_ failure: CommandError) {
    if let message = failure.message { console.printError(message) }
    note(failure.status)
  }

  /// Counts the reminders that a catalogue has from before.
  private func countPending(
    _ catalogue: CatalogueToRead, _ part: inout CatalogueReport
  ) throws {
    guard request.reports, let pending = try pending(of: catalogue) else { return }
    (part.scheduled, part.nextReminder) = (pending.count, pending.nextFireAt)
  }

  private func pending(of catalogue: CatalogueToRead) throws -> PendingNotices? {
    try schedule?.reader.pending(after: catalogue.now, catalogues: [catalogue.source.name])
  }
}

extension String {
  /// What to do about the catalogue with this name, whose file is gone.
  var adviceOnMissing: String {
    let name = shellQuoted.visible
    return """
      if the file was moved, use check-loans schedule rename-catalogue \(name) NEW; if it is gone for \
      good, use check-loans schedule forget \(name)
      """
  }
}

extension ReloadSummary {
  /// The warning that most loans are gone at once, as after a truncated export; `nil` if they are not.
  var lossWords: String? {
    let before = removed + changed + unchanged
    if removed <= 10 || removed * 2 <= before { return nil }
    return """
      \(removed) of \(counted(before, "loan")) are gone since the last reading; check-loans schedule list \
      --returned lists them
      """
  }
}

extension ReloadReport {
  /// The warning about closed days that are probably a mistake.
  var closedForLongWords: String? {
    closedForLong.map { day in
      """
      the library has no open day within \(ClosedDays.longest) days of \(day), so its closed days are not \
      applied to such loans; correct them, see check-loans closed [closed-for-ever]
      """
    }
  }
}

extension Diagnostic {
  /// Whether a loan may go unnoticed because of it, or its reminders come on other days: then it is always
  /// reported.
  var mayHideALoan: Bool {
    severity == .error
      || [
        .unknownCase, .unknownDateElement, .misplacedExpiration, .noExpirations, .invalidLoanDate,
        .expirationBeforeLoan, .unknownColumn,
      ].contains(code)
  }
}

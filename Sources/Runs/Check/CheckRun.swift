package import CommandOutput
import LoanCatalogue
import LoanRules
import Loans
import ReminderSchedule
import ReminderService
import Reports
package import Settings
import System
import SystemPackage

/// One run of `check`: has each catalogue read and its part of the schedule reloaded, reports, and
/// has delivered what is due.
package final class CheckRun {
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
  /// Whether the settings file lists a catalogue, looked up once that matters.
  private lazy var isListed = environment.isListed
  /// Those that are in it now, and that only this look has put there.
  private var lookedAt: [String] = []

  /// The loans after which a transaction ends and the next one begins, since readers may have to
  /// wait for its end.
  private static let loansPerCommit = 10_000

  package init(_ request: CheckRequest, _ environment: Environment, _ console: Console) {
    self.request = request
    self.environment = environment
    self.console = console
    report = CheckReport(request.report, directory: environment.temporaryDirectory)
    progress =
      request.isQuiet
      ? nil : Progress(of: request.run.catalogues.map(\.path), environment.variables, console)
    onEvent = console.eventPrinter(isVerbose: request.isVerbose)
  }

  /// - Throws: ``CommandError`` if nothing more can be done.
  package func run() throws(CommandError) -> ExitStatus {
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
        if let message = error.message { console.printError(message) }
        note(error.status)
      }
    }
    // Whoever writes to a pipe may take as long as he likes: it keeps no other run waiting.
    if request.run.state != nil && request.run.catalogues.contains(where: { $0.path == "-" }) {
      input = Result { () throws(CommandError) in
        try StandardInput.spool(environment.temporaryDirectory)
      }
    }
    do {
      try fetch()
      if let path = request.run.state {
        schedule = try Schedule(path, isDryRun: request.isDryRun)
      } else if !request.run.channels.isEmpty {
        // It holds what is due in this run.
        schedule = try Schedule()
      }
      if request.run.state != nil, let names = try schedule?.reader.catalogues() {
        known = Set(names.map { Array($0.utf8) })
      }
      if request.isVerbose {
        console.printError(request.run.clock.words(for: request.run.now))
      }
      if let warning = try schedule?.clockSetBackWarning(now: request.run.now) {
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
    if request.run.catalogues.allSatisfy({ $0.fetch == nil }) { return }
    let kept = request.isDryRun ? nil : request.run.state
    if let kept { try Schedule.prepareDirectory(of: kept) }
    ChildProcess.endWithThisProcess()
    for index in request.run.catalogues.indices {
      request.run.catalogues[index].fetch(keeps: kept != nil)
    }
  }

  /// Reads the catalogues, several small ones in each commit.
  private func readCatalogues() throws {
    var reading = CatalogueReadings(schedule, console)
    (reading.isVerbose, reading.onEvent) = (request.isVerbose, onEvent)
    (reading.isKept, reading.hasFetched) = (request.run.state != nil, true)
    var transaction = try schedule?.begin()
    var uncommitted = 0
    for (number, catalogue) in request.run.catalogues.enumerated() {
      try check(catalogue, number, &reading)
      if request.reports, request.run.state != nil, let reader = schedule?.reader {
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
    closedDays = reading.closedDays
    note(reading.status)
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
    let known = KnownCatalogues(request.run.catalogues)
    let (limits, now) = (known.staleLimits, request.run.clock.clockTime(request.run.now))
    let stale =
      try schedule.map { try StaleCatalogues($0.reader, limits, at: now) }
      ?? StaleCatalogues(files, limits, at: now)
    note(console.report(stale))
    guard let schedule, !request.run.channels.isEmpty else { return }
    let groups = try known.zones.withoutMoved(schedule.reader) { sentence in
      console.printError(sentence)
      note(.badSetting)
    }
    let times = DeliveryTimes(
      request.options.channels.times, known.closedDays, today: request.run.now.date,
      schedule.reader, after: closedDays)
    var delivery = ChannelDelivery(
      schedule, groups, times, stale, request.run.notifiers,
      backlog: request.run.backlog, console, onEvent: onEvent)
    delivery.isRemembered = request.run.state != nil
    if request.isDryRun {
      try delivery.rehearse(
        request.run.channels, before: request.run.state.map { try ScheduleReader(opening: $0) },
        isResult: request.options.report.format.isForPeople)
    } else {
      note(try delivery.run(request.run.channels))
    }
  }

  private func note(_ status: ExitStatus) { self.status = self.status.worse(status) }
}

// MARK: - Reading

extension CheckRun {
  /// A catalogue that cannot be read leaves its reminders as they were, and the others go on.
  private func check(
    _ catalogue: CatalogueToRead, _ number: Int, _ reading: inout CatalogueReadings
  ) throws {
    var part = CatalogueReport(catalogue: catalogue.reported)
    defer { report.catalogues.append(part) }
    var catalogue = catalogue
    if catalogue.path == "-", case .failure(let failure) = input { catalogue.fault = failure }
    catalogue.settings.onProgress = progress?.notes(of: number)
    // A trial reaches no borrower.
    catalogue.settings.isDelivered = request.run.channels.contains { $0 != .mailRedirect }
    var (contents, reported) = (report.contents, part.catalogue)
    let findings = try reading.read(
      catalogue, onBegin: { reported.closedDays = $0 },
      onDiagnostic: { found in
        part.diagnostics += 1
        report.add(found)
      },
      onLoan: { read in
        part.note(read.status)
        contents.add(read, of: reported)
      })
    part.catalogue = reported
    if let result = findings.report {
      report.contents = contents
      part.summary = result.summary
      part.gap = findings.gap
      report.hasRead = report.hasRead || result.isUsable
      files.append((catalogue.source.name, result.modifiedAt))
      if request.isVerbose, let modifiedAt = result.modifiedAt {
        let verb = catalogue.fetch == nil ? "written" : "fetched"
        console.printError("\(catalogue.path.visible): last \(verb) \(modifiedAt.words)")
      }
      if case .replaced(let summary) = result.outcome {
        (part.scheduled, part.nextReminder) = (summary.scheduled, summary.nextFireAt)
        return noteLook(at: catalogue)
      }
    } else {
      part.forgetLoans()
      part.failure = findings.failure?.message ?? catalogue.path.visibleCatalogue
      if findings.wasOpened { try adviseOnMissing(catalogue) }
    }
    // The reminders that it has from before.
    guard request.reports,
      let pending = try schedule?.reader.pending(
        after: catalogue.now, catalogues: [catalogue.source.name])
    else { return }
    (part.scheduled, part.nextReminder) = (pending.count, pending.nextFireAt)
  }

  /// Notes that a look has added a catalogue to those of others, which nobody may have meant.
  private func noteLook(at catalogue: CatalogueToRead) {
    let name = catalogue.source.name
    if request.run.channels.isEmpty, !request.isDryRun, !known.isEmpty,
      !known.contains(Array(name.utf8)),
      !isListed(name)
    {
      lookedAt.append(catalogue.forgettable)
    }
  }

  /// Says what to do about a catalogue whose file is gone.
  private func adviseOnMissing(_ catalogue: CatalogueToRead) throws {
    guard request.run.state != nil, let schedule, !FileSystem.exists(catalogue.file) else { return }
    let loans = try schedule.reader.loansWithNotices(
      at: catalogue.now, channels: request.run.channels.map(\.name), in: catalogue.source.name)
    if loans == 0 { return }
    console.printError(
      """
      \(catalogue.path.visible): the notices of \(counted(loans, "loan")) will still be delivered; \
      \(catalogue.forgettable.adviceOnMissing)
      """)
  }
}

import LoanCatalogue
import LoanRules
import Loans
import ReminderSchedule
import ReminderService
import System

/// One run of `check`: has each catalogue read and its part of the schedule reloaded, reports, and
/// has delivered what is due.
final class CheckRun {
  private let plan: CheckPlan
  private let environment: Environment
  private let console: Console
  /// Open, and locked, until nothing more is done to it.
  private var schedule: Schedule?
  private let events: ScheduleEvents

  private var status = ExitStatus.done
  /// Why standard input could not be taken in.
  private var inputFailure: CommandError?
  private var lines: ReportLines
  private var total = Report.Counts()
  private var catalogues: [JSONValue] = []
  /// Whether some catalogue was read to its end.
  private var hasRead = false
  private var diagnostics: [String] = []
  /// The profiles that catalogues were read with, each once.
  private var profiles: [String] = []
  private var nextReminder: CivilDateTime?
  private let progress: Progress?

  /// The loans after which a transaction ends and the next one begins, since readers may have to
  /// wait for its end.
  private static let loansPerCommit = 10_000

  init(
    _ plan: CheckPlan, _ environment: Environment, _ console: Console
  ) throws(CommandError) {
    self.plan = plan
    self.environment = environment
    self.console = console
    lines = ReportLines(
      endingWith: plan.options.format == .json ? UInt8(ascii: ",") : UInt8(ascii: "\n"),
      directory: environment.temporaryDirectory)
    progress =
      plan.options.quiet.quiet
      ? nil : Progress(of: plan.catalogues.map(\.path), environment, console)
    // Whoever writes to a pipe may take as long as he likes: it keeps no other run waiting.
    if plan.state != nil && plan.catalogues.contains(where: { $0.path == "-" }) {
      do throws(CommandError) {
        try StandardInput.takeIn(environment.temporaryDirectory)
      } catch {
        inputFailure = error
      }
    }
    events = ScheduleEvents(isPrinted: plan.options.verbose.verbose, console)
    do throws(ScheduleError) {
      schedule = try Self.schedule(plan)
    } catch {
      throw CommandError(error)
    }
  }

  /// Without state, a schedule in memory holds what is due in this run.
  private static func schedule(_ plan: CheckPlan) throws(ScheduleError) -> Schedule? {
    if let path = plan.state { return try Schedule(path, isDryRun: plan.options.dryRun.dryRun) }
    return plan.channels.isEmpty ? nil : try Schedule()
  }

  /// - Throws: ``CommandError`` if nothing more can be done.
  func run() async throws(CommandError) -> ExitStatus {
    try read()
    return try end(await deliver())
  }

  /// The same where no channel is named.
  ///
  /// - Throws: ``CommandError`` if nothing more can be done.
  func runWithoutDelivery() throws(CommandError) -> ExitStatus {
    try read()
    return try end(.success(.done))
  }

  private func read() throws(CommandError) {
    if plan.options.verbose.verbose {
      console.printError("now is \(plan.now) in the time zone \(plan.clock.name.visible)")
    }
    try warnOfClockSetBack()
    do {
      try readCatalogues()
    } catch {
      throw CommandError(error)
    }
    console.statusLine.clear()
  }

  /// Reads the catalogues, several small ones in each commit.
  private func readCatalogues() throws {
    var transaction = try schedule?.begin()
    var kept = 0
    for (number, catalogue) in plan.catalogues.enumerated() {
      try check(catalogue, number)
      if total.loans - kept < Self.loansPerCommit { continue }
      kept = total.loans
      try transaction?.commit()
      transaction = try schedule?.begin()
    }
    try transaction?.commit()
  }

  private func end(
    _ delivered: Result<ExitStatus, CommandError>
  ) throws(CommandError) -> ExitStatus {
    // Whoever reads the report may take as long as he likes: it keeps no other run waiting.
    schedule = nil
    do throws(CommandError) {
      if plan.reports { try printReport() }
    } catch {
      // Of two failures the first was that of the delivery.
      _ = try delivered.get()
      throw error
    }
    note(try delivered.get())
    try console.flush()
    if plan.options.failOn != nil && total.expired > 0 { note(.findings) }
    return status
  }

  private func deliver() async -> Result<ExitStatus, CommandError> {
    if schedule == nil { return .success(.done) }
    var status = ExitStatus.done
    do throws(CommandError) {
      for (clock, now, names) in plan.cataloguesByZone {
        status = status.worse(try await delivery(of: names, clock, at: now).run())
      }
      return .success(status)
    } catch {
      return .failure(error)
    }
  }

  /// The center for what is in a time zone.
  private func center(_ clock: LocalClock) -> ReminderCenter {
    ReminderCenter(schedule: schedule, events: events, civilTime: clock.civilTime)
  }

  private func delivery(
    of names: [String], _ clock: LocalClock, at now: CivilDateTime
  ) -> ChannelDelivery {
    ChannelDelivery(
      center: center(clock), channels: plan.channels, now: now, catalogues: names,
      repeatExpired: plan.options.channels.repetition.repeatExpired,
      isDryRun: plan.options.dryRun.dryRun,
      announces: plan.options.format == .text, isRemembered: plan.state != nil,
      environment: environment, console: console)
  }

  private func warnOfClockSetBack() throws(CommandError) {
    do throws(ScheduleError) {
      try schedule?.warnOfClockSetBack(now: plan.now, console)
    } catch {
      throw CommandError(error)
    }
  }

  private func note(_ status: ExitStatus) { self.status = self.status.worse(status) }
}

// Reading.
extension CheckRun {
  /// What is counted while one catalogue is read.
  private final class Tally {
    let catalogue: CatalogueToRead
    /// The name of the profile that it was read with; `nil` if no form is known that it is of.
    var profile: String?
    var counts = Report.Counts()
    var hasErrors = false
    /// Whether the catalogue's part of the schedule is what was read now.
    var isReplaced = false

    init(_ catalogue: CatalogueToRead) { self.catalogue = catalogue }

    var path: String { catalogue.path }
  }

  /// A catalogue that cannot be read leaves its reminders as they were, and the others go on.
  private func check(_ catalogue: CatalogueToRead, _ number: Int) throws(CommandError) {
    let tally = Tally(catalogue)
    let kept = lines
    if catalogue.path == "-", let inputFailure {
      complain(of: inputFailure)
      return try end(tally)
    }
    var reload = catalogue.settings
    reload.onProgress = progress?.notes(of: number)
    do throws(ReminderError) {
      let result = try center(catalogue.clock).reload(
        catalogue.source, at: catalogue.now, settings: reload,
        onDiagnostic: { diagnostic in note(diagnostic, tally) },
        onLoan: { read in take(&read, tally) })
      note(result, tally)
    } catch {
      lines = kept
      tally.counts = Report.Counts(diagnostics: tally.counts.diagnostics)
      try note(error)
    }
    try end(tally)
  }

  private func take(_ read: inout ReadLoan, _ tally: Tally) {
    tally.counts.note(read.status)
    guard plan.reports, plan.options.all || read.status.needsAttention else { return }
    lines.add(read.expiration) { text in
      switch plan.options.format {
      case .text:
        let color = plan.isColored ? read.status.color : nil
        if let color { text.append(contentsOf: color.utf8) }
        read.record.parts?.appendLine(
          today: tally.catalogue.now.date, library: tally.catalogue.source.library, to: &text)
        if color != nil { text.append(contentsOf: "\u{1B}[0m".utf8) }
      case .json:
        text.append(contentsOf: json(of: &read, tally.catalogue).utf8)
      }
    }
  }

  private func note(_ diagnostic: Diagnostic, _ tally: Tally) {
    let found = LocatedDiagnostic(path: tally.path, diagnostic: diagnostic)
    tally.counts.diagnostics += 1
    if diagnostic.severity == .error { tally.hasErrors = true }
    if diagnostic.mayHideALoan || plan.options.verbose.verbose {
      console.printError(line: found.line)
    }
    if plan.options.format == .json { diagnostics.append(found.json.text) }
  }

  private func note(_ result: ReloadReport, _ tally: Tally) {
    tally.profile = result.summary.profile
    if let profile = tally.profile, !profiles.contains(profile) { profiles.append(profile) }
    tally.counts.loans = result.summary.loans
    tally.counts.onShelf = result.summary.onShelf
    tally.counts.withoutExpiration = result.summary.withoutExpiration
    tally.counts.uncounted = result.summary.uncounted
    tally.counts.leftOut = result.summary.leftOut
    if tally.hasErrors { note(.invalidData) }
    if result.isUsable {
      hasRead = true
    } else if plan.state != nil {
      console.printError(
        "\(tally.path.visible): its reminders are unchanged; fix the catalogue and run again")
    }
    switch result.outcome {
    case .replaced(let summary):
      tally.isReplaced = true
      tally.counts.scheduled = summary.scheduled
      note(next: summary.nextFireAt)
    case .refusedEmpty(let stored):
      console.printError("\(tally.path.visible): \(emptinessWords(stored: stored))")
      note(.invalidData)
    case .kept:
      if result.isUsable && plan.state != nil {
        console.printError("\(tally.path.visible): its reminders are unchanged")
      }
    }
  }

  private func note(_ error: ReminderError) throws(CommandError) {
    let failure = CommandError(error)
    guard case .catalogue = error else { throw failure }
    complain(of: failure)
  }

  private func complain(of failure: CommandError) {
    if let message = failure.message { console.printError(message) }
    note(failure.status)
  }

  /// Counts the reminders that a catalogue has from before.
  private func countWhatStays(_ tally: Tally) throws(CommandError) {
    guard let schedule, plan.reports else { return }
    do throws(ScheduleError) {
      let pending = try schedule.reader.pending(
        after: tally.catalogue.now, catalogues: [tally.catalogue.source.name])
      tally.counts.scheduled = pending.count
      note(next: pending.nextFireAt)
    } catch {
      throw CommandError(error)
    }
  }

  private func note(next fireAt: CivilDateTime?) {
    nextReminder = [nextReminder, fireAt].compactMap { $0 }.min()
  }

  private func end(_ tally: Tally) throws(CommandError) {
    if !tally.isReplaced { try countWhatStays(tally) }
    total = total + tally.counts
    guard plan.options.format == .json else { return }
    catalogues.append(tally.counts.json(of: tally.catalogue, profile: tally.profile))
  }
}

// Reporting.
extension CheckRun {
  private func json(of read: inout ReadLoan, _ catalogue: CatalogueToRead) -> String {
    let loan = read.loan
    return JSONValue.object([
      ("catalogue", .string(catalogue.path)),
      ("line", .int(read.record.location.line)),
      ("id", JSONValue(loan.id)),
      ("title", JSONValue(loan.title)),
      ("author", JSONValue(loan.author)),
      ("borrower", JSONValue(loan.borrower)),
      ("expiration", .string("\(loan.expiration)")),
      ("status", .string(read.status.rawValue)),
      ("daysLeft", .int(loan.daysLeft(today: catalogue.now.date))),
      ("remindAt", read.status == .expired ? .null : .string(read.fireAt.toTheMinute)),
      ("expirationTime", JSONValue(loan.expirationTime?.hoursAndMinutes)),
      ("library", JSONValue(catalogue.source.library)),
    ]).text
  }

  private func printReport() throws(CommandError) {
    switch plan.options.format {
    case .text: try printText()
    case .json: try printJSON()
    }
  }

  private func printText() throws(CommandError) {
    try lines.forEach { text throws(CommandError) in try console.print(text) }
    if hasRead && !plan.options.quiet.quiet { try console.print(line: summary) }
  }

  private var summary: String {
    counted(total.loans, "loan") + ", \(total.expired) expired"
      + ", \(total.expiresToday) \(total.expiresToday == 1 ? "expires" : "expire") today"
      + scheduleWords + (plan.options.dryRun.dryRun ? ", nothing written (--dry-run)" : "")
      + (total.onShelf > 0 ? "; \(counted(total.onShelf, "book")) on the shelf" : "")
      + (total.withoutExpiration > 0 ? "; \(withoutExpirationWords)" : "")
      + (total.leftOut > 0 ? "; \(counted(total.leftOut, "book")) left out, see the errors" : "")
      + profiles.foreignWords
  }

  private var scheduleWords: String {
    if plan.state == nil { return ", nothing scheduled (--no-state)" }
    return ", \(total.scheduled) scheduled, "
      + (nextReminder.map { "next reminder \($0.words)" } ?? "no reminder to come")
  }

  private var withoutExpirationWords: String {
    counted(total.withoutExpiration, "loan") + " without expiration"
      + (total.uncounted > 0
        ? ", \(total.uncounted) of them lent on a known day (see --loan-days)" : "")
  }

  private func printJSON() throws(CommandError) {
    let zone = JSONValue.string(plan.clock.name).text
    try console.print(
      "{\"version\":1,\"now\":\"\(plan.now)\",\"timeZone\":\(zone),\"catalogues\":")
    try console.print(JSONValue.array(catalogues).text + ",\"loans\":[")
    try printSeparated()
    try console.print(line: "],\"diagnostics\":[\(diagnostics.joined(separator: ","))]}")
  }
}

extension CheckRun {
  /// Prints the loans without the comma behind the last one.
  private func printSeparated() throws(CommandError) {
    var held: [UInt8] = []
    try lines.forEach { text throws(CommandError) in
      try console.print(held.span)
      held = [UInt8](copying: text)
    }
    held = held.dropLast()
    try console.print(held.span)
  }
}

extension [String] {
  /// `; read as alma`, unless every catalogue is of the tool's own form.
  var foreignWords: String {
    allSatisfy { $0 == CatalogueProfile.native.name }
      ? "" : "; read as \(joined(separator: ", "))"
  }
}

extension Diagnostic {
  /// Whether a loan may go unnoticed because of it: then it is always told.
  var mayHideALoan: Bool {
    severity == .error
      || [
        .unknownCase, .unknownDateElement, .misplacedExpiration, .httpHeaders, .noExpirations,
      ].contains(code)
  }
}

extension Report.Counts {
  fileprivate mutating func note(_ status: LoanStatus) {
    if status == .expired { expired += 1 }
    if status == .expiresToday { expiresToday += 1 }
  }

  fileprivate func json(of catalogue: CatalogueToRead, profile: String?) -> JSONValue {
    .object([
      ("path", .string(catalogue.path)), ("loans", .int(loans)), ("onShelf", .int(onShelf)),
      ("expired", .int(expired)), ("expiresToday", .int(expiresToday)),
      ("scheduled", .int(scheduled)), ("diagnostics", .int(diagnostics)),
      ("profile", JSONValue(profile)), ("withoutExpiration", .int(withoutExpiration)),
      ("library", JSONValue(catalogue.source.library)),
    ])
  }
}

extension LoanStatus {
  /// What begins the colour of a line's urgency (ECMA-48, SGR).
  fileprivate var color: String? {
    switch self {
    case .expired: "\u{1B}[31m"
    case .expiresToday: "\u{1B}[33m"
    case .expiresSoon, .onLoan: nil
    }
  }
}

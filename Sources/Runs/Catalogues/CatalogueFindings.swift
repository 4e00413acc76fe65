package import CommandOutput
import LoanCatalogue
import LoanRules
import Loans
import ReminderSchedule
import ReminderService

/// The result of one reading of a catalogue.
package struct CatalogueFindings {
  /// What a reload has come to; `nil` if the catalogue could not be read.
  fileprivate(set) var report: ReloadReport?
  /// Why it could not be read; `nil` if it could, to its end or not.
  package fileprivate(set) var failure: CommandError?
  /// Whether all its loans are known now, and those of the schedule are these.
  package var isUsable = false
  /// Why its loans may be missing although it could be read; `nil` if none are.
  fileprivate(set) var gap: String?
  /// `done`, or the worst of what was wrong.
  fileprivate(set) var status = ExitStatus.done

  /// Whether it was tried to read the catalogue itself.
  private(set) var wasOpened = false

  /// The findings of a catalogue that could not be read.
  init(_ failure: CommandError, wasOpened: Bool = false) {
    (self.failure, status, self.wasOpened) = (failure, failure.status, wasOpened)
  }

  /// The findings before anything was read.
  init() {}

  /// The number of its loans, if it is usable.
  var loans: Int { isUsable ? report?.summary.loans ?? 0 : 0 }
}

extension CatalogueToRead {
  /// The most problems that are printed, since nobody reads more.
  private static let mostProblems = 1_000

  /// Reads the catalogue, and says what is wrong with it.
  ///
  /// - Parameters:
  ///   - schedule: where its part is replaced; `nil` for none.
  ///   - now: the time in its library.
  ///   - closedDays: the closed days of its library.
  ///   - isKept: whether the schedule is kept, so that it has reminders.
  ///   - showsAll: whether warnings are printed that hide no loan.
  ///   - onDiagnostic: gets each problem.
  ///   - onEvent: gets each change of the schedule.
  ///   - onLoan: gets each loan that is read. None of them counts if the findings have a failure.
  ///   - print: prints a line to standard error.
  func read(
    into schedule: Schedule?, at now: CivilDateTime, _ closedDays: ClosedDays, isKept: Bool,
    showsAll: Bool,
    onEvent: @escaping @Sendable (ScheduleEvent) -> Void = { _ in },
    onDiagnostic: (LocatedDiagnostic) -> Void = { _ in }, onLoan: (ReadLoan) -> Void = { _ in },
    print: (String) -> Void
  ) throws(ScheduleError) -> CatalogueFindings {
    var settings = self.settings
    settings.policy.closedDays = closedDays
    var findings = CatalogueFindings()
    var (problems, lastError) = (0, String?.none)
    let center = ReminderCenter(
      schedule: schedule, civilTime: clock.civilTime, onEvent: onEvent)
    func say(_ words: String) { print("check-loans: \(path.visible): \(words)") }
    let report: ReloadReport
    do throws(ReminderError) {
      report = try center.reload(
        source, at: now, settings: settings,
        onDiagnostic: { diagnostic in
          let found = LocatedDiagnostic(path: path, diagnostic: diagnostic)
          onDiagnostic(found)
          if diagnostic.severity == .error {
            findings.status = .invalidData
            lastError = found.line
          }
          guard showsAll || diagnostic.mayHideALoan else { return }
          problems += 1
          if problems <= Self.mostProblems { print(found.line) }
        }, onLoan: onLoan)
    } catch {
      switch error {
      case .schedule(let error): throw error
      case .catalogue(let error):
        let isKnown = try (isKept ? schedule : nil).map(isKnown)
        let reminders = isKnown == true ? "; its notices are unchanged" : ""
        print("check-loans: \(error)\(reminders)\(error.advice)")
        return CatalogueFindings(CommandError(error), wasOpened: true)
      }
    }
    findings.report = report
    if problems > Self.mostProblems { say("there is more; see check-loans validate") }
    if let words = report.closedForLongWords { say(words) }
    findings.isUsable = report.isUsable && !report.summary.isUndated
    if !report.isUsable { findings.gap = lastError ?? path.visible }
    switch report.outcome {
    case .replaced(let summary):
      findings.isUsable = true
      if !settings.allowsEmpty, let words = summary.lossWords { say(words) }
    case .refusedEmpty(let stored):
      let words = report.summary.emptinessWords(stored: stored)
      say(words)
      (findings.isUsable, findings.gap) = (false, "\(path.visible): \(words)")
      findings.status = .invalidData
    case .kept:
      if report.summary.answer.isBorrowerUnknown { break }
      let reminders = try (isKept ? schedule : nil).map { schedule throws(ScheduleError) in
        try isKnown(to: schedule) ? "its notices are unchanged" : "it has no notices"
      }
      let isCutOff = !report.summary.isComplete && report.summary.records > 0
      let rest = isCutOff ? "loans after the error are unknown" : nil
      let words = [reminders, rest].compactMap(\.self)
      let end = report.isUsable ? "" : " until it is fixed"
      if !words.isEmpty { say(words.joined(separator: ", and ") + end) }
    }
    if !report.isUsable { findings.status = .invalidData }
    return findings
  }

  /// Whether the schedule has loans of it from before.
  private func isKnown(to schedule: Schedule) throws(ScheduleError) -> Bool {
    try schedule.reader.catalogues().contains { $0.utf8.elementsEqual(source.name.utf8) }
  }
}

extension ReloadSummary {
  /// The warning that most loans are gone at once, as after a truncated export; `nil` if they are not.
  fileprivate var lossWords: String? {
    let before = removed + changed + unchanged
    if removed <= 10 || removed * 2 <= before { return nil }
    return """
      \(removed) of \(counted(before, "loan")) have left it since the last reading; check-loans schedule list \
      --returned lists them
      """
  }
}

extension CatalogueSummary {
  /// Why a catalogue without any loan did not replace one that had loans.
  ///
  /// - Parameter stored: the number of its loans in the schedule.
  fileprivate func emptinessWords(stored: Int) -> String {
    """
    no loan with an expiration, but \(counted(stored, "loan")) in the schedule; nothing was changed, and \
    \(stored == 1 ? "its" : "their") notices will still be delivered\
    \(mayBeEmpty ? "; if all books are back, run again with --allow-empty" : "")
    """
  }
}

extension ReloadReport {
  /// The warning about closed days that are probably a mistake.
  fileprivate var closedForLongWords: String? {
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
  fileprivate var mayHideALoan: Bool {
    severity == .error
      || [
        .unknownCase, .unknownDateElement, .misplacedExpiration, .noExpirations, .invalidLoanDate,
        .expirationBeforeLoan, .unknownColumn,
      ].contains(code)
  }
}

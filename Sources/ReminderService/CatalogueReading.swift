internal import Failpoints
internal import LoanCatalogue
internal import LoanRules
internal import Loans
internal import ReminderSchedule

/// The reading of one catalogue, with or without a schedule to put its loans into.
struct CatalogueReading {
  private let catalogue: CatalogueSource
  private let settings: ReloadSettings
  private let today: CivilDate
  private let reader: CatalogueReader

  init(
    _ catalogue: CatalogueSource, settings: ReloadSettings, today: CivilDate,
    civilTime: @escaping @Sendable (Int) -> CivilDateTime?
  ) {
    self.catalogue = catalogue
    self.settings = settings
    self.today = today
    var reader = CatalogueReader(
      profile: settings.profile, detail: .loans,
      rules: CatalogueRules(
        requiresExpiration: settings.requiresExpiration,
        expiration: { ExpirationRule.judge($0) }),
      loanDays: settings.loanDays, civilTime: civilTime)
    reader.jobs = settings.jobs
    reader.onProgress = settings.onProgress
    self.reader = reader
  }

  /// Reads the catalogue to its end, and replaces its part of the schedule if it can be used.
  func run(
    into schedule: Schedule?, now: CivilDateTime, onDiagnostic: (Diagnostic) -> Void,
    onLoan: (inout ReadLoan) -> Void
  ) throws(ReminderError) -> ReloadReport {
    do {
      var reload = try schedule?.beginReload(of: catalogue.name, at: now)
      let summary = try read(onDiagnostic) { read in
        onLoan(&read)
        guard let parts = read.record.parts else { return }
        try reload?.add(
          parts: parts, read.record.identity, fingerprint: read.record.fingerprint,
          fireAt: read.fireAt)
      }
      failpoint("catalogue-read")
      // That nothing is lent may be allowed; that no date is where it was is something else.
      guard summary.isUsable, !(summary.isUndated && settings.allowsEmpty) else {
        return ReloadReport(summary: summary, outcome: .kept)
      }
      let outcome = try reload?.commit(
        records: summary.records - summary.withoutExpiration, allowEmpty: settings.allowsEmpty)
      return ReloadReport(summary: summary, outcome: outcome ?? .kept)
    } catch {
      throw ReminderError(error, path: catalogue.path)
    }
  }

  private func read(
    _ onDiagnostic: (Diagnostic) -> Void, _ onLoan: (inout ReadLoan) throws -> Void
  ) throws -> CatalogueSummary {
    /// That the catalogue has no record, which may be allowed.
    var emptiness: Diagnostic?
    let summary = try reader.read(
      catalogue.path,
      onDiagnostic: { diagnostic in
        if diagnostic.code == .noLoans && settings.allowsEmpty && emptiness == nil {
          emptiness = diagnostic
        } else {
          onDiagnostic(diagnostic)
        }
      },
      onRecord: { record in
        guard case .date(let expiration) = record.expiration else { return }
        let lead = settings.policy.lead
        var read = ReadLoan(
          record: record, expiration: expiration,
          status: LoanStatus(expiration: expiration, today: today, lead: lead),
          fireAt: settings.policy.fireDate(expiration: expiration))
        try onLoan(&read)
      })
    if let emptiness, !summary.isKnownForm { onDiagnostic(emptiness) }
    return summary
  }
}

extension ReminderError {
  fileprivate init(_ error: any Error, path: String) {
    switch error {
    case let error as ScheduleError: self = .schedule(error)
    case let error as CatalogueError: self = .catalogue(error)
    default: preconditionFailure("reading \(path) threw \(error)")
    }
  }
}

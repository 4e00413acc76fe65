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

  func run(
    into schedule: Schedule?, now: CivilDateTime, onDiagnostic: (Diagnostic) -> Void,
    onLoan: (inout ReadLoan) -> Void
  ) throws(ReminderError) -> ReloadReport {
    do {
      guard let schedule else {
        let summary = try read(into: nil, onDiagnostic, onLoan)
        return ReloadReport(summary: summary, outcome: .kept)
      }
      var summary = CatalogueSummary()
      let outcome = try schedule.reload(
        catalogue: catalogue.name, now: now, allowEmpty: settings.allowsEmpty
      ) { reload throws(any Error) -> ReloadDecision in
        summary = try read(into: reload, onDiagnostic, onLoan)
        failpoint("catalogue-read")
        // That nothing is lent may be allowed; that no date is where it was is something else.
        guard summary.isUsable, !(summary.isUndated && settings.allowsEmpty) else { return .keep }
        return .replace(records: summary.records - summary.withoutExpiration)
      }
      return ReloadReport(summary: summary, outcome: outcome)
    } catch {
      throw ReminderError(error, path: catalogue.path)
    }
  }

  private func read(
    into reload: Reload?, _ onDiagnostic: (Diagnostic) -> Void, _ onLoan: (inout ReadLoan) -> Void
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
        if case .date(let expiration) = record.expiration {
          try take(record, expiration, into: reload, onLoan)
        }
      })
    if let emptiness, !summary.isKnownForm { onDiagnostic(emptiness) }
    return summary
  }

  private func take(
    _ record: LoanRecord, _ expiration: CivilDate, into reload: Reload?,
    _ onLoan: (inout ReadLoan) -> Void
  ) throws(ScheduleError) {
    let fireAt = settings.policy.fireDate(expiration: expiration)
    var read = ReadLoan(
      record: record, expiration: expiration,
      status: LoanStatus(expiration: expiration, today: today, lead: settings.policy.lead),
      fireAt: fireAt)
    onLoan(&read)
    guard let reload else { return }
    let goesOn = reload.add(
      key: record.key, fingerprint: record.fingerprint, expiration: expiration, fireAt: fireAt,
      pack: { record.appendPacked(to: &$0) })
    if !goesOn, let failure = reload.failure { throw failure }
  }
}

extension ReminderError {
  /// What the rooms below throw, one inside the other.
  fileprivate init(_ error: any Error, path: String) {
    switch error {
    case ReloadError<any Error>.schedule(let error): self = .schedule(error)
    case ReloadError<any Error>.reading(let error): self.init(error, path: path)
    case let error as ScheduleError: self = .schedule(error)
    case let error as CatalogueError: self = .catalogue(error)
    default: preconditionFailure("reading \(path) threw \(error)")
    }
  }
}

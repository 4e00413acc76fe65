internal import Failpoints
internal import LoanCatalogue
internal import LoanRules
internal import Loans
internal import ReminderSchedule

/// The reload of one catalogue, with or without a schedule to put its loans into.
struct CatalogueReload {
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

  /// Reads the catalogue to its end, judges each loan, and replaces its part of the schedule if it
  /// can be used.
  func run(
    into schedule: Schedule?, now: CivilDateTime, onDiagnostic: (Diagnostic) -> Void,
    onLoan: (inout ReadLoan) -> Void
  ) throws(ReminderError) -> ReloadReport {
    do {
      var reload = try schedule?.beginReload(
        of: catalogue.name, library: catalogue.library, at: now)
      let reading = try reader.open(catalogue.path)
      // The finding that the catalogue has no record, which may be allowed.
      var emptiness: Diagnostic?
      while let events = try reading.next() {
        for event in events {
          switch event {
          case .record(let record):
            guard var loan = judge(record) else { continue }
            onLoan(&loan)
            guard let parts = record.parts else { continue }
            try reload?.add(
              parts: parts, record.identity, fingerprint: record.fingerprint, fireAt: loan.fireAt)
          case .diagnostic(let diagnostic):
            if diagnostic.code == .noLoans && settings.allowsEmpty && emptiness == nil {
              emptiness = diagnostic
            } else {
              onDiagnostic(diagnostic)
            }
          }
        }
      }
      let summary = reading.summary
      if let emptiness, !summary.isKnownForm { onDiagnostic(emptiness) }
      failpoint("catalogue-read")
      // It may be allowed that nothing is lent, but not that no date is where it was.
      guard summary.isUsable, !(summary.isUndated && settings.allowsEmpty) else {
        return ReloadReport(summary: summary, outcome: .kept)
      }
      let outcome = try reload?.commit(
        records: summary.hasExpirations ? summary.records - summary.withoutExpiration : 0,
        allowEmpty: settings.allowsEmpty)
      return ReloadReport(summary: summary, outcome: outcome ?? .kept)
    } catch {
      throw ReminderError(error, path: catalogue.path)
    }
  }

  /// The loan of a record; `nil` if it has no usable expiration.
  private func judge(_ record: LoanRecord) -> ReadLoan? {
    guard case .date(let expiration) = record.expiration else { return nil }
    let policy = settings.policy
    return ReadLoan(
      record: record, expiration: expiration,
      status: LoanStatus(expiration: expiration, today: today, lead: policy.lead),
      fireAt: policy.fireDate(expiration: expiration))
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

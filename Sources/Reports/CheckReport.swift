package import CommandOutput
import Languages
package import LoanCatalogue
package import LoanRules
package import Loans
package import ReminderService

/// What one catalogue contributes to a report.
package struct CatalogueReport {
  package var catalogue: ReportedCatalogue
  /// What it holds; nothing if it could not be read.
  package var summary = CatalogueSummary()
  package var expired = 0
  package var expiresToday = 0
  package var lost = 0
  package var claimedReturned = 0
  /// Its reminders, of now or, if it could not be used, of before.
  package var scheduled = 0
  package var nextReminder: CivilDateTime?
  package var diagnostics = 0
  /// Its loans that are silenced, and those reported as returned that are to be looked for.
  package var silenced = (loans: 0, overdueReturns: 0)
  /// Why it could not be read; `nil` if it was.
  package var failure: String?
  /// Why its loans may be missing in the report although it was read; `nil` if none are.
  package var gap: String?

  package init(catalogue: ReportedCatalogue) { self.catalogue = catalogue }

  package mutating func note(_ status: DayStatus) {
    switch status {
    case .expired: expired += 1
    case .expiresToday: expiresToday += 1
    case .lost: lost += 1
    case .claimedReturned: claimedReturned += 1
    case .expiresSoon, .onLoan: break
    }
  }

  /// Forgets the loans that were counted, since their catalogue cannot be read.
  package mutating func forgetLoans() {
    (expired, expiresToday, lost, claimedReturned) = (0, 0, 0, 0)
  }
}

/// The report of `check`: the lines of loans, and what they come to.
package struct CheckReport {
  private let request: ReportRequest
  /// What has been added so far of the catalogues that could be read.
  package var contents: Contents
  /// The catalogues whose lines have been added.
  package var catalogues: [CatalogueReport] = []
  private(set) var diagnostics: [String] = []
  /// Whether some catalogue was read to its end.
  package var hasRead = false

  /// - Parameter directory: where lines are kept that are too many for memory.
  package init(_ request: ReportRequest, directory: String) {
    self.request = request
    contents = Contents(request, ReportLines(directory: directory))
  }

  package var lines: ReportLines { contents.lines }
  package var days: ExpirationDays? { contents.days }

  /// Why loans of catalogues may be missing, where they may.
  var gaps: [String] { catalogues.compactMap { $0.failure ?? $0.gap } }

  /// The loans that have expired.
  package var expired: Int { sum(\.expired) }
  /// The loans of the catalogues so far.
  package var loans: Int { sum(\.summary.loans) }

  private func sum(_ number: (CatalogueReport) -> Int) -> Int {
    catalogues.reduce(0) { $0 + number($1) }
  }

  /// Adds a problem.
  package mutating func add(_ diagnostic: LocatedDiagnostic) {
    if request.format == .json { diagnostics.append(diagnostic.json.text) }
  }
}

extension CheckReport {
  /// What a report has of loans.
  package struct Contents {
    // Looked up once: to read a wrapped option takes longer than to judge a loan.
    private let reports: Bool
    fileprivate let form: any ReportForm
    private let selection: LoanSelection
    private let order: ReportOrder
    private(set) var lines: ReportLines
    /// The loans that would be reported if their time had come.
    private(set) var later = 0
    /// The expirations of all loans to the borrowers that are wanted, for the page.
    private(set) var days: ExpirationDays?

    init(_ request: ReportRequest, _ lines: ReportLines) {
      (reports, form, selection) = (request.run.reports, request.form, request.selection)
      order = ReportOrder(request.grouping, request.sorting, request.language)
      self.lines = lines
      days = request.format == .html ? ExpirationDays(today: request.now.date) : nil
    }

    /// Adds the line of a loan, unless it needs no attention and not all are wanted.
    package mutating func add(_ loan: ReadLoan, of catalogue: ReportedCatalogue) {
      guard reports, selection.isWanted(loan) else { return }
      let isWithheld = loan.status.isWithheld
      if !isWithheld { days?.add(loan.expiration) }
      guard selection.isTime(for: loan, today: catalogue.now.date) else {
        if !isWithheld { later += 1 }
        return
      }
      lines.add(order.key(of: loan, in: catalogue)) { [form] line in
        form.append(loan, of: catalogue, to: &line)
      }
    }
  }
}

// MARK: - Printing

extension CheckReport {
  /// - Throws: ``CommandError`` if the output fails.
  package func print(_ output: ResultsOutput) throws(CommandError) {
    try contents.form.print(self, output)
    try output.commit()
  }

  /// The line about all catalogues, if one is wanted.
  package var summary: String? {
    if !hasRead || request.isQuiet { return nil }
    return language.text(.loans, count: loans) + language.text(.expiredLoans, count: expired)
      + language.text(.loansOfToday, count: sum(\.expiresToday)) + scheduleWords
      + (request.run.isDryRun ? language.text(.nothingWritten) : "")
      + counted(.lostLoans, sum(\.lost)) + counted(.claimedLoans, sum(\.claimedReturned))
      + counted(.booksOnShelf, sum(\.summary.onShelf))
      + counted(.overdueReturns, sum(\.silenced.overdueReturns))
      + counted(.loansWithoutExpiration, sum(\.summary.withoutExpiration))
      + counted(.uncountedLoans, sum(\.summary.uncounted))
      + counted(.booksLeftOut, sum(\.summary.leftOut))
      + catalogues.compactMap(\.summary.profile).foreignWords(in: language)
  }

  /// The line about loans that are left out, with what shows them.
  var hint: String? {
    if contents.later == 0 || request.isQuiet { return nil }
    return language.text(.moreLoans, count: contents.later)
  }

  private var language: Language { request.language }

  /// A part of the summary, unless its number is 0.
  private func counted(_ message: Message, _ count: Int) -> String {
    count > 0 ? language.text(message, count: count) : ""
  }

  private var scheduleWords: String {
    if !request.run.hasSchedule { return language.text(.nothingScheduled) }
    let words =
      language.text(.scheduledLoans, count: sum(\.scheduled))
      + counted(.silencedLoans, sum(\.silenced.loans))
    guard let next = catalogues.compactMap(\.nextReminder).min() else {
      return words + language.text(.noReminder)
    }
    let values = ["date": language.dateInSentence(next.date), "time": next.time.description]
    return words + language.text(.nextReminder, values)
  }
}

package import CommandOutput
package import Languages
import LoanCatalogue
package import LoanRules
package import Loans
import ReminderSchedule
import ReminderService

/// The form of the report of `check`.
package enum ReportFormat: String, CaseIterable {
  case text
  case table
  case json
  case csv
  /// A page for browsers and printers.
  case html
  /// A page for the printer: a letter for each borrower.
  case letters

  /// Whether it can go on with other lines that people read.
  package var isForPeople: Bool { self == .text || self == .table }
}

/// What the loans of one part of a report have in common.
package enum ReportGrouping: String, CaseIterable {
  case day
  case borrower
  case library
  case visit
}

/// What the loans of a report, or of one part of it, are sorted by.
package enum ReportSorting: String, CaseIterable {
  case expiration
  case title
  case author
  case borrower
  case library

  /// The field; `nil` for the expiration.
  package var field: LoanField? {
    switch self {
    case .expiration: nil
    case .title: .title
    case .author: .author
    case .borrower: .borrower
    case .library: .library
    }
  }
}

/// What a report is to be.
package struct ReportRequest {
  package var format = ReportFormat.text
  /// Whether the format `text` is a table.
  package var isTable = false
  /// What it is grouped by, if the format does not decide.
  package var groupBy: ReportGrouping?
  package var sorting = ReportSorting.expiration
  package var selection = LoanSelection(isWhole: false, days: nil, borrower: nil)
  package let language: Language
  package let now: CivilDateTime
  /// The name of the time zone of that.
  package let zone: String
  package var isColored = false
  package let terminal: Terminal
  /// Whether only the loans are wanted, without a summary.
  package var isQuiet = false
  package var run = Run()
  package var page = Page()

  /// - Parameters:
  ///   - language: of its words.
  ///   - now: the current time, in the time zone of that name.
  ///   - terminal: where it is shown.
  package init(language: Language, now: CivilDateTime, zone: String, terminal: Terminal) {
    (self.language, self.now, self.zone, self.terminal) = (language, now, zone, terminal)
  }

  /// What the summary says of the run.
  package struct Run {
    /// Whether it prints the report, rather than notices.
    package var reports = true
    package var isDryRun = false
    package var hasSchedule = true

    package init() {}
  }

  /// What only pages have.
  package struct Page {
    /// Whether it leaves out who has the books.
    package var hidesBorrowers = false
    /// After how many seconds a browser reads it again.
    package var refresh: Int?
    /// The name below a letter, unless the library has one.
    package var sender: String?
    /// How much letters give away of titles.
    package var titles = TitleDetail.full
    /// The language of the borrower to whom a letter is written.
    package var languageOf: (Notice) -> Language = { _ in .english }

    package init() {}
  }

  /// What the report is grouped by, if it is.
  package var grouping: ReportGrouping? {
    if format == .letters { return .borrower }
    return groupBy ?? (isTable || format == .html ? .day : nil)
  }

  /// The form of the report.
  package var form: any ReportForm {
    switch format {
    case .json: JSONReportForm(request: self)
    case .csv: CSVForm()
    case .html: HTMLForm(self)
    case .letters: LettersForm(self)
    case .text, .table:
      isTable
        ? TableForm(
          language: language, isColored: isColored, grouping: grouping ?? .day, terminal: terminal)
        : SentenceForm(language: language, isColored: isColored)
    }
  }
}

/// A catalogue as far as a report is about it.
package struct ReportedCatalogue {
  /// The path as it was given, or the name of what is fetched.
  package let path: String
  /// The name of its library.
  package let library: String?
  /// The current time there.
  package let now: CivilDateTime
  /// The days on which the library is closed.
  package var closedDays: ClosedDays

  package init(
    path: String, library: String? = nil, now: CivilDateTime, closedDays: ClosedDays = ClosedDays()
  ) {
    (self.path, self.library, self.now, self.closedDays) = (path, library, now, closedDays)
  }
}

/// The loans that a report is about.
package struct LoanSelection {
  /// Whether they are all of those borrowers.
  package let isWhole: Bool
  /// The most days until their expiration; `nil` for loans that need attention.
  package let days: Int?
  /// What their borrowers' names contain; `nil` for any borrower.
  package let borrower: String?

  package init(isWhole: Bool, days: Int?, borrower: String?) {
    (self.isWhole, self.days, self.borrower) = (isWhole, days, borrower)
  }

  /// Whether a loan is of one of the borrowers.
  func isWanted(_ loan: ReadLoan) -> Bool {
    borrower == nil || loan.record.text(of: .borrower).fits(anyCase: borrower)
  }

  /// Whether a loan's time has come to be reported.
  func isTime(for loan: ReadLoan, today: CivilDate) -> Bool {
    if isWhole { return true }
    if loan.status.isWithheld { return false }
    if let days { return today.days(until: loan.expiration) <= days }
    return loan.status.needsAttention
  }
}

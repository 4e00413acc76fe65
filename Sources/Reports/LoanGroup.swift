import Languages
import LoanCatalogue
import LoanRules
import Loans
import ReminderService

/// A part of a report: the loans of some days, of a borrower, or of a library.
package struct LoanGroup: Hashable {
  /// The place of the part among the others.
  package var rank: Int
  /// The text by which parts of one rank are sorted.
  package var name: String
  /// The heading; empty for none.
  package var heading: String

  package init(rank: Int = 0, name: String = "", heading: String = "") {
    (self.rank, self.name, self.heading) = (rank, name, heading)
  }

  /// The only part of a report without headings.
  package static let whole = LoanGroup()
}

extension LoanGroup: Comparable {
  package static func < (left: LoanGroup, right: LoanGroup) -> Bool {
    (left.rank, left.name, left.heading) < (right.rank, right.name, right.heading)
  }
}

// MARK: - Days

/// What can still be saved, the soonest first, then what has expired, the rest, and what nothing is sent
/// about.
enum DayGroup: Int, CaseIterable {
  case today
  case tomorrow
  case week
  case expired
  case later
  case withheld

  /// The part for a loan; the week ends on Sunday (ISO 8601).
  init(_ loan: ReadLoan, today: CivilDate) {
    let days = today.days(until: loan.expiration)
    self =
      switch days {
      case _ where loan.status.isWithheld: .withheld
      case ..<0: .expired
      case 0: .today
      case 1: .tomorrow
      case ...(6 - today.weekday.rawValue): .week
      default: .later
      }
  }

  func group(in language: Language) -> LoanGroup {
    LoanGroup(rank: rawValue, heading: language.text(heading))
  }

  private var heading: Message {
    switch self {
    case .today: .todayGroup
    case .tomorrow: .tomorrowGroup
    case .week: .weekGroup
    case .expired: .expiredGroup
    case .later: .laterGroup
    case .withheld: .withheldGroup
    }
  }
}

// MARK: - Keys

/// The place of a loan in a report.
///
/// Loans with the same one come in the order in which they were added.
package struct ReportKey: Hashable {
  package var group: LoanGroup
  /// The text by which loans are sorted; empty if that is their expiration.
  package var text: String
  /// The number of the day by which they are sorted.
  package var day: Int

  package init(group: LoanGroup = .whole, text: String = "", day: Int) {
    (self.group, self.text, self.day) = (group, text, day)
  }

  /// Most reports have keys that only their days tell apart.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(day)
    if !text.isEmpty { hasher.combine(text) }
    if !group.name.isEmpty { hasher.combine(group.name) }
  }
}

extension ReportKey: Comparable {
  package static func < (left: ReportKey, right: ReportKey) -> Bool {
    if left.group != right.group { return left.group < right.group }
    return left.text == right.text ? left.day < right.day : left.text < right.text
  }
}

/// Gives loans their places in a report.
struct ReportOrder {
  let grouping: ReportGrouping?
  let sorting: ReportSorting
  let language: Language
  private let dayGroups: [LoanGroup]

  init(_ grouping: ReportGrouping?, _ sorting: ReportSorting, _ language: Language) {
    (self.grouping, self.sorting, self.language) = (grouping, sorting, language)
    dayGroups = grouping == .day ? DayGroup.allCases.map { $0.group(in: language) } : []
  }

  func key(of loan: ReadLoan, in catalogue: ReportedCatalogue) -> ReportKey {
    let today = catalogue.now.date
    var key = ReportKey(day: loan.expiration.dayNumber)
    if let field = sorting.field { key.text = loan.record.text(of: field)?.lowercased() ?? "" }
    switch grouping {
    case nil: break
    case .day:
      let part = DayGroup(loan, today: today)
      key.group = dayGroups[part.rawValue]
      if part == .expired { key.day = -key.day }
    case .borrower: key.group = group(loan.record.text(of: .borrower), otherwise: .noBorrowerGroup)
    case .library: key.group = group(library(of: loan, catalogue), otherwise: .noLibraryGroup)
    case .visit where loan.status.isWithheld:
      (key.group, key.day) = (LoanGroup(rank: 2, heading: language.text(.withheldGroup)), 0)
    case .visit:
      key.group = group(library(of: loan, catalogue), otherwise: .noLibraryGroup)
      // Visits are days.
      key.text = ""
      key.day =
        Visit.day(of: loan.plan, today: today, catalogue.closedDays)
        .dayNumber
    }
    return key
  }

  private func library(of loan: ReadLoan, _ catalogue: ReportedCatalogue) -> String? {
    loan.record.text(of: .library) ?? catalogue.library
  }

  private func group(_ name: String?, otherwise: Message) -> LoanGroup {
    guard let name else { return LoanGroup(rank: 1, heading: language.text(otherwise)) }
    return LoanGroup(name: name.lowercased(), heading: name.visible)
  }
}

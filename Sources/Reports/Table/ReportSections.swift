import Languages
import LoanRules
import Loans

/// The parts of a report in their order, and how many loans are in each.
struct ReportSections {
  /// A part of the report.
  struct Section {
    let group: LoanGroup
    /// The number of the first day of it.
    let day: Int
    var loans = 0
  }

  private let grouping: ReportGrouping?
  private(set) var all: [Section] = []

  init(_ grouping: ReportGrouping?) { self.grouping = grouping }

  /// Adds a loan, after those that come before it.
  ///
  /// - Returns: whether it is the first of its part.
  @discardableResult
  mutating func add(_ key: ReportKey) -> Bool {
    let isNew = all.last.map { !belongs(key, to: $0) } ?? true
    if isNew { all.append(Section(group: key.group, day: key.day)) }
    all[all.count - 1].loans += 1
    return isNew
  }

  private func belongs(_ key: ReportKey, to section: Section) -> Bool {
    key.group == section.group && (grouping != .visit || key.day - section.day <= Visit.days)
  }

  /// The heading of a part.
  func heading(of section: Section, in language: Language) -> String {
    // Nobody goes there for what is lost or claimed returned.
    guard grouping == .visit, section.group.rank < 2, let day = CivilDate(dayNumber: section.day)
    else {
      return section.group.heading
    }
    let values = [
      "weekday": language.byWeekday(day), "date": language.date(day),
      "library": section.group.heading,
    ]
    let message: Message = section.group.rank == 0 ? .visitGroupAt : .visitGroup
    return language.text(message, values, count: section.loans)
  }
}

import Languages
import LoanCatalogue
import LoanRules
import Loans
import ReminderService
import System

/// The form for a terminal: a table whose rows are grouped under headings.
struct TableForm: ReportForm {
  let language: Language
  let isColored: Bool
  let grouping: ReportGrouping
  let terminal: Terminal

  /// Between the fields of a row that is kept; texts that are shown have no control characters.
  private static let separator = UInt8(ascii: "\u{1F}")
  private static let indent = "  "

  func append(_ loan: ReadLoan, of catalogue: CatalogueToRead, to line: inout [UInt8]) {
    let today = catalogue.now.date
    line += loan.color(today: today).utf8
    line.append(Self.separator)
    language.append(loan.expiration, to: &line)
    if let time = loan.parts.lastTime { line += " \(time)".utf8 }
    line.append(Self.separator)
    let days = today.days(until: loan.expiration)
    // The heading says it.
    if grouping != .day || (days != 0 && days != 1) {
      line += language.days(until: loan.expiration, from: today).utf8
    }
    line.append(Self.separator)
    loan.parts.appendTitle(to: &line, in: language)
    for field in [LoanField.author, .borrower, .library] {
      line.append(Self.separator)
      // The heading says it.
      if field == groupField { continue }
      let end = line.count
      loan.parts.withText(of: field) { line.append(visible: $0) }
      if field == .library, line.count == end, let library = catalogue.source.library {
        line += library.visible.utf8
      }
    }
    line.append(Self.separator)
    if let days = loan.plan.openDays { line += language.closedClause(days, today: today).utf8 }
    line.append(UInt8(ascii: "\n"))
  }

  /// What all loans below a heading have in common.
  private var groupField: LoanField? {
    switch grouping {
    case .day: nil
    case .borrower: .borrower
    case .library, .visit: .library
    }
  }

  private var table: TextTable {
    let room = terminal.columns.map { $0 - Self.indent.count }
    return TextTable(
      [
        TextTable.Column(language.text(.dateColumn)),
        TextTable.Column(language.text(.daysColumn), rank: 2),
        TextTable.Column(language.text(.titleColumn), least: 20),
        TextTable.Column(language.text(.authorColumn), least: 12, rank: 3),
        TextTable.Column(language.text(.borrowerColumn), least: 12, rank: 1),
        TextTable.Column(language.text(.libraryColumn), least: 8, rank: 4),
      ], room: room)
  }

  func print(_ report: CheckReport, _ output: ResultsOutput) throws(CommandError) {
    var table = self.table
    var sections = ReportSections(grouping)
    var height = 0
    try report.lines.forEachRow { key, row throws(CommandError) in
      sections.add(key)
      table.measure(row.dropFirst())
      height += 1 + note(of: row).count
    }
    table.fit()
    let end = [report.summary, report.hint].compactMap(\.self)
      .flatMap { $0.wrapped(toColumns: terminal.columns ?? .max) }
    let isEmpty = sections.all.isEmpty
    height += sections.all.count + end.count + (isEmpty ? 0 : 1)
    try output.paging(height) { output throws(CommandError) in
      if !isEmpty { try output.print("\(Self.indent)\(table.heading)\n") }
      var shown = ReportSections(grouping)
      try report.lines.forEachRow { key, row throws(CommandError) in
        if shown.add(key) {
          let heading = sections.heading(of: sections.all[shown.all.count - 1], in: language)
          try output.print(styled(heading, Style.bold) + "\n")
        }
        for line in [table.line(row.dropFirst())] + note(of: row) {
          try output.print(Self.indent + styled(line, String(row[0])) + "\n")
        }
      }
      for line in end { try output.print("\(line)\n") }
    }
  }

  /// The lines below a row about what its columns do not say.
  private func note(of row: [Substring]) -> [String] {
    guard let note = row.last, !note.isEmpty else { return [] }
    let room = terminal.columns.map { max(1, $0 - 3 * Self.indent.count) } ?? .max
    return String(note).wrapped(toColumns: room).map { Self.indent + Self.indent + $0 }
  }

  private func styled(_ text: String, _ style: String) -> String {
    isColored && !style.isEmpty ? style + text + Style.end : text
  }
}

extension ReportLines {
  /// Calls `body` with the fields of each line, in order.
  ///
  /// - Throws: what `body` throws, or ``CommandError`` with the status `inputOutput`.
  func forEachRow(
    _ body: (ReportKey, [Substring]) throws(CommandError) -> Void
  ) throws(CommandError) {
    try forEach { key, text throws(CommandError) in
      let lines = String(decoding: [UInt8](copying: text), as: UTF8.self).split(separator: "\n")
      for line in lines {
        try body(key, line.split(separator: "\u{1F}", omittingEmptySubsequences: false))
      }
    }
  }
}

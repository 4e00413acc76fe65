package import CommandOutput
package import Languages
import Loans
import System

/// Prints rows that were kept as a table, under headings if they have any, with lines below it.
///
/// The fields of a row are its ``Urgency``, those of the columns, and a note that goes below the row if it is not
/// empty; see ``row(_:)``.
package struct TablePrinter {
  package let columns: [TextTable.Column]
  package let terminal: Terminal
  package let isColored: Bool
  /// The language of headings.
  package let language: Language
  /// What the rows are grouped by; `nil` for no headings.
  package let grouping: ReportGrouping?

  package init(
    columns: [TextTable.Column], terminal: Terminal, isColored: Bool, language: Language,
    grouping: ReportGrouping? = nil
  ) {
    (self.columns, self.terminal, self.isColored) = (columns, terminal, isColored)
    (self.language, self.grouping) = (language, grouping)
  }

  /// Between the fields of a row; texts that are shown have no control characters.
  package static let separator = UInt8(ascii: "\u{1F}")

  /// A row to be kept.
  package static func row(_ fields: [String]) -> String {
    fields.joined(separator: "\u{1F}") + "\n"
  }

  private var indent: String { grouping == nil ? "" : "  " }

  /// Prints the rows.
  ///
  /// - Parameter end: the sentences below the table.
  package func print(
    _ rows: ReportLines, end: [String?], _ output: ResultsOutput
  ) throws(CommandError) {
    var table = TextTable(columns, room: terminal.columns.map { $0 - indent.count })
    var sections = ReportSections(grouping)
    let end = end.compactMap(\.self)
      .flatMap { $0.wrapped(toColumns: terminal.columns ?? .max) }
    var height = 1 + end.count
    try rows.forEachRow { key, row throws(CommandError) in
      sections.add(key)
      table.measure(row.dropFirst())
      height += 1 + note(of: row).count
    }
    table.fit()
    let headings = grouping == nil ? [] : sections.all.map { heading(of: $0, in: sections) }
    height += headings.reduce(0) { $0 + $1.count }
    try output.paging(height) { output throws(CommandError) in
      if !sections.all.isEmpty { try output.print("\(indent)\(table.heading)\n") }
      var shown = ReportSections(grouping)
      try rows.forEachRow { key, row throws(CommandError) in
        if shown.add(key), grouping != nil {
          for line in headings[shown.all.count - 1] {
            try output.print(styled(line, Style.bold) + "\n")
          }
        }
        for line in [table.line(row.dropFirst())] + note(of: row) {
          try output.print(
            indent + styled(line, Urgency(rawValue: String(row[0]))?.color ?? "") + "\n")
        }
      }
      for line in end { try output.print("\(line)\n") }
    }
  }

  /// The lines of the heading of a part.
  private func heading(of section: ReportSections.Section, in sections: ReportSections) -> [String]
  {
    let most = terminal.columns ?? .max
    return sections.heading(of: section, in: language).wrapped(toColumns: most)
      .map { $0.shortened(toColumns: most) }
  }

  /// The lines below a row about what its columns do not say.
  private func note(of row: [Substring]) -> [String] {
    guard let note = row.last, !note.isEmpty else { return [] }
    let indent = "    "
    let room = terminal.columns.map { max(1, $0 - self.indent.count - indent.count) } ?? .max
    return String(note).wrapped(toColumns: room).map { indent + $0 }
  }

  private func styled(_ text: String, _ style: String) -> String {
    isColored && !style.isEmpty ? style + text + Style.end : text
  }
}

/// Styles of text on a terminal (ECMA-48, SGR).
enum Style {
  static let bold = "\u{1B}[1m"
  static let red = "\u{1B}[31m"
  static let yellow = "\u{1B}[33m"
  static let cyan = "\u{1B}[36m"
  static let end = "\u{1B}[0m"
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

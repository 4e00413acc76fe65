import System

/// A table for people, whose columns are as wide as their texts, and together no wider than there is
/// room.
///
/// Of columns that do not fit, the widest are shortened first; what would get narrower than its least
/// width is left out, the last in rank first.
///
///     var table = TextTable([.init("ID"), .init("Title", least: 16)], room: 80)
///     rows.forEach { table.measure($0) }
///     table.fit()
///     rows.forEach { print(table.line($0)) }
package struct TextTable {
  /// A column, and how much of it can be given up.
  package struct Column {
    package let heading: String
    /// The columns of the terminal that it keeps, or all if its texts are narrower.
    package let least: Int
    /// Its place among those that are left out; 0 is never.
    package let rank: Int

    package init(_ heading: String, least: Int = .max, rank: Int = 0) {
      (self.heading, self.least, self.rank) = (heading, least, rank)
    }
  }

  private let columns: [Column]
  private let room: Int
  /// The widths of the columns; 0 for those without text.
  private var widths: [Int]

  private static let gap = "  "

  package init(_ columns: [Column], room: Int?) {
    self.columns = columns
    self.room = room ?? .max
    widths = columns.map { _ in 0 }
  }

  /// Makes the columns as wide as the texts of a row.
  package mutating func measure(_ fields: some Collection<Substring>) {
    for (index, field) in zip(widths.indices, fields) where !field.isEmpty {
      widths[index] = max(widths[index], min(String(field).columns, 1_000))
    }
  }

  /// Makes the table as narrow as there is room.
  package mutating func fit() {
    for index in widths.indices where widths[index] > 0 {
      widths[index] = max(widths[index], columns[index].heading.columns)
    }
    while total(0) > room, let last = lastInRank { widths[last] = 0 }
    var limit = widths.max() ?? 0
    while limit > 0 && total(limit) > room { limit -= 1 }
    for index in widths.indices { widths[index] = width(of: index, limit) }
  }

  private var lastInRank: Int? {
    widths.indices.filter { widths[$0] > 0 && columns[$0].rank > 0 }
      .max { columns[$0].rank < columns[$1].rank }
  }

  /// The width of a column if none is wider than the limit that can be narrower.
  private func width(of index: Int, _ limit: Int) -> Int {
    min(widths[index], max(limit, columns[index].least))
  }

  private func total(_ limit: Int) -> Int {
    let shown = widths.indices.filter { widths[$0] > 0 }
    return shown.reduce(0) { $0 + width(of: $1, limit) } + (shown.count - 1) * Self.gap.count
  }

  /// The line above the rows.
  package var heading: String { line(columns.map { $0.heading[...] }) }

  /// The line of a row.
  package func line(_ fields: some Collection<Substring>) -> String {
    var line = ""
    for (field, width) in zip(fields, widths) where width > 0 {
      line += String(field).shortened(toColumns: width).padded(toColumns: width) + Self.gap
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}

extension String {
  /// The text in lines of at most this many columns, broken at spaces.
  package func wrapped(toColumns most: Int) -> [String] {
    split(separator: " ").reduce(into: [String]()) { lines, word in
      if let last = lines.last, last.columns + 1 + String(word).columns <= most {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }
}

import Loans

/// The lines of a report as finished text, to be sorted by their days.
struct ReportLines {
  private struct Line {
    var day: Int
    var range: Range<Int>
  }

  private var lines: [Line] = []
  private var text: [UInt8] = []

  var count: Int { lines.count }

  /// Adds the line of a loan, to which `append` appends its text.
  mutating func add(_ expiration: CivilDate, _ append: (inout [UInt8]) -> Void) {
    let start = text.count
    append(&text)
    lines.append(Line(day: expiration.dayNumber, range: start..<text.count))
  }

  /// Forgets all but the first lines.
  mutating func keep(first count: Int) {
    lines.removeSubrange(count...)
    text.removeSubrange((lines.last?.range.upperBound ?? 0)...)
  }

  /// Prints the lines: the longest expired first, loans of one day in the order in which they were
  /// added.
  ///
  /// - Throws: ``CommandError`` if standard output fails.
  func print(
    _ console: Console, between separator: String = "", after end: String = ""
  ) throws(CommandError) {
    let sorted = lines.sorted { ($0.day, $0.range.lowerBound) < ($1.day, $1.range.lowerBound) }
    for (number, line) in sorted.enumerated() {
      if number > 0 { try console.print(separator) }
      try console.print(text.span.extracting(line.range))
      try console.print(end)
    }
  }
}

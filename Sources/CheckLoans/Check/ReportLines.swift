import Loans

/// The lines of a report as finished text, to be sorted by their days.
struct ReportLines {
  private struct Line {
    var day: Int
    var range: Range<Int>
  }

  /// The byte after each line.
  private let end: UInt8
  private var lines: [Line] = []
  private var text: [UInt8] = []

  init(endingWith end: UInt8) {
    self.end = end
  }

  var count: Int { lines.count }

  /// Adds the line of a loan, to which `append` appends its text.
  mutating func add(_ expiration: CivilDate, _ append: (inout [UInt8]) -> Void) {
    let start = text.count
    append(&text)
    text.append(end)
    lines.append(Line(day: expiration.dayNumber, range: start..<text.count))
  }

  /// Forgets all but the first lines.
  mutating func keep(first count: Int) {
    lines.removeSubrange(count...)
    text.removeSubrange((lines.last?.range.upperBound ?? 0)...)
  }

  /// Calls `body` with each line: the longest expired first, loans of one day in the order in which
  /// they were added.
  func forEach(
    _ body: (Span<UInt8>) throws(CommandError) -> Void
  ) throws(CommandError) {
    let sorted = lines.sorted { ($0.day, $0.range.lowerBound) < ($1.day, $1.range.lowerBound) }
    for line in sorted { try body(text.span.extracting(line.range)) }
  }
}

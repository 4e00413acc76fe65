import Loans

/// The loans that a run has to show, as finished text, put in order.
///
/// Some megabytes at a time are ordered by their days and, if there are more, kept in a file, so
/// that memory stays flat. In the end the lines of a day come from each of these runs in turn.
struct ReportLines {
  fileprivate struct Line {
    var day: Int32
    var start: Int32
    var length: Int32

    var range: Range<Int> { Int(start)..<Int(start) + Int(length) }
  }

  /// Lines of one day that lie side by side.
  private struct Block {
    var day: Int32
    var run: Int32
    var range: Range<Int>
  }

  /// Lines in order.
  private enum Run {
    case memory([UInt8])
    case file
  }

  /// The place up to which lines stay; see ``goBack(to:)``.
  struct Mark {
    fileprivate var run: Int
    fileprivate var line: Int
  }

  /// So many bytes at most are ordered at a time, but for a longer line.
  private let runSize: Int
  private let directory: String
  private let end: UInt8
  private var lines: [Line] = []
  private var text: [UInt8] = []
  private var ordered: [UInt8] = []
  private var runs: [Run] = []
  private var blocks: [Block] = []
  private var file: ScratchFile?
  /// Whether a file could not be made or written.
  private var hasNoFile = false
  /// The mark that was taken last.
  private var lastMark = Mark(run: 0, line: 0)

  /// - Parameters:
  ///   - end: the byte behind each line.
  ///   - directory: where a file is made if one is needed; if it cannot be, lines stay in memory.
  ///   - runSize: how many bytes are ordered at a time.
  init(endingWith end: UInt8, directory: String, runSize: Int = 4 << 20) {
    self.end = end
    self.directory = directory
    self.runSize = runSize
  }

  /// Hands out the lines so far: a loan's line is to be appended, without its end, and all given back.
  ///
  /// No copy is made, and nothing here is in use meanwhile, as it would be while a closure appends.
  mutating func beginLine() -> [UInt8] {
    var lent: [UInt8] = []
    swap(&lent, &text)
    return lent
  }

  /// Takes back what ``beginLine()`` handed out, with one more line.
  mutating func endLine(_ text: consuming [UInt8], expiration: CivilDate) {
    self.text = consume text
    let start = lines.last?.range.upperBound ?? 0
    self.text.append(end)
    lines.append(
      Line(
        day: Int32(expiration.dayNumber), start: Int32(start),
        length: Int32(self.text.count - start)))
    if self.text.count >= runSize { endRun() }
  }

  /// Where the lines end now; only the mark that was taken last can be gone back to.
  mutating func mark() -> Mark {
    lastMark = Mark(run: runs.count, line: lines.count)
    return lastMark
  }

  /// Forgets the lines that were added since.
  mutating func goBack(to mark: Mark) {
    // If a run ended meanwhile, what was before the mark was made a run of its own.
    guard runs.count == mark.run else {
      let kept = mark.run + (mark.line > 0 ? 1 : 0)
      runs.removeSubrange(kept...)
      blocks.removeAll { $0.run >= kept }
      lines.removeAll()
      text.removeAll()
      return
    }
    lines.removeSubrange(mark.line...)
    let end = lines.last?.range.upperBound ?? 0
    text.removeSubrange(end...)
  }

  private mutating func endRun() {
    let middle = lastMark.run == runs.count ? lastMark.line : 0
    addRun(lines[..<middle])
    addRun(lines[middle...])
    lines.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
  }

  private mutating func addRun(_ lines: ArraySlice<Line>) {
    if lines.isEmpty { return }
    // Its memory is used again for the next run.
    ordered.removeAll(keepingCapacity: true)
    ordered.reserveCapacity(text.count)
    var own: [Block] = []
    let run = Int32(runs.count)
    for line in lines.inOrder {
      let start = ordered.count
      ordered.append(contentsOf: text[line.range])
      if own.last?.day == line.day {
        own[own.count - 1].range = own[own.count - 1].range.lowerBound..<ordered.count
      } else {
        own.append(Block(day: line.day, run: run, range: start..<ordered.count))
      }
    }
    if let offset = keptInFile(ordered) {
      runs.append(.file)
      for index in own.indices {
        let range = own[index].range
        own[index].range = range.lowerBound + offset..<range.upperBound + offset
      }
    } else {
      runs.append(.memory(ordered))
    }
    blocks += own
  }

  /// Where the file has a run; `nil` if it cannot be written.
  private mutating func keptInFile(_ run: [UInt8]) -> Int? {
    if hasNoFile { return nil }
    do throws(CommandError) {
      if file == nil { file = try ScratchFile(in: directory) }
      guard let file else { return nil }
      let offset = file.size
      try file.append(run.span)
      return offset
    } catch {
      hasNoFile = true
      return nil
    }
  }

  /// Calls `body` with the lines, some at a time; the longest expired first, loans of one day in
  /// the order in which they were added.
  ///
  /// - Throws: what `body` throws, or ``CommandError`` with the status `inputOutput`.
  mutating func forEach(
    _ body: (Span<UInt8>) throws(CommandError) -> Void
  ) throws(CommandError) {
    if runs.isEmpty { return try forEachInMemory(body) }
    endRun()
    blocks.sort { ($0.day, $0.run) < ($1.day, $1.run) }
    var piece = [UInt8](repeating: 0, count: 65_536)
    for block in blocks {
      switch runs[Int(block.run)] {
      case .memory(let bytes): try body(bytes.span.extracting(block.range))
      case .file: try file?.read(block.range, into: &piece, body)
      }
    }
  }

  private func forEachInMemory(
    _ body: (Span<UInt8>) throws(CommandError) -> Void
  ) throws(CommandError) {
    var batch: [UInt8] = []
    for line in lines[...].inOrder {
      batch.append(contentsOf: text[line.range])
      if batch.count > 32_768 {
        try body(batch.span)
        batch.removeAll(keepingCapacity: true)
      }
    }
    if !batch.isEmpty { try body(batch.span) }
  }
}

extension ArraySlice<ReportLines.Line> {
  /// The lines by their days, those of one day as they were: each is only counted and moved once.
  fileprivate var inOrder: [ReportLines.Line] {
    guard let line = first, let first = self.min(by: { $0.day < $1.day })?.day,
      let last = self.max(by: { $0.day < $1.day })?.day
    else { return [] }
    guard Int(last) - Int(first) <= 4 * count + 1_000 else {
      return sorted { ($0.day, $0.start) < ($1.day, $1.start) }
    }
    var next = [Int](repeating: 0, count: Int(last - first) + 1)
    for line in self { next[Int(line.day - first)] += 1 }
    var sum = 0
    for index in next.indices { (next[index], sum) = (sum, sum + next[index]) }
    var ordered = [ReportLines.Line](repeating: line, count: count)
    for line in self {
      let day = Int(line.day - first)
      ordered[next[day]] = line
      next[day] += 1
    }
    return ordered
  }
}

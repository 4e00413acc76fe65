import LoanCatalogue

/// Lines of a file that change, with those around them that show where.
struct DiffHunk: Equatable {
  /// Lines around a change.
  static let context = 3

  /// The first line, from 1, in the old file and in the new one.
  var firstLine: Int
  var newFirstLine: Int
  /// How many lines there are in the old file and in the new one.
  var lineCount: Int
  var newLineCount: Int
  /// The bytes of the lines, in the old file.
  var bytes: Range<Int>
  /// The bytes of the lines that change, in the old file; runs of whole lines.
  var changes: [Range<Int>] = []

  /// As diff(1) writes it.
  var head: String { "@@ -\(firstLine),\(lineCount) +\(newFirstLine),\(newLineCount) @@\n" }
}

/// Finds the hunks, while a file's lines go by.
///
/// A line ends with the byte 10, whatever the encoding, as it does for patch(1).
struct DiffHunks {
  private let edits: [ByteEdit]
  private var nextEdit = 0
  private var line = 0
  private var lineStart = 0
  /// Where the last lines begin, as many as may become context.
  private var before: [Int] = []
  private var hunk: DiffHunk?
  /// Lines in ``hunk`` behind its last change.
  private var trailing = 0
  /// Where the context behind the last change ends.
  private var contextEnd = 0
  /// Lines that the hunks so far took away.
  private var removed = 0
  private(set) var hunks: [DiffHunk] = []

  init(_ edits: [ByteEdit]) {
    self.edits = edits
  }

  /// Takes the next bytes of the file.
  mutating func take(_ piece: [UInt8], at offset: Int) {
    let bytes = piece.span
    for index in bytes.indices where bytes[index] == 0x0A {
      endLine(offset + index + 1, hasFeed: true)
    }
  }

  /// Takes the end of the file.
  mutating func finish(at end: Int) {
    if end > lineStart { endLine(end, hasFeed: false) }
    closeHunk()
  }

  private mutating func endLine(_ end: Int, hasFeed: Bool) {
    line += 1
    while nextEdit < edits.count && edits[nextEdit].bytes.upperBound <= lineStart { nextEdit += 1 }
    if nextEdit < edits.count && edits[nextEdit].bytes.lowerBound < end {
      change(lineStart..<end)
      // The line goes on in the next one if its end is replaced.
      while nextEdit < edits.count && edits[nextEdit].bytes.upperBound < end { nextEdit += 1 }
      if hasFeed, nextEdit < edits.count, edits[nextEdit].bytes.lowerBound < end { removeLine() }
    } else {
      keep(lineStart..<end)
    }
    lineStart = end
  }

  private mutating func change(_ bytes: Range<Int>) {
    var hunk =
      self.hunk
      ?? DiffHunk(
        firstLine: line - before.count, newFirstLine: line - before.count - removed,
        lineCount: before.count, newLineCount: before.count,
        bytes: (before.first ?? bytes.lowerBound)..<bytes.upperBound)
    hunk.lineCount += 1
    hunk.newLineCount += 1
    if let last = hunk.changes.last, last.upperBound == bytes.lowerBound {
      hunk.changes[hunk.changes.count - 1] = last.lowerBound..<bytes.upperBound
    } else {
      hunk.changes.append(bytes)
    }
    self.hunk = hunk
    trailing = 0
    contextEnd = bytes.upperBound
    before = []
  }

  private mutating func removeLine() {
    hunk?.newLineCount -= 1
    removed += 1
  }

  private mutating func keep(_ bytes: Range<Int>) {
    if before.count == DiffHunk.context { before.removeFirst() }
    before.append(bytes.lowerBound)
    guard hunk != nil else { return }
    hunk?.lineCount += 1
    hunk?.newLineCount += 1
    trailing += 1
    if trailing <= DiffHunk.context { contextEnd = bytes.upperBound }
    if trailing > 2 * DiffHunk.context { closeHunk() }
  }

  private mutating func closeHunk() {
    guard var hunk else { return }
    let surplus = max(0, trailing - DiffHunk.context)
    hunk.lineCount -= surplus
    hunk.newLineCount -= surplus
    hunk.bytes = hunk.bytes.lowerBound..<contextEnd
    hunks.append(hunk)
    self.hunk = nil
  }
}

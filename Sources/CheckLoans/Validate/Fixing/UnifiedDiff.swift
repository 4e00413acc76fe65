import LoanCatalogue
import Loans

/// The changes of fixing a file, as patch(1) and git-apply(1) take them.
///
/// A line ends with the byte 10, whatever the encoding, as it does for patch(1). A change of a date on
/// line 9 comes with three lines around it:
///
///     @@ -6,7 +6,7 @@
struct UnifiedDiff {
  let path: String
  /// The content of the file before.
  let bytes: [UInt8]
  let fixes: CatalogueFixes

  /// Lines around a change.
  private static let context = 3

  /// Whole lines that change, near to each other.
  private typealias Hunk = [Range<Int>]

  /// Writes the whole diff, hunk by hunk; nothing if there is nothing to change.
  func write(_ put: ([UInt8]) throws(CommandError) -> Void) throws(CommandError) {
    if fixes.edits.isEmpty { return }
    try put(Array("--- \(Self.name("a/", path))\n+++ \(Self.name("b/", path))\n".utf8))
    var (offset, line, newLine) = (0, 1, 1)
    for hunk in hunks {
      let start = start(of: hunk)
      let between = count(of: bytes[offset..<start])
      (line, newLine) = (line + between, newLine + between)
      let (text, count, newCount) = text(of: hunk, from: start)
      try put(Array("@@ -\(line),\(count) +\(newLine),\(newCount) @@\n".utf8) + text)
      (line, newLine) = (line + count, newLine + newCount)
      offset = end(of: hunk)
    }
  }

  private var hunks: [Hunk] {
    var hunks: [Hunk] = []
    var hunk: Hunk = []
    for edit in fixes.edits {
      let lines = start(before: edit.bytes.lowerBound, 0)..<end(after: edit.bytes.upperBound - 1, 1)
      if let last = hunk.last, lines.lowerBound <= last.upperBound {
        hunk[hunk.count - 1] = last.lowerBound..<max(last.upperBound, lines.upperBound)
      } else if let last = hunk.last,
        end(after: last.upperBound, 2 * Self.context) < lines.lowerBound
      {
        hunks.append(hunk)
        hunk = [lines]
      } else {
        hunk.append(lines)
      }
    }
    return hunks + [hunk]
  }

  private func start(of hunk: Hunk) -> Int { start(before: hunk[0].lowerBound, Self.context) }

  private func end(of hunk: Hunk) -> Int {
    end(after: hunk[hunk.count - 1].upperBound, Self.context)
  }

  /// - Returns: the lines, each with its sign, and how many they are in the old and in the new file.
  private func text(of hunk: Hunk, from start: Int) -> (text: [UInt8], count: Int, newCount: Int) {
    var text: [UInt8] = []
    var (count, newCount, offset) = (0, 0, start)
    func keep(to end: Int) {
      let kept = append(bytes[offset..<end], " ", to: &text)
      (count, newCount) = (count + kept, newCount + kept)
    }
    for change in hunk {
      keep(to: change.lowerBound)
      count += append(bytes[change], "-", to: &text)
      newCount += append(fixes.fixed(bytes[change], at: change.lowerBound)[...], "+", to: &text)
      offset = change.upperBound
    }
    keep(to: end(of: hunk))
    return (text, count, newCount)
  }

  /// Appends whole lines, with a sign before each of them.
  ///
  /// - Returns: how many they are.
  private func append(
    _ lines: ArraySlice<UInt8>, _ sign: Unicode.Scalar, to text: inout [UInt8]
  ) -> Int {
    var isAtStart = true
    for byte in lines {
      if isAtStart { text.append(UInt8(truncatingIfNeeded: sign.value)) }
      text.append(byte)
      isAtStart = byte == Self.lineFeed
    }
    if !isAtStart { text += Array("\n\\ No newline at end of file\n".utf8) }
    return count(of: lines)
  }
}

// MARK: - Lines

extension UnifiedDiff {
  private static let lineFeed: UInt8 = 0x0A

  /// The number of lines, of which the last one may have no end.
  private func count(of lines: ArraySlice<UInt8>) -> Int {
    let ends = lines.count { $0 == Self.lineFeed }
    return lines.isEmpty || lines.last == Self.lineFeed ? ends : ends + 1
  }

  /// The start of the line that many lines before that of a byte.
  private func start(before offset: Int, _ lines: Int) -> Int {
    var (start, rest) = (offset, lines)
    while start > 0 {
      if bytes[start - 1] == Self.lineFeed {
        if rest == 0 { break }
        rest -= 1
      }
      start -= 1
    }
    return start
  }

  /// The end of that many lines, of which the first one holds a byte.
  private func end(after offset: Int, _ lines: Int) -> Int {
    var (end, rest) = (offset, lines)
    while end < bytes.count && rest > 0 {
      if bytes[end] == Self.lineFeed { rest -= 1 }
      end += 1
    }
    return end
  }
}

// MARK: - Text

extension UnifiedDiff {
  /// Lines of a diff as text for a terminal that nothing in them can steer: tabs stay, and what is not
  /// UTF-8 becomes U+FFFD.
  static func visible(_ lines: [UInt8]) -> String {
    lines.split(separator: lineFeed, omittingEmptySubsequences: false).map { line in
      String(decoding: line, as: UTF8.self).split(separator: "\t", omittingEmptySubsequences: false)
        .map { String($0).visible }.joined(separator: "\t")
    }.joined(separator: "\n")
  }

  /// The file's name below `prefix`, without what leads to the root, in quotation marks where it
  /// has to be, and with a tab after it if there is a space in it: as git-diff(1) has it.
  static func name(_ prefix: String, _ path: String) -> String {
    let parts = path.split(separator: "/").filter { $0 != "." }
    let name = prefix + parts.joined(separator: "/")
    guard name.utf8.contains(where: \.needsQuoting) else {
      return name.utf8.contains(UInt8(ascii: " ")) ? "\(name)\t" : name
    }
    var bytes: [UInt8] = []
    for byte in name.utf8 { bytes += byte.needsQuoting ? byte.quoted : [byte] }
    return "\"\(String(decoding: bytes, as: UTF8.self))\""
  }
}

extension UInt8 {
  fileprivate var needsQuoting: Bool {
    self < 0x20 || self == 0x7F || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
  }

  /// The byte as it is written in a string of C.
  fileprivate var quoted: [UInt8] {
    if self >= 0x20 && self < 0x7F { return [UInt8(ascii: "\\"), self] }
    let digits = [6, 3, 0].map { UInt8(ascii: "0") + (self >> UInt8($0)) & 7 }
    return [UInt8(ascii: "\\")] + digits
  }
}

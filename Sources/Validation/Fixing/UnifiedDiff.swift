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
  let edits: [ByteEdit]

  /// Whole lines that change, numbered from 0.
  private struct Change {
    var first: Int
    var end: Int
    var edits: [ByteEdit]
  }

  /// Lines around a change.
  private static let context = 3
  private static let lineFeed: UInt8 = 0x0A

  /// The whole diff; nothing if there is nothing to change.
  var text: [UInt8] {
    if edits.isEmpty { return [] }
    var text = Array("--- \(Self.name("a/", path))\n+++ \(Self.name("b/", path))\n".utf8)
    let starts = starts
    /// By how many lines the new file is longer so far.
    var growth = 0
    for hunk in hunks(starts) {
      let end = min(starts.count - 1, hunk[hunk.count - 1].end + Self.context)
      let lines = max(0, hunk[0].first - Self.context)..<end
      var (body, newCount, offset): ([UInt8], Int, Int) = ([], 0, starts[lines.lowerBound])
      for change in hunk + [Change(first: end, end: end, edits: [])] {
        let old = starts[change.first]..<starts[change.end]
        newCount += Self.append(bytes[offset..<old.lowerBound], " ", to: &body)
        _ = Self.append(bytes[old], "-", to: &body)
        newCount += Self.append(change.edits.applied(to: bytes[old])[...], "+", to: &body)
        offset = old.upperBound
      }
      let (first, newFirst) = (lines.lowerBound + 1, lines.lowerBound + 1 + growth)
      text += Array("@@ -\(first),\(lines.count) +\(newFirst),\(newCount) @@\n".utf8) + body
      growth += newCount - lines.count
    }
    return text
  }

  /// Where each line begins, and where the last one ends, with or without a line feed.
  private var starts: [Int] {
    let starts = [0] + bytes.indices.filter { bytes[$0] == Self.lineFeed }.map { $0 + 1 }
    return starts.last == bytes.count ? starts : starts + [bytes.count]
  }

  /// The changes, those together that are near to each other.
  private func hunks(_ starts: [Int]) -> [[Change]] {
    var changes: [Change] = []
    var line = 0
    for edit in edits {
      while starts[line + 1] <= edit.bytes.lowerBound { line += 1 }
      let first = line
      while starts[line + 1] < edit.bytes.upperBound { line += 1 }
      if let last = changes.indices.last, first <= changes[last].end {
        changes[last].end = line + 1
        changes[last].edits.append(edit)
      } else {
        changes.append(Change(first: first, end: line + 1, edits: [edit]))
      }
    }
    return changes.reduce(into: []) { hunks, change in
      if let last = hunks.last?.last, change.first - last.end <= 2 * Self.context {
        hunks[hunks.count - 1].append(change)
      } else {
        hunks.append([change])
      }
    }
  }

  /// Appends whole lines, with a sign before each of them.
  ///
  /// - Returns: how many they are.
  private static func append(
    _ lines: ArraySlice<UInt8>, _ sign: Unicode.Scalar, to text: inout [UInt8]
  ) -> Int {
    let parts = lines.split(separator: lineFeed, omittingEmptySubsequences: false)
    for line in parts.dropLast() { text += [UInt8(ascii: sign)] + line + [lineFeed] }
    guard let rest = parts.last, !rest.isEmpty else { return parts.count - 1 }
    text += [UInt8(ascii: sign)] + rest + Array("\n\\ No newline at end of file\n".utf8)
    return parts.count
  }
}

// MARK: - Text

extension UnifiedDiff {
  /// Lines of a diff as text for a terminal that nothing in them can steer: tabs stay, and what is not
  /// UTF-8 becomes U+FFFD.
  package static func visible(_ lines: [UInt8]) -> String {
    lines.split(separator: lineFeed, omittingEmptySubsequences: false).map { line in
      String(decoding: line, as: UTF8.self).split(separator: "\t", omittingEmptySubsequences: false)
        .map { String($0).visible }.joined(separator: "\t")
    }.joined(separator: "\n")
  }

  /// The file's name below `prefix`, without what leads to the root, in quotation marks where it
  /// has to be, and with a tab after it if there is a space in it: as git-diff(1) has it.
  package static func name(_ prefix: String, _ path: String) -> String {
    let name = prefix + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    let quoted = name.escaped { scalar, _ in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\u{0}"..<" ", "\u{7F}": "\\" + scalar.value.digits(3, radix: 8)
      default: nil
      }
    }
    if quoted != name { return "\"\(quoted)\"" }
    return name.utf8.contains(UInt8(ascii: " ")) ? "\(name)\t" : name
  }
}

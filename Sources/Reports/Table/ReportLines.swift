package import CommandOutput
import Loans
import System
import SystemPackage

/// The lines of a report, gathered by their places in it.
///
/// Some megabytes of lines are kept in memory; what is more goes into a file without a name. What lines are
/// sorted by stays in memory: a few days, or a text for each loan. A copy is the state to go back to:
/// lines that are added later do not show in it.
package struct ReportLines {
  /// The text of the lines of one place: its parts in the file, then the rest.
  private struct Lines {
    var parts: [Range<Int>] = []
    var rest: [UInt8] = []

    /// Appends a text, and returns its length.
    mutating func append(_ write: (inout [UInt8]) -> Void) -> Int {
      let count = rest.count
      write(&rest)
      return rest.count - count
    }
  }

  private let directory: String
  /// The most bytes in memory.
  private var limit: Int
  private var places: [ReportKey: Lines] = [:]
  private var bytesInMemory = 0
  private var file: OpenFile?
  private var bytesInFile = 0

  /// - Parameters:
  ///   - directory: where a file is made if one is needed; if that fails, lines stay in memory.
  ///   - limit: the most bytes in memory.
  package init(directory: String, limit: Int = 8 << 20) {
    self.directory = directory
    self.limit = limit
  }

  /// Adds the line of a loan, to which `append` appends its text.
  package mutating func add(_ key: ReportKey, _ append: (inout [UInt8]) -> Void) {
    bytesInMemory += places[key, default: Lines()].append(append)
    if bytesInMemory > limit { moveToFile() }
  }

  private mutating func moveToFile() {
    do throws(Errno) {
      if self.file == nil { self.file = try OpenFile.temporary(in: directory) }
      guard let file else { return }
      for key in places.keys {
        guard let rest = places[key]?.rest, !rest.isEmpty else { continue }
        try file.write(rest, at: bytesInFile)
        places[key]?.parts.append(bytesInFile..<bytesInFile + rest.count)
        places[key]?.rest = []
        bytesInFile += rest.count
      }
      bytesInMemory = 0
    } catch {
      limit = .max
    }
  }

  /// Calls `body` with whole lines, some at a time: by their places, those of one place in the order in
  /// which they were added.
  ///
  /// - Throws: what `body` throws, or ``CommandError`` with the status `inputOutput`.
  package func forEach(
    _ body: (ReportKey, Span<UInt8>) throws(CommandError) -> Void
  ) throws(CommandError) {
    for (key, lines) in places.sorted(by: { $0.key < $1.key }) {
      for part in lines.parts {
        let bytes = try bytes(in: part)
        try body(key, bytes.span)
      }
      let rest = lines.rest
      if !rest.isEmpty { try body(key, rest.span) }
    }
  }

  private func bytes(in part: Range<Int>) throws(CommandError) -> [UInt8] {
    do throws(Errno) {
      let bytes = try file?.read(part.count, at: part.lowerBound) ?? []
      if bytes.count < part.count { throw .ioError }
      return bytes
    } catch {
      throw CommandError(
        .inputOutput, "the report kept in \(directory.visible) is lost: \(error.words)")
    }
  }
}

import Glibc
import LoanCatalogue
import Loans

/// What became of the dates that were to be fixed.
struct FixOutcome: Equatable {
  /// Where those are that are fixed, or would be, in their order in the old catalogue.
  var fixed: [SourceLocation] = []
  /// How many were left alone, since something else is inside.
  var left = 0

  /// Whether the date at a place is fixed.
  func isFixed(_ place: SourceLocation) -> Bool {
    var (low, high) = (0, fixed.count)
    while low < high {
      let middle = (low + high) / 2
      if fixed[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low < fixed.count && fixed[low] == place
  }
}

/// Fixes the dates of one catalogue file that can only have been meant in one way.
///
/// To be made before the catalogue is read, so that it notices if the file changes until it is
/// fixed.
struct CatalogueFixer {
  private let path: String
  private let version: FileVersion?

  /// - Throws: ``CommandError`` with the status `usage` for standard input.
  init(_ path: String) throws(CommandError) {
    guard path != "-" else {
      throw CommandError(
        .usage, "standard input cannot be fixed; give the path of a catalogue file")
    }
    self.path = path
    version = FileVersion(of: path)
  }

  /// Puts the fixed catalogue in the place of the old one, with the same permissions: whole or not
  /// at all.
  ///
  /// Where there is nothing to fix, the file is not touched.
  ///
  /// - Throws: ``CommandError``; the catalogue is as it was.
  func fix(_ problems: [Diagnostic]) throws(CommandError) -> FixOutcome {
    guard !problems.isEmpty else { return FixOutcome() }
    let file = try open()
    let fixes = try fixes(of: problems, file)
    if !fixes.edits.isEmpty {
      try checkPermission(file.version)
      try replace(file.version, by: file.pieces { fixes.fixed($0, at: $1) })
    }
    return outcome(fixes, problems)
  }

  /// Puts what the pieces make in the place of the catalogue, unless that is another one by then.
  func replace(
    _ version: FileVersion, by pieces: () throws(CommandError) -> [UInt8]
  ) throws(CommandError) {
    let replacement = try telling { () throws(FileReplacement.Failure) in
      try FileReplacement.begin(at: path, like: version)
    }
    while case let piece = try pieces(), !piece.isEmpty {
      try telling { () throws(FileReplacement.Failure) in try replacement.write(piece) }
    }
    try telling { () throws(FileReplacement.Failure) in try replacement.sync() }
    guard FileVersion(of: path) == version else { throw changed }
    do throws(FileReplacement.Failure) {
      try replacement.commit()
    } catch {
      throw failure(error.words, error.number)
    }
  }

  /// Has what could not be done told with the catalogue's name.
  private func telling<Result: ~Copyable>(
    _ body: () throws(FileReplacement.Failure) -> Result
  ) throws(CommandError) -> Result {
    do throws(FileReplacement.Failure) {
      return try body()
    } catch {
      throw failure(error.words, error.number)
    }
  }

  private func failure(_ words: String, _ number: Int32) -> CommandError {
    let isPermission = [EACCES, EPERM, EROFS].contains(number)
    return CommandError(
      isPermission ? .noPermission : .inputOutput,
      "\(path.visible): \(words); the catalogue was left as it was")
  }

  private var changed: CommandError {
    CommandError(
      .tryAgain, "\(path.visible): the file was changed meanwhile; nothing was fixed, try again")
  }

  /// A file that must not be written is not replaced either, be it by root.
  ///
  /// - Throws: ``CommandError`` with the status `noPermission`, `tryAgain` or `inputOutput`.
  private func checkPermission(_ version: FileVersion) throws(CommandError) {
    guard version.links == 1 else {
      throw CommandError(
        .inputOutput,
        """
        \(path.visible): this file has \(version.links) names (hard links), and fixing would \
        leave the others with the old content; it was left as it was, put a copy in its place first
        """)
    }
    guard version.mode & 0o222 != 0 else {
      throw CommandError(
        .noPermission,
        "\(path.visible): this file is read-only, so it was left as it was; allow writing first")
    }
    let writable: FileVersion?
    do throws(SystemFailure) {
      writable = try FileVersion(ofWritable: path)
    } catch {
      throw failure("it may not be written: \(error.words)", error.number)
    }
    guard writable == version else { throw changed }
  }

  /// Writes what ``fix(_:)`` would change, as a unified diff.
  ///
  /// - Throws: ``CommandError``, also what `put` throws.
  func preview(
    _ problems: [Diagnostic], _ put: ([UInt8]) throws(CommandError) -> Void
  ) throws(CommandError) -> FixOutcome {
    guard !problems.isEmpty else { return FixOutcome() }
    let file = try open()
    let fixes = try fixes(of: problems, file)
    let diff = UnifiedDiff(path: path, fixes: fixes) {
      (offset, count) throws(CommandError) in
      try file.bytes(at: offset, atMost: count)
    }
    try diff.write(put)
    return outcome(fixes, problems)
  }

  private func open() throws(CommandError) -> ReadFile {
    let file = try ReadFile(path)
    guard file.version == version else { throw changed }
    return file
  }

  private func outcome(_ fixes: CatalogueFixes, _ problems: [Diagnostic]) -> FixOutcome {
    FixOutcome(fixed: fixes.locations, left: problems.count - fixes.locations.count)
  }

  private func fixes(
    of problems: [Diagnostic], _ file: ReadFile
  ) throws(CommandError) -> CatalogueFixes {
    try CatalogueFixes(problems, head: file.bytes(at: 0)) { range throws(CommandError) in
      try file.bytes(at: range.lowerBound, atMost: range.count)
    }
  }
}

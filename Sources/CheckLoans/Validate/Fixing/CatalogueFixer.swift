import LoanCatalogue
import Loans
import System
import SystemPackage

/// The outcome of fixing the dates of a catalogue.
struct FixOutcome: Equatable {
  /// The places of the dates that are fixed, or would be, in the old catalogue.
  var fixed: Set<SourceLocation> = []
  /// The number of dates that were left alone, since something else is inside.
  var left = 0
}

/// Fixes the dates of one catalogue file that can only have been meant in one way.
///
/// To be created before the catalogue is read, so that a change of the file before it is fixed is
/// noticed.
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
      let version = try currentVersion(of: file)
      try checkPermission(version)
      var offset = 0
      try replace(version) { () throws(CommandError) in
        let piece = try bytes(of: file, at: offset)
        defer { offset += piece.count }
        return piece.isEmpty ? nil : fixes.fixed(piece, at: offset)
      }
    }
    return outcome(fixes, problems)
  }

  /// Puts the pieces, up to `nil`, in the place of the catalogue, unless that is another one by then.
  func replace(
    _ version: FileVersion, by nextPiece: () throws(CommandError) -> [UInt8]?
  ) throws(CommandError) {
    do {
      let replacement = try FileReplacement.begin(at: path, like: version)
      while let piece = try nextPiece() { try replacement.write(piece) }
      try replacement.sync()
      guard FileVersion(of: path) == version else { throw changed }
      try replacement.commit()
    } catch let error as FileReplacement.Failure {
      throw failure(error.words, error.errno)
    } catch {
      throw CommandError(error)
    }
  }

  private func failure(_ words: String, _ error: Errno) -> CommandError {
    CommandError(
      error.isPermission ? .noPermission : .inputOutput,
      "\(path.visible): \(words); the catalogue was left as it was")
  }

  private var changed: CommandError {
    CommandError(
      .tryAgain, "\(path.visible): the file was changed meanwhile; nothing was fixed, try again")
  }

  /// Refuses a file that may not be written, which is not replaced either, not even by root.
  ///
  /// - Throws: ``CommandError`` with the status `noPermission`, `tryAgain` or `inputOutput`.
  private func checkPermission(_ version: FileVersion) throws(CommandError) {
    let links = version.status.linkCount
    guard links == 1 else {
      throw CommandError(
        .inputOutput,
        """
        \(path.visible): this file has \(links) names (hard links), and fixing would \
        leave the others with the old content; it was left as it was, put a copy in its place first
        """)
    }
    guard !version.isReadOnly else {
      throw CommandError(
        .noPermission,
        "\(path.visible): this file is read-only, so it was left as it was; allow writing first")
    }
    let writable: FileVersion
    do throws(Errno) {
      writable = FileVersion(try OpenFile(path, .writeOnly, followsLinks: true).status)
    } catch {
      throw failure("it may not be written: \(error.words)", error)
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
    var content: [UInt8] = []
    while case let piece = try bytes(of: file, at: content.count), !piece.isEmpty {
      content += piece
    }
    guard try currentVersion(of: file) == version else { throw changed }
    try UnifiedDiff(path: path, bytes: content, fixes: fixes).write(put)
    return outcome(fixes, problems)
  }

  private func open() throws(CommandError) -> OpenFile {
    let file: OpenFile
    do throws(Errno) {
      file = try OpenFile(path, followsLinks: true)
    } catch {
      throw CommandError(.noInput, "\(path.visible): cannot read the catalogue: \(error.words)")
    }
    guard try currentVersion(of: file) == version else { throw changed }
    return file
  }

  private func currentVersion(of file: OpenFile) throws(CommandError) -> FileVersion {
    do throws(Errno) { return FileVersion(try file.status) } catch { throw readingFailed(error) }
  }

  /// The bytes that begin at a place, at most this many; none at the end.
  private func bytes(
    of file: OpenFile, at offset: Int, _ count: Int = 131_072
  ) throws(CommandError) -> [UInt8] {
    do throws(Errno) { return try file.read(count, at: offset) } catch {
      throw readingFailed(error)
    }
  }

  private func readingFailed(_ error: Errno) -> CommandError {
    CommandError(.inputOutput, "\(path.visible): reading failed: \(error.words)")
  }

  private func outcome(_ fixes: CatalogueFixes, _ problems: [Diagnostic]) -> FixOutcome {
    FixOutcome(fixed: Set(fixes.locations), left: problems.count - fixes.locations.count)
  }

  private func fixes(
    of problems: [Diagnostic], _ file: OpenFile
  ) throws(CommandError) -> CatalogueFixes {
    try CatalogueFixes(problems, head: bytes(of: file, at: 0)) { range throws(CommandError) in
      try bytes(of: file, at: range.lowerBound, range.count)
    }
  }
}

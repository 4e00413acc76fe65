import CommandOutput
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
  /// What was not done, but only shown.
  var diff: [UInt8] = []
}

/// Fixes the dates of one catalogue file that can only have been meant in one way.
///
/// To be created before the catalogue is read, so that a change of the file before it is fixed is
/// noticed.
struct CatalogueFixer {
  private let path: String
  /// The status of the file before; `nil` if there was none.
  private let old: Stat?

  init(_ path: String) {
    self.path = path
    old = try? Stat(of: path)
  }

  /// Puts the fixed catalogue in the place of the old one, with the same permissions: whole or not
  /// at all.
  ///
  /// Where there is nothing to fix, the file is not touched.
  ///
  /// - Parameter isDryRun: whether to change nothing, and give a unified diff instead.
  /// - Throws: ``CommandError``; the catalogue is as it was.
  func fix(_ problems: [Diagnostic], isDryRun: Bool = false) throws(CommandError) -> FixOutcome {
    if problems.isEmpty { return FixOutcome() }
    let content = try content()
    let fixes = CatalogueFixes(problems, in: content)
    var outcome = FixOutcome(
      fixed: Set(fixes.locations), left: problems.count - fixes.locations.count)
    if isDryRun {
      outcome.diff = UnifiedDiff(path: path, bytes: content, edits: fixes.edits).text
    } else if !fixes.edits.isEmpty {
      try checkPermission()
      try replace(by: fixes.edits.applied(to: content[...]))
    }
    return outcome
  }

  private func content() throws(CommandError) -> [UInt8] {
    let file: OpenFile
    do throws(Errno) {
      file = try OpenFile(path, followsLinks: true)
    } catch {
      throw CommandError(.noInput, "\(path.visible): cannot read the catalogue: \(error.words)")
    }
    do throws(Errno) {
      // Another file may be of any length by now, or a device without end.
      let limit = try file.status.isUnchanged(since: old) ? old?.regularSize ?? 0 : 0
      let content = try file.descriptor.readToEnd(limit: limit)
      if let content, try file.status.isUnchanged(since: old) { return content }
    } catch {
      throw CommandError(.inputOutput, "\(path.visible): reading failed: \(error.words)")
    }
    throw changed
  }

  /// Puts the content in the place of the catalogue, unless that is another one by then.
  func replace(by content: [UInt8]) throws(CommandError) {
    do {
      let replacement = try FileReplacement.begin(at: path, like: old)
      try replacement.write(content)
      try replacement.sync()
      guard (try? Stat(of: path))?.isUnchanged(since: old) == true else { throw changed }
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

  /// The error that the catalogue is no longer the one that was to be fixed.
  var changed: CommandError {
    CommandError(
      .tryAgain, "\(path.visible): the file was changed meanwhile; nothing was fixed, try again")
  }

  /// Refuses a file that may not be written, which is not replaced either, not even by root.
  ///
  /// - Throws: ``CommandError`` with the status `noPermission`, `tryAgain` or `inputOutput`.
  private func checkPermission() throws(CommandError) {
    let links = old?.linkCount ?? 1
    guard links == 1 else {
      throw CommandError(
        .inputOutput,
        """
        \(path.visible): this file has \(links) names (hard links), and fixing would \
        leave the others with the old content; it was left as it was, put a copy in its place first
        """)
    }
    guard old?.isReadOnly != true else {
      throw CommandError(
        .noPermission,
        "\(path.visible): this file is read-only, so it was left as it was; allow writing first")
    }
    do throws(Errno) {
      _ = try OpenFile(path, .writeOnly, followsLinks: true)
    } catch {
      throw failure("it may not be written: \(error.words)", error)
    }
  }
}

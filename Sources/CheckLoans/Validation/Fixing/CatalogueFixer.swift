import LoanCatalogue
import Loans

/// What became of the values that were to be mended.
struct FixOutcome: Equatable {
  /// Where those stood that are mended, or would be, in their order in the old catalogue.
  var mended: [SourceLocation] = []
  /// How many were left alone, since they do not stand there as nothing but their own characters.
  var left = 0

  /// Whether the value at a place is mended.
  func isMended(_ place: SourceLocation) -> Bool {
    var (low, high) = (0, mended.count)
    while low < high {
      let middle = (low + high) / 2
      if mended[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low < mended.count && mended[low] == place
  }
}

/// Mends the values of one catalogue file that can only have been meant in one way.
///
/// To be made before the catalogue is read, so that it notices if the file changes until it is
/// mended.
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

  /// Puts the mended catalogue in the place of the old one, with the same permissions: whole or not
  /// at all.
  ///
  /// Where there is nothing to mend, the file is not touched.
  ///
  /// - Throws: ``CommandError``; the catalogue is as it was.
  func fix(_ mends: [Mend]) throws(CommandError) -> FixOutcome {
    guard !mends.isEmpty else { return FixOutcome() }
    let file = try open()
    guard let mending = try mending(mends, file) else { return FixOutcome(left: mends.count) }
    let replacement = try FileReplacement.begin(of: path, version: file.version)
    let pieces = file.pieces { mending.mended($0, at: $1) }
    while case let piece = try pieces(), !piece.isEmpty { try replacement.write(piece) }
    try replacement.commit(replacing: file.version)
    return outcome(mending, mends)
  }

  /// Writes what ``fix(_:)`` would change, as a unified diff.
  ///
  /// - Throws: ``CommandError``, also what `put` throws.
  func preview(
    _ mends: [Mend], _ put: ([UInt8]) throws(CommandError) -> Void
  ) throws(CommandError) -> FixOutcome {
    guard !mends.isEmpty else { return FixOutcome() }
    let file = try open()
    guard let mending = try mending(mends, file) else { return FixOutcome(left: mends.count) }
    let diff = UnifiedDiff(path: path, mending: mending) {
      (offset, count) throws(CommandError) in
      try file.bytes(at: offset, atMost: count)
    }
    try diff.write(put)
    return outcome(mending, mends)
  }

  private func open() throws(CommandError) -> ReadFile {
    let file = try ReadFile(path)
    guard file.version == version else {
      throw CommandError(
        .tryAgain,
        "\(path.visible): the file was changed meanwhile; nothing was mended, try again")
    }
    return file
  }

  private func outcome(_ mending: CatalogueMending, _ mends: [Mend]) -> FixOutcome {
    FixOutcome(mended: mending.locations, left: mends.count - mending.locations.count)
  }

  /// - Returns: nil if nothing can be mended.
  private func mending(
    _ mends: [Mend], _ file: ReadFile
  ) throws(CommandError) -> CatalogueMending? {
    let mending = try CatalogueMending(mends, in: file.pieces())
    let isSafe = try mending.isProven(
      file.pieces(), file.pieces { mending.mended($0, at: $1) })
    return isSafe && !mending.edits.isEmpty ? mending : nil
  }
}

import CLinux
import Glibc
import Loans
import Notifiers

/// A file without a name, for what is too long to be kept in memory; it goes with the value.
final class ScratchFile {
  private let directory: String
  private let file: Int32
  private let output: CheckedOutput
  /// How many bytes were appended.
  private(set) var size = 0

  /// Makes one in a directory (`mkostemp(3)`, `unlink(2)`).
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  init(in directory: String) throws(CommandError) {
    self.directory = directory
    var name = Array("\(directory)/check-loans-XXXXXX".utf8CString)
    file = unsafe check_loans_mkostemp(&name)
    output = CheckedOutput(descriptor: file)
    guard file >= 0 else { throw failure(errno) }
    unsafe unlink(name)
  }

  deinit {
    if file >= 0 { close(file) }
  }

  /// Appends bytes.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  func append(_ bytes: Span<UInt8>) throws(CommandError) {
    do throws(OutputError) {
      try output.write(bytes)
      try output.flush()
    } catch {
      throw CommandError(
        .inputOutput, "cannot keep the results in \(directory.visible): \(error); free some room")
    }
    size += bytes.count
  }

  /// Calls `body` with the bytes in a range, a piece at a time (`pread(2)`).
  ///
  /// - Parameter piece: where they are read into; not empty.
  /// - Throws: what `body` throws, or ``CommandError`` with the status `inputOutput`.
  func read(
    _ range: Range<Int>, into piece: inout [UInt8],
    _ body: (Span<UInt8>) throws(CommandError) -> Void
  ) throws(CommandError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let wanted = min(piece.count, range.upperBound - offset)
      let count = unsafe pread(file, &piece, wanted, off_t(offset))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw failure(count == 0 ? EIO : errno) }
      try body(piece.span.extracting(0..<count))
      offset += count
    }
  }

  private func failure(_ number: Int32) -> CommandError {
    CommandError(
      .inputOutput,
      """
      cannot keep the results in \(directory.visible): \(systemWords(number)); \
      name another directory with TMPDIR
      """)
  }
}

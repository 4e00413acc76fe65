import CLinux
import Glibc
import Loans
import Notifiers

/// A file without a name, for what is too long to be kept in memory; it goes with the value.
final class ScratchFile {
  private let content: String
  private let place: String
  private let file: Int32
  private let output: CheckedOutput
  /// How many bytes were appended.
  private(set) var size = 0

  private init(_ file: Int32, for content: String, in place: String) {
    self.file = file
    self.content = content
    self.place = place
    output = CheckedOutput(descriptor: file)
  }

  /// Makes one in a directory (`mkostemp(3)`, `unlink(2)`).
  ///
  /// - Parameter content: what it is for, in messages.
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  convenience init(in directory: String, for content: String = "the results") throws(CommandError) {
    var name = Array("\(directory)/check-loans-XXXXXX".utf8CString)
    self.init(unsafe check_loans_mkostemp(&name), for: content, in: directory)
    guard file >= 0 else { throw failure(errno) }
    unsafe unlink(name)
  }

  /// Makes one that takes no room on a disk (`memfd_create(2)`); `nil` if the system has none.
  convenience init?(inMemoryFor content: String) {
    self.init(check_loans_make_memory_file(), for: content, in: "memory")
    if file < 0 { return nil }
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
        .inputOutput,
        "cannot keep \(content) in \(place.visible): \(systemWords(error.errno)); free some room")
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

  /// Has it read from its beginning through another descriptor, in the place of what that was
  /// (`dup2(2)`, `lseek(2)`).
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  func takePlace(of descriptor: Int32) throws(CommandError) {
    guard dup2(file, descriptor) >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw failure(errno)
    }
  }

  private func failure(_ number: Int32) -> CommandError {
    CommandError(
      .inputOutput,
      """
      cannot keep \(content) in \(place.visible): \(systemWords(number)); \
      name another directory with TMPDIR
      """)
  }
}

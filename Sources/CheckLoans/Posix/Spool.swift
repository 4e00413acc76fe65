import CLinux
import Glibc
import Loans
import Notifiers

/// Text that is kept until it is known what comes before it: in memory while it is short, then in
/// a file without a name, so that memory stays flat.
final class Spool {
  private static let mostInMemory = 1_048_576
  private let directory: String
  private var bytes: [UInt8] = []
  private var file: Int32?

  /// - Parameter directory: where the file is made if one is needed.
  init(directory: String) {
    self.directory = directory
  }

  deinit {
    if let file { close(file) }
  }

  /// Appends a text.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  func append(_ text: String) throws(CommandError) {
    bytes.append(contentsOf: text.utf8)
    if bytes.count > Self.mostInMemory { try moveToFile() }
  }

  /// Hands over all that was appended, piece by piece.
  func forEach(_ body: (Span<UInt8>) throws(CommandError) -> Void) throws(CommandError) {
    if let file {
      var piece = [UInt8](repeating: 0, count: 65_536)
      var offset = 0
      while true {
        let count = unsafe pread(file, &piece, piece.count, off_t(offset))
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw failure(errno) }
        if count == 0 { break }
        try body(piece.span.extracting(0..<count))
        offset += count
      }
    }
    let rest = bytes
    try body(rest.span)
  }

  private func moveToFile() throws(CommandError) {
    if file == nil { file = try open() }
    guard let file else { return }
    do throws(OutputError) {
      let output = CheckedOutput(descriptor: file)
      try output.write(bytes.span)
      try output.flush()
    } catch {
      throw CommandError(
        .inputOutput, "cannot keep the results in \(directory.visible): \(error); free some room")
    }
    bytes.removeAll(keepingCapacity: true)
  }

  /// - SeeAlso: `mkostemp(3)`, `unlink(2)`.
  private func open() throws(CommandError) -> Int32 {
    var name = Array("\(directory)/check-loans-XXXXXX".utf8CString)
    let file = unsafe check_loans_mkostemp(&name)
    guard file >= 0 else { throw failure(errno) }
    unsafe unlink(name)
    return file
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

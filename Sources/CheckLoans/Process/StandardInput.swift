import Glibc
import Loans
import System
import SystemPackage

/// Standard input before it is read.
enum StandardInput {
  /// The longest catalogue that is kept in memory.
  private static let mostInMemory = 4 << 20

  /// Reads what may keep its reader waiting, a pipe or a terminal, to its end, and puts a file with
  /// the content in its place: one in memory, or if it is long one without a name in the directory.
  ///
  /// Input that cannot be read at all stays, for its reader to say so.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  /// - SeeAlso: `fstat(2)`, `isatty(3)`, `dup2(2)`.
  static func takeIn(_ directory: String) throws(CommandError) {
    let input = FileDescriptor.standardInput
    guard let type = try? input.stat().type,
      [.fifo, .socket].contains(type) || isatty(STDIN_FILENO) == 1
    else { return }
    var file: OpenFile?
    var size = 0
    var bytes: [UInt8] = []
    var isAtEnd = false
    while !isAtEnd {
      isAtEnd = try append(to: &bytes) == 0
      guard isAtEnd || bytes.count > mostInMemory else { continue }
      if file == nil && isAtEnd { file = OpenFile.inMemory() }
      if file == nil { file = try temporaryFile(in: directory) }
      guard let target = file else { continue }
      do {
        try target.write(bytes, at: size)
        size += bytes.count
        bytes.removeAll(keepingCapacity: true)
        if isAtEnd { _ = try target.descriptor.duplicate(as: input) }
      } catch {
        throw failure(error, in: directory, "free some room")
      }
    }
  }

  /// - Returns: how many bytes came, 0 at the end.
  private static func append(to bytes: inout [UInt8]) throws(CommandError) -> Int {
    while true {
      do throws(Errno) {
        let piece = try FileDescriptor.standardInput.read(1 << 16)
        bytes += piece
        return piece.count
      } catch .resourceTemporarilyUnavailable {
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&request, 1, -1)
      } catch {
        throw CommandError(.inputOutput, "-: reading failed: \(error.words)")
      }
    }
  }

  private static func temporaryFile(in directory: String) throws(CommandError) -> OpenFile {
    do throws(Errno) { return try .temporary(in: directory) } catch {
      throw failure(error, in: directory, "name another directory with TMPDIR")
    }
  }

  private static func failure(
    _ error: any Error, in directory: String, _ advice: String
  ) -> CommandError {
    let words = (error as? Errno ?? .ioError).words
    return CommandError(
      .inputOutput, "-: cannot keep standard input in \(directory.visible): \(words); \(advice)")
  }
}

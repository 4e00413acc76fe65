import Glibc
import Loans
import System
import SystemPackage

/// Standard input before it is read.
package enum StandardInput {
  /// The longest catalogue that is kept in memory.
  private static let mostInMemory = 4 << 20

  /// Reads what may keep its reader waiting, a pipe or a terminal, to its end, and puts a file with
  /// the content in its place: one in memory, or if it is long one without a name in the directory.
  ///
  /// Input that cannot be read at all stays, for its reader to say so.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  /// - SeeAlso: `fstat(2)`, `isatty(3)`, `dup2(2)`.
  package static func spool(_ directory: String) throws(CommandError) {
    let input = FileDescriptor.standardInput
    guard let type = try? input.stat().type,
      [.fifo, .socket].contains(type) || isatty(STDIN_FILENO) == 1
    else { return }
    var bytes: [UInt8] = []
    // Of a terminal more could be read after its end.
    var isAtEnd = false
    while !isAtEnd && bytes.count <= mostInMemory {
      let piece = try read()
      isAtEnd = piece.isEmpty
      bytes += piece
    }
    do {
      let memory = isAtEnd ? try? OpenFile.inMemory() : nil
      let file = try memory ?? .temporary(in: directory)
      try file.write(bytes)
      var size = bytes.count
      while !isAtEnd {
        bytes = try read()
        isAtEnd = bytes.isEmpty
        try file.write(bytes, at: size)
        size += bytes.count
      }
      _ = try file.descriptor.duplicate(as: input)
    } catch let error as CommandError {
      throw error
    } catch {
      let words = (error as? Errno ?? .ioError).words
      throw CommandError(
        .inputOutput,
        """
        -: cannot keep standard input in \(directory.visible): \(words); free some room there, or \
        name another directory with TMPDIR
        """)
    }
  }

  /// The next bytes; none at the end.
  private static func read() throws(CommandError) -> [UInt8] {
    while true {
      do throws(Errno) {
        return try FileDescriptor.standardInput.read(1 << 16)
      } catch .resourceTemporarilyUnavailable {
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&request, 1, -1)
      } catch {
        throw CommandError(.inputOutput, "-: reading failed: \(error.words)")
      }
    }
  }
}

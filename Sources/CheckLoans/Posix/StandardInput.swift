import Glibc
import Loans

/// Standard input before it is read.
enum StandardInput {
  private static let mostInMemory = 4 << 20

  /// Reads to the end what may keep its reader waiting, a pipe or a terminal, and puts a file that
  /// holds it in its place: in memory, or without a name in the directory if it is long.
  ///
  /// What cannot be read at all stays, for its reader to say so.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  /// - SeeAlso: `fstat(2)`, `isatty(3)`, `read(2)`.
  static func takeIn(_ directory: String) throws(CommandError) {
    var status = stat()
    guard unsafe fstat(STDIN_FILENO, &status) == 0 else { return }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFIFO || kind == S_IFSOCK || isatty(STDIN_FILENO) == 1 else { return }
    do throws(CommandError) {
      try read(directory).takePlace(of: STDIN_FILENO)
    } catch {
      throw CommandError(error.status, "-: \(error.message ?? "")")
    }
  }

  private static func read(_ directory: String) throws(CommandError) -> ScratchFile {
    let content = "standard input"
    var isInMemory = true
    var file = ScratchFile(inMemoryFor: content)
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try readPiece(into: &piece)
      if let file, count == 0 { return file }
      if file == nil || isInMemory && (file?.size ?? 0) + count > mostInMemory {
        let longer = try ScratchFile(in: directory, for: content)
        var moved = [UInt8](repeating: 0, count: 1 << 16)
        try file?.read(0..<(file?.size ?? 0), into: &moved) { bytes throws(CommandError) in
          try longer.append(bytes)
        }
        (file, isInMemory) = (longer, false)
      }
      try file?.append(piece.span.extracting(0..<count))
    }
  }

  /// - Returns: how many bytes came, 0 at the end.
  private static func readPiece(into piece: inout [UInt8]) throws(CommandError) -> Int {
    while true {
      let count = unsafe Glibc.read(STDIN_FILENO, &piece, piece.count)
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&request, 1, -1)
      case let number:
        throw CommandError(.inputOutput, "reading failed: \(systemWords(number))")
      }
    }
  }
}

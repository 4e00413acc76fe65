import Glibc
import Loans

/// A file that is open for reading, at any place.
final class ReadFile {
  private static let pieceSize = 128 * 1_024
  private let path: String
  private let descriptor: Int32
  /// What it was when it was opened.
  let version: FileVersion

  /// - Throws: ``CommandError`` with the status `noInput`.
  /// - SeeAlso: `open(2)`.
  init(_ path: String) throws(CommandError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0, let version = FileVersion(of: descriptor) else {
      let words = systemWords(errno)
      if descriptor >= 0 { close(descriptor) }
      throw CommandError(.noInput, "\(path.visible): cannot read the catalogue: \(words)")
    }
    self.path = path
    self.descriptor = descriptor
    self.version = version
  }

  deinit { close(descriptor) }

  /// Gives the file's bytes from its beginning, a piece at each call; none at the end.
  ///
  /// - Parameter change: what is to become of a piece, and of the bytes before it.
  func pieces(
    _ change: @escaping (_ piece: [UInt8], _ offset: Int) -> [UInt8] = { piece, _ in piece }
  ) -> () throws(CommandError) -> [UInt8] {
    var offset = 0
    return { () throws(CommandError) -> [UInt8] in
      // A piece of which nothing is left is not the end.
      while true {
        let piece = try self.bytes(at: offset)
        let changed = change(piece, offset)
        offset += piece.count
        if piece.isEmpty || !changed.isEmpty { return changed }
      }
    }
  }

  /// The bytes that begin at a place, in a piece as large as is convenient; none at the end.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  /// - SeeAlso: `pread(2)`.
  func bytes(at offset: Int, atMost count: Int = pieceSize) throws(CommandError) -> [UInt8] {
    var failure: Int32 = 0
    let wanted = min(count, Self.pieceSize)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      while true {
        let count = unsafe pread(descriptor, buffer.baseAddress, wanted, offset)
        if count < 0 && errno == EINTR { continue }
        if count < 0 { failure = errno }
        filled = max(0, count)
        break
      }
    }
    if failure == 0 { return bytes }
    throw CommandError(.inputOutput, "\(path.visible): reading failed: \(systemWords(failure))")
  }
}

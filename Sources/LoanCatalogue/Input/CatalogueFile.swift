import Glibc
import Loans
import System
import SystemPackage

/// An open catalogue: a regular file or standard input, unpacked if it is compressed.
///
/// The file is opened without blocking and looked at before anything is read, so that a FIFO or a
/// device is refused instead of waited for. Its beginning is kept, since standard input cannot be
/// rewound.
final class CatalogueFile: @unchecked Sendable {
  let path: String
  /// The open file; `nil` for standard input.
  private let file: OpenFile?
  /// Its status when it was opened.
  private let before: Stat?
  private var content: UnpackedStream
  /// The bytes that were read to detect the document's form; complete before any thread is started.
  private var head: [UInt8] = []

  /// - Throws: ``CatalogueError`` with the code `cannotRead`, `systemLimit` or `inputOutput`.
  init(opening path: String) throws(CatalogueError) {
    self.path = path
    do throws(Errno) {
      file = path == "-" ? nil : try OpenFile(path, followsLinks: true)
      before = try file?.status
      content = try UnpackedStream(file?.descriptor ?? .standardInput)
    } catch {
      throw CatalogueError(
        code: error.isSystemLimit ? .systemLimit : error == .ioError ? .inputOutput : .cannotRead,
        path: path, message: "cannot read the catalogue: \(error.words)",
        underlying: error.rawValue)
    }
    if let kind = before?.kindOfNoFile {
      throw CatalogueError(
        code: .cannotRead, path: path,
        message: "this is \(kind), not a file; give a catalogue file, or - to read standard input")
    }
    head = try piece(at: 0)
  }

  /// The number of bytes when the file was opened; `nil` for standard input and for a compressed
  /// file, which can only be read from beginning to end.
  var size: Int? { isPacked ? nil : before?.regularSize }

  /// The second since 1970-01-01T00:00:00Z in which the file was modified last; `nil` for standard input.
  var modifiedAt: Int? { before.map { Int($0.st_mtim.tv_sec) } }

  /// Whether the document is inside a compressed file.
  var isPacked: Bool { content.isPacked }

  /// The reason why nothing more can be unpacked.
  var unpackingError: String? { content.unpackingError }

  /// Whether a byte order mark says that the document is UTF-8, whatever it declares.
  var isMarked: Bool { head[...].isMarked }
}

// MARK: - Reading

extension CatalogueFile {
  /// The first bytes, as many as there are up to a count.
  ///
  /// - Throws: ``CatalogueError`` with the code `inputOutput`.
  func firstBytes(_ count: Int) throws(CatalogueError) -> ArraySlice<UInt8> {
    while head.count < count, case let piece = try piece(at: head.count), !piece.isEmpty {
      head += piece
    }
    return head.prefix(count)
  }

  /// A piece of what comes at an offset, as ``read(at:into:)`` reads it; none at the end.
  ///
  /// - Throws: ``CatalogueError`` with the code `inputOutput`.
  func piece(at offset: Int) throws(CatalogueError) -> [UInt8] {
    var length = 0
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
      length = unsafe read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
      filled = max(0, length)
    }
    if length < 0 && unpackingError == nil { throw inputOutputError(.last) }
    return piece
  }

  /// Reads what comes at an offset, as much as there is room for, on any thread; of what has no ``size``,
  /// what follows the last read.
  ///
  /// - Returns: the number of bytes, 0 at the end, or -1 with ``unpackingError`` or `errno` set.
  @unsafe func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
    // Whether it is compressed is known once something was read.
    if let file, size != nil, !head.isEmpty {
      do throws(Errno) {
        return unsafe try file.read(into: target, at: offset)
      } catch {
        errno = error.rawValue
        return -1
      }
    }
    guard offset < head.count else { return unsafe content.read(into: target) }
    let count = min(target.count, head.count - offset)
    unsafe target.copyBytes(from: head[offset..<offset + count])
    return count
  }

  /// Checks that the file is the one that was opened, unchanged.
  ///
  /// - Throws: ``CatalogueError`` with the code `changedWhileReading`, or `inputOutput`.
  func checkUnchanged() throws(CatalogueError) {
    guard let before, let file else { return }
    do throws(Errno) {
      if try file.status.hasContent(of: before) { return }
    } catch {
      throw inputOutputError(error)
    }
    throw CatalogueError(
      code: .changedWhileReading, path: path,
      message: "the file was changed while it was read; nothing was taken from it, try again")
  }

  /// A failure of reading on the way.
  func inputOutputError(_ error: Errno) -> CatalogueError {
    CatalogueError(
      code: error == .isDirectory ? .cannotRead : .inputOutput, path: path,
      message: "reading failed: \(error.words)", underlying: error.rawValue)
  }
}

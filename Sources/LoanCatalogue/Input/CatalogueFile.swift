import Glibc
import Loans
import System
import SystemPackage

/// An open catalogue: a regular file or standard input, unpacked if it is packed.
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
  /// The beginning of the document, after the headers that it came with.
  var documentStart = 0
  /// Whether a byte order mark says that the document is UTF-8, whatever it declares.
  var isMarked = false

  /// - Throws: ``CatalogueError`` with the code `cannotRead`.
  init(opening path: String) throws(CatalogueError) {
    self.path = path
    (file, before) = path == "-" ? (nil, nil) : try Self.open(path)
    content = UnpackedStream(file?.descriptor.rawValue ?? STDIN_FILENO, size: before?.regularSize)
  }

  private static func open(_ path: String) throws(CatalogueError) -> (OpenFile, Stat) {
    let kind: String
    do throws(Errno) {
      let file = try OpenFile(path, followsLinks: true)
      let status = try file.status
      guard let other = status.kindOfNoFile else { return (file, status) }
      kind = other
    } catch .noSuchAddressOrDevice {
      // What open(2) of a socket gives.
      kind = "a socket"
    } catch {
      let code: CatalogueError.Code =
        error.isSystemLimit ? .systemLimit : error == .ioError ? .inputOutput : .cannotRead
      throw CatalogueError(
        code: code, path: path, message: "cannot read the catalogue: \(error.words)",
        underlying: error.rawValue)
    }
    throw CatalogueError(
      code: .cannotRead, path: path,
      message: "this is \(kind), not a file; give a catalogue file, or - to read standard input")
  }

  private var descriptor: Int32 { file?.descriptor.rawValue ?? STDIN_FILENO }

  /// The number of bytes when the file was opened; `nil` for standard input and for a packed
  /// file, which can only be read from beginning to end.
  var size: Int? { isPacked ? nil : before?.regularSize }

  /// The second since 1970-01-01T00:00:00Z in which the file was modified last; `nil` for standard input.
  var modifiedAt: Int? { before.map { Int($0.st_mtim.tv_sec) } }

  /// Whether the document is inside a gzip file or a ZIP archive.
  var isPacked: Bool { content.isPacked }

  /// The reason why nothing more can be unpacked.
  var fault: String? { content.fault }
}

// MARK: - Reading

extension CatalogueFile {
  /// The first bytes, as many as there are up to a count.
  ///
  /// - Throws: ``CatalogueError`` with the code `inputOutput`.
  func firstBytes(_ count: Int) throws(CatalogueError) -> ArraySlice<UInt8> {
    while head.count < count, case let piece = try readPiece(), !piece.isEmpty { head += piece }
    return head.prefix(count)
  }

  /// Reads the next bytes of the document; none at its end.
  ///
  /// - Throws: ``CatalogueError`` with the code `inputOutput`.
  func readPiece() throws(CatalogueError) -> [UInt8] {
    var length = 0
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
      length = unsafe content.read(into: UnsafeMutableRawBufferPointer(buffer))
      filled = max(0, length)
    }
    if length < 0 && fault == nil { throw inputOutputError(errno) }
    return piece
  }

  /// Reads what comes at an offset; of what has no ``size``, where the last read has ended.
  ///
  /// - Returns: the bytes read, 0 at the end, or -1 with ``fault`` or `errno` set.
  @unsafe func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
    if offset < head.count {
      let count = min(target.count, head.count - offset)
      unsafe target.copyBytes(from: head[offset..<offset + count])
      return count
    }
    guard size != nil else { return unsafe content.read(into: target) }
    return unsafe readFile(descriptor, at: offset, into: target)
  }

  /// Reads bytes of a file with a ``size``, on any thread.
  ///
  /// - Returns: whether there are as many as there is room for.
  @unsafe func fill(_ target: UnsafeMutableRawBufferPointer, from offset: Int) -> Bool {
    unsafe readFile(descriptor, at: offset, into: target) == target.count
  }

  /// Checks that the file is the one that was opened, unchanged.
  ///
  /// - Throws: ``CatalogueError`` with the code `changedWhileReading`, or `inputOutput`.
  func checkUnchanged() throws(CatalogueError) {
    guard let before, let file else { return }
    do throws(Errno) {
      if try file.status.hasContent(of: before) { return }
    } catch {
      throw inputOutputError(error.rawValue)
    }
    throw CatalogueError(
      code: .changedWhileReading, path: path,
      message: "the file was changed while it was read; nothing was taken from it, try again")
  }

  /// A failure of reading on the way.
  func inputOutputError(_ code: Int32) -> CatalogueError {
    if code == EISDIR {
      return CatalogueError(
        code: .cannotRead, path: path, message: "this is a directory, not a file", underlying: code)
    }
    return CatalogueError(
      code: .inputOutput, path: path,
      message: "reading failed: \(Errno(rawValue: code).words)", underlying: code
    )
  }
}

/// Reads what a regular file has at an offset, as much as there is room for.
///
/// - Returns: the number of bytes, fewer than asked for only at the file's end, or -1 with `errno`
///   set.
/// - SeeAlso: `pread(2)`.
@unsafe func readFile(
  _ descriptor: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
) -> Int {
  var filled = 0
  while filled < buffer.count {
    let count = unsafe pread(
      descriptor, buffer.baseAddress.map { unsafe $0 + filled }, buffer.count - filled,
      offset + filled)
    if count == 0 { break }
    if count > 0 {
      filled += count
    } else if errno != EINTR {
      return -1
    }
  }
  return filled
}

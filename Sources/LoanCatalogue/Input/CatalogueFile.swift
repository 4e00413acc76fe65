import Glibc
import Loans
import SystemPackage

/// An open catalogue: a regular file or standard input, unpacked if it is packed.
///
/// The file is opened without blocking and looked at before anything is read, so that a FIFO or a
/// device is refused instead of waited for. Its beginning is kept, since standard input cannot be
/// rewound.
final class CatalogueFile: @unchecked Sendable {
  let path: String
  private let descriptor: Int32
  private let before: FileState?
  private var content: UnpackedStream
  /// The bytes that were read to detect the document's form; complete before any thread is started.
  private var head: [UInt8] = []
  /// The beginning of the document, after the headers that it came with.
  var documentStart = 0
  /// The part of the document that is read, if it is an envelope.
  var payload: SOAPPayload?

  /// - Throws: ``CatalogueError`` with the code `cannotRead`.
  init(opening path: String) throws(CatalogueError) {
    self.path = path
    (descriptor, before) = path == "-" ? (STDIN_FILENO, nil) : try Self.open(path)
    content = UnpackedStream(descriptor, size: before?.size)
  }

  /// - SeeAlso: `open(2)`, `fstat(2)`.
  private static func open(_ path: String) throws(CatalogueError) -> (Int32, FileState) {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    let state = descriptor < 0 ? nil : FileState(of: descriptor)
    let code = errno
    if let state, state.unusableKind == nil { return (descriptor, state) }
    if descriptor >= 0 { close(descriptor) }
    // ENXIO is what open(2) of a socket gives.
    guard let kind = state?.unusableKind ?? (code == ENXIO ? "a socket" : nil) else {
      throw CatalogueError(
        code: .cannotRead, path: path,
        message: "cannot read the catalogue: \(Errno(rawValue: code).description.lowercased())",
        underlying: code)
    }
    throw CatalogueError(
      code: .cannotRead, path: path,
      message: "this is \(kind), not a file; give a catalogue file, or - to read standard input",
      underlying: nil)
  }

  deinit {
    if before != nil { close(descriptor) }
  }

  /// The number of bytes when the file was opened; `nil` for standard input and for a packed
  /// file, which can only be read from beginning to end.
  var size: Int? { isPacked ? nil : before?.size }

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
    return unsafe size == nil
      ? content.read(into: target) : readFile(descriptor, at: offset, into: target)
  }

  /// Reads bytes of a file with a ``size``, on any thread.
  ///
  /// - Returns: whether there are as many as there is room for.
  @unsafe func fill(_ target: UnsafeMutableRawBufferPointer, from offset: Int) -> Bool {
    unsafe readFile(descriptor, at: offset, into: target) == target.count
  }

  /// Checks that the file is the one that was opened, unchanged.
  ///
  /// - Throws: ``CatalogueError`` with the code `changedWhileReading`.
  func checkUnchanged() throws(CatalogueError) {
    guard let before, FileState(of: descriptor) != before else { return }
    throw CatalogueError(
      code: .changedWhileReading, path: path,
      message: "the file was changed while it was read; nothing was taken from it, try again",
      underlying: nil)
  }

  /// A failure of reading on the way.
  func inputOutputError(_ code: Int32) -> CatalogueError {
    if code == EISDIR {
      return CatalogueError(
        code: .cannotRead, path: path, message: "this is a directory, not a file", underlying: code)
    }
    return CatalogueError(
      code: .inputOutput, path: path,
      message: "reading failed: \(Errno(rawValue: code).description.lowercased())", underlying: code
    )
  }
}

/// The state of a file from `fstat(2)`, as far as a change of its content would show in it.
private struct FileState: Equatable {
  private let device: UInt
  private let inode: UInt
  let size: Int
  private let seconds: Int
  private let nanoseconds: Int
  /// The kind of file, unless it is a regular one.
  let unusableKind: String?

  init?(of descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    unusableKind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: nil
      case S_IFDIR: "a directory"
      case S_IFIFO: "a named pipe"
      case S_IFSOCK: "a socket"
      default: "a device"
      }
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

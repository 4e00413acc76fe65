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
  /// The part of the document that is read, if it is an envelope.
  var payload: SOAPPayload?

  /// - Throws: ``CatalogueError`` with the code `cannotRead`, `systemLimit` or `inputOutput`.
  init(opening path: String) throws(CatalogueError) {
    self.path = path
    (file, before) = path == "-" ? (nil, nil) : try Self.open(path)
    do throws(Errno) {
      content = try Self.content(of: file?.descriptor ?? .standardInput)
    } catch {
      throw CatalogueError(path, opening: error)
    }
    head = try piece(at: 0)
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
      throw CatalogueError(path, opening: error)
    }
    throw CatalogueError(
      code: .cannotRead, path: path,
      message: "this is \(kind), not a file; give a catalogue file, or - to read standard input")
  }

  /// - SeeAlso: `fcntl(2)`.
  private static func content(of file: FileDescriptor) throws(Errno) -> UnpackedStream {
    // Somebody else may have made the pipe non-blocking; zlib does not wait for what is to come.
    let flags = fcntl(file.rawValue, F_GETFL)
    if flags & O_NONBLOCK != 0 { _ = fcntl(file.rawValue, F_SETFL, flags & ~O_NONBLOCK) }
    let copy = fcntl(file.rawValue, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    if copy < 0 { throw .last }
    return UnpackedStream(copy, size: (try? Stat(file))?.regularSize)
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

  /// Reads what comes at an offset; of what has no ``size``, where the last read has ended.
  ///
  /// - Returns: the number of bytes, 0 at the end, or -1 with ``unpackingError`` or `errno` set.
  @unsafe func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
    if offset < head.count {
      let count = min(target.count, head.count - offset)
      unsafe target.copyBytes(from: head[offset..<offset + count])
      return count
    }
    // Whether it is compressed is known once something was read.
    guard let file, size != nil, !head.isEmpty else { return unsafe content.read(into: target) }
    do throws(Errno) {
      return unsafe try file.read(into: target, at: offset)
    } catch {
      errno = error.rawValue
      return -1
    }
  }

  /// Reads bytes of a file with a ``size``, on any thread.
  ///
  /// - Returns: whether there are as many as there is room for.
  @unsafe func fill(_ target: UnsafeMutableRawBufferPointer, from offset: Int) -> Bool {
    (unsafe try? file?.read(into: target, at: offset)) == target.count
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

extension CatalogueError {
  /// A failure to open a catalogue.
  fileprivate init(_ path: String, opening error: Errno) {
    self.init(
      code: error.isSystemLimit ? .systemLimit : error == .ioError ? .inputOutput : .cannotRead,
      path: path, message: "cannot read the catalogue: \(error.words)", underlying: error.rawValue)
  }
}

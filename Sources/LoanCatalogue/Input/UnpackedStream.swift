import CZlib
import Glibc
import System
import SystemPackage

/// The document in an open file, read from its beginning to its end: the file itself, or what is in
/// it if it is compressed.
///
/// zlib reads gzip files, also several that were joined, and any other file as it is; what then
/// begins like an archive is unpacked by libarchive. Neither takes memory that grows.
@safe struct UnpackedStream: ~Copyable {
  /// No catalogue is longer, nor compressed so tightly; how much comes from a pipe is not known.
  private static let (longest, longestInPipe) = (16 << 30, 1 << 30)
  private static let (tightest, shortestTight) = (200, 64 << 20)

  /// `nil` if there is no memory for it.
  private let file: gzFile?
  private var archive: Archive?
  private var isBegun = false
  /// Whether the document is inside a compressed file; known once something was read.
  private(set) var isPacked = false
  /// The reason why nothing more can be unpacked.
  private(set) var unpackingError: String?
  private let limit: Int
  private var count = 0

  /// - Parameter source: open, and left open.
  /// - SeeAlso: `gzdopen`, `fcntl(2)`.
  init(_ source: FileDescriptor) throws(Errno) {
    // Somebody else may have made a pipe non-blocking; zlib does not wait for what is to come.
    let flags = fcntl(source.rawValue, F_GETFL)
    if flags & O_NONBLOCK != 0 { _ = fcntl(source.rawValue, F_SETFL, flags & ~O_NONBLOCK) }
    let copy = fcntl(source.rawValue, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    if copy < 0 { throw .last }
    unsafe file = gzdopen(copy, "rb")
    unsafe gzbuffer(file, 65_536)
    let size = (try? Stat(source))?.regularSize
    limit =
      size.map { max(Self.shortestTight, min($0, Self.longest / Self.tightest) * Self.tightest) }
      ?? Self.longestInPipe
  }

  deinit { unsafe gzclose(file) }

  /// Reads what comes next of the document.
  ///
  /// - Returns: the bytes read, 0 at the end, or -1 with ``unpackingError`` or `errno` set.
  @unsafe mutating func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    if unpackingError != nil { return -1 }
    var length = unsafe readNext(into: target)
    if !isBegun && length >= 0 {
      isBegun = true
      unsafe archive = Archive(file, after: UnsafeRawBufferPointer(rebasing: target[..<length]))
      isPacked = unsafe archive != nil || gzdirect(file) == 0
      if archive != nil { length = unsafe readNext(into: target) }
    }
    count += max(0, length)
    if isPacked && count > limit {
      unpackingError =
        "this file expands to more than \(limit >> 20) MiB; if that is right, unpack it first"
    }
    return unpackingError == nil ? length : -1
  }

  /// - SeeAlso: `gzread`, `gzerror`.
  @unsafe private mutating func readNext(into target: UnsafeMutableRawBufferPointer) -> Int {
    var length = -1
    do throws(UnpackingError) {
      length =
        unsafe try archive?.read(into: target)
        ?? Int(gzread(file, target.baseAddress, UInt32(target.count)))
    } catch {
      unpackingError = error.message
    }
    guard length <= 0 else { return length }
    var problem = Z_MEM_ERROR
    unsafe _ = gzerror(file, &problem)
    switch problem {
    case Z_ERRNO: unpackingError = nil
    case Z_MEM_ERROR: errno = ENOMEM
    // The end came too early.
    case Z_BUF_ERROR: unpackingError = "this gzip file is cut off; fetch it again"
    case Z_DATA_ERROR: unpackingError = "this gzip file is damaged; fetch it again"
    default: break
    }
    return length
  }
}

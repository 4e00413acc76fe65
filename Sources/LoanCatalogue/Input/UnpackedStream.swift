import CZlib
import Glibc
import System
import SystemPackage

/// The document in an open file, read from its beginning to its end: the file itself, or what is in
/// it if it begins like a gzip file or a ZIP archive.
///
/// It is unpacked piece by piece, in memory that does not grow. Gzip files that were packed one by
/// one and joined are one document, and zeros after the last one are nothing, as for gzip(1). The
/// checksum and the length of each must be right.
@safe struct UnpackedStream: ~Copyable {
  private enum Form {
    case plain, gzip
    case archived(ZIPArchive.Entry)
  }

  private static let pieceSize = 65_536
  /// No catalogue is as long as that, nor packed as tightly.
  private static let (longest, tightest, shortestTight) = (16 << 30, 200, 64 << 20)
  private static let longestInMemory = 256 << 20
  /// Memory for two pieces of the file.
  ///
  /// It comes first, since under thread sanitizer Swift 6.3 takes the first property for an address.
  private let memory: UnsafeMutablePointer<UInt8>
  private var descriptor: Int32
  /// The number of bytes of the file that are still wanted.
  private var left = Int.max
  private var isAtEnd = false
  /// The bytes that have been read and not been looked at, and the state of unpacking them.
  private let stream: UnsafeMutablePointer<z_stream>
  private var form = Form.plain
  private var (packed, unpacked, checksum) = (0, 0, UInt(0))
  /// Whether a packed file has ended, and another one may follow.
  private var isBetweenFiles = false
  private var isPadded = false
  /// The file in memory with an archive that came through standard input.
  private var archive: OpenFile?
  /// Whether the document is inside a gzip file or a ZIP archive.
  private(set) var isPacked = false
  /// The reason why nothing more can be unpacked.
  private(set) var fault: String?

  /// - Parameter size: how many bytes there are; `nil` for standard input.
  init(_ descriptor: Int32, size: Int?) {
    self.descriptor = descriptor
    unsafe memory = .allocate(capacity: 2 * Self.pieceSize)
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    unsafe stream.pointee.next_in = memory
    // A file that is not packed is read from its beginning, at any place.
    while available < 4, readPiece() > 0 {}
    do throws(UnpackingError) {
      if begins(with: [0x50, 0x4B, 3, 4]) || begins(with: [0x50, 0x4B, 5, 6]) {
        isPacked = true
        try openArchive(size)
      } else if begins(with: [0x1F, 0x8B]) {
        (form, isPacked) = (.gzip, true)
        beginInflating(16 + MAX_WBITS)
      }
    } catch {
      fault = error.message
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
    unsafe memory.deallocate()
  }

  /// Reads what comes next of the document.
  ///
  /// - Returns: the bytes read, 0 at the end, or -1 with ``fault`` or `errno` set.
  @unsafe mutating func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    if fault != nil { return -1 }
    do throws(UnpackingError) {
      switch form {
      case .plain: return unsafe copy(to: target)
      case .gzip: return unsafe try inflate(into: target)
      case .archived(let entry):
        let count = unsafe try entry.isDeflated ? inflate(into: target) : copy(to: target)
        if count == 0 && checksum != entry.checksum { throw ZIPArchive.damaged }
        let bytes = unsafe target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe checksum = crc32(checksum, bytes, UInt32(max(0, count)))
        return count
      }
    } catch {
      fault = error.message
      return -1
    }
  }
}

// MARK: - The file's bytes

extension UnpackedStream {
  private var available: Int { unsafe Int(stream.pointee.avail_in) }

  private func begins(with start: [UInt8]) -> Bool {
    unsafe UnsafeBufferPointer(start: stream.pointee.next_in, count: available)
      .starts(with: start)
  }

  @unsafe private mutating func copy(to target: UnsafeMutableRawBufferPointer) -> Int {
    if available == 0, case let count = readPiece(), count <= 0 { return count }
    let count = min(available, target.count)
    unsafe target.copyMemory(
      from: UnsafeRawBufferPointer(start: stream.pointee.next_in, count: count))
    skip(count)
    return count
  }

  private func skip(_ count: Int) {
    unsafe stream.pointee.next_in += count
    unsafe stream.pointee.avail_in -= UInt32(count)
  }

  /// Reads more of the file, after what has not been looked at: less than a piece.
  ///
  /// - SeeAlso: `read(2)`, `poll(2)`.
  private mutating func readPiece() -> Int {
    // At a terminal the end would have to be typed again.
    if isAtEnd || left == 0 { return 0 }
    unsafe memory.update(from: stream.pointee.next_in, count: available)
    unsafe stream.pointee.next_in = memory
    var count = 0
    repeat {
      // A socket drops what there is no room for.
      count = unsafe Glibc.read(descriptor, memory + available, min(Self.pieceSize, left))
      if count < 0 && errno == EAGAIN {
        // Somebody else has made the pipe non-blocking.
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&request, 1, -1) >= 0 { errno = EAGAIN }
      }
    } while count < 0 && (errno == EINTR || errno == EAGAIN)
    unsafe stream.pointee.avail_in += UInt32(max(0, count))
    packed += max(0, count)
    left -= max(0, count)
    isAtEnd = count == 0
    return count
  }
}

// MARK: - Unpacking

extension UnpackedStream {
  private mutating func openArchive(_ size: Int?) throws(UnpackingError) {
    var size = size
    if size == nil {
      archive = try? OpenFile.inMemory()
      let kept = archive?.descriptor.rawValue ?? -1
      size = try keep(in: kept)
      descriptor = kept
    }
    let entry = try ZIPArchive(descriptor, size: size ?? 0).document()
    lseek(descriptor, entry.bytes.lowerBound, SEEK_SET)
    unsafe stream.pointee.avail_in = 0
    (left, isAtEnd, packed) = (entry.bytes.count, false, 0)
    form = .archived(entry)
    if entry.isDeflated { beginInflating(-MAX_WBITS) }
  }

  /// Keeps in memory what comes through standard input, since an archive's list is at its end.
  ///
  /// - Returns: how many bytes there are.
  private mutating func keep(in file: Int32) throws(UnpackingError) -> Int {
    var size = 0
    repeat {
      guard size <= Self.longestInMemory,
        unsafe pwrite(file, stream.pointee.next_in, available, size) == available
      else {
        throw failure("is too long to come through standard input; give its path instead")
      }
      size += available
      skip(available)
    } while readPiece() > 0
    return size
  }

  /// Where there is no memory for it, each reading says so.
  ///
  /// - SeeAlso: `inflateInit2`.
  private func beginInflating(_ windowBits: Int32) {
    unsafe _ = inflateInit2_(
      stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  }

  /// - SeeAlso: `inflate`.
  @unsafe private mutating func inflate(
    into target: UnsafeMutableRawBufferPointer
  ) throws(UnpackingError) -> Int {
    try checkSize()
    unsafe stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = UInt32(target.count)
    while unsafe Int(stream.pointee.avail_out) == target.count {
      if available == 0 {
        let count = readPiece()
        if count < 0 || count == 0 && isBetweenFiles { return count }
        if count == 0 { throw failure("is cut off; fetch it again") }
      }
      if isBetweenFiles, try !beginNextFile() { continue }
      switch unsafe CZlib.inflate(stream, Z_NO_FLUSH) {
      case Z_OK, Z_BUF_ERROR: break
      case Z_STREAM_END: isBetweenFiles = true
      case Z_DATA_ERROR, Z_NEED_DICT:
        // What came before the damage is handed over first.
        guard unsafe Int(stream.pointee.avail_out) == target.count else { break }
        throw failure("is damaged; fetch it again")
      default:
        errno = ENOMEM
        return -1
      }
    }
    let count = unsafe target.count - Int(stream.pointee.avail_out)
    unpacked += count
    return count
  }

  /// Goes on with the file that follows the one that has ended.
  ///
  /// - Returns: whether one begins in the piece at hand.
  /// - SeeAlso: `inflateReset`.
  private mutating func beginNextFile() throws(UnpackingError) -> Bool {
    while begins(with: [0]) {
      skip(1)
      isPadded = true
    }
    guard available > 0 else { return false }
    guard !isPadded, begins(with: [0x1F]) else {
      throw failure("has something after its end; compress the catalogue again")
    }
    isBetweenFiles = false
    return unsafe inflateReset(stream) == Z_OK
  }

  private func checkSize() throws(UnpackingError) {
    let isTight = unpacked > Self.shortestTight && unpacked / Self.tightest > packed
    guard isTight || unpacked > Self.longest else { return }
    throw failure(
      isTight
        ? "expands to more than 200 times its size; if that is right, unpack it first"
        : "expands to more than 16 GiB; if that is right, unpack it first")
  }

  private func failure(_ words: String) -> UnpackingError {
    let name = if case .gzip = form { "gzip file" } else { ZIPArchive.name }
    return UnpackingError(message: "this \(name) \(words)")
  }
}

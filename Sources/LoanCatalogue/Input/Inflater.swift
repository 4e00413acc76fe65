import CZlib
import Glibc

/// Unpacks what gzip has packed, piece by piece, in memory that does not grow.
///
/// Files that were packed one by one and joined are one document, and zeros after the last one are
/// nothing, as for gzip(1). Each file's checksum and length must be right.
@safe struct Inflater: ~Copyable {
  private static let pieceSize = 64 * 1_024
  /// No catalogue is as long as that, nor packed as tightly.
  private static let (longest, tightest, shortestTight) = (16 << 30, 200, 64 << 20)
  private let name: String
  private var source: ByteStream
  private let stream: UnsafeMutablePointer<z_stream>
  private let piece: UnsafeMutablePointer<UInt8>
  private var (packed, unpacked) = (0, 0)
  /// Whether a packed file has ended, and another one may follow.
  private var isBetweenFiles = false
  private var isPadded = false

  /// - Parameters:
  ///   - isInArchive: whether there are only packed bytes, without a gzip file's header and checksum.
  ///   - name: what the file is called in messages.
  /// - SeeAlso: `inflateInit2`.
  init(_ source: ByteStream, isInArchive: Bool = false, of name: String) {
    self.source = source
    self.name = name
    unsafe piece = .allocate(capacity: Self.pieceSize)
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // Where there is no memory for it, each reading says so.
    unsafe _ = inflateInit2_(
      stream, isInArchive ? -MAX_WBITS : 16 + MAX_WBITS, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
    unsafe piece.deallocate()
  }

  /// Reads what comes next.
  ///
  /// - Returns: the bytes read, 0 at the end, or -1 with `errno` set.
  /// - Throws: `UnpackingError` where nothing more can be unpacked.
  /// - SeeAlso: `inflate`.
  @unsafe mutating func read(
    into target: UnsafeMutableRawBufferPointer
  ) throws(UnpackingError) -> Int {
    try checkSize()
    unsafe stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = UInt32(target.count)
    while unsafe Int(stream.pointee.avail_out) == target.count {
      if unsafe stream.pointee.avail_in == 0 {
        let count = readPiece()
        if count < 0 || count == 0 && isBetweenFiles { return count }
        if count == 0 { throw failure("is cut off; fetch it again") }
      }
      if isBetweenFiles, try !beginNextFile() { continue }
      switch unsafe inflate(stream, Z_NO_FLUSH) {
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

  private mutating func readPiece() -> Int {
    let count = unsafe source.read(
      into: UnsafeMutableRawBufferPointer(start: piece, count: Self.pieceSize))
    unsafe stream.pointee.next_in = piece
    unsafe stream.pointee.avail_in = UInt32(max(0, count))
    packed += max(0, count)
    return count
  }

  /// Goes on with the file that follows the one that has ended.
  ///
  /// - Returns: whether one begins in the piece at hand.
  /// - SeeAlso: `inflateReset`.
  private mutating func beginNextFile() throws(UnpackingError) -> Bool {
    while unsafe stream.pointee.avail_in > 0, unsafe stream.pointee.next_in.pointee == 0 {
      unsafe stream.pointee.next_in += 1
      unsafe stream.pointee.avail_in -= 1
      isPadded = true
    }
    guard unsafe stream.pointee.avail_in > 0 else { return false }
    guard !isPadded, unsafe stream.pointee.next_in.pointee == 0x1F else {
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
    UnpackingError(message: "this \(name) \(words)")
  }
}

import Glibc

/// The bytes of an open file from where it is, read in large pieces.
struct ByteStream {
  private let descriptor: Int32
  /// The bytes that have been read and not been asked for.
  private var ahead: ArraySlice<UInt8> = []
  /// The number of bytes of the file that are still wanted.
  private var left: Int
  private var isAtEnd = false
  private static let pieceSize = 65_536

  /// - Parameter count: how many bytes of the file are wanted at most.
  init(_ descriptor: Int32, count: Int = .max) {
    self.descriptor = descriptor
    left = count
  }

  /// The next bytes, as many as there are up to a count, which stay the next ones.
  mutating func lookAhead(_ count: Int) -> ArraySlice<UInt8> {
    while ahead.count < count, readPiece() > 0 {}
    return ahead.prefix(count)
  }

  /// Reads what comes next.
  ///
  /// - Returns: the bytes read, 0 at the end, or -1 with `errno` set.
  @unsafe mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if ahead.isEmpty, case let count = readPiece(), count <= 0 { return count }
    let count = min(ahead.count, buffer.count)
    unsafe buffer.copyBytes(from: ahead.prefix(count))
    ahead.removeFirst(count)
    return count
  }

  /// - SeeAlso: `read(2)`.
  private mutating func readPiece() -> Int {
    // At a terminal the end would have to be typed again.
    guard !isAtEnd, left > 0 else { return 0 }
    var count = 0
    // A socket drops what there is no room for.
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, filled in
      repeat {
        count = unsafe Glibc.read(descriptor, buffer.baseAddress, min(buffer.count, left))
        if count < 0 && errno == EAGAIN { waitUntilReadable() }
      } while count < 0 && (errno == EINTR || errno == EAGAIN)
      filled = max(0, count)
    }
    left -= piece.count
    isAtEnd = count == 0
    if ahead.isEmpty { ahead = piece[...] } else { ahead += piece }
    return count
  }

  /// Waits at a pipe that somebody else has made non-blocking.
  ///
  /// - SeeAlso: `poll(2)`.
  private func waitUntilReadable() {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if unsafe poll(&request, 1, -1) < 0 { return }
    errno = EAGAIN
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

import Glibc

/// Bytes that are read one after the other: some that are there already, then those of an open
/// file, then some more.
struct ByteStream {
  private let descriptor: Int32
  private var ahead: ArraySlice<UInt8>
  /// How many bytes of the file are still wanted.
  private var left: Int
  private var tail: [UInt8]
  private var isAtEnd = false

  /// - Parameter count: how many bytes of the file are wanted at most.
  init(
    _ descriptor: Int32, after head: [UInt8] = [], count: Int = .max, before tail: [UInt8] = []
  ) {
    self.descriptor = descriptor
    ahead = head[...]
    left = count
    self.tail = tail
  }

  /// The next bytes, as many as there are up to a count, which stay the next ones.
  mutating func lookAhead(_ count: Int) -> ArraySlice<UInt8> {
    var isOver = false
    while ahead.count < count && !isOver {
      // A socket drops what there is no room for.
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) {
        unsafe $1 = max(0, readFile(into: UnsafeMutableRawBufferPointer($0)))
      }
      ahead += piece
      isOver = piece.isEmpty
    }
    return ahead.prefix(count)
  }

  /// Reads what comes next.
  ///
  /// - Returns: the bytes read, 0 at the end, or -1 with `errno` set.
  @unsafe mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if ahead.isEmpty && left == 0 { (ahead, tail) = (tail[...], []) }
    guard !ahead.isEmpty else { return unsafe readFile(into: buffer) }
    let count = min(ahead.count, buffer.count)
    unsafe buffer.copyBytes(from: ahead.prefix(count))
    ahead.removeFirst(count)
    return count
  }

  /// - SeeAlso: `read(2)`.
  @unsafe private mutating func readFile(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    // At a terminal the end would have to be typed again.
    guard !isAtEnd else { return 0 }
    while true {
      let count = unsafe Glibc.read(descriptor, buffer.baseAddress, min(buffer.count, left))
      if count >= 0 {
        left -= count
        isAtEnd = count == 0
        return count
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitUntilReadable()
      default: return -1
      }
    }
  }

  /// Standard input may be a pipe that somebody else made non-blocking.
  private func waitUntilReadable() {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&request, 1, -1)
  }
}

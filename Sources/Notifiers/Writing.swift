internal import Glibc

/// How long output may wait for somebody to read it.
struct OutputTimeout {
  /// The longest time without any progress; `nil` for no limit.
  var longest: Duration?
  /// Asked several times a second; once it says yes, output that nobody reads is given up.
  var isStopRequested: () -> Bool
}

/// Writes all bytes, however few the system accepts at a time, to a descriptor that is blocking or
/// not.
///
/// - Parameter limit: see ``longestWriteThatNeverBlocks(_:)``.
/// - Throws: ``OutputError`` with any error but EINTR and EAGAIN of write(2); with ETIMEDOUT or
///   EINTR if the timeout has an end.
/// - SeeAlso: `write(2)`, `poll(2)`.
func writeAll(
  _ bytes: Span<UInt8>, to descriptor: Int32, limit: Int?, timeout: OutputTimeout
) throws(OutputError) {
  var start = 0
  while start < bytes.count {
    if limit != nil { try waitUntilWritable(descriptor, timeout) }
    let end = min(bytes.count, start + (limit ?? bytes.count))
    let part = bytes.extracting(start..<end)
    let written = unsafe part.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    if written > 0 {
      start += written
      continue
    }
    switch written == 0 ? EIO : errno {
    case EINTR: continue
    case EAGAIN: try waitUntilWritable(descriptor, timeout)
    case let error: throw OutputError(errno: error, descriptor: descriptor)
    }
  }
}

/// How many bytes can be written at once after poll(2) said that a descriptor is writable, see
/// pipe(7).
///
/// It is `nil` for a file and for `/dev/null` and its like, which never make anybody wait, and for
/// what is only open for reading, which is an error at once.
///
/// - SeeAlso: `fstat(2)`, `fcntl(2)`, `null(4)`.
func longestWriteThatNeverBlocks(_ descriptor: Int32) -> Int? {
  var status = stat()
  guard unsafe fstat(descriptor, &status) == 0 else { return nil }
  if fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDONLY { return nil }
  switch status.st_mode & S_IFMT {
  case S_IFREG: return nil
  // The devices of memory have the major number 1.
  case S_IFCHR: return status.st_rdev >> 8 == 1 ? nil : 256
  default: return Int(PIPE_BUF)
  }
}

/// Returns when a write would not block, or would fail.
///
/// - Throws: ``OutputError`` with any error but EINTR; ETIMEDOUT or EINTR if it must not go on.
/// - SeeAlso: `poll(2)`.
private func waitUntilWritable(
  _ descriptor: Int32, _ timeout: OutputTimeout
) throws(OutputError) {
  var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  var end: ContinuousClock.Instant?
  while true {
    let count = unsafe poll(&request, 1, 100)
    if count > 0 { return }
    if count < 0 && errno != EINTR { throw OutputError(errno: errno, descriptor: descriptor) }
    if timeout.isStopRequested() { throw OutputError(errno: EINTR, descriptor: descriptor) }
    guard let longest = timeout.longest else { continue }
    let now = ContinuousClock.now
    if now >= end ?? now + longest { throw OutputError(errno: ETIMEDOUT, descriptor: descriptor) }
    end = end ?? now + longest
  }
}

extension CheckedOutput {
  /// Makes a write to a pipe without a reader an ``OutputError`` in the whole process, instead of
  /// its death by SIGPIPE.
  ///
  /// Call it once, before the first write.
  ///
  /// - SeeAlso: `signal(2)`.
  public static func ignoreBrokenPipeSignal() {
    signal(SIGPIPE, SIG_IGN)
  }
}

extension [UInt8] {
  /// Appends a copy of every byte of `span`.
  mutating func append(contentsOf span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

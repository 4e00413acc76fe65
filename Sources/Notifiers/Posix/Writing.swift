internal import Glibc

/// Writes all bytes, however few the system takes at a time; waits while a non-blocking
/// descriptor is full.
///
/// - Throws: ``OutputError`` with any error but EINTR and EAGAIN.
/// The C functions: write(2), poll(2).
func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32) throws(OutputError) {
  var start = 0
  while start < bytes.count {
    let rest = bytes.extracting(start..<bytes.count)
    let written = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    if written > 0 {
      start += written
      continue
    }
    switch written == 0 ? EIO : errno {
    case EINTR: continue
    case EAGAIN: try waitUntilWritable(descriptor)
    case let error: throw OutputError(errno: error, descriptor: descriptor)
    }
  }
}

/// Returns when a write would not block, or would fail.
///
/// - Throws: ``OutputError`` with any error but EINTR.
/// The C function: poll(2).
private func waitUntilWritable(_ descriptor: Int32) throws(OutputError) {
  var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  while unsafe poll(&request, 1, -1) < 0 {
    guard errno == EINTR else { throw OutputError(errno: errno, descriptor: descriptor) }
  }
}

/// The system's words for an error number, `No space left on device`.
///
/// The C function: strerror_r(3).
func systemMessage(for errorNumber: Int32) -> String {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    guard let start = buffer.baseAddress else { return "error \(errorNumber)" }
    guard unsafe strerror_r(errorNumber, start, buffer.count) == 0 else {
      return "error \(errorNumber)"
    }
    return unsafe String(cString: start)
  }
}

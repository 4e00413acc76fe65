internal import CLinux
internal import Glibc

/// An open descriptor, closed once nobody has it any more.
final class Descriptor: Sendable {
  /// Its number.
  let number: Int32

  private init(_ number: Int32) { self.number = number }

  // What is read from and written to here has nothing to lose when this fails.
  deinit { close(number) }

  /// The two ends of a pipe, neither of which blocks or is inherited by children.
  ///
  /// - SeeAlso: `pipe2(2)`.
  static func pipe() throws(StartFailure) -> (reading: Descriptor, writing: Descriptor) {
    var ends: (reading: Int32, writing: Int32) = (-1, -1)
    guard unsafe check_loans_make_pipe(&ends.reading, &ends.writing) == 0 else {
      throw StartFailure(errno)
    }
    return (Descriptor(ends.reading), Descriptor(ends.writing))
  }

  /// What can be read from once a child has ended; `nil` if the system has none.
  static func ofChild(_ child: Int32) -> Descriptor? {
    let number = check_loans_watch_child(child)
    return number < 0 ? nil : Descriptor(number)
  }

  /// Lets it block, as a program expects of the end that it is given.
  ///
  /// - SeeAlso: `fcntl(2)`.
  func block() { _ = fcntl(number, F_SETFL, 0) }

  /// Takes what can be read at once, as far as there is room for it.
  ///
  /// - Returns: how many bytes, 0 at the end or after a failure; `nil` if there may be more later.
  /// - SeeAlso: `read(2)`.
  func read(into bytes: inout [UInt8]) -> Int? {
    let count = unsafe Glibc.read(number, &bytes, bytes.count)
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? nil : max(0, count)
  }

  /// Writes what can be written at once.
  ///
  /// - Returns: how many bytes; `nil` if nobody reads any more.
  /// - SeeAlso: `write(2)`.
  func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(number, $0.baseAddress, $0.count)
    }
    return count < 0 ? (errno == EAGAIN || errno == EINTR ? 0 : nil) : count
  }

  /// Waits until one of these can be read from, or written to, or the time is over.
  ///
  /// - Parameter longest: `nil` for ever.
  /// - SeeAlso: `poll(2)`.
  static func wait(
    reading: [Descriptor?], writing: Descriptor?, atMost longest: Duration?
  ) {
    var requests = reading.compactMap(\.self).map {
      pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0)
    }
    if let writing {
      requests.append(pollfd(fd: writing.number, events: Int16(POLLOUT), revents: 0))
    }
    var milliseconds: Int32 = -1
    if let longest {
      // Rounded up, or it would come too early again and again.
      milliseconds = Int32(clamping: Int64(longest / .milliseconds(1)) + 1)
    }
    _ = unsafe poll(&requests, nfds_t(requests.count), max(-1, milliseconds))
  }
}

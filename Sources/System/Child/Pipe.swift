internal import CLinux
internal import Glibc
internal import SystemPackage

extension OpenFile {
  /// The two ends of a pipe, neither of which blocks.
  ///
  /// - SeeAlso: `pipe2(2)`.
  static func pipe() throws(Errno) -> (reading: OpenFile, writing: OpenFile) {
    let (reading, writing) = try FileDescriptor.pipe(options: [.closeOnExec, .nonBlocking])
    return (OpenFile(reading), OpenFile(writing))
  }

  /// What can be read from once a child has ended; `nil` if the system has no such thing.
  static func end(of child: Int32) -> OpenFile? {
    let number = check_loans_watch_child(child)
    return number < 0 ? nil : OpenFile(FileDescriptor(rawValue: number))
  }

  /// Lets it block, as a program expects of the end that it is given.
  ///
  /// - SeeAlso: `fcntl(2)`.
  func block() { _ = fcntl(descriptor.rawValue, F_SETFL, 0) }

  /// Reads what is there now, as far as there is room for it.
  ///
  /// - Returns: how many bytes, 0 at the end or after a failure; `nil` if there may be more later.
  /// - SeeAlso: `read(2)`.
  func readNow(into bytes: inout [UInt8]) -> Int? {
    do {
      return unsafe try bytes.withUnsafeMutableBytes { unsafe try descriptor.read(into: $0) }
    } catch {
      return error as? Errno == .wouldBlock ? nil : 0
    }
  }

  /// Writes what there is room for now.
  ///
  /// - Returns: how many bytes; `nil` if nobody reads any longer.
  /// - SeeAlso: `write(2)`.
  func writeNow(_ bytes: ArraySlice<UInt8>) -> Int? {
    do {
      return unsafe try bytes.withUnsafeBytes { unsafe try descriptor.write($0) }
    } catch {
      return error as? Errno == .wouldBlock ? 0 : nil
    }
  }

  /// Waits until one of these can be read from, or written to, or the time is over.
  ///
  /// - Parameter longest: `nil` for no limit.
  /// - SeeAlso: `poll(2)`.
  static func wait(reading: [OpenFile?], writing: OpenFile?, atMost longest: Duration?) {
    var requests = reading.compactMap(\.self).map {
      pollfd(fd: $0.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    }
    if let writing {
      requests.append(
        pollfd(fd: writing.descriptor.rawValue, events: Int16(POLLOUT), revents: 0))
    }
    // Rounded up, or the wait would end too early again and again.
    let milliseconds = longest.map { Int32(clamping: Int64(max(.zero, $0) / .milliseconds(1)) + 1) }
    _ = unsafe poll(&requests, nfds_t(requests.count), milliseconds ?? -1)
  }
}

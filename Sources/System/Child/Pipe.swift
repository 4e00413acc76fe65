internal import CLinux
internal import Glibc
package import SystemPackage

extension OpenFile {
  /// The two ends of a pipe, neither of which blocks.
  ///
  /// - SeeAlso: `pipe2(2)`.
  package static func pipe() throws(Errno) -> (reading: OpenFile, writing: OpenFile) {
    let (reading, writing) = try Errno.thrown {
      try FileDescriptor.pipe(options: [.closeOnExec, .nonBlocking])
    }
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

  /// The bytes that are there now: none at the end or after a failure, `nil` if there may be some
  /// later.
  package func readNow() -> [UInt8]? {
    do {
      return try descriptor.read(65_536)
    } catch {
      return error == .wouldBlock ? nil : []
    }
  }

  /// Waits until one of these can be read from, or the time is over.
  ///
  /// - Parameter milliseconds: -1 for no limit.
  /// - SeeAlso: `poll(2)`.
  static func wait(reading ends: [OpenFile?], atMost milliseconds: Int32) {
    // What is not there, a number below 0, is passed over.
    var requests = ends.map { end in
      pollfd(fd: end?.descriptor.rawValue ?? -1, events: Int16(POLLIN), revents: 0)
    }
    _ = unsafe poll(&requests, nfds_t(requests.count), milliseconds)
  }
}

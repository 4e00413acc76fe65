import Glibc

/// Standard input before it is read.
enum StandardInput {
  /// Returns once there is something to read, or nothing will ever come.
  ///
  /// - SeeAlso: `poll(2)`.
  static func wait() {
    var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&request, 1, -1) < 0, errno == EINTR {}
  }
}

internal import Glibc
internal import SystemPackage

/// Why output was lost.
public struct OutputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The number that errno(3) had.
  public let errno: Int32

  /// The descriptor that could not be written.
  public let descriptor: Int32

  /// A failure to write `descriptor`.
  public init(errno: Int32, descriptor: Int32) {
    self.errno = errno
    self.descriptor = descriptor
  }

  /// Whether the reader has gone, as in `check-loans … | head -1`.
  public var isBrokenPipe: Bool { errno == EPIPE }

  /// Whether it was given up because a stop was requested while nobody read.
  public var isByStop: Bool { errno == EINTR }

  /// One line, `cannot write to standard output: No space left on device`.
  public var description: String {
    "cannot write to \(target): \(Errno(rawValue: errno))"
  }

  private var target: String {
    switch descriptor {
    case STDOUT_FILENO: "standard output"
    case STDERR_FILENO: "standard error"
    default: "descriptor \(descriptor)"
    }
  }
}

internal import Glibc
internal import Synchronization
internal import SystemPackage

/// A buffered writer that reports every failure, which `print` does not.
///
/// Text is kept until 64 KB have gathered or ``flush(timeout:)`` is called; nothing is written when
/// the value goes away. Once a write has failed, every later call throws the same error and writes
/// nothing, so that text which was reported as lost never turns up after all.
///
/// A pipe without a reader is an error only where SIGPIPE is ignored, else it ends the process:
/// see ``ignoreBrokenPipeSignal()``.
public final class CheckedOutput: Sendable {
  private static let capacity = 64 * 1_024

  private struct State {
    var buffer: [UInt8] = []
    var failure: OutputError?
  }

  private let descriptor: Int32
  private let timeout: Duration?
  private let isStopRequested: @Sendable () -> Bool
  private let state = Mutex(State())

  /// A writer to an open descriptor, blocking or not, that is neither changed nor ever closed.
  ///
  /// - Parameters:
  ///   - descriptor: 1 is standard output, 2 is standard error.
  ///   - timeout: how long to wait for somebody to read; `nil` for no limit.
  ///   - isStopRequested: asked several times a second while nobody reads; once it says yes, the rest
  ///     is given up.
  public init(
    descriptor: Int32, timeout: Duration? = nil,
    isStopRequested: @escaping @Sendable () -> Bool = { false }
  ) {
    self.descriptor = descriptor
    self.timeout = timeout
    self.isStopRequested = isStopRequested
  }

  /// Makes a write to a pipe without a reader an ``OutputError`` in the whole process, instead of
  /// its death by SIGPIPE.
  ///
  /// Call it once, before the first write.
  ///
  /// - SeeAlso: `signal(2)`.
  public static func ignoreBrokenPipeSignal() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Appends `text` as UTF-8, and writes what exceeds the buffer.
  ///
  /// - Throws: ``OutputError``, from write(2) or poll(2).
  public func write(_ text: String) throws(OutputError) {
    try write(text.utf8.span)
  }

  /// Appends `bytes`, and writes what exceeds the buffer.
  ///
  /// - Throws: ``OutputError``, from write(2) or poll(2).
  public func write(_ bytes: Span<UInt8>) throws(OutputError) {
    try state.withLock { state throws(OutputError) in
      if let failure = state.failure { throw failure }
      unsafe bytes.withUnsafeBufferPointer { unsafe state.buffer.append(contentsOf: $0) }
      if state.buffer.count >= Self.capacity { try drain(&state, timeout) }
    }
  }

  /// Writes everything that is still in the buffer.
  ///
  /// - Parameter timeout: how long to wait this time for somebody to read; by default as long as
  ///   otherwise.
  /// - Throws: ``OutputError``, from write(2) or poll(2); ETIMEDOUT if nobody read for so long.
  public func flush(timeout: Duration? = nil) throws(OutputError) {
    try state.withLock { state throws(OutputError) in
      if let failure = state.failure { throw failure }
      try drain(&state, timeout ?? self.timeout)
    }
  }

  private func drain(_ state: inout State, _ timeout: Duration?) throws(OutputError) {
    do throws(OutputError) {
      try writeAll(state.buffer.span, timeout)
      state.buffer.removeAll(keepingCapacity: true)
    } catch {
      state = State(failure: error)
      throw error
    }
  }

  /// Writes all bytes, however few the system accepts at a time.
  ///
  /// - SeeAlso: `write(2)`.
  private func writeAll(_ bytes: Span<UInt8>, _ timeout: Duration?) throws(OutputError) {
    let limit = longestWriteThatNeverBlocks
    var start = 0
    while start < bytes.count {
      if limit != nil { try waitUntilWritable(timeout) }
      let part = bytes.extracting(start..<min(bytes.count, start + (limit ?? bytes.count)))
      let written = unsafe part.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      switch written > 0 ? 0 : written == 0 ? EIO : errno {
      case 0: start += written
      case EINTR: continue
      case EAGAIN: try waitUntilWritable(timeout)
      case let error: throw failure(error)
      }
    }
  }

  /// How many bytes can be written at once after poll(2) said that the descriptor is writable, see
  /// pipe(7).
  ///
  /// It is `nil` for a file and for `/dev/null` and its like, which never make anybody wait, and for
  /// what is only open for reading, which is an error at once.
  ///
  /// - SeeAlso: `fstat(2)`, `fcntl(2)`, `null(4)`.
  private var longestWriteThatNeverBlocks: Int? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0,
      fcntl(descriptor, F_GETFL) & O_ACCMODE != O_RDONLY
    else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return nil
    // The devices of memory have the major number 1.
    case S_IFCHR: return status.st_rdev >> 8 == 1 ? nil : 256
    default: return Int(PIPE_BUF)
    }
  }

  /// Returns when a write would not block, or would fail.
  ///
  /// - SeeAlso: `poll(2)`.
  private func waitUntilWritable(_ timeout: Duration?) throws(OutputError) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let end = timeout.map { ContinuousClock.now + $0 }
    while true {
      let count = unsafe poll(&request, 1, 100)
      if count > 0 { return }
      if count < 0 && errno != EINTR { throw failure(errno) }
      if isStopRequested() { throw failure(EINTR) }
      if let end, end <= .now { throw failure(ETIMEDOUT) }
    }
  }

  private func failure(_ number: Int32) -> OutputError {
    OutputError(errno: number, descriptor: descriptor)
  }
}

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
    let target =
      switch descriptor {
      case STDOUT_FILENO: "standard output"
      case STDERR_FILENO: "standard error"
      default: "descriptor \(descriptor)"
      }
    return "cannot write to \(target): \(Errno(rawValue: errno))"
  }
}

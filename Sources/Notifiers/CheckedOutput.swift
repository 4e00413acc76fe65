internal import Synchronization

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
    /// How much may be written at once, in an optional of its own until it is known.
    var limit: Int??
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
  ///   - isStopRequested: asked while nobody reads; once it says yes, the rest is given up.
  public init(
    descriptor: Int32, timeout: Duration? = nil,
    isStopRequested: @escaping @Sendable () -> Bool = { false }
  ) {
    self.descriptor = descriptor
    self.timeout = timeout
    self.isStopRequested = isStopRequested
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
      var start = 0
      while start < bytes.count {
        let end = min(bytes.count, start + Self.capacity - state.buffer.count)
        state.buffer.append(contentsOf: bytes.extracting(start..<end))
        start = end
        if state.buffer.count == Self.capacity { try drain(&state) }
      }
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
      try drain(&state, timeout: timeout)
    }
  }

  private func drain(_ state: inout State, timeout: Duration? = nil) throws(OutputError) {
    let timeout = OutputTimeout(
      longest: timeout ?? self.timeout, isStopRequested: isStopRequested)
    do throws(OutputError) {
      let limit = state.limit ?? longestWriteThatNeverBlocks(descriptor)
      state.limit = limit
      try writeAll(state.buffer.span, to: descriptor, limit: limit, timeout: timeout)
      state.buffer.removeAll(keepingCapacity: true)
    } catch {
      state = State(failure: error)
      throw error
    }
  }
}

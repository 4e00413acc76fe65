import CLinux
import Glibc

/// Receives the signals that tell a program that stays to read anew or to end; a second one to end
/// ends it at once.
///
/// - SeeAlso: `sigaction(2)`, `pipe2(2)`.
struct SignalWatch: ~Copyable {
  /// What was asked for.
  enum Request: Sendable {
    /// To read everything anew: SIGHUP.
    case reload
    /// To end: SIGTERM, SIGINT, or the end of the terminal.
    case stop
  }

  private static let signals = [SIGHUP, SIGINT, SIGTERM]

  /// To be polled for reading.
  let descriptor: Int32
  private let input: Int32
  /// Whether SIGHUP means that the terminal is gone, once it is.
  private let endsWithTerminal: Bool

  /// - Throws: `SystemFailure` if the system cannot give what it takes.
  init() throws(SystemFailure) {
    var ends: (read: Int32, write: Int32) = (-1, -1)
    let failure =
      unsafe check_loans_make_pipe(&ends.read, &ends.write) == 0 ? nil : SystemFailure.last
    descriptor = ends.read
    input = ends.write
    // Below nohup(1) it is to outlive its terminal.
    endsWithTerminal = check_loans_is_ignored(SIGHUP) == 0 && Self.hasTerminal
    if let failure { throw failure }
    for number in Self.signals {
      // Who asks for the end a second time does not want to wait for it.
      let once: Int32 = number == SIGHUP ? 0 : 1
      guard check_loans_catch_signal(number, input, once) == 0 else { throw .last }
    }
  }

  deinit {
    for number in Self.signals { signal(number, SIG_DFL) }
    close(input)
    close(descriptor)
  }

  /// Takes the requests since the last call, without waiting.
  func read() -> [Request] {
    var requests: [Request] = []
    var buffer = [UInt8](repeating: 0, count: 512)
    while case let count = unsafe Glibc.read(descriptor, &buffer, buffer.count), count > 0 {
      requests += buffer[..<count].map { number in
        Int32(number) == SIGHUP && !(endsWithTerminal && !Self.hasTerminal) ? .reload : .stop
      }
    }
    return requests
  }

  /// - SeeAlso: `tty(4)`.
  private static var hasTerminal: Bool {
    let terminal = unsafe open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
    if terminal >= 0 { close(terminal) }
    return terminal >= 0
  }
}

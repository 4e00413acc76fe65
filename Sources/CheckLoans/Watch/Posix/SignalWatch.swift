import CLinux
import Glibc

/// Receives the signals that tell a program that stays to read anew or to end; a second one to end
/// ends it at once, with the children that are running.
struct SignalWatch: ~Copyable {
  /// What was asked for.
  enum Request: Sendable {
    /// To read everything anew: SIGHUP.
    case reload
    /// To end: SIGTERM, SIGINT, or the end of the terminal.
    case stop
  }

  private let pipe: SignalPipe
  /// Whether SIGHUP means that the terminal is gone, once it is.
  private let endsWithTerminal: Bool

  /// To be polled for reading.
  var descriptor: Int32 { pipe.descriptor }

  /// - Throws: `SystemFailure` if the system cannot give what it takes.
  init() throws(SystemFailure) {
    // Below nohup(1) it is to outlive its terminal.
    endsWithTerminal = check_loans_is_ignored(SIGHUP) == 0 && Self.hasTerminal
    var pipe = try SignalPipe()
    try pipe.receive(SIGHUP)
    // Who asks for the end a second time does not want to wait for it.
    for number in [SIGINT, SIGTERM] { try pipe.receiveFirst(number) }
    self.pipe = pipe
  }

  /// Takes the requests since the last call, without waiting.
  func read() -> [Request] {
    pipe.read().map { number in
      number == SIGHUP && !(endsWithTerminal && !Self.hasTerminal) ? .reload : .stop
    }
  }

  /// - SeeAlso: `tty(4)`.
  private static var hasTerminal: Bool {
    let terminal = unsafe open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
    if terminal >= 0 { close(terminal) }
    return terminal >= 0
  }
}

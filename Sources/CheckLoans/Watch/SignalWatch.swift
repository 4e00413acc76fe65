import CLinux
import Glibc
import System
import SystemPackage

/// Receives the signals that have a running `watch` reload everything or stop; a second one to stop
/// ends it at once, with the children that are running.
struct SignalWatch: ~Copyable {
  /// A request made by a signal.
  enum Request: Sendable {
    /// To reload everything: SIGHUP.
    case reload
    /// To stop: SIGTERM, SIGINT, or the end of the terminal.
    case stop
  }

  private let pipe: SignalPipe
  /// Whether SIGHUP means that the terminal is gone, once it is.
  private let endsWithTerminal: Bool

  /// To be polled for reading.
  var descriptor: Int32 { pipe.descriptor }

  /// - Throws: `Errno` if the system cannot give what it takes.
  init() throws(Errno) {
    // Under nohup(1) it is to outlive its terminal.
    endsWithTerminal = check_loans_is_ignored(SIGHUP) == 0 && Self.hasTerminal
    var pipe = try SignalPipe()
    try pipe.receive(SIGHUP)
    // Whoever asks a second time does not want to wait.
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
    (try? OpenFile("/dev/tty")) != nil
  }
}

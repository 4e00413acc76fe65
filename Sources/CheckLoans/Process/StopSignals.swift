import Glibc
import Synchronization
import SystemPackage

/// SIGINT, SIGTERM and SIGHUP while notices are delivered: the notice in flight is finished first.
enum StopSignals {
  private struct State: ~Copyable {
    var pipe: SignalPipe?
    var received: Int32?

    /// The first signal that came, if any did.
    mutating func readFirst() -> Int32? {
      if received == nil { received = pipe?.read().first }
      return received
    }
  }

  private static let state = Mutex(State())

  /// Whether one has come.
  static var isStopRequested: Bool { state.withLock { $0.readFirst() != nil } }

  /// From now on the first signal is only noted, and a second one ends the process at once, with
  /// the program that delivers the notice in flight.
  ///
  /// One that is ignored stays ignored, as under nohup(1). Where the system cannot give a pipe,
  /// each ends the process at once, after which the notice in flight is sent again by the next run.
  static func catchThem() {
    state.withLock { state in
      if state.pipe != nil { return }
      do throws(Errno) {
        var pipe = try SignalPipe()
        for number in [SIGINT, SIGTERM, SIGHUP] { try pipe.receiveFirst(number) }
        state.pipe = consume pipe
      } catch {
        return
      }
    }
  }

  /// Ends the process by the signal that was noted, so that whoever started it sees why it ended;
  /// returns if there was none.
  static func endByNotedSignal() {
    guard let number = state.withLock({ $0.readFirst() }) else { return }
    signal(number, SIG_DFL)
    raise(number)
  }
}

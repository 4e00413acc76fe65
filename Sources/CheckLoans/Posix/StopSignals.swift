import Glibc
import Synchronization

/// SIGINT and SIGTERM while notices are delivered: the one in flight is finished first.
///
/// - SeeAlso: `sigaction(2)`, `signal-safety(7)`.
enum StopSignals {
  private static let received = Atomic<Int32>(0)

  /// Whether one has come.
  static var isStopRequested: Bool { received.load(ordering: .relaxed) != 0 }

  /// From now on the first signal is only noted, and a second one ends the process at once.
  ///
  /// One that is ignored stays ignored, as under nohup(1).
  static func catchThem() {
    for signal in [SIGINT, SIGTERM] {
      var current = sigaction()
      guard unsafe sigaction(signal, nil, &current) == 0 else { continue }
      let isIgnored =
        unsafe unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) == 1
      if isIgnored { continue }
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { number in
        StopSignals.received.store(number, ordering: .relaxed)
      }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      unsafe sigaction(signal, &action, nil)
    }
  }

  /// Ends the process by the signal that was noted, so that whoever started it sees why it ended;
  /// returns if there was none.
  static func endByNotedSignal() {
    let number = received.load(ordering: .relaxed)
    guard number != 0 else { return }
    signal(number, SIG_DFL)
    raise(number)
  }
}

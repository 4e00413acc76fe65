import CLinux
import Glibc
import Synchronization
import System
package import SystemPackage

/// The signals to stop and to reload, received through a pipe, into which a handler in C writes their
/// numbers.
///
/// Of SIGINT, SIGTERM and SIGHUP the first is only noted, so that the notice in flight is finished. A
/// second one ends the process at once, with the children that are running. To `watch`, SIGHUP means
/// to reload everything, unless its terminal is gone.
///
/// - SeeAlso: `sigaction(2)`, `pipe2(2)`, `signal-safety(7)`.
package enum StopSignals {
  /// What is known of the signals that came.
  package struct State {
    /// The reading end of the handler's pipe; `nil` until signals are caught.
    var pipe: FileDescriptor?
    /// Its writing end.
    package var wake: FileDescriptor?
    package var isWatching = false
    /// Whether SIGHUP means that the terminal is gone, once it is.
    var endsWithTerminal = false
    /// The first signal to stop that came.
    package var stop: Int32?
    var mustReload = false

    /// Takes the signals that came since the last call, without waiting.
    package mutating func read() {
      while let numbers = try? pipe?.read(512), !numbers.isEmpty {
        for number in numbers.map(Int32.init) where number != 0 {
          if isWatching && number == SIGHUP && !(endsWithTerminal && !StopSignals.hasTerminal) {
            mustReload = true
          } else {
            stop = stop ?? number
          }
        }
      }
    }

    package mutating func isStopRequested() -> Bool {
      read()
      // Another thread may be about to poll the pipe, which is empty now: 0 is no signal.
      if isWatching, stop != nil || mustReload { _ = try? wake?.writeAll([0]) }
      return stop != nil
    }

    package mutating func take() -> (stops: Bool, reloads: Bool) {
      read()
      defer { mustReload = false }
      return (stop != nil, mustReload)
    }
  }

  private static let state = Mutex(State())

  /// Whether one to stop has come.
  package static var isStopRequested: Bool { state.withLock { $0.isStopRequested() } }

  /// Whether one to stop has come, and whether one to reload has since the last call.
  package static func take() -> (stops: Bool, reloads: Bool) { state.withLock { $0.take() } }

  /// To be polled for reading right after ``take()``; -1 if none is caught.
  ///
  /// It can be read from as long as ``take()`` has not taken what any thread has read.
  package static var descriptor: Int32 { state.withLock { $0.pipe?.rawValue ?? -1 } }

  /// Notes signals from now on.
  ///
  /// One that is ignored stays ignored, as under nohup(1), except that SIGHUP has `watch` reload.
  ///
  /// - Parameter isWatching: whether SIGHUP means to reload.
  /// - Throws: `Errno` if the system cannot give a pipe; then each ends the process at once, after
  ///   which the notice in flight is sent again by the next run.
  package static func install(isWatching: Bool = false) throws(Errno) {
    try state.withLock { state throws(Errno) in
      if state.pipe != nil { return }
      let ends = try Errno.thrown {
        try FileDescriptor.pipe(options: [.closeOnExec, .nonBlocking])
      }
      (state.pipe, state.wake) = (ends.readEnd, ends.writeEnd)
      state.isWatching = isWatching
      // Under nohup(1) it is to outlive its terminal.
      state.endsWithTerminal = check_loans_is_ignored(SIGHUP) == 0 && hasTerminal
      for number in [SIGINT, SIGTERM, SIGHUP] {
        let reloads = isWatching && number == SIGHUP
        if !reloads && check_loans_is_ignored(number) != 0 { continue }
        let pipe = ends.writeEnd.rawValue
        try Errno.check(check_loans_catch_signal(number, pipe, reloads ? 0 : 1))
      }
    }
  }

  /// Ends the process by the signal that was noted, so that whoever started it sees why it ended;
  /// returns if there was none, or if that is how `watch` ends.
  package static func reraise() {
    let number = state.withLock { state in
      state.read()
      return state.isWatching ? nil : state.stop
    }
    guard let number else { return }
    signal(number, SIG_DFL)
    raise(number)
  }

  /// - SeeAlso: `tty(4)`.
  private static var hasTerminal: Bool { (try? OpenFile("/dev/tty")) != nil }
}

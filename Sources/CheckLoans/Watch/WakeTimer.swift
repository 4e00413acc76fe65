import CLinux
import Glibc
import System
import SystemPackage

/// A timer that fires at an instant of the system's clock: to the second, at once after a suspend or
/// a jump past the instant, and also when the clock is set to anything else.
///
/// - SeeAlso: `timerfd_create(2)`.
struct WakeTimer: ~Copyable {
  /// To be polled for reading.
  let descriptor: Int32

  /// - Throws: `Errno` if the system cannot give a timer.
  init() throws(Errno) {
    descriptor = check_loans_make_timer()
    if descriptor < 0 { throw Errno.last }
  }

  deinit {
    close(descriptor)
  }

  /// Fires at the beginning of a second, counted from 1970, or at once if that has passed.
  func set(_ second: Int) {
    _ = check_loans_set_timer(descriptor, second)
  }

  /// Reads whether it has fired, or the clock was set, since the last call.
  func read() -> Bool {
    var count: UInt64 = 0
    let size = MemoryLayout.size(ofValue: count)
    return unsafe Glibc.read(descriptor, &count, size) == size || errno == ECANCELED
  }
}

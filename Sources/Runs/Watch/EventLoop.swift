import CLinux
import CommandOutput
import Glibc
import System
import SystemPackage

/// Waits for the events that concern a running `watch`: changed files, signals, the time; as long as
/// the process lives.
final class EventLoop {
  /// The watched files.
  var files: FileWatch
  /// The events to come.
  var plan = WatchPlan()
  /// A timer that fires at an instant of the system's clock: to the second, at once after a suspend or
  /// a jump past the instant, and also when the clock is set to anything else; timerfd_create(2).
  private let timer: FileDescriptor

  /// The time after which everything is checked while changes may be missed.
  private static let fullLookPause = Duration.seconds(60)

  /// Begins to watch files by their absolute paths, and to receive signals.
  ///
  /// - Throws: `Errno` if the system cannot give what it takes.
  init(_ paths: [WatchEvent: [String]]) throws(Errno) {
    try StopSignals.install(isWatching: true)
    files = try FileWatch(paths)
    timer = FileDescriptor(rawValue: check_loans_make_timer())
    if timer.rawValue < 0 { throw Errno.last }
  }

  /// Has an event come at the beginning of a second, counted from 1970, or when the clock is set.
  ///
  /// - Parameters:
  ///   - instant: what the clock showed before the work began by which the second was chosen.
  ///   - clock: the clock.
  func wake(at second: Int, chosenAt instant: Int, by clock: LocalClock) {
    // It fails if the clock was set since the timer was set last; if the clock was set back before
    // that, the timer knows nothing of it.
    let isSet = check_loans_set_timer(timer.rawValue, second) == 0
    if !isSet || clock.read().map({ $0.instant < instant }) == true { plan.note(.due) }
  }

  /// Waits until there is something to do.
  ///
  /// - Returns: the events; none if the program is to stop.
  /// - SeeAlso: `poll(2)`.
  func next() -> Set<WatchEvent> {
    while true {
      readTimer()
      readFiles()
      // Last: a signal that comes after this leaves the pipe readable, so that poll(2) returns.
      let signals = StopSignals.take()
      if signals.stops { return [] }
      if signals.reloads {
        plan.note(.everything)
        plan.note(.fetch)
      }
      let events = plan.events(at: LocalClock.uptime)
      if !events.isEmpty { return events }
      let descriptors = [files.descriptor, timer.rawValue, StopSignals.descriptor]
      var requests = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      // Whatever ends it, a signal too, the descriptors are read next.
      _ = unsafe poll(&requests, nfds_t(requests.count), longestWait)
    }
  }

  /// Takes what has happened to files since the last call.
  func readFiles() {
    let changes = files.read()
    let now = LocalClock.uptime
    for file in changes.written { plan.noteWriting(to: file, at: now) }
    for file in changes.changed { plan.noteChange(of: file, at: now) }
    if files.failure != nil { plan.note(.everything, at: now + Self.fullLookPause) }
  }

  private func readTimer() {
    do throws(Errno) {
      _ = try timer.read(8)
      plan.note(.due)
    } catch .canceled {
      // The clock was set.
      plan.note(.due)
    } catch {}
  }

  /// The milliseconds until the plan's next event, rounded up; -1 for any time.
  private var longestWait: Int32 {
    guard let next = plan.next else { return -1 }
    let milliseconds = max(next - LocalClock.uptime, .zero) / .milliseconds(1)
    return Int32(min(milliseconds, 3_600_000)) + 1
  }
}

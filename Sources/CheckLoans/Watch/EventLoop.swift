import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// Waits for the events that concern a running `watch`: changed files, signals, the time.
///
/// The waiting is done on a thread of its own, so that none of those that run tasks is held up.
final class EventLoop: Sendable {
  private let sources: Mutex<WatchSources>
  private let queue = DispatchQueue(label: "check-loans.watch")

  /// Begins to watch files by their absolute paths, and to receive signals.
  ///
  /// - Throws: `Errno` if the system cannot give what it takes.
  init(_ paths: [WatchedFile: [String]]) throws(Errno) {
    let signals = try SignalWatch()
    let timer = try WakeTimer()
    sources = Mutex(WatchSources(files: try FileWatch(paths), timer: timer, signals: signals))
  }

  /// The directories that hold a watched file and may not be watched.
  var closedDirectories: Set<String> { sources.withLock { $0.files.closedDirectories } }

  /// Why some changes are missed until everything is checked again; `nil` if none are.
  var watchFailure: Errno? { sources.withLock { $0.files.failure } }

  /// Watches other files.
  func watch(_ paths: [WatchedFile: [String]]) {
    sources.withLock { sources in
      // What has happened since the settings were read.
      sources.readFiles()
      sources.files.watch(paths)
    }
  }

  /// Whether the program is to stop.
  var mustStop: Bool {
    sources.withLock { sources in
      sources.readSignals()
      return sources.plan.stops
    }
  }

  /// Has a step come at the beginning of a second, counted from 1970, or when the clock is set.
  ///
  /// - Parameters:
  ///   - instant: what the clock showed when the second was chosen.
  ///   - clock: the clock.
  func wake(at second: Int, chosenAt instant: Int, by clock: LocalClock) {
    sources.withLock { sources in
      sources.timer.set(second)
      // If it was set back in between, the timer knows nothing of it.
      if let current = clock.read()?.instant, current < instant { sources.plan.noteWaking() }
    }
  }

  /// Has a file read again after some time.
  func lookAgain(at file: WatchedFile, after time: Duration) {
    sources.withLock { $0.plan.lookAgain(at: file, at: LocalClock.uptime + time) }
  }

  /// Has a delivery tried again at a moment of `LocalClock.uptime`.
  func deliverAgain(at moment: Duration) {
    sources.withLock { $0.plan.deliverAgain(at: moment) }
  }

  /// Waits until there is something to do.
  ///
  /// - SeeAlso: `poll(2)`.
  func step() async -> WatchStep {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.waitForStep()) }
    }
  }

  private func waitForStep() -> WatchStep {
    while true {
      let (step, descriptors, time) = sources.withLock { sources in
        sources.read()
        return (sources.plan.step(at: LocalClock.uptime), sources.descriptors, sources.longestWait)
      }
      if let step { return step }
      var requests = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      // Whatever ends it, a signal too, the descriptors are read next.
      _ = unsafe poll(&requests, nfds_t(requests.count), time)
    }
  }
}

/// The sources of events, and the plan that they lead to.
private struct WatchSources: ~Copyable {
  var files: FileWatch
  let timer: WakeTimer
  let signals: SignalWatch
  var plan = WatchPlan()

  /// The time after which everything is checked while changes may be missed.
  private static let fullLookPause = Duration.seconds(60)

  mutating func readSignals() {
    for request in signals.read() {
      switch request {
      case .reload: plan.noteHangUp()
      case .stop: plan.noteStop()
      }
    }
  }

  mutating func read() {
    readSignals()
    if timer.read() { plan.noteWaking() }
    readFiles()
  }

  mutating func readFiles() {
    let changes = files.read()
    let now = LocalClock.uptime
    for file in changes.written { plan.noteWriting(to: file, at: now) }
    for file in changes.changed { plan.noteChange(of: file, at: now) }
    if files.failure != nil { plan.lookAtAll(at: now + Self.fullLookPause) }
  }

  /// The descriptors to wait for.
  var descriptors: [Int32] { [files.descriptor, timer.descriptor, signals.descriptor] }

  /// The milliseconds until the plan's next step, rounded up; -1 for any time.
  var longestWait: Int32 {
    guard let next = plan.next else { return -1 }
    let (seconds, attoseconds) = max(next - LocalClock.uptime, .zero).components
    return Int32(min(seconds, 3_600)) * 1_000 + Int32(attoseconds / 1_000_000_000_000_000) + 1
  }
}

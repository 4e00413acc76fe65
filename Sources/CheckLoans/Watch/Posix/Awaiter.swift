import Dispatch
import Glibc
import Synchronization

/// Waits for whatever may happen to a program that stays: files, signals, the time.
///
/// It waits on a thread of its own, so that none of those that run tasks is held up.
final class Awaiter: Sendable {
  private let sources: Mutex<WatchSources>
  private let queue = DispatchQueue(label: "check-loans.watch")

  /// Begins to watch files by their absolute paths, and to receive signals.
  ///
  /// - Throws: `SystemFailure` if the system cannot give what it takes.
  init(_ paths: [WatchedFile: [String]]) throws(SystemFailure) {
    let signals = try SignalWatch()
    let timer = try WakeTimer()
    sources = Mutex(WatchSources(files: try FileWatch(paths), timer: timer, signals: signals))
  }

  /// The directories that hold a watched file and may not be watched.
  var closedDirectories: Set<String> { sources.withLock { $0.files.closedDirectories } }

  /// Watches other files.
  ///
  /// - Throws: `SystemFailure` if the system cannot give what it takes.
  func watch(_ paths: [WatchedFile: [String]]) throws(SystemFailure) {
    try sources.withLock { sources throws(SystemFailure) in
      let files = try FileWatch(paths)
      // What has happened since the settings were read.
      try sources.readFiles()
      sources.files = files
    }
  }

  /// Whether the program is to end; to be asked between notices, never while a step is awaited.
  var mustStop: Bool {
    sources.withLock { sources in
      sources.readSignals()
      return sources.plan.stops
    }
  }

  /// Has a step come at the beginning of a second, counted from 1970, or when the clock is set.
  ///
  /// - Parameter instant: what the clock showed when the second was chosen.
  func setAlarm(_ second: Int, chosenAt instant: Int) {
    sources.withLock { sources in
      sources.timer.set(second)
      // If it was set back in between, the timer knows nothing of it.
      if let current = ZoneClock.read()?.instant, current < instant { sources.plan.noteAlarm() }
    }
  }

  /// Has a file looked at again after some time.
  func lookAgain(at file: WatchedFile, after time: Duration) {
    sources.withLock { $0.plan.lookAgain(at: file, at: ZoneClock.passed + time) }
  }

  /// Has a delivery tried again after some time.
  func deliverAgain(after time: Duration) {
    sources.withLock { $0.plan.deliverAgain(at: ZoneClock.passed + time) }
  }

  /// Waits until there is something to do.
  ///
  /// - Throws: `SystemFailure` if the files cannot be watched any longer.
  func step() async throws(SystemFailure) -> WatchStep {
    try await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.waitForStep()) }
    }.get()
  }

  private func waitForStep() -> Result<WatchStep, SystemFailure> {
    sources.withLock { sources in
      Result { () throws(SystemFailure) in
        while true {
          try sources.read()
          if let step = sources.plan.step(at: ZoneClock.passed) { return step }
          sources.wait()
        }
      }
    }
  }
}

/// What is waited for, and what is to be done about it.
private struct WatchSources: ~Copyable {
  var files: FileWatch
  let timer: WakeTimer
  let signals: SignalWatch
  var plan = WatchPlan()

  mutating func readSignals() {
    for request in signals.read() {
      switch request {
      case .reload: plan.noteHangUp()
      case .stop: plan.noteStop()
      }
    }
  }

  mutating func read() throws(SystemFailure) {
    readSignals()
    if timer.read() { plan.noteAlarm() }
    try readFiles()
  }

  mutating func readFiles() throws(SystemFailure) {
    let changes = try files.read()
    let now = ZoneClock.passed
    for file in changes.written { plan.noteWriting(to: file, at: now) }
    for file in changes.changed { plan.noteChange(of: file, at: now) }
  }

  /// Blocks until there is something to read, or the plan's next step is due.
  ///
  /// - SeeAlso: `poll(2)`.
  func wait() {
    var requests = [files.descriptor, timer.descriptor, signals.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let timeout = plan.next.map { Self.milliseconds($0 - ZoneClock.passed) } ?? -1
    // Whatever ends it, a signal too, the descriptors are read next.
    _ = unsafe poll(&requests, nfds_t(requests.count), timeout)
  }

  /// Rounded up, so that no step is waited for in vain.
  private static func milliseconds(_ time: Duration) -> Int32 {
    let (seconds, attoseconds) = max(time, .zero).components
    return Int32(min(seconds, 3_600)) * 1_000 + Int32(attoseconds / 1_000_000_000_000_000) + 1
  }
}

import Dispatch
import Loans
import Notifiers
import Synchronization
import System
import SystemPackage

/// The programs that fetch catalogues for `watch`, each on a thread of its own: no notice waits for a
/// server.
///
/// What was fetched replaces the file that is watched, and so is read like any other catalogue.
final class BackgroundFetches: Sendable {
  /// What is known of one between two runs.
  private struct Fetch {
    var isRunning = false
    /// When to run it, on a clock that never jumps.
    var next = Duration.zero
    var retry = RetryPause()
    /// The failure that was reported last; `nil` once it works.
    var reported: String?
  }

  private struct State {
    var fetches: [[String]: Fetch] = [:]
    /// The writing end of ``stop``; once it is closed, the programs are stopped.
    var end: OpenFile?
  }

  private let state: Mutex<State>
  private let stop: OpenFile
  private let console: Console
  private let threads = DispatchGroup()

  /// The time after which to see whether those that run have ended.
  private static let look = Duration.seconds(30)

  /// - Throws: `Errno` if the system cannot give a pipe.
  init(_ console: Console) throws(Errno) {
    let pipe = try OpenFile.pipe()
    stop = pipe.reading
    state = Mutex(State(end: pipe.writing))
    self.console = console
  }

  /// Starts those whose time has come, or all.
  ///
  /// - Returns: when to call this again; `nil` if there is nothing to fetch.
  func start(_ fetches: [CatalogueFetch], all: Bool, at moment: Duration) -> Duration? {
    fetches.compactMap { fetch -> Duration? in
      // Another command line is fetched at once.
      let key = [fetch.name] + fetch.command
      let isDue = state.withLock { state in
        var known = state.fetches[key, default: Fetch()]
        let isDue = !known.isRunning && (all || known.next <= moment)
        known.isRunning = known.isRunning || isDue
        state.fetches[key] = known
        return isDue
      }
      if isDue { start(fetch, key) }
      let known = state.withLock { $0.fetches[key] }
      return known.map { $0.isRunning ? moment + Self.look : $0.next }
    }.min()
  }

  /// Stops the programs that run, and returns when they have ended.
  func close() {
    state.withLock { $0.end = nil }
    threads.wait()
  }

  private func start(_ fetch: CatalogueFetch, _ key: [String]) {
    threads.enter()
    do throws(Errno) {
      try SystemThread { [self] in
        var failure: CommandError?
        do throws(CommandError) { try fetch.keep(stop: stop) } catch { failure = error }
        note(failure?.message, of: fetch, key)
        threads.leave()
      }.detach()
    } catch {
      note("\(fetch.name): \(StartFailure(error).words)", of: fetch, key)
      threads.leave()
    }
  }

  /// Notes the end of a run, and reports a failure once.
  private func note(_ failure: String?, of fetch: CatalogueFetch, _ key: [String]) {
    let now = LocalClock.uptime
    let line = state.withLock { state -> String? in
      var known = state.fetches[key, default: Fetch()]
      let reported = known.reported
      (known.isRunning, known.reported) = (false, failure)
      if failure == nil { known.retry = RetryPause() }
      let next = now + fetch.pause
      known.next = failure == nil ? next : min(next, known.retry.noteFailure(at: now))
      state.fetches[key] = known
      // What is stopped has not failed.
      if reported == failure || state.end == nil { return nil }
      return failure ?? "\(fetch.name.visible): fetched again"
    }
    if let line { console.printError(line) }
  }
}

/// Something that concerns a running `watch`.
enum WatchEvent: Hashable, Sendable {
  /// The catalogue with this place in the command line has changed, or is to be read again.
  case catalogue(Int)
  /// The settings file, or a profile's, has changed.
  case settings
  /// The file that sets the system's time zone has changed.
  case systemZone
  /// Every file may have changed.
  case everything
  /// What programs fetch is wanted now.
  case fetch
  /// Something may have become due, or the clock was set.
  case due
}

/// Decides when events are to be handled: pure, without any clock or file of its own.
///
/// A burst of changes to a file is one event: it is read once nothing has happened to it for ``quiet``,
/// and no later than ``longest`` after the first change. Moments are on a clock that never jumps.
struct WatchPlan {
  /// The time that a file must be left alone before it is read.
  static let quiet = Duration.milliseconds(150)
  /// The time after which it is read even if the changes go on.
  static let longest = Duration.milliseconds(700)
  /// The time that a file which somebody is writing, and has not closed, must be left alone.
  static let writingQuiet = Duration.seconds(1)

  private struct Burst {
    /// The first change, if one of them was a whole one.
    var start: Duration?
    var end: Duration
  }

  private var bursts: [WatchEvent: Burst] = [:]

  /// Notes that a file was written and closed, replaced, removed or created, or its permissions changed.
  mutating func noteChange(of file: WatchEvent, at moment: Duration) {
    let start = bursts[file]?.start ?? moment
    bursts[file] = Burst(start: start, end: min(moment + Self.quiet, start + Self.longest))
  }

  /// Notes that somebody writes to a file and has not closed it.
  mutating func noteWriting(to file: WatchEvent, at moment: Duration) {
    let start = bursts[file]?.start
    let end = moment + Self.writingQuiet
    bursts[file] = Burst(start: start, end: start.map { min(end, $0 + Self.longest) } ?? end)
  }

  /// Has an event handled at a moment, `.zero` for at once, unless that is to be done before.
  mutating func note(_ event: WatchEvent, at moment: Duration = .zero) {
    let end = min(bursts[event]?.end ?? moment, moment)
    bursts[event] = Burst(start: bursts[event]?.start, end: end)
  }

  /// The moment of the next event if nothing else happens; `nil` for never.
  var next: Duration? { bursts.values.map(\.end).min() }

  /// Removes the events to handle at a moment from the plan and returns them.
  mutating func events(at moment: Duration) -> Set<WatchEvent> {
    let events = Set(bursts.filter { $0.value.end <= moment }.keys)
    // What is due is delivered after every event.
    if !events.isEmpty { bursts[.due] = nil }
    if events.contains(.everything) { bursts = [:] }
    for event in events { bursts[event] = nil }
    return events
  }
}

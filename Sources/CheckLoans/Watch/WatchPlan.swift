/// A file whose changes concern a running `watch`.
enum WatchedFile: Hashable, Sendable {
  /// A catalogue, by its place in the command line.
  case catalogue(Int)
  /// The settings file.
  case settings
  /// The file that sets the system's time zone.
  case systemZone
}

/// The things to do now.
struct WatchStep: Hashable, Sendable {
  /// The files to read.
  var files: Set<WatchedFile> = []
  /// Whether every file is to be read.
  var concernsAll = false
  /// Whether something may have become due, or the clock was set.
  var isDue = false
  /// Whether to stop.
  var stops = false
}

/// Turns events into steps: pure, without any clock or file of its own.
///
/// A burst of changes to a file is one step: it is read once nothing has happened to it for ``quiet``,
/// and no later than ``longest`` after the first change. Moments are on a clock that never jumps.
struct WatchPlan {
  /// A moment, from any fixed beginning.
  typealias Moment = Duration

  /// The time that a file must be left alone before it is read.
  static let quiet = Duration.milliseconds(150)
  /// The time after which it is read even if the changes go on.
  static let longest = Duration.milliseconds(700)
  /// The time that a file which somebody is writing, and has not closed, must be left alone.
  static let writingQuiet = Duration.seconds(1)

  private struct Burst {
    /// The first change, if one of them was a whole one.
    var start: Moment?
    var end: Moment
  }

  private var bursts: [WatchedFile: Burst] = [:]
  private var delivery: Moment?
  private var fullLook: Moment?
  private var atOnce = WatchStep()

  /// Notes that a file was written and closed, replaced, removed or created, or its permissions changed.
  mutating func noteChange(of file: WatchedFile, at moment: Moment) {
    let start = bursts[file]?.start ?? moment
    bursts[file] = Burst(start: start, end: min(moment + Self.quiet, start + Self.longest))
  }

  /// Notes that somebody writes to a file and has not closed it.
  mutating func noteWriting(to file: WatchedFile, at moment: Moment) {
    let start = bursts[file]?.start
    let end = moment + Self.writingQuiet
    bursts[file] = Burst(start: start, end: start.map { min(end, $0 + Self.longest) } ?? end)
  }

  /// Has a file that could not be used read again, unless it changes before.
  mutating func lookAgain(at file: WatchedFile, at moment: Moment) {
    if bursts[file] == nil { bursts[file] = Burst(start: nil, end: moment) }
  }

  /// Has what could not be delivered tried again, unless there is reason to do so before.
  mutating func deliverAgain(at moment: Moment) {
    delivery = min(delivery ?? moment, moment)
  }

  /// Has everything read again: it was asked for, or changes were lost.
  mutating func noteHangUp() { atOnce.concernsAll = true }

  /// Has everything read again at a moment: changes may be missed until then.
  mutating func lookAtAll(at moment: Moment) {
    fullLook = min(fullLook ?? moment, moment)
  }

  /// Notes that the moment to wake up has come, or the clock was set.
  mutating func noteWaking() { atOnce.isDue = true }

  /// Notes that the program is to stop.
  mutating func noteStop() { atOnce.stops = true }

  /// Whether the program is to stop.
  var stops: Bool { atOnce.stops }

  /// The moment of the next step if nothing else happens; `nil` for never.
  var next: Moment? {
    if atOnce != WatchStep() { return .zero }
    return (bursts.values.map(\.end) + [delivery, fullLook].compactMap { $0 }).min()
  }

  /// Removes what is to be done at a moment from the plan and returns it; `nil` if that is nothing.
  mutating func step(at moment: Moment) -> WatchStep? {
    var step = atOnce
    step.files = Set(bursts.filter { $0.value.end <= moment }.keys)
    if let delivery, delivery <= moment { step.isDue = true }
    if let fullLook, fullLook <= moment { step.concernsAll = true }
    guard step != WatchStep() else { return nil }
    atOnce = WatchStep()
    if step.concernsAll { (bursts, fullLook) = ([:], nil) }
    for file in step.files { bursts[file] = nil }
    // Delivery follows every step.
    delivery = nil
    return step
  }
}

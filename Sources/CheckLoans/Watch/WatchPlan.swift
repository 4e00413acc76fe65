/// What can change under a program that stays.
enum WatchedFile: Hashable, Sendable {
  /// A catalogue, by its place in the command line.
  case catalogue(Int)
  /// The settings file.
  case settings
  /// What names the system's time zone.
  case systemZone
}

/// What is to be done now.
struct WatchStep: Hashable, Sendable {
  /// The files that are to be looked at.
  var files: Set<WatchedFile> = []
  /// Whether every file is to be looked at.
  var concernsAll = false
  /// Whether something may have become due, or the clock was set.
  var isDue = false
  /// Whether to end.
  var stops = false
}

/// Turns what happens into steps: pure, without any clock or file of its own.
///
/// A burst of changes to a file is one step: it is looked at once nothing has happened to it for
/// ``quiet``, and no later than ``longest`` after the first change. Moments are on a clock that
/// never jumps.
struct WatchPlan {
  /// A moment, from any fixed beginning.
  typealias Moment = Duration

  /// How long a file must be left alone before it is looked at.
  static let quiet = Duration.milliseconds(150)
  /// After so long it is looked at even if the changes go on.
  static let longest = Duration.milliseconds(700)
  /// How long a file that somebody writes, and has not closed, must be left alone.
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

  /// A file was written and closed, replaced, removed, made, or its permissions were changed.
  mutating func noteChange(of file: WatchedFile, at moment: Moment) {
    let start = bursts[file]?.start ?? moment
    bursts[file] = Burst(start: start, end: min(moment + Self.quiet, start + Self.longest))
  }

  /// Somebody writes to a file and has not closed it.
  mutating func noteWriting(to file: WatchedFile, at moment: Moment) {
    let start = bursts[file]?.start
    let end = moment + Self.writingQuiet
    bursts[file] = Burst(start: start, end: start.map { min(end, $0 + Self.longest) } ?? end)
  }

  /// A file could not be used: it is looked at again, unless it changes before.
  mutating func lookAgain(at file: WatchedFile, at moment: Moment) {
    if bursts[file] == nil { bursts[file] = Burst(start: nil, end: moment) }
  }

  /// Something could not be delivered: it is tried again, unless there is reason to do so before.
  mutating func deliverAgain(at moment: Moment) {
    delivery = min(delivery ?? moment, moment)
  }

  /// Everything is to be read anew: it was asked for, or changes were lost.
  mutating func noteHangUp() { atOnce.concernsAll = true }

  /// Everything is to be read anew then: changes may be missed until it is.
  mutating func lookAtAll(at moment: Moment) {
    fullLook = min(fullLook ?? moment, moment)
  }

  /// The moment to wake up at has come, or the clock was set.
  mutating func noteWaking() { atOnce.isDue = true }

  /// The program is to end.
  mutating func noteStop() { atOnce.stops = true }

  /// Whether the program is to end.
  var stops: Bool { atOnce.stops }

  /// When there will be a step if nothing else happens; `nil` for never.
  var next: Moment? {
    if atOnce != WatchStep() { return .zero }
    return (bursts.values.map(\.end) + [delivery, fullLook].compactMap { $0 }).min()
  }

  /// Takes what is to be done at a moment out of the plan; `nil` if that is nothing.
  mutating func step(at moment: Moment) -> WatchStep? {
    var step = atOnce
    step.files = Set(bursts.filter { $0.value.end <= moment }.keys)
    if let delivery, delivery <= moment { step.isDue = true }
    if let fullLook, fullLook <= moment { step.concernsAll = true }
    guard step != WatchStep() else { return nil }
    atOnce = WatchStep()
    if step.concernsAll { (bursts, fullLook) = ([:], nil) }
    for file in step.files { bursts[file] = nil }
    // Whatever is read anew is delivered anew.
    delivery = nil
    return step
  }
}

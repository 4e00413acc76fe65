import CommandOutput

/// Reports problems that come back again and again, each line about a subject only when it is new.
///
/// If the schedule cannot be opened at seven and at eight for the same reason, that is printed once.
struct Reporter {
  /// Something that can go wrong.
  enum Subject: Hashable {
    case schedule, settings, directories, changes, action, age
    /// The channel or catalogue of this name.
    case channel(String), catalogue(String)
    /// The calendars of these closed days.
    case calendars(ClosedDaySetting)
    /// The clock of this time zone.
    case clock(String)
  }

  let console: Console
  private var reported: [Subject: [String]] = [:]

  init(_ console: Console) { self.console = console }

  /// Prints the sentences about a subject that were not among those of the last time.
  package mutating func report(_ sentences: [String], about subject: Subject) {
    report(lines: sentences.map { "check-loans: \($0)" }, about: subject)
  }

  /// Prints a sentence about a subject unless it was that of the last time.
  package mutating func report(_ sentence: String?, about subject: Subject) {
    report(sentence.map { [$0] } ?? [], about: subject)
  }

  /// Prints the lines about a subject that were not among those of the last time.
  package mutating func report(lines: [String], about subject: Subject) {
    for line in newLines(in: lines, about: subject) { console.printError(line: line) }
  }

  /// The lines about a subject that were not among those of the last time.
  mutating func newLines(in lines: [String], about subject: Subject) -> [String] {
    let before = reported.updateValue(lines, forKey: subject) ?? []
    return lines.filter { !before.contains($0) }
  }
}

/// The pause before something that failed is tried again: a minute, and each time that this fails too,
/// twice as long, up to five minutes.
struct RetryPause {
  private static let first = Duration.seconds(60)
  private static let longest = Duration.seconds(300)

  private var length = Self.first
  private var end: Duration?

  /// Notes that it failed; failing before it was to be tried again does not put that off.
  ///
  /// - Parameter moment: when it failed, on a clock that never jumps.
  /// - Returns: the moment at which to try again.
  mutating func noteFailure(at moment: Duration) -> Duration {
    if let end {
      if moment < end { return end }
      length = min(length * 2, Self.longest)
    }
    let next = moment + length
    end = next
    return next
  }
}

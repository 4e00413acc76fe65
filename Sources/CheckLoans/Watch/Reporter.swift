/// Reports problems that come back again and again, each line about a subject only when it is new.
///
/// If the schedule cannot be opened at seven and at eight for the same reason, that is printed once.
struct Reporter {
  /// Something that can go wrong.
  enum Subject: Hashable {
    case schedule, settings, timeZone, directories, changes, action
    case channel(String)
    /// Of this time zone.
    case clock(String)
  }

  let console: Console
  private var reported: [Subject: [String]] = [:]

  init(_ console: Console) { self.console = console }

  /// Prints the lines about a subject that were not among those of the last time.
  mutating func report(_ lines: [String], about subject: Subject, ending: String = "") {
    for line in news(in: lines, about: subject) { console.printError(line + ending) }
  }

  /// Prints a line about a subject unless it was the line of the last time.
  mutating func report(_ line: String?, about subject: Subject, ending: String = "") {
    report(line.map { [$0] } ?? [], about: subject, ending: ending)
  }

  /// The lines about a subject that were not among those of the last time.
  mutating func news(in lines: [String], about subject: Subject) -> [String] {
    let before = reported.updateValue(lines, forKey: subject) ?? []
    return lines.filter { !before.contains($0) }
  }

  /// Whether this was the line of the last time.
  func hasReported(_ line: String, about subject: Subject) -> Bool { reported[subject] == [line] }
}

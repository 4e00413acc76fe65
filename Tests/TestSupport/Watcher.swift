import Loans
package import Testing

/// A running `check-loans watch` on a desk, with a clock that shows what the test needs.
package final class Watcher: Sendable {
  package let desk: Desk
  package let clock: ShownClock
  private let process: RunningCommand

  /// Starts it.
  ///
  /// - Parameters:
  ///   - books: the catalogue `books.xml`: titles, and the days until their expirations.
  ///   - time: what the clock shows when it starts.
  ///   - launcher: what runs it in its own place, a program with arguments.
  ///   - prepare: makes the desk ready.
  package init(
    _ books: [(title: String, days: Int)] = [], at time: String = "12:00:00",
    _ arguments: [String] = ["books.xml"], variables: [String: String] = [:],
    output: Command.Output? = nil, launcher: [String] = [],
    prepare: (inout Desk) throws -> Void = { _ in }
  ) throws {
    clock = try #require(ShownClock(showing: time))
    var desk = try Desk(now: nil)
    desk.environment["TZ"] = clock.zone
    desk.environment.merge(variables) { _, new in new }
    try desk.folder.write(clock.catalogue(books), to: "books.xml")
    try prepare(&desk)
    self.desk = desk
    var command = desk.command(["watch"] + arguments)
    if let program = launcher.first {
      command.program = program
      command.arguments = launcher.dropFirst() + [Command.checkLoans] + command.arguments
    }
    command.deadline = .seconds(600)
    command.output = output ?? .appended("\(desk.folder.path)/out")
    command.errors = .appended("\(desk.folder.path)/err")
    process = try RunningCommand(command)
  }

  /// `HH:MM:SS`, so many seconds after midnight.
  package static func time(_ secondOfDay: Int) throws -> String {
    let time = try #require(CivilTime(secondOfDay: secondOfDay))
    return String(CivilDateTime(.first, time).description.dropFirst("0001-01-01T".count))
  }

  /// Its number.
  package var identifier: Int32 { process.identifier }

  /// What it has printed so far.
  package var lines: [String] { lines(of: "out") }

  /// What it has told on standard error so far.
  package var errors: [String] { lines(of: "err") }

  private func lines(of name: String) -> [String] {
    desk.folder.contents(of: name).split(separator: "\n").map(String.init)
  }

  /// The titles of the notices printed so far.
  package var titles: [String] { lines.map { String($0.split(separator: "\"").first ?? "") } }

  package func send(_ signal: Signal) { process.send(signal) }

  /// Replaces the catalogue's content in place.
  package func write(_ books: [(title: String, days: Int)], to name: String = "books.xml") throws {
    try desk.folder.write(clock.catalogue(books), to: name)
  }

  /// Waits until something is so, at most for some seconds.
  ///
  /// - Returns: the instant at which it was seen to be so.
  @discardableResult
  package func wait(
    seconds: Double = 60, _ what: Comment? = nil,
    sourceLocation: Testing.SourceLocation = #_sourceLocation, until isSo: () -> Bool
  ) async throws -> Double {
    let end = ShownClock.now + seconds
    while !isSo() {
      guard ShownClock.now < end else {
        Issue.record(
          "\(what ?? "it did not happen") — out: \(lines), err: \(errors)",
          sourceLocation: sourceLocation)
        throw Late()
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    return ShownClock.now
  }

  /// Waits for notices about these titles, in any order, and no others.
  @discardableResult
  package func wait(
    for titles: [String], seconds: Double = 60,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws -> Double {
    try await wait(seconds: seconds, sourceLocation: sourceLocation) {
      self.titles.sorted() == titles.sorted()
    }
  }

  /// Whether it has taken up its work before an instant; waits until then.
  package func isReady(before instant: Double) async throws -> Bool {
    while ShownClock.now < instant - 1 {
      if errors.contains(where: { $0.contains("next check at") }) { return true }
      try await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  /// Waits for notices, and expects them within the second that begins at an instant.
  ///
  /// A machine that is too busy to let the test itself look every few milliseconds is given more.
  package func expect(
    _ titles: [String], at instant: Double,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws {
    var last = ShownClock.now
    var pause = 0.0
    let seen = try await wait(sourceLocation: sourceLocation) {
      if last > instant - 1 { pause = max(pause, ShownClock.now - last) }
      last = ShownClock.now
      return self.titles.sorted() == titles.sorted()
    }
    #expect(seen >= instant, sourceLocation: sourceLocation)
    #expect(seen < instant + 1 + (pause > 0.1 ? 10 * pause : 0), sourceLocation: sourceLocation)
  }

  /// Lets it go on for a while.
  package func pass(seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds)) }

  /// Ends it as a service manager does.
  @discardableResult
  package func end(_ signal: Signal = .terminate) async throws -> CommandResult {
    process.send(signal)
    return try await process.end()
  }

  /// Waits until it ends by itself.
  package func result() async throws -> CommandResult { try await process.end() }

  package struct Late: Error {
    package init() {}
  }
}

extension ShownClock {
  /// A catalogue of titles that expire so many days from now.
  package func catalogue(_ books: [(title: String, days: Int)]) -> String {
    TestSupport.catalogue(books.map { ($0.title, today.adding(days: $0.days).dotted) })
  }
}

package import Testing

/// A librarian's desk: a scratch folder in which the command is run, with a catalogue in it and
/// with the command's state below it.
package struct Desk: Sendable {
  package let folder: ScratchFolder
  /// The environment of every run.
  package var environment: [String: String]
  /// What every run takes for the time, unless its arguments say otherwise.
  package var now: String?

  /// Where the schedule is kept, in the folder.
  package static let state = "state/check-loans/schedule.sqlite"

  /// The project's own catalogue.
  package static let books = "\(projectDirectory)/books.xml"

  /// A desk on a certain day, with a copy of the project's `books.xml`, or with another catalogue
  /// of that name.
  package init(now: String? = "2026-11-21T07:00", catalogue: String? = nil) throws {
    folder = try ScratchFolder()
    environment = [
      "PATH": "/usr/bin:/bin", "HOME": folder.path, "XDG_STATE_HOME": "\(folder.path)/state",
      "TZ": "UTC", "LC_ALL": "C",
    ]
    self.now = now
    try folder.write(catalogue ?? File.text(of: Self.books), to: "books.xml")
  }

  /// The command with these arguments, to be run on the desk.
  package func command(_ arguments: [String]) -> Command {
    var environment = environment
    if let now, environment["CHECK_LOANS_NOW"] == nil { environment["CHECK_LOANS_NOW"] = now }
    return Command(
      Command.checkLoans, arguments, environment: environment, directory: folder.path)
  }

  /// Runs the command.
  ///
  /// - Parameter variables: added to the environment of this run.
  @discardableResult
  package func run(
    _ arguments: String..., variables: [String: String] = [:], input: Command.Input = .nothing,
    output: Command.Output = .captured, errors: Command.Output = .captured
  ) async throws -> CommandResult {
    try await run(
      arguments, variables: variables, input: input, output: output, errors: errors)
  }

  /// Runs the command.
  @discardableResult
  package func run(
    _ arguments: [String], variables: [String: String] = [:], input: Command.Input = .nothing,
    output: Command.Output = .captured, errors: Command.Output = .captured
  ) async throws -> CommandResult {
    var command = command(arguments)
    command.environment.merge(variables) { _, new in new }
    command.input = input
    command.output = output
    command.errors = errors
    return try await command.run()
  }

  /// Lists catalogues in the settings file, so that they are delivered although nobody read them with
  /// `--notify`.
  package func list(_ names: String...) throws {
    let paths = (names.isEmpty ? ["books.xml"] : names).map { "\"\(folder.path)/\($0)\"" }
    try writeSettings("catalogues = [\(paths.joined(separator: ", "))]\n")
  }

  /// Runs a line of shell with the command as `$0`.
  package func shell(_ line: String) async throws -> CommandResult {
    var command = command(["-c", line, Command.checkLoans])
    command.program = "/bin/sh"
    return try await command.run()
  }

  /// Replaces a part of the catalogue that is in it once.
  package func edit(_ old: String, to new: String) throws {
    let text = folder.contents(of: "books.xml")
    let parts = text.split(separator: old, omittingEmptySubsequences: false)
    precondition(parts.count == 2, "\(old) is \(parts.count - 1) times in the catalogue")
    try folder.write(parts.joined(separator: new), to: "books.xml")
  }

  /// The bytes of the schedule's file.
  package func stateBytes() throws -> [UInt8] { try File.bytes(of: "\(folder.path)/\(Self.state)") }

  /// All that `schedule list` tells.
  package func schedule(at now: String? = nil) async throws -> [ScheduleLine] {
    let time = now.map { ["--now", $0] } ?? []
    let result = try await run(["schedule", "list", "--format", "json"] + time)
    guard result.status == 0 else { throw ScheduleUnreadable(result: result) }
    return try JSON(parsing: result.text).reminders.elements.map(ScheduleLine.init)
  }

  /// The titles that are pending, or failed and so still to be delivered.
  package func pending(at now: String? = nil) async throws -> [String] {
    try await schedule(at: now).filter { ["pending", "failed"].contains($0.state) }.map(\.title)
  }

  /// Fails unless all that was started on the desk ends, long before it would by itself.
  package func expectNothingRunning(
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws {
    var left = Processes.mentioning(folder.path)
    for _ in 0..<300 where !left.isEmpty {
      try await Task.sleep(for: .milliseconds(50))
      left = Processes.mentioning(folder.path)
    }
    #expect(left == [:], sourceLocation: sourceLocation)
    for number in left.keys { Processes.kill(number) }
  }

  /// All files but catalogues, by path and content.
  package func contents() throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try File.names(below: folder.path) where !name.hasSuffix(".xml") {
      contents[name] = try? File.bytes(of: name)
    }
    return contents
  }

  private struct ScheduleUnreadable: Error {
    let result: CommandResult
  }
}

// MARK: - Settings

extension Desk {
  /// The name of the standard settings file in the folder.
  package static let settings = ".config/check-loans/config.toml"

  /// Writes the standard settings file.
  package func writeSettings(_ text: String) throws {
    if !folder.contains(".config") {
      try folder.makeDirectory(".config")
      try folder.makeDirectory(".config/check-loans")
    }
    try folder.write(text, to: Desk.settings)
  }

  /// What is in force, by the options' names.
  package func inForce(
    _ arguments: String..., variables: [String: String] = [:]
  ) async throws -> [String: JSON] {
    let result = try await run(["config", "--format", "json"] + arguments, variables: variables)
    let json = try JSON(parsing: result.text)
    var settings: [String: JSON] = [:]
    for setting in json.settings.elements { settings[setting.name.text ?? ""] = setting }
    return settings
  }
}

/// One entry of `schedule list --format json`, as far as most tests ask.
package struct ScheduleLine: Hashable {
  package var id: Int
  package var title: String
  package var kind: String
  package var expiration: String
  package var fireAt: String
  package var state: String

  package init(_ entry: JSON) {
    id = entry.id.number ?? -1
    title = entry.loan.title.text ?? ""
    kind = entry.kind.text ?? ""
    expiration = entry.expiration.text ?? ""
    fireAt = entry.fireAt.text ?? ""
    state = entry.state.text ?? ""
  }
}

/// Where the package's sources are.
package let projectDirectory = directory(of: directory(of: directory(of: #filePath)))

private func directory(of path: String) -> String {
  path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
}

/// A catalogue in the native form, a book a line from line 2 on.
package func catalogue(_ books: (title: String, expiration: String?)...) -> String {
  catalogue(books)
}

/// A catalogue in the native form, a book a line from line 2 on.
package func catalogue(_ books: [(title: String, expiration: String?)]) -> String {
  var text = "<books>\n"
  for book in books {
    let expiration = book.expiration.map { "<expiration>\($0)</expiration>" } ?? ""
    text += "<book><title>\(book.title.inXML)</title>\(expiration)</book>\n"
  }
  return text + "</books>\n"
}

extension String {
  /// The text N times.
  package func repeated(_ count: Int) -> String { String(repeating: self, count: count) }

  /// The text in an XML document, where it comes out unchanged.
  package var inXML: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case "\r": text += "&#13;"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

package typealias Outcome = CommandResult.Outcome

import ArgumentParser
import CommandOutput
import Glibc
import Runs
import Settings

@main
enum Main {
  /// The console, which lives as long as the process.
  private static let console = Console()

  static func main() {
    ProcessSetup.run()
    let status = status(console)
    StopSignals.reraise()
    exit(status.rawValue)
  }

  private static func status(_ console: Console) -> ExitStatus {
    do {
      let status = try run(console)
      try console.flush()
      return status
    } catch {
      let error = CommandError(error)
      try? console.flush()
      if let message = error.message { console.printError(message) }
      return error.status
    }
  }

  private static func run(_ console: Console) throws -> ExitStatus {
    let arguments = try ProcessSetup.arguments()
    if arguments == ["--version"] || arguments == ["-V"] {
      try console.print(line: ProgramVersion.text)
      return .done
    }
    try MistakenCommand.checkHelp(arguments)
    // The parser would take the next argument for the value.
    if let empty = arguments.prefix(while: { $0 != "--" }).first(where: {
      $0.hasPrefix("--") && $0.firstIndex(of: "=") == $0.indices.last
    }) {
      throw CommandError(.usage, "\(empty.dropLast()) needs a value")
    }
    let whole = RootCommand.withCommand(arguments)
    let (type, words) = RootCommand.command(of: whole)
    guard let type = type as? any Subcommand.Type else { return try answer(whole, console) }
    return try run(type, words.count, whole, arguments, console)
  }

  /// - Parameters:
  ///   - words: the number of words that name the command.
  ///   - whole: the arguments, which begin with these.
  ///   - arguments: the same as they were given.
  private static func run<Command: Subcommand>(
    _ type: Command.Type, _ words: Int, _ whole: [String], _ arguments: [String],
    _ console: Console
  ) throws -> ExitStatus {
    let line = Array(whole.dropFirst(words))
    let (command, environment): (Command, Environment)
    do {
      (command, environment) = try type.completed(line, try .ofProcess())
    } catch {
      // Help is asked for, or the line itself is wrong, which comes before what is set elsewhere.
      if (try? type.parseAsRoot(line)) is Command { throw error }
      return try answer(whole, console)
    }
    if command is CheckCommand {
      try MistakenCommand.check(
        arguments, catalogues: command.files, isFetched: environment.isFetched)
    }
    try SystemLimits.checkDescriptors()
    for warning in command.warnings(environment) { console.printError(warning) }
    return try command.run(environment, console)
  }

  /// Prints what is asked of the program as a whole: help, the version or a completion script.
  ///
  /// - Parameter arguments: with the word of their command first.
  /// - Throws: ``CommandError`` with the status `usage` if it was none of these.
  private static func answer(
    _ arguments: [String], _ console: Console
  ) throws -> ExitStatus {
    do {
      var command = try RootCommand.parseAsRoot(arguments)
      try command.run()
    } catch {
      guard RootCommand.exitCode(for: error).isSuccess else {
        throw CommandError(.usage, MistakenCommand.message(for: error, arguments))
      }
      let text = RootCommand.fullMessage(for: error)
      try console.print(line: text + CompletionScript.addition(to: text))
    }
    return .done
  }
}

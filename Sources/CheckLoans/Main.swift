import ArgumentParser
import Glibc
import Loans
import System

@main
enum Main {
  /// The console, which lives as long as the process.
  private static let console = Console()

  static func main() {
    ProcessSetup.run()
    let status = status(console)
    StopSignals.endByNotedSignal()
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
    let words = arguments.prefix { $0 != "--" }
    if let empty = words.first(where: {
      $0.hasPrefix("--") && $0.firstIndex(of: "=") == $0.indices.last
    }) {
      throw CommandError(.usage, "\(empty.dropLast()) needs a value")
    }
    guard let (command, line) = try parse(RootCommand.withCommand(arguments), console) else {
      return .done
    }
    if let check = command as? CheckCommand {
      try MistakenCommand.check(arguments, catalogues: check.options.catalogues) { name in
        // Nobody else needs the settings before it is known which command is meant.
        (try? check.completed(line, .ofProcess()))?.environment.isFetched(name) ?? false
      }
    }
    try SystemLimits.checkDescriptors()
    return try run(command, line, console)
  }

  private static func run(
    _ command: some Subcommand, _ line: [String], _ console: Console
  ) throws -> ExitStatus {
    let (command, environment) = try command.completed(line, try .ofProcess())
    for warning in command.warnings(environment) { console.printError(warning) }
    return try command.run(environment, console)
  }

  /// - Parameter arguments: with the words of the command first.
  /// - Returns: the command, and the arguments after its words; `nil` if help, the version or a
  ///   completion script was asked for and printed.
  private static func parse(
    _ arguments: [String], _ console: Console
  ) throws -> (command: any Subcommand, line: [String])? {
    let (type, words) = RootCommand.command(of: arguments)
    let line = Array(arguments.dropFirst(words.count))
    // To parse all from the root takes several times as long.
    if let command = try? type.parseAsRoot(line) as? any Subcommand { return (command, line) }
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
    return nil
  }
}

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
    var arguments = try ProcessSetup.arguments()
    if arguments == ["-V"] { arguments = ["--version"] }
    try MistakenCommand.checkHelp(arguments)
    // The parser would take the next argument for the value.
    let words = arguments.prefix { $0 != "--" }
    if let empty = words.first(where: {
      $0.hasPrefix("--") && $0.firstIndex(of: "=") == $0.indices.last
    }) {
      throw CommandError(.usage, "\(empty.dropLast()) needs a value")
    }
    guard let command = try parse(arguments, console) else { return .done }
    if let check = command as? CheckCommand {
      try MistakenCommand.check(arguments, catalogues: check.options.catalogues)
    }
    try SystemLimits.checkDescriptors()
    return try run(command, arguments, console)
  }

  private static func run(
    _ command: some Subcommand, _ arguments: [String], _ console: Console
  ) throws -> ExitStatus {
    let (command, environment) = try command.completed(arguments, try .ofProcess())
    for warning in command.warnings(environment) { console.printError(warning) }
    return try command.run(environment, console)
  }

  /// - Returns: `nil` if help, the version or a completion script was asked for and printed.
  private static func parse(
    _ arguments: [String], _ console: Console
  ) throws -> (any Subcommand)? {
    do {
      var command = try RootCommand.parseAsRoot(arguments)
      if let command = command as? any Subcommand { return command }
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

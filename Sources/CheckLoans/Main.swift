import ArgumentParser

/// A subcommand of `check-loans`.
protocol Subcommand: ParsableCommand {
  /// Does the command's work.
  ///
  /// - Throws: ``CommandError``.
  func run(_ environment: Environment, _ console: Console) async throws(CommandError) -> ExitStatus
}

@main
enum Main {
  static func main() async {
    ProcessSetup.run()
    let console = Console()
    CheckLoans.exit(withError: ExitCode(await run(console).rawValue))
  }

  private static func run(_ console: Console) async -> ExitStatus {
    do throws(CommandError) {
      guard let command = try parse(console) else {
        try console.flush()
        return .done
      }
      let status = try await command.run(.ofProcess(), console)
      try console.flush()
      return status
    } catch {
      if let message = error.message { console.complain(message) }
      return error.status
    }
  }

  /// - Returns: `nil` if help, the version or a completion script was asked for and printed.
  private static func parse(_ console: Console) throws(CommandError) -> (any Subcommand)? {
    do {
      var command = try CheckLoans.parseAsRoot()
      if let command = command as? any Subcommand { return command }
      try command.run()
    } catch {
      let text = CheckLoans.fullMessage(for: error)
      guard CheckLoans.exitCode(for: error).isSuccess else {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
          console.complain(line: String(line))
        }
        throw CommandError(.usage, nil)
      }
      try console.print(line: text)
    }
    return nil
  }
}

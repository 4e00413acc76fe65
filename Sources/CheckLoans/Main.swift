import ArgumentParser
import Dispatch
import Glibc
import Loans
import Synchronization

/// What the program was asked to do.
protocol Job: Sendable {
  /// Where the settings file is that it goes by.
  var settings: SettingsPlace { get }

  /// Does it.
  ///
  /// - Throws: ``CommandError``.
  func run(_ environment: Environment, _ console: Console) async throws(CommandError) -> ExitStatus

  /// Does it if that takes no thread but this one, and so neither a pool of threads nor making sure
  /// that they can be had.
  ///
  /// - Returns: `nil` if it takes more; then nothing was done.
  /// - Throws: ``CommandError``.
  func runAlone(_ environment: Environment, _ console: Console) throws(CommandError) -> ExitStatus?
}

extension Job {
  func runAlone(
    _ environment: Environment, _ console: Console
  ) throws(CommandError) -> ExitStatus? { nil }
}

/// Where a settings file is.
enum SettingsPlace: Sendable {
  /// None is read.
  case none
  /// The file that the command line names, else that of the variable or of the standard place.
  case file(named: String?)
}

/// A subcommand of `check-loans`, with or without settings.
protocol AnySubcommand: ParsableCommand, Job {}

extension AnySubcommand {
  var settings: SettingsPlace { .none }
}

/// A subcommand that goes by the settings file.
protocol Subcommand: AnySubcommand {
  /// Where the settings and the schedule are kept.
  var state: StateOptions { get }
}

extension Subcommand {
  var settings: SettingsPlace { .file(named: state.config) }
}

@main
enum Main {
  /// It is there until the process is gone.
  private static let console = Console()

  static func main() {
    ProcessSetup.run()
    let status = status(console)
    StopSignals.endByNotedSignal()
    exit(status.rawValue)
  }

  private static func status(_ console: Console) -> ExitStatus {
    do throws(CommandError) {
      let status = try run(console)
      try console.flush()
      return status
    } catch {
      try? console.flush()
      if let message = error.message { console.printError(message) }
      return error.status
    }
  }

  private static func run(_ console: Console) throws(CommandError) -> ExitStatus {
    if let name = ProcessSetup.brokenVariable {
      throw CommandError(
        .badSetting, "the environment variable \(name.visible) is not UTF-8; correct or unset it")
    }
    if let argument = ProcessSetup.brokenArgument {
      throw CommandError(
        .usage, "the argument \(argument.quoted()) is not UTF-8; rename the file, or pipe it to -")
    }
    let arguments = CommandLine.arguments.dropFirst()
    if let request = ValidationRequest(plain: arguments) {
      return try request.run(.ofProcess(), console)
    }
    if let request = CheckRequest(plain: arguments) {
      try MistakenCommand.check(arguments, catalogues: request.catalogues)
      return try run(request, console)
    }
    guard let command = try parse(console) else { return .done }
    if let check = command as? CheckCommand {
      try MistakenCommand.check(arguments, catalogues: check.options.catalogues)
    }
    return try run(command, console)
  }

  private static func run(
    _ job: some Job, _ console: Console
  ) throws(CommandError) -> ExitStatus {
    try SystemLimits.checkDescriptors()
    let environment = try environment(for: job.settings, console)
    if let status = try job.runAlone(environment, console) { return status }
    try SystemLimits.checkThreads()
    return try waitForResult {
      do throws(CommandError) {
        return .success(try await job.run(environment, console))
      } catch {
        return .failure(error)
      }
    }.get()
  }

  private static func environment(
    for settings: SettingsPlace, _ console: Console
  ) throws(CommandError) -> Environment {
    let environment = Environment.ofProcess()
    guard case .file(let name) = settings else { return environment }
    for warning in environment.unknownVariables { console.printError(warning) }
    return try environment.withSettings(named: name)
  }

  /// Blocks until the work is done: only commands that start children need the concurrency
  /// runtime and its threads.
  private static func waitForResult(
    _ work: @escaping @Sendable () async -> Result<ExitStatus, CommandError>
  ) -> Result<ExitStatus, CommandError> {
    let box = ResultBox()
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      let result = await work()
      box.result.withLock { $0 = result }
      isDone.signal()
    }
    isDone.wait()
    return box.result.withLock { $0 }
  }

  private final class ResultBox: Sendable {
    let result = Mutex<Result<ExitStatus, CommandError>>(.success(.done))
  }

  /// - Returns: `nil` if help, the version or a completion script was asked for and printed.
  private static func parse(_ console: Console) throws(CommandError) -> (any AnySubcommand)? {
    do {
      var command = try RootCommand.parseAsRoot()
      if let command = command as? any AnySubcommand { return command }
      try command.run()
    } catch {
      let text = RootCommand.fullMessage(for: error)
      guard RootCommand.exitCode(for: error).isSuccess else {
        let words = text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text
        let lines = words.split(separator: "\n", omittingEmptySubsequences: false)
        throw CommandError(.usage, lines.map { String($0).visible }.joined(separator: "\n"))
      }
      try console.print(line: CompletionScript.knowingDefault(text))
    }
    return nil
  }
}

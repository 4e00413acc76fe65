internal import Glibc
internal import Synchronization

/// A ``Command`` that runs while the test does something else.
///
/// It is bounded by the command's deadline once somebody waits for it, and killed if nobody has
/// waited for its end when the value goes away. However many run at a time, it starts at once.
public final class RunningCommand: Sendable {
  private let output: OutputFile
  private let errors: OutputFile
  private let process: SpawnedProcess
  private let start = ContinuousClock.now
  private let deadline: Duration
  private let isReaped = Atomic(false)

  /// Starts the program.
  ///
  /// - Throws: ``SystemFailure`` if it cannot be started.
  public init(_ command: Command) throws {
    output = try OutputFile(command.output)
    errors = try OutputFile(command.errors)
    deadline = command.deadline
    process = try SpawnedProcess(command, output: output, errors: errors)
  }

  deinit {
    guard !isReaped.load(ordering: .sequentiallyConsistent) else { return }
    process.killGroup()
    _ = process.reap()
  }

  /// Its number.
  public var identifier: Int32 { process.identifier }

  /// Sends a signal to it, and to none of its children; kill(2).
  public func send(_ signal: Signal) { process.send(signal.number) }

  /// Waits until it is stopped, by ``Signal/stop`` or a failpoint, or has ended.
  ///
  /// - Returns: whether it is stopped.
  public func waitUntilStopped() async throws -> Bool {
    while ContinuousClock.now < start + deadline {
      if process.isStopped { return true }
      if process.hasEnded { return false }
      try await Task.sleep(for: .milliseconds(2))
    }
    return false
  }

  /// Waits until it has ended, which can be asked for once.
  ///
  /// When the deadline has passed since this was asked for it is killed, with all that it started and
  /// that did not leave its process group.
  public func end() async throws -> CommandResult {
    let latest = ContinuousClock.now + deadline
    var isLate = false
    var pause = Duration.milliseconds(1)
    while !process.hasEnded {
      if !isLate && ContinuousClock.now > latest {
        isLate = true
        process.killGroup()
      }
      // A cancelled test must not leave the program behind.
      do { try await Task.sleep(for: pause) } catch { process.killGroup() }
      pause = min(pause * 2, .milliseconds(10))
    }
    let elapsed = ContinuousClock.now - start
    isReaped.store(true, ordering: .sequentiallyConsistent)
    let ending = process.reap()
    return CommandResult(
      ending: isLate ? .deadlinePassed : ending, output: try output.contents(),
      errors: try errors.contents(), elapsed: elapsed)
  }
}

/// The signals that tests send; signal(7).
public enum Signal: Sendable {
  case kill, stop, goOn, terminate, interrupt, hangUp

  var number: Int32 {
    switch self {
    case .kill: SIGKILL
    case .stop: SIGSTOP
    case .goOn: SIGCONT
    case .terminate: SIGTERM
    case .interrupt: SIGINT
    case .hangUp: SIGHUP
    }
  }
}

/// The processes of the machine.
public enum Processes {
  /// The command lines of those that have a text in theirs or in their environment, by number,
  /// but for the dead that nobody has reaped; proc(5).
  public static func mentioning(_ text: String) -> [String: String] {
    var found: [String: String] = [:]
    for name in (try? File.names(in: "/proc")) ?? [] where Int32(name) != nil {
      guard let line = try? File.bytes(of: "/proc/\(name)/cmdline"), !line.isEmpty else { continue }
      let words = String(decoding: line.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
      let variables = (try? File.text(of: "/proc/\(name)/environ")) ?? ""
      if words.contains(text) || variables.contains(text) { found[name] = words }
    }
    return found
  }

  /// The dead children of this process that nobody has reaped, by the name of their program;
  /// proc(5).
  public static func zombies(named name: String) -> [String] {
    ((try? File.names(in: "/proc")) ?? []).filter { number in
      let status = (try? File.text(of: "/proc/\(number)/stat")) ?? ""
      return Int32(number) != nil && status.contains(" (\(name)) Z \(getpid()) ")
    }
  }

  /// Kills one of them; kill(2).
  public static func kill(_ number: String) {
    if let number = Int32(number) { Glibc.kill(number, SIGKILL) }
  }
}

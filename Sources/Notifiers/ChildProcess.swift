internal import Subprocess

/// A program to run without shell, in its own process group, for a limited time.
struct ChildProcess: Sendable {
  /// What became of it.
  struct Report: Sendable, Hashable {
    /// How it ended.
    var status: TerminationStatus
    /// Whether it had to be stopped.
    var timedOut: Bool
    /// The first 4 KB of its standard error.
    var complaint: String
  }

  /// The program's name, looked for in the absolute entries of the environment's PATH.
  var program: String
  /// Its arguments, without the name.
  var arguments: [String]
  /// Its whole environment; must have PATH, or the parent's would be searched.
  var environment: [String: String]
  /// How long it may run.
  var timeout: Duration

  private static let complaintLimit = 4_096

  /// SIGTERM to the whole group, and SIGKILL two seconds later.
  private static let stop = TeardownStep.send(
    signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: .seconds(2))

  /// Runs it until it has ended, or was stopped with everything in its group.
  ///
  /// A process that it left behind is not waited for, even if that one keeps standard error open.
  ///
  /// - Throws: `SubprocessError` if it cannot be started.
  func run() async throws -> Report {
    keepExitStatusOfChildren()
    let variables = environment.map { (Environment.Key(stringLiteral: $0.key), $0.value) }
    var options = PlatformOptions()
    options.processGroupID = 0
    options.teardownSequence = [Self.stop]
    let result = try await Subprocess.run(
      .name(program), arguments: Arguments(arguments),
      environment: .custom(Dictionary(uniqueKeysWithValues: variables)),
      platformOptions: options, input: .none, output: .discarded, error: .sequence
    ) { execution in
      await supervise(execution)
    }
    return Report(
      status: result.terminationStatus,
      timedOut: result.closureResult.timedOut,
      complaint: String(decoding: result.closureResult.complaint, as: UTF8.self))
  }

  private func supervise<Input, Output>(
    _ execution: Execution<Input, Output, SequenceOutput>
  ) async -> (timedOut: Bool, complaint: [UInt8]) {
    await withTaskGroup(of: [UInt8].self) { group in
      group.addTask { await firstBytes(of: execution.standardError) }
      let deadline = ContinuousClock.now + timeout
      // Signal 0 is not sent, see kill(2): the first step only waits, and ends with the process.
      let patience = TeardownStep.send(
        signal: Signal(rawValue: 0), allowedDurationToNextStep: timeout)
      await execution.teardown(using: [patience, Self.stop])
      let timedOut = ContinuousClock.now >= deadline
      // The process has ended but not been reaped, so its group's number is still its own.
      if timedOut { try? execution.send(signal: .kill, toProcessGroup: true) }
      group.cancelAll()
      return (timedOut, await group.next() ?? [])
    }
  }

  /// Reads until the end, or until the task is cancelled and the pipe's present content is read,
  /// and keeps only the beginning: a program that is not read from would hang, or die.
  private func firstBytes(of output: SubprocessOutputSequence) async -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      for try await buffer in output {
        bytes.append(buffer, upTo: Self.complaintLimit - bytes.count)
        if Task.isCancelled { break }
      }
    } catch {
      // What was read before is all there is to report; the exit status is what counts.
    }
    return bytes
  }
}

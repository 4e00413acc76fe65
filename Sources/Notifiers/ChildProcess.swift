internal import CLinux
internal import Subprocess
internal import Synchronization

/// A program to run without shell, in its own process group, for a limited time.
struct ChildProcess: Sendable {
  /// What became of it.
  struct Report: Sendable {
    /// How it ended.
    var status: TerminationStatus
    /// Whether it had to be stopped.
    var timedOut: Bool
    /// The first 4 KB of its standard output.
    var output: String
    /// The first 4 KB of its standard error.
    var complaint: String
  }

  /// What a line of standard output means.
  enum Verdict: Sendable {
    /// Nothing.
    case goOn
    /// The program may from now on take as long as it likes.
    case unlimited
    /// The program has failed, even if it does not know when to end.
    case failed
  }

  /// Its path, or else its name, which is looked for in the absolute entries of the environment's
  /// PATH.
  var program: String
  /// Its arguments, without the name.
  var arguments: [String]
  /// Its whole environment; must have PATH, or the parent's would be searched.
  var environment: [String: String]
  /// What it can read from standard input; no input at all if `nil`.
  var input: [UInt8]?
  /// How long it may run.
  var timeout: Duration

  private static let outputLimit = 4_096

  /// SIGTERM to the whole group, and SIGKILL two seconds later; then also to the process itself,
  /// which may have left the group.
  private static let stop = [
    TeardownStep.send(
      signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: .seconds(2)),
    .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero),
    // Signal 0 is not sent; the end of the steps is SIGKILL to what the last one was meant for.
    .send(signal: Signal(rawValue: 0), allowedDurationToNextStep: .zero),
  ]

  /// A second in which a process that has failed may end by itself.
  private static let grace = TeardownStep.send(
    signal: Signal(rawValue: 0), allowedDurationToNextStep: .seconds(1))

  /// Eight years, in which a process may end by itself.
  ///
  /// Signal 0 is not sent, see kill(2). A sleep that is cut short keeps its memory until it would
  /// have ended, so none lasts longer than the process has already lived, or a second.
  private static let wait = (0..<28).map { step in
    TeardownStep.send(
      signal: Signal(rawValue: 0), allowedDurationToNextStep: .seconds(1 << max(0, step - 1)))
  }

  /// Runs it until it has ended, or was stopped with everything in its group: when its time was
  /// over, or the task was cancelled.
  ///
  /// Input that it does not read is no failure. A process that it left behind is not waited for,
  /// even if that one keeps standard input, output or error open.
  ///
  /// - Parameter onLine: gets each line of standard output, without its end, at most 4 KB of it;
  ///   returns what it means.
  /// - Throws: `SubprocessError` or `DescriptorShortage` if it cannot be started.
  func run(
    onLine: (@Sendable (String) -> Verdict)? = nil
  ) async throws -> Report {
    try DescriptorShortage.check()
    keepExitStatusOfChildren()
    var options = PlatformOptions()
    options.processGroupID = 0
    options.teardownSequence = Self.stop
    let configuration = Configuration(
      executable: Executable(program), arguments: Arguments(arguments),
      environment: Environment(environment), platformOptions: options)
    guard let input else {
      let result = try await Subprocess.run(
        configuration, input: .none, output: .sequence, error: .sequence
      ) { execution in
        await supervise(execution, onLine: onLine)
      }
      return result.closureResult.report(result.terminationStatus)
    }
    keepBrokenPipesFromKilling()
    let result = try await Subprocess.run(
      configuration, input: .inputWriter, output: .sequence, error: .sequence
    ) { execution in
      await supervise(execution, onLine: onLine) {
        // How it ends is what counts, not how much it reads.
        _ = try? await execution.standardInputWriter.write(input)
        try? await execution.standardInputWriter.finish()
      }
    }
    return result.closureResult.report(result.terminationStatus)
  }

  private func supervise<Input>(
    _ execution: Execution<Input, SequenceOutput, SequenceOutput>,
    onLine: (@Sendable (String) -> Verdict)?, feed: (@Sendable () async -> Void)? = nil
  ) async -> Findings {
    let clock = Clock()
    let number = execution.processIdentifier.value
    // Where too many are running, one lives on if the process is ended by a signal.
    _ = check_loans_note_child(number)
    defer { check_loans_forget_child(number) }
    return await withTaskGroup(of: Findings.self) { group in
      group.addTask { Findings(complaint: await firstBytes(of: execution.standardError)) }
      group.addTask {
        guard let onLine else {
          return Findings(output: await firstBytes(of: execution.standardOutput))
        }
        var hasFailed = false
        let output = await firstBytes(of: execution.standardOutput) { line in
          let verdict = onLine(line)
          if verdict == .unlimited { clock.stop() }
          hasFailed = verdict == .failed
          return hasFailed
        }
        if hasFailed { await execution.teardown(using: [Self.grace] + Self.stop) }
        return Findings(hasFailed: hasFailed, output: output)
      }
      group.addTask {
        await feed?()
        return Findings()
      }
      group.addTask {
        let isLate = await clock.runsOut(after: timeout)
        if isLate { await execution.teardown(using: Self.stop) }
        return Findings(timedOut: isLate)
      }
      await execution.teardown(using: Self.wait)
      // It has ended but not been reaped, so its group's number is still its own.
      if clock.hasRunOut || Task.isCancelled {
        try? execution.send(signal: .kill, toProcessGroup: true)
      }
      group.cancelAll()
      return await group.reduce(into: Findings()) { $0.add($1) }
    }
  }

  /// Reads until the end, or until the task is cancelled and the pipe's present content is read,
  /// and keeps only the beginning: a program that is not read from would hang, or die.
  private func firstBytes(
    of output: SubprocessOutputSequence, onLine: ((String) -> Bool)? = nil
  ) async -> [UInt8] {
    var bytes: [UInt8] = []
    var line: [UInt8] = []
    var iterator = output.makeAsyncIterator()
    while true {
      // One reading that begins after the end finds all that a pipe can hold.
      let isLast = Task.isCancelled
      // A failure is the end: the exit status is what counts.
      guard let buffer = try? await iterator.next() else { return bytes }
      bytes.append(buffer, upTo: Self.outputLimit - bytes.count)
      let isEnough =
        onLine.map { line.appendLines(of: buffer, limit: Self.outputLimit, until: $0) } == true
      if isLast || isEnough { return bytes }
      // One that prints without end would keep the thread from everything else, the clock too.
      await Task.yield()
    }
  }
}

/// Part of what is found out about a running child.
private struct Findings: Sendable {
  var timedOut = false
  var hasFailed = false
  var output: [UInt8] = []
  var complaint: [UInt8] = []

  mutating func add(_ other: Findings) {
    timedOut = timedOut || other.timedOut
    hasFailed = hasFailed || other.hasFailed
    output += other.output
    complaint += other.complaint
  }

  func report(_ status: TerminationStatus) -> ChildProcess.Report {
    ChildProcess.Report(
      // That it had to be stopped after its failure is not what there is to tell.
      status: hasFailed ? .exited(1) : status, timedOut: timedOut,
      output: String(decoding: output, as: UTF8.self),
      complaint: String(decoding: complaint, as: UTF8.self))
  }
}

/// The time that a child has, until it no longer matters.
private final class Clock: Sendable {
  private enum State {
    case running
    case stopped
    case ranOut
  }

  private let state = Mutex(State.running)

  /// Lets the child take as long as it likes.
  func stop() {
    state.withLock { if $0 == .running { $0 = .stopped } }
  }

  var hasRunOut: Bool { state.withLock { $0 == .ranOut } }

  /// Waits, and returns whether the time is over by then; not if the task is cancelled.
  func runsOut(after duration: Duration) async -> Bool {
    let start = ContinuousClock.now
    while case let passed = ContinuousClock.now - start, passed < duration {
      // See `wait` for why it is not slept at one go.
      let step = min(duration - passed, max(passed, .seconds(1)))
      do { try await Task.sleep(for: step) } catch { return false }
    }
    return state.withLock { state in
      if state == .running { state = .ranOut }
      return state == .ranOut
    }
  }
}

extension Executable {
  /// The program at a path, or else of a name.
  init(_ program: String) {
    self = program.contains("/") ? .path(literal(program)) : .name(program)
  }
}

extension Subprocess.Environment {
  /// These variables and no others.
  init(_ variables: [String: String]) {
    let pairs = variables.map { (Key(stringLiteral: $0.key), $0.value) }
    self = .custom(Dictionary(uniqueKeysWithValues: pairs))
  }
}

/// A value of a type that another module of ours does not export, where that one wants a literal.
private func literal<Value: ExpressibleByStringLiteral>(_ text: String) -> Value
where Value.StringLiteralType == String {
  Value(stringLiteral: text)
}

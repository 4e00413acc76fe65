/// A program to run once: no shell, no environment and no files but those given here.
public struct Command: Sendable {
  /// What standard input is.
  public enum Input: Sendable, Hashable {
    /// `/dev/null`.
    case nothing
    /// Not open at all, as after `<&-`.
    case closed
    /// A pipe with these bytes in it, and then its end; at most 64 KB.
    case bytes([UInt8])
    /// A file, opened for reading.
    case file(String)

    /// A pipe with this text in it.
    public static func text(_ text: String) -> Input { .bytes(Array(text.utf8)) }
  }

  /// What standard output or standard error is.
  public enum Output: Sendable, Hashable {
    /// A file that ``CommandResult`` tells the content of.
    case captured
    /// Not open at all, as after `>&-`.
    case closed
    /// An existing file, opened for writing.
    case file(String)
    /// A file, opened for appending, and made if it is not there.
    case appended(String)
    /// A pipe whose reader has gone.
    case brokenPipe
  }

  /// The program's path.
  public var program: String
  /// The arguments, without the program's name.
  public var arguments: [String]
  /// All of its environment.
  public var environment: [String: String]
  /// The directory it is started in.
  public var directory: String
  /// What standard input is.
  public var input = Input.nothing
  /// What standard output is.
  public var output = Output.captured
  /// What standard error is.
  public var errors = Output.captured
  /// How long it may run before it is killed.
  public var deadline = Duration.seconds(60)
  /// Whether ``CommandResult/peakMemory`` is wanted.
  public var measuresMemory = false

  /// A program with its arguments, environment and working directory.
  public init(
    _ program: String, _ arguments: [String], environment: [String: String], directory: String
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
  }

  /// The `check-loans` to be tested: what the variable `CHECK_LOANS_BINARY` names, else the one
  /// that was built together with the running tests.
  public static let checkLoans: String =
    testVariable("CHECK_LOANS_BINARY") ?? "\(directoryOfRunningProgram)/check-loans"

  /// Where the programs are that were built together with the running tests.
  public static var testProgramsDirectory: String { directoryOfRunningProgram }

  /// Whether peak memory can be measured here.
  public static let canMeasureMemory = File.exists(measurer)

  private static let measurer = "/usr/bin/python3"

  /// Runs the program to its end, or until the deadline.
  ///
  /// Only a few programs run at a time, however many tests ask, so that deadlines mean something.
  ///
  /// - Throws: ``SystemFailure`` if it cannot be started.
  public func run() async throws -> CommandResult {
    try await Self.turnstile.pass { try await (measuresMemory ? measured() : supervised()) }
  }

  private static let turnstile = Turnstile(places: 6)

  private func supervised() async throws -> CommandResult {
    try await RunningCommand(self).end()
  }

  /// Runs the program as the child of a small process.
  ///
  /// What wait4(2) tells of our own child is useless: the kernel carries the peak of the process
  /// that called posix_spawn(3) over into the child, and ours is larger than what is measured.
  private func measured() async throws -> CommandResult {
    let folder = try ScratchFolder()
    let figure = "\(folder.path)/peak"
    var command = self
    command.measuresMemory = false
    command.program = Self.measurer
    command.arguments = ["-I", "-S", "-c", Self.measuringScript, figure, program] + arguments
    var result = try await command.supervised()
    result.peakMemory = Int(folder.contents(of: "peak")).map { $0 * 1_024 }
    return result
  }

  private static let measuringScript = """
    import os, signal, sys
    figure, *command = sys.argv[1:]
    child = os.posix_spawn(
        command[0], command, os.environ, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    _, status, usage = os.wait4(child, 0)
    with open(figure, "w") as file:
        file.write(str(usage.ru_maxrss))
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(code)
    """
}

/// What became of a ``Command``.
public struct CommandResult: Sendable, CustomStringConvertible {
  /// How a program ends.
  public enum Ending: Sendable, Hashable {
    /// By itself, with this status.
    case exited(Int32)
    /// By this signal.
    case signaled(Int32)
    /// It was killed, because its deadline had passed.
    case deadlinePassed
  }

  /// What a caller gets to see: everything that tests compare.
  public struct Outcome: Sendable, Hashable {
    /// How it ended.
    public var ending: Ending
    /// What it wrote to standard output.
    public var output: String
    /// What it wrote to standard error.
    public var errors: String

    /// An end with this exit status after these words.
    public init(_ status: Int32, output: String = "", errors: String = "") {
      ending = .exited(status)
      self.output = output
      self.errors = errors
    }
  }

  /// How it ended.
  public var ending: Ending
  /// The bytes of standard output, where they were captured.
  public var output: [UInt8]
  /// The bytes of standard error, where they were captured.
  public var errors: [UInt8]
  /// From its start to its end.
  public var elapsed: Duration
  /// The most memory that was resident, in bytes, if ``Command/measuresMemory`` was set.
  public var peakMemory: Int?

  init(ending: Ending, output: [UInt8], errors: [UInt8], elapsed: Duration) {
    self.ending = ending
    self.output = output
    self.errors = errors
    self.elapsed = elapsed
  }

  /// The exit status, or `nil` if it did not end by itself.
  public var status: Int32? {
    if case .exited(let status) = ending { status } else { nil }
  }

  /// Standard output as text; what is not UTF-8 becomes U+FFFD.
  public var text: String { String(decoding: output, as: UTF8.self) }

  /// Standard error as text; what is not UTF-8 becomes U+FFFD.
  public var errorText: String { String(decoding: errors, as: UTF8.self) }

  /// The lines of standard output.
  public var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// The lines of standard error.
  public var errorLines: [String] { errorText.split(separator: "\n").map(String.init) }

  /// Whether it ended with this status after this output, and after a line for each of these words on
  /// standard error, with the words in it.
  ///
  /// For what is said word for word elsewhere, beside the code that says it.
  public func ends(_ status: Int32, output: String = "", saying words: String...) -> Bool {
    let lines = errorLines
    return ending == .exited(status) && text == output && lines.count == words.count
      && zip(lines, words).allSatisfy { $0.contains($1) }
  }

  /// How it ended, and what it wrote to both outputs.
  public var description: String {
    "\(ending), output: \(text.debugDescription), errors: \(errorText.debugDescription)"
  }

  /// End and words together.
  public var outcome: Outcome {
    var outcome = Outcome(0, output: text, errors: errorText)
    outcome.ending = ending
    return outcome
  }
}

/// Lets only a few in at a time.
actor Turnstile {
  private var places: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(places: Int) { self.places = places }

  /// Does something as soon as there is a place.
  nonisolated func pass<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    await enter()
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    await leave()
    return try result.get()
  }

  private func enter() async {
    if places > 0 {
      places -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  private func leave() {
    if waiting.isEmpty {
      places += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}

internal import Dispatch
internal import Glibc

/// A program to run without shell, in its own process group, for a limited time.
///
/// A thread of its own watches over it: it hands over the input, reads what is printed, so that the
/// program neither hangs nor dies for want of a reader, and stops the program when its time is over.
struct ChildProcess: Sendable {
  /// What became of it.
  struct Report: Sendable {
    /// How it ended.
    var status: StartedChild.Ending
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
  /// Its whole environment.
  var environment: [String: String]
  /// What it can read from standard input; no input at all if `nil`.
  var input: [UInt8]?
  /// How long it may run.
  var timeout: Duration

  /// Runs it until it has ended, or was stopped with everything in its group: when its time was
  /// over, or the task was cancelled.
  ///
  /// Input that it does not read is no failure. A process that it left behind is not waited for,
  /// even if that one keeps standard input, output or error open.
  ///
  /// - Parameter onLine: gets each line of standard output, without its end, at most 4 KB of it;
  ///   returns what it means.
  func run(
    onLine: (@Sendable (String) -> Verdict)? = nil
  ) async throws(StartFailure) -> Report {
    let stop = try Descriptor.pipe()
    defer { withExtendedLifetime(stop) {} }
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // It may outlive this call for a moment, and must not keep the pipe open.
        DispatchQueue(label: "child").async { [unowned reading = stop.reading] in
          continuation.resume(
            returning: Result { () throws(StartFailure) in
              var watch = try ChildWatch(self, stop: reading, onLine)
              return watch.untilEnd()
            })
        }
      }
    } onCancel: {
      _ = stop.writing.write([0])
    }.get()
  }
}

/// A child and the ends of its pipes, on the thread that watches over it.
private struct ChildWatch {
  private static let outputLimit = 4_096

  private let child: StartedChild
  private let onLine: (@Sendable (String) -> ChildProcess.Verdict)?
  /// Readable once the child is to be stopped; `nil` once it was read.
  private var stop: Descriptor?
  private var input: Descriptor?
  private var output: Descriptor?
  private var errors: Descriptor?

  private var unwritten: ArraySlice<UInt8>
  private var printed: [UInt8] = []
  private var complaint: [UInt8] = []
  private var line: [UInt8] = []
  private var piece = [UInt8](repeating: 0, count: 1 << 16)

  private var deadline: ContinuousClock.Instant?
  /// The signals that are still to be sent.
  private var signals: [(moment: ContinuousClock.Instant, number: Int32)] = []
  private var timedOut = false
  private var isCancelled = false
  private var hasFailed = false

  init(
    _ process: ChildProcess, stop: Descriptor,
    _ onLine: (@Sendable (String) -> ChildProcess.Verdict)?
  ) throws(StartFailure) {
    keepBrokenPipesFromKilling()
    let input = process.input == nil ? nil : try Descriptor.pipe()
    let output = try Descriptor.pipe()
    let errors = try Descriptor.pipe()
    for end in [input?.reading, output.writing, errors.writing] { end?.block() }
    deadline = .now + process.timeout
    child = try StartedChild(
      ProgramSearch.path(of: process.program, in: process.environment), process.arguments,
      environment: process.environment, input: input?.reading, output: output.writing,
      errors: errors.writing)
    (self.stop, self.onLine) = (stop, onLine)
    (self.input, self.output, self.errors) = (input?.writing, output.reading, errors.reading)
    unwritten = (process.input ?? [])[...]
  }

  mutating func untilEnd() -> ChildProcess.Report {
    var hasEnded = false
    while !hasEnded {
      Descriptor.wait(
        reading: [child.ending, stop, output, errors], writing: input, atMost: longestWait)
      // One reading that begins after the end finds all that a pipe holds.
      hasEnded = child.hasEnded
      read()
      if !hasEnded {
        write()
        keepTime()
      }
    }
    // It has ended but not been reaped, so its group's number is still its own.
    if timedOut || isCancelled { child.send(SIGKILL) }
    let status = child.reap()
    return ChildProcess.Report(
      // That it had to be stopped after its failure is not what there is to tell.
      status: hasFailed ? .exited(1) : status, timedOut: timedOut,
      output: String(decoding: printed, as: UTF8.self),
      complaint: String(decoding: complaint, as: UTF8.self))
  }

  /// How long nothing needs to be done; `nil` for ever.
  private var longestWait: Duration? {
    // Where its end is not told, it is looked for.
    let look = child.ending == nil ? ContinuousClock.now + .milliseconds(20) : nil
    return [deadline, signals.first?.moment, look].compactMap { $0 }.min()
      .map { max(.zero, $0 - .now) }
  }

  private mutating func read() {
    if let stop, stop.read(into: &piece) != nil {
      self.stop = nil
      isCancelled = true
      end()
    }
    if let count = errors?.read(into: &piece) {
      complaint += piece[..<count].prefix(Self.outputLimit - complaint.count)
      if count == 0 { errors = nil }
    }
    if let count = output?.read(into: &piece) {
      printed += piece[..<count].prefix(Self.outputLimit - printed.count)
      if count == 0 { output = nil }
      understand(piece[..<count])
    }
  }

  private mutating func understand(_ bytes: ArraySlice<UInt8>) {
    guard let onLine, !hasFailed else { return }
    for text in line.appendLines(of: bytes, limit: Self.outputLimit) {
      switch onLine(text) {
      case .goOn: continue
      case .unlimited: deadline = nil
      case .failed:
        hasFailed = true
        // It may end by itself.
        end(after: .seconds(1))
        return
      }
    }
  }

  private mutating func write() {
    guard let input else { return }
    // How it ends is what counts, not how much it reads.
    if let count = input.write(unwritten.prefix(1 << 16)) {
      unwritten = unwritten.dropFirst(count)
      if !unwritten.isEmpty { return }
    }
    self.input = nil
  }

  private mutating func keepTime() {
    if let deadline, deadline <= .now {
      self.deadline = nil
      timedOut = true
      end()
    }
    while let next = signals.first, next.moment <= .now {
      child.send(next.number)
      signals.removeFirst()
    }
  }

  /// Has it stopped: by SIGTERM, and by SIGKILL two seconds later.
  private mutating func end(after pause: Duration = .zero) {
    deadline = nil
    let moment = ContinuousClock.now + pause
    signals = [(moment, SIGTERM), (moment + .seconds(2), SIGKILL)]
  }
}

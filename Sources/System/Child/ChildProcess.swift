internal import Dispatch
internal import Glibc
internal import SystemPackage

/// A program to run without a shell, in its own process group, for a limited time.
///
/// One thread watches over it until its end: it hands over the input, reads what is printed, so that
/// the program neither hangs nor dies for want of a reader, and stops the program when its time is
/// over.
package struct ChildProcess: Sendable {
  /// What became of a program.
  package struct Report: Sendable {
    /// How it ended.
    package var ending: StartedChild.Ending
    /// Whether it had to be stopped because its time was over.
    package var timedOut = false
    /// The first 4 KB of its standard output.
    package var output = ""
    /// The first 4 KB of its standard error.
    package var errors = ""

    /// The report of a program that ended so, without a word.
    package init(ending: StartedChild.Ending) { self.ending = ending }
  }

  /// What a line of standard output says of the program.
  package enum LineMeaning: Sendable {
    /// Nothing.
    case nothing
    /// From now on it may take as long as it likes.
    case unlimited
    /// It has failed, even if it does not know when to end.
    case failed
  }

  /// Its path, or else its name, which is looked for in the absolute entries of the environment's
  /// PATH.
  package var program: String
  /// Its arguments, without the name.
  package var arguments: [String]
  /// Its whole environment.
  package var environment: [String: String]
  /// What it can read from standard input; no input at all if `nil`.
  package var input: [UInt8]?
  /// How long it may run.
  package var timeout: Duration

  /// A program that is to be run with these arguments and variables.
  package init(
    _ program: String, _ arguments: [String] = [], environment: [String: String],
    input: [UInt8]? = nil, timeout: Duration
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.input = input
    self.timeout = timeout
  }

  /// Runs it until it has ended, or was stopped with everything in its group: when its time was
  /// over, or the task was cancelled.
  ///
  /// Input that it does not read is no failure. A process that it left behind is not waited for,
  /// even if that one keeps standard input, output or error open.
  ///
  /// - Parameter onLine: gets each line of standard output, without its end, at most 4 KB of it.
  package func run(
    onLine: (@Sendable (String) -> LineMeaning)? = nil
  ) async throws(StartFailure) -> Report {
    let stop: (reading: OpenFile, writing: OpenFile)
    do throws(Errno) { stop = try OpenFile.pipe() } catch { throw StartFailure(error) }
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // It may outlive this call for a moment, and must not keep the pipe open.
        DispatchQueue(label: "child").async { [unowned reading = stop.reading] in
          continuation.resume(
            returning: Result { () throws(StartFailure) in
              try runBlocking(stop: reading, onLine: onLine)
            })
        }
      }
    } onCancel: {
      _ = stop.writing.writeNow([0])
    }.get()
  }

  /// Runs it as ``run(onLine:)`` does, on this thread.
  package func runBlocking() throws(StartFailure) -> Report {
    try runBlocking(stop: nil, onLine: nil)
  }

  private func runBlocking(
    stop: OpenFile?, onLine: (@Sendable (String) -> LineMeaning)?
  ) throws(StartFailure) -> Report {
    var watch = try ChildWatch(self, stop: stop, onLine)
    return watch.untilEnd()
  }
}

/// A child and the ends of its pipes, on the thread that watches over it.
private struct ChildWatch {
  private let child: StartedChild
  private let onLine: (@Sendable (String) -> ChildProcess.LineMeaning)?
  /// Readable once the child is to be stopped; `nil` once it was read.
  private var stop: OpenFile?
  private var input: OpenFile?
  private var unwritten: ArraySlice<UInt8>
  private var output: Printed
  private var errors: Printed
  private var piece = [UInt8](repeating: 0, count: 1 << 16)

  private var deadline: ContinuousClock.Instant?
  /// The signals that are still to be sent.
  private var signals: [(time: ContinuousClock.Instant, number: Int32)] = []
  private var report = ChildProcess.Report(ending: .lost)
  private var isCancelled = false
  private var hasFailed = false

  init(
    _ process: ChildProcess, stop: OpenFile?,
    _ onLine: (@Sendable (String) -> ChildProcess.LineMeaning)?
  ) throws(StartFailure) {
    keepBrokenPipesFromKilling()
    let input: (reading: OpenFile, writing: OpenFile)?
    let output, errors: (reading: OpenFile, writing: OpenFile)
    do throws(Errno) {
      input = process.input == nil ? nil : try OpenFile.pipe()
      output = try OpenFile.pipe()
      errors = try OpenFile.pipe()
    } catch {
      throw StartFailure(error)
    }
    for end in [input?.reading, output.writing, errors.writing] { end?.block() }
    deadline = .now + process.timeout
    child = try StartedChild(
      process.program, process.arguments, environment: process.environment, input: input?.reading,
      output: output.writing, errors: errors.writing)
    (self.stop, self.onLine, self.input) = (stop, onLine, input?.writing)
    (self.output, self.errors) = (Printed(output.reading), Printed(errors.reading))
    unwritten = (process.input ?? [])[...]
  }

  mutating func untilEnd() -> ChildProcess.Report {
    var hasEnded = false
    while !hasEnded {
      OpenFile.wait(
        reading: [child.end, stop, output.pipe, errors.pipe], writing: input, atMost: longestWait)
      // One reading that begins after the end finds all that a pipe holds.
      hasEnded = child.hasEnded
      read()
      if !hasEnded {
        write()
        keepTime()
      }
    }
    // It has ended but not been reaped, so its group's number is still its own.
    if report.timedOut || isCancelled { child.send(SIGKILL) }
    let ending = child.reap()
    // That it had to be stopped after its failure is of no interest.
    report.ending = hasFailed ? .exited(1) : ending
    (report.output, report.errors) = (output.text, errors.text)
    return report
  }

  /// How long nothing needs to be done; `nil` for no limit.
  private var longestWait: Duration? {
    // Where its end does not report itself, it is asked for.
    let look = child.end == nil ? ContinuousClock.now + .milliseconds(20) : nil
    return [deadline, signals.first?.time, look].compactMap(\.self).min().map { $0 - .now }
  }

  private mutating func read() {
    if let stop, stop.readNow(into: &piece) != nil {
      self.stop = nil
      isCancelled = true
      end()
    }
    _ = errors.read(&piece)
    for line in output.read(&piece) {
      guard let onLine, !hasFailed else { return }
      switch onLine(line) {
      case .nothing: continue
      case .unlimited: deadline = nil
      case .failed:
        hasFailed = true
        // It may end by itself.
        end(after: .seconds(1))
      }
    }
  }

  private mutating func write() {
    guard let input else { return }
    // How it ends is what counts, not how much it reads.
    if let count = input.writeNow(unwritten.prefix(1 << 16)) {
      unwritten = unwritten.dropFirst(count)
      if !unwritten.isEmpty { return }
    }
    self.input = nil
  }

  private mutating func keepTime() {
    if let deadline, deadline <= .now {
      self.deadline = nil
      report.timedOut = true
      end()
    }
    while let next = signals.first, next.time <= .now {
      child.send(next.number)
      signals.removeFirst()
    }
  }

  /// Has it stopped: by SIGTERM, and by SIGKILL two seconds later.
  private mutating func end(after pause: Duration = .zero) {
    deadline = nil
    let time = ContinuousClock.now + pause
    signals = [(time, SIGTERM), (time + .seconds(2), SIGKILL)]
  }
}

/// What a child has printed to one of its outputs, as far as it is kept.
private struct Printed {
  private static let limit = 4_096

  /// Where it comes from; `nil` at its end.
  private(set) var pipe: OpenFile?
  private var bytes: [UInt8] = []
  private var line: [UInt8] = []

  init(_ pipe: OpenFile) { self.pipe = pipe }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Reads what is there now, and returns the lines that are complete by that.
  mutating func read(_ piece: inout [UInt8]) -> [String] {
    guard let count = pipe?.readNow(into: &piece) else { return [] }
    if count == 0 { pipe = nil }
    bytes += piece[..<count].prefix(Self.limit - bytes.count)
    var lines: [String] = []
    var rest = piece[..<count]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      line += rest[..<end].prefix(Self.limit - line.count)
      lines.append(String(decoding: line, as: UTF8.self))
      line.removeAll(keepingCapacity: true)
      rest = rest[(end + 1)...]
    }
    line += rest.prefix(Self.limit - line.count)
    return lines
  }
}

/// Ignores SIGPIPE unless the process handles it, because a child that does not read its standard
/// input would otherwise kill this process.
///
/// - SeeAlso: `sigaction(2)`.
private func keepBrokenPipesFromKilling() {
  var current = sigaction()
  guard unsafe sigaction(SIGPIPE, nil, &current) == 0 else { return }
  // SIG_DFL, which Swift cannot compare.
  let isDefault = unsafe unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) == 0
  if isDefault { signal(SIGPIPE, SIG_IGN) }
}

internal import CLinux
internal import Glibc
internal import SystemPackage

/// A program that was started without a shell, and that leads a process group of its own.
///
/// Whoever waits for its end reads what it prints, so that it neither hangs nor dies for want of a
/// reader, and stops it when its time is over.
package struct ChildProcess: Sendable {
  /// What became of a program.
  package struct Report: Sendable {
    /// How it ended.
    package let ending: Ending
    /// Whether it had to be stopped because its time was over.
    package let timedOut: Bool
    /// The first 4 KB of its standard output.
    package let output: String
    /// The first 4 KB of its standard error.
    package let errors: String
    /// What it has printed after its last whole line, at most 4 KB.
    package let unendedLine: String
  }

  /// How a program has ended.
  package enum Ending: Sendable, Hashable {
    /// By itself, with this status.
    case exited(Int32)
    /// By this signal.
    case signaled(Int32)
    /// Nobody knows.
    case lost
    /// Not yet: a line said that it need not be waited for.
    case running

    /// Whether the program has done what it should.
    package var isSuccess: Bool { self == .exited(0) }

    /// That of a child, which is waited for and let go of.
    ///
    /// - SeeAlso: `waitpid(2)`.
    init(of number: pid_t) {
      var status: Int32 = 0
      self = .lost
      while unsafe waitpid(number, &status, 0) < 0 {
        guard errno == EINTR else { return }
      }
      let signal = status & 0x7F
      self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signaled(signal)
    }
  }

  /// What a line of standard output says of the program.
  package enum LineMeaning: Sendable {
    /// Nothing.
    case nothing
    /// It has done what it should for now, and goes on.
    case ready
    /// It has failed, even if it does not know when to end.
    case failed
  }

  private let number: pid_t
  private let isNoted: Bool
  /// What can be read from once it has ended; `nil` if the system has no such thing.
  private let end: OpenFile?
  private var output: Printed
  private var errors: Printed
  /// The line of standard output that has begun, and those that nobody has read.
  private var line: [UInt8] = []
  private var lines: ArraySlice<String> = []

  /// The most bytes that are kept of a line, or of all that is printed.
  private static let longest = 4_096

  /// Starts a program, with no descriptors but the first three.
  ///
  /// - Parameters:
  ///   - program: its path, or its name, which is looked for in the absolute entries of the
  ///     environment's PATH.
  ///   - arguments: those after the name.
  ///   - environment: its whole environment.
  ///   - input: what it can read from standard input, all of it even if this process is killed; no
  ///     input at all if `nil`.
  ///   - file: takes what it prints to standard output.
  ///   - outlivesUs: whether it goes on when a signal ends this process; what it prints is then thrown
  ///     away.
  package init(
    _ program: String, _ arguments: [String] = [], environment: [String: String],
    input: [UInt8]? = nil, output file: OpenFile? = nil, outlivesUs: Bool = false
  ) throws(StartFailure) {
    let path = try Self.path(of: program, in: environment["PATH"])
    Self.keepExitStatuses()
    var ends: [OpenFile?] = [nil, nil, nil]
    (output, errors) = (Printed(), Printed())
    do throws(Errno) {
      if let input {
        let file = try OpenFile.inMemory()
        try file.write(input)
        ends[0] = file
      }
      if !outlivesUs {
        let pipes = (try OpenFile.pipe(), try OpenFile.pipe())
        (ends[1], ends[2]) = (file ?? pipes.0.writing, pipes.1.writing)
        (output.pipe, errors.pipe) = (pipes.0.reading, pipes.1.reading)
      }
    } catch {
      throw StartFailure(error)
    }
    for end in ends { end?.block() }
    isNoted = !outlivesUs
    number = try Self.start([path] + arguments, environment, ends, isNoted: isNoted)
    end = OpenFile.end(of: number)
  }

  private static func start(
    _ command: [String], _ environment: [String: String], _ ends: [OpenFile?], isNoted: Bool
  ) throws(StartFailure) -> pid_t {
    let result = withExtendedLifetime(ends) {
      let numbers = ends.map { $0?.descriptor.rawValue ?? -1 }
      return unsafe withCStrings(command, environment) { words, variables in
        unsafe check_loans_start(
          command[0], words, variables, numbers[0], numbers[1], numbers[2], isNoted ? 1 : 0)
      }
    }
    guard result > 0 else { throw StartFailure(Errno(rawValue: -result)) }
    return result
  }

  /// Calls `body` with the words of a command line and the variables of an environment for C.
  static func withCStrings(
    _ command: [String], _ environment: [String: String],
    _ body: (
      _ words: UnsafePointer<UnsafeMutablePointer<CChar>?>,
      _ variables: UnsafePointer<UnsafeMutablePointer<CChar>?>
    ) -> pid_t
  ) -> pid_t {
    let words = unsafe command.map { unsafe strdup($0) } + [nil]
    let variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    return unsafe body(words, variables)
  }

  /// Waits until it has ended; or stops it with everything in its group, by SIGTERM, and by SIGKILL
  /// two seconds later.
  ///
  /// Processes that it leaves behind are not waited for, even if they keep standard output or error open.
  ///
  /// - Parameters:
  ///   - timeout: how long it may go on from now on; `nil` for no limit.
  ///   - stop: has it stopped once this can be read from.
  ///   - onLine: gets each line of standard output, without its end, at most 4 KB of it.
  ///   - isStopped: has it stopped; asked now and then while there is a limit.
  /// - Returns: the report, with the ending `running` if a line said that it is ready; it is then to be
  ///   waited for once more.
  package mutating func untilEnd(
    within timeout: Duration?, stop: OpenFile? = nil,
    onLine: (String) -> LineMeaning = { _ in .nothing },
    unless isStopped: () -> Bool = { Task.isCancelled }
  ) -> Report {
    var deadline = timeout.map { ContinuousClock.now + $0 }
    var signals = [SIGTERM, SIGKILL][...]
    var stop = stop
    var (timedOut, isCancelled, hasFailed) = (false, false, false)
    while true {
      let hasEnded = self.hasEnded
      // One reading that begins after the end finds all that a pipe holds.
      read()
      while let line = lines.popFirst() {
        switch onLine(line) {
        case .nothing: continue
        case .ready: return report(.running)
        case .failed:
          // It may end by itself.
          if !hasFailed { deadline = .now + .seconds(1) }
          hasFailed = true
        }
      }
      if hasEnded { break }
      if !isCancelled && (isStopped() || stop?.readNow() != nil) {
        (isCancelled, stop, deadline) = (true, nil, .now)
      }
      if let time = deadline, time <= .now, let signal = signals.popFirst() {
        timedOut = !hasFailed && !isCancelled
        send(signal)
        deadline = .now + .seconds(2)
      }
      // Where its end does not report itself, it is asked for, as the caller is.
      let isAsked = deadline != nil || end == nil
      OpenFile.wait(
        reading: [end, stop, output.pipe, errors.pipe], atMost: isAsked ? 100 : -1)
    }
    // It has ended but not been reaped, so its group's number is still its own.
    if signals.count < 2 { send(SIGKILL) }
    let ending = reap()
    // That it had to be stopped after its failure is of no interest.
    return report(hasFailed ? .exited(1) : ending, timedOut: timedOut)
  }

  private func report(_ ending: Ending, timedOut: Bool = false) -> Report {
    Report(
      ending: ending, timedOut: timedOut, output: output.text, errors: errors.text,
      unendedLine: String(decoding: line, as: UTF8.self))
  }

  private mutating func read() {
    _ = errors.read()
    let parts = output.read().split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index > 0 {
        lines.append(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
      }
      line += part.prefix(Self.longest - line.count)
    }
  }

  /// What a child has printed to one of its outputs, as far as it is kept.
  private struct Printed: Sendable {
    /// Where it comes from; `nil` at its end.
    var pipe: OpenFile?
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Reads what is there now.
    mutating func read() -> [UInt8] {
      guard let piece = pipe?.readNow() else { return [] }
      if piece.isEmpty { pipe = nil }
      bytes += piece.prefix(ChildProcess.longest - bytes.count)
      return piece
    }
  }
}

// MARK: - Signals and the end

extension ChildProcess {
  /// Gives SIGCHLD its default meaning if it is ignored, because the system then throws the exit status
  /// of children away.
  ///
  /// - SeeAlso: `sigaction(2)`.
  private static func keepExitStatuses() {
    var current = sigaction()
    if unsafe sigaction(SIGCHLD, nil, &current) == 0,
      check_loans_is_ignored(SIGCHLD) != 0 || current.sa_flags & SA_NOCLDWAIT != 0
    {
      signal(SIGCHLD, SIG_DFL)
    }
  }

  /// Whether it has ended; its number stays its own until it is reaped.
  ///
  /// - SeeAlso: `waitid(2)`.
  private var hasEnded: Bool {
    var information = unsafe siginfo_t()
    let result = unsafe waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT | WNOHANG)
    return unsafe result != 0 && errno != EINTR || information.si_signo != 0
  }

  /// Sends a signal to its group; SIGKILL also to itself, which may have left the group.
  ///
  /// - SeeAlso: `kill(2)`.
  private func send(_ signal: Int32) {
    kill(-number, signal)
    if signal == SIGKILL { kill(number, signal) }
  }

  /// Lets go of it once it has ended.
  private func reap() -> Ending {
    // It must no longer be noted once its number may be another's.
    if isNoted { check_loans_forget_child(number) }
    return Ending(of: number)
  }

  /// Has a signal that ends this process end its children too, which the terminal does not tell of
  /// Ctrl-C; for a process that catches none of SIGINT, SIGTERM and SIGHUP.
  ///
  /// - SeeAlso: `sigaction(2)`.
  package static func endWithThisProcess() {
    for number in [SIGINT, SIGTERM, SIGHUP] where check_loans_is_ignored(number) == 0 {
      _ = check_loans_end_with_children(number)
    }
  }
}

extension ChildProcess.Ending {
  /// `failed with exit status 3`, `was ended by signal 9`.
  package var words: String {
    switch self {
    case .exited(let code): "failed with exit status \(code)"
    case .signaled(let signal): "was ended by signal \(signal)"
    case .lost, .running: "has ended, and the system does not say how"
    }
  }
}

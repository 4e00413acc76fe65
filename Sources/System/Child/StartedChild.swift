internal import CLinux
internal import Glibc
internal import SystemPackage

/// A program that was started, and leads a process group of its own, until it is reaped.
package struct StartedChild: Sendable {
  /// How a program has ended.
  package enum Ending: Sendable, Hashable {
    /// By itself, with this status.
    case exited(Int32)
    /// By this signal.
    case signaled(Int32)
    /// Nobody knows.
    case lost

    /// Whether the program has done what it should.
    package var isSuccess: Bool { self == .exited(0) }
  }

  private let number: pid_t
  private let isNoted: Bool
  /// What can be read from once it has ended; `nil` if the system has no such thing.
  let end: OpenFile?

  /// Starts a program with these files for its first three descriptors, or `/dev/null` in place of
  /// `nil`, and with no other ones.
  ///
  /// - Parameters:
  ///   - program: its path, or its name, which is looked for in the absolute entries of the
  ///     environment's PATH.
  ///   - outlivesUs: whether it goes on when a signal ends this process.
  package init(
    _ program: String, _ arguments: [String], environment: [String: String],
    input: OpenFile? = nil, output: OpenFile? = nil, errors: OpenFile? = nil,
    outlivesUs: Bool = false
  ) throws(StartFailure) {
    let path = try ProgramSearch.path(of: program, in: environment)
    Self.keepExitStatus()
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    isNoted = !outlivesUs
    if isNoted { check_loans_begin_start() }
    let result = withExtendedLifetime((input, output, errors)) {
      let (input, output, errors) = (input?.descriptor, output?.descriptor, errors?.descriptor)
      return unsafe check_loans_start(
        path, &words, &variables, input?.rawValue ?? -1, output?.rawValue ?? -1,
        errors?.rawValue ?? -1)
    }
    // Where too many are running, one lives on if the process is ended by a signal.
    if isNoted && result > 0 { _ = check_loans_note_child(result) }
    if isNoted { check_loans_end_start() }
    guard result > 0 else { throw StartFailure(Errno(rawValue: -result)) }
    number = result
    end = OpenFile.end(of: result)
  }

  /// Gives SIGCHLD its default meaning if the process was started with it ignored, because the
  /// system then throws the exit status of children away.
  ///
  /// - SeeAlso: `sigaction(2)`.
  private static func keepExitStatus() {
    var current = sigaction()
    guard unsafe sigaction(SIGCHLD, nil, &current) == 0 else { return }
    if check_loans_is_ignored(SIGCHLD) != 0 || current.sa_flags & SA_NOCLDWAIT != 0 {
      signal(SIGCHLD, SIG_DFL)
    }
  }

  /// Whether it has ended; its number stays its own until it is reaped.
  ///
  /// - SeeAlso: `waitid(2)`.
  var hasEnded: Bool { wait(WNOHANG) }

  private func wait(_ option: Int32) -> Bool {
    var information = unsafe siginfo_t()
    let result = unsafe waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT | option)
    return unsafe result != 0 && errno != EINTR || information.si_signo != 0
  }

  /// Sends a signal to its group; SIGKILL also to itself, which may have left the group.
  ///
  /// - SeeAlso: `kill(2)`.
  func send(_ signal: Int32) {
    kill(-number, signal)
    if signal == SIGKILL { kill(number, signal) }
  }

  /// Waits for its end, and lets go of it.
  ///
  /// - SeeAlso: `waitpid(2)`.
  package func reap() -> Ending {
    // It must no longer be noted once its number may be another's.
    while isNoted && !wait(0) {}
    if isNoted { check_loans_forget_child(number) }
    var status: Int32 = 0
    while unsafe waitpid(number, &status, 0) < 0 {
      guard errno == EINTR else { return .lost }
    }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signaled(signal)
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

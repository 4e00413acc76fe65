internal import CLinux
internal import Glibc

/// A program that was started, and leads a process group of its own, until it is reaped.
struct StartedChild: Sendable {
  /// How a program has ended.
  enum Ending: Sendable, Hashable {
    /// By itself, with this status.
    case exited(Int32)
    /// By this signal.
    case signaled(Int32)
    /// Nobody knows.
    case lost

    /// Whether it has done what it should.
    var isSuccess: Bool { self == .exited(0) }
  }

  private let number: pid_t
  private let isNoted: Bool
  /// What can be read from once it has ended; `nil` if the system has none.
  let ending: Descriptor?

  /// Starts a program, given by its path, with the descriptors for its first three, or `/dev/null` for
  /// one that is `nil`, and no other ones.
  ///
  /// - Parameter outlivesUs: whether it goes on when a signal ends this process.
  init(
    _ program: String, _ arguments: [String], environment: [String: String],
    input: Descriptor? = nil, output: Descriptor? = nil, errors: Descriptor? = nil,
    outlivesUs: Bool = false
  ) throws(StartFailure) {
    keepExitStatusOfChildren()
    var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    isNoted = !outlivesUs
    if isNoted { check_loans_begin_start() }
    let result = withExtendedLifetime((input, output, errors)) {
      unsafe check_loans_start(
        program, &words, &variables, input?.number ?? -1, output?.number ?? -1,
        errors?.number ?? -1)
    }
    // Where too many are running, one lives on if the process is ended by a signal.
    if isNoted && result > 0 { _ = check_loans_note_child(result) }
    if isNoted { check_loans_end_start() }
    guard result > 0 else { throw StartFailure(-result) }
    number = result
    ending = Descriptor.ofChild(result)
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
  func reap() -> Ending {
    // It must not be noted any more once its number may be another's.
    while isNoted && !wait(0) {}
    if isNoted { check_loans_forget_child(number) }
    var status: Int32 = 0
    while unsafe waitpid(number, &status, 0) < 0 {
      guard errno == EINTR else { return .lost }
    }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signaled(signal)
  }
}

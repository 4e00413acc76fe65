import CLinux
import Glibc

/// A program that is waited for, such as systemctl.
enum ChildProgram {
  /// Why it was of no use.
  struct Failure: Error {
    var words: String
    /// Whether it did not end in time.
    var isLate = false
  }

  /// Runs a program with the environment of this one; what it prints goes to standard error.
  ///
  /// It runs in a process group of its own, which is killed when its time is over, or when a signal
  /// ends this process.
  ///
  /// - Parameter deadline: how long it may run.
  /// - SeeAlso: `posix_spawn(3)`, `waitid(2)`.
  static func run(
    _ path: String, _ arguments: [String], within deadline: Duration
  ) -> Result<Void, Failure> {
    endWithChildren()
    // Else its exit status would be thrown away.
    signal(SIGCHLD, SIG_DFL)
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    reset(&attributes)
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var child = pid_t()
    check_loans_begin_start()
    let result = unsafe posix_spawn(&child, path, &actions, &attributes, &words, environ)
    if result == 0 { _ = check_loans_note_child(child) }
    check_loans_end_start()
    guard result == 0 else { return .failure(Failure(words: systemWords(result))) }
    let isLate = !hasEnded(child, within: deadline)
    if isLate { kill(-child, SIGKILL) }
    check_loans_forget_child(child)
    guard isLate else { return reap(child) }
    // One that even SIGKILL does not end is left to init.
    if hasEnded(child, within: .seconds(1)) { _ = reap(child) }
    return .failure(
      Failure(words: "no answer within \(deadline.components.seconds) s", isLate: true))
  }

  /// The terminal tells only this process of Ctrl-C and of its own end, not the child's group.
  private static func endWithChildren() {
    for number in [SIGINT, SIGTERM, SIGHUP] where check_loans_is_ignored(number) == 0 {
      _ = check_loans_end_with_children(number)
    }
  }

  /// Signals that are ignored, or blocked on this thread, shall not be so in the child.
  private static func reset(_ attributes: inout posix_spawnattr_t) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe sigaddset(&signals, SIGXFSZ)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  /// Waits for its end without reaping it, so that its number stays its own.
  private static func hasEnded(_ child: pid_t, within deadline: Duration) -> Bool {
    let end = ContinuousClock.now + deadline
    var pause: UInt32 = 1_000
    while true {
      var information = unsafe siginfo_t()
      let options = WEXITED | WNOHANG | WNOWAIT
      let result = unsafe waitid(P_PID, id_t(child), &information, options)
      if unsafe result != 0 && errno != EINTR || information.si_signo != 0 { return true }
      if ContinuousClock.now >= end { return false }
      usleep(pause)
      pause = min(2 * pause, 50_000)
    }
  }

  private static func reap(_ child: pid_t) -> Result<Void, Failure> {
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { return .failure(Failure(words: systemWords(errno))) }
    }
    let signal = status & 0x7F
    if signal != 0 { return .failure(Failure(words: "ended by signal \(signal)")) }
    let code = status >> 8 & 0xFF
    return code == 0 ? .success(()) : .failure(Failure(words: "exit status \(code)"))
  }
}

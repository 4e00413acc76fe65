import Glibc

/// A program that is waited for, such as systemctl.
enum ChildProgram {
  /// Why it was of no use.
  struct Failure: Error {
    var words: String
  }

  /// Runs a program with the environment of this one; what it prints goes to standard error.
  ///
  /// - SeeAlso: `posix_spawn(3)`, `waitpid(2)`.
  static func run(_ path: String, _ arguments: [String]) -> Result<Void, Failure> {
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
    let result = unsafe posix_spawn(&child, path, &actions, &attributes, &words, environ)
    guard result == 0 else { return .failure(Failure(words: systemWords(result))) }
    return wait(for: child)
  }

  /// Signals that are ignored here shall not be so in the child.
  private static func reset(_ attributes: inout posix_spawnattr_t) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe sigaddset(&signals, SIGXFSZ)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
  }

  private static func wait(for child: pid_t) -> Result<Void, Failure> {
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

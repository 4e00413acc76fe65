internal import Glibc

extension CheckedOutput {
  /// Makes a write to a pipe without reader an ``OutputError`` in the whole process, instead of
  /// its death by SIGPIPE.
  ///
  /// Call it once, before the first write.
  ///
  /// - SeeAlso: `signal(2)`.
  public static func ignoreBrokenPipeSignal() {
    signal(SIGPIPE, SIG_IGN)
  }
}

/// Gives SIGCHLD its default meaning if the process was started with it ignored, because the
/// system then throws the exit status of children away.
///
/// - SeeAlso: `sigaction(2)`.
func keepExitStatusOfChildren() {
  var current = sigaction()
  guard unsafe sigaction(SIGCHLD, nil, &current) == 0 else { return }
  let isIgnored = current.handlerNumber == 1
  if isIgnored || current.sa_flags & SA_NOCLDWAIT != 0 { signal(SIGCHLD, SIG_DFL) }
}

/// Ignores SIGPIPE unless the process handles it, because a child that does not read its standard
/// input would else kill us.
///
/// - SeeAlso: `sigaction(2)`.
func keepBrokenPipesFromKilling() {
  var current = sigaction()
  guard unsafe sigaction(SIGPIPE, nil, &current) == 0 else { return }
  if current.handlerNumber == 0 { signal(SIGPIPE, SIG_IGN) }
}

extension sigaction {
  /// The handler's address, or 0 for SIG_DFL and 1 for SIG_IGN, which Swift cannot compare.
  fileprivate var handlerNumber: Int {
    unsafe unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self)
  }
}

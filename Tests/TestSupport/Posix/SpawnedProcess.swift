internal import Glibc

/// A system call that failed where a test could not go on without it.
public struct SystemFailure: Error, CustomStringConvertible {
  /// What was tried, and the number of errno(3).
  public let description: String

  init(_ what: String, _ number: Int32 = errno) { description = "\(what): error \(number)" }
}

/// A running child in a process group of its own, not yet reaped.
struct SpawnedProcess {
  let identifier: pid_t

  /// Starts it with no descriptors but the first three, no signal blocked and none ignored, and
  /// changes the directory by way of env(1); posix_spawn(3).
  init(_ command: Command, output: borrowing OutputFile, errors: borrowing OutputFile) throws {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let input = try Self.open(command.input)
    defer { if input >= 0 { close(input) } }
    for (target, source) in [(Int32(0), input), (1, output.descriptor), (2, errors.descriptor)] {
      if source >= 0 {
        unsafe posix_spawn_file_actions_adddup2(&actions, source, target)
      } else {
        unsafe posix_spawn_file_actions_addclose(&actions, target)
      }
    }
    // Whatever the tests themselves were started with: closing what is not open does no harm.
    for name in try File.names(in: "/proc/self/fd") {
      guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
      unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    let env = "/usr/bin/env"
    let words = [env, "-C", command.directory, command.program] + command.arguments
    let argv = unsafe words.map { unsafe strdup($0) } + [nil]
    let envp = unsafe command.environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { unsafe (argv + envp).forEach { unsafe free($0) } }
    var identifier: pid_t = 0
    let error = unsafe posix_spawn(&identifier, env, &actions, &attributes, argv, envp)
    guard error == 0 else { throw SystemFailure("\(command.program) not started", error) }
    self.identifier = identifier
  }

  private static func open(_ input: Command.Input) throws -> Int32 {
    switch input {
    case .closed: return -1
    case .nothing: return try File.open("/dev/null", O_RDONLY)
    case .file(let path): return try File.open(path, O_RDONLY)
    case .bytes(let bytes):
      precondition(bytes.count <= 65_536, "\(bytes.count) bytes do not fit into a pipe")
      let (readEnd, writeEnd) = try makePipe()
      defer { close(writeEnd) }
      guard unsafe write(writeEnd, bytes, bytes.count) == bytes.count else {
        throw SystemFailure("standard input not filled")
      }
      return readEnd
    }
  }

  /// Whether it has ended; it is not reaped, so that its number stays its own. waitid(2)
  var hasEnded: Bool {
    var information = unsafe siginfo_t()
    let result = unsafe waitid(
      P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT)
    return unsafe result != 0 || information.si_signo != 0
  }

  /// Whether it is stopped by a signal; waitid(2).
  var isStopped: Bool {
    var information = unsafe siginfo_t()
    let result = unsafe waitid(
      P_PID, id_t(identifier), &information, WSTOPPED | WNOHANG | WNOWAIT)
    return unsafe result == 0 && information.si_signo != 0
  }

  /// Sends a signal to it alone; kill(2).
  func send(_ signal: Int32) { kill(identifier, signal) }

  /// Kills it with everything in its group; kill(2).
  func killGroup() { kill(-identifier, SIGKILL) }

  /// Takes note of its end, once it has ended; wait4(2).
  func reap() -> CommandResult.Ending {
    var status: Int32 = 0
    while unsafe wait4(identifier, &status, 0, nil) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .signaled(signal)
  }
}

/// Where a child writes to; closed when the value goes away.
struct OutputFile: ~Copyable {
  /// -1 for none.
  let descriptor: Int32
  private let isCaptured: Bool

  init(_ output: Command.Output) throws {
    isCaptured = output == .captured
    switch output {
    case .closed: descriptor = -1
    case .file(let path): descriptor = try File.open(path, O_WRONLY)
    case .appended(let path): descriptor = try File.open(path, O_WRONLY | O_APPEND | O_CREAT)
    case .captured:
      let path = temporaryPath()
      descriptor = try File.open(path, O_RDWR | O_CREAT | O_EXCL)
      unsafe unlink(path)
    case .brokenPipe:
      let (readEnd, writeEnd) = try makePipe()
      close(readEnd)
      descriptor = writeEnd
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// What was written so far, if it is captured; pread(2).
  func contents() throws -> [UInt8] {
    guard isCaptured else { return [] }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = unsafe pread(descriptor, &chunk, chunk.count, bytes.count), count > 0 {
      bytes += chunk[..<count]
    }
    return bytes
  }
}

/// A pipe whose ends no other child inherits; mkfifo(3), because Swift does not see pipe2(2) and
/// tests start children on many threads.
private func makePipe() throws -> (readEnd: Int32, writeEnd: Int32) {
  let path = temporaryPath()
  guard unsafe mkfifo(path, 0o600) == 0 else { throw SystemFailure("no pipe") }
  defer { unsafe unlink(path) }
  let readEnd = try File.open(path, O_RDONLY | O_NONBLOCK)
  let writeEnd = try File.open(path, O_WRONLY)
  _ = fcntl(readEnd, F_SETFL, 0)
  return (readEnd, writeEnd)
}

/// A path at which nothing is.
private func temporaryPath() -> String {
  "/tmp/check-loans-\(getpid())-\(UInt64.random(in: 0...(.max)))"
}

/// A variable of the test's own environment, unless it is empty; getenv(3).
public func testVariable(_ name: String) -> String? {
  guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
  return unsafe String(cString: value)
}

/// Where the running program, which holds the tests, was built; readlink(2), proc(5).
var directoryOfRunningProgram: String {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let length = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
  precondition(length > 0, "the running program is not known: error \(errno)")
  let path = buffer[..<length].map { UInt8(bitPattern: $0) }
  return String(decoding: path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)], as: UTF8.self)
}

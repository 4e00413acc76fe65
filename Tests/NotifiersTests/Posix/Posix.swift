import Glibc
import Synchronization

/// A pipe whose two ends the test holds.
final class TestPipe: Sendable {
  let readEnd: Int32
  let writeEnd: Int32

  /// Both ends close-on-exec, and both non-blocking if so wished; pipe(2), fcntl(2).
  init(isNonBlocking: Bool = false) {
    var ends: [Int32] = [-1, -1]
    let result = unsafe pipe(&ends)
    precondition(result == 0, "no pipe: error \(errno)")
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      if isNonBlocking { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  func closeReadEnd() { close(readEnd) }
  func closeWriteEnd() { close(writeEnd) }

  /// At most `limit` bytes; none at the end, or if a non-blocking pipe has none now. read(2)
  func read(upTo limit: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = unsafe Glibc.read(readEnd, &bytes, limit)
    return Array(bytes.prefix(max(0, count)))
  }

  /// Everything until the writer has closed its end.
  func readToEnd(pause: UInt32 = 0, chunk: Int = 65_536) -> [UInt8] {
    var all: [UInt8] = []
    var request = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    while true {
      while unsafe poll(&request, 1, -1) < 0 {}
      let bytes = read(upTo: chunk)
      if bytes.isEmpty { return all }
      all += bytes
      if pause > 0 { usleep(pause) }
    }
  }
}

/// Runs `body` on a thread of its own, so that it may block.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    pthread_detach(startThread { continuation.resume(returning: body()) })
  }
}

/// Runs `body` while SIGALRM, whose handler does nothing, interrupts this thread's system calls
/// over and over; sigaction(2), pthread_sigmask(3),
/// pthread_kill(3).
func interrupted<Value>(_ body: () -> Value) -> Value {
  var action = sigaction()
  unsafe action.__sigaction_handler.sa_handler = { _ in }
  unsafe sigaction(SIGALRM, &action, nil)
  // Threads of the pool that tests run on have their signals blocked, and pass that on.
  var alarm = sigset_t()
  unsafe sigemptyset(&alarm)
  unsafe sigaddset(&alarm, SIGALRM)
  unsafe pthread_sigmask(SIG_UNBLOCK, &alarm, nil)
  let target = pthread_self()
  let isDone = Mutex(false)
  let interrupter = startThread {
    while !isDone.withLock({ $0 }) {
      pthread_kill(target, SIGALRM)
      usleep(200)
    }
  }
  defer {
    isDone.withLock { $0 = true }
    pthread_join(interrupter, nil)
  }
  return body()
}

/// Starts a thread; pthread_create(3).
private func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  var thread = pthread_t()
  let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    guard let argument = unsafe $0 else { return nil }
    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
    return nil
  }
  let argument = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
  let error = unsafe pthread_create(&thread, nil, start, argument)
  precondition(error == 0, "no thread: error \(error)")
  return thread
}

private final class Work: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Opens an existing file for writing; open(2).
func openForWriting(_ path: String) -> Int32 {
  let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
  precondition(descriptor >= 0, "\(path) not opened: error \(errno)")
  return descriptor
}

/// Opens a file for reading such that every child would inherit it, but for care; open(2).
func openInheritably(_ path: String) -> Int32 {
  let descriptor = unsafe open(path, O_RDONLY)
  precondition(descriptor >= 0, "\(path) not opened: error \(errno)")
  return descriptor
}

/// Closes it again; close(2).
func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

/// Whether a process exists, be it a zombie; kill(2).
func processExists(_ identifier: Int32) -> Bool {
  kill(identifier, 0) == 0
}

/// Gives a file or directory another path; rename(2).
func move(_ path: String, to newPath: String) {
  let result = unsafe rename(path, newPath)
  precondition(result == 0, "\(path) not moved: error \(errno)")
}

/// Leaves the process no more than so many descriptors beyond the highest one open; setrlimit(2).
func limitDescriptors(to extra: Int) {
  var limits = rlimit()
  unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
  let next = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
  close(next)
  limits.rlim_cur = rlim_t(Int(next) + extra)
  let result = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
  precondition(result == 0, "no limit: error \(errno)")
}

import CLinux
import Glibc
import System
import SystemPackage

/// The limits that the system sets the process.
enum SystemLimits {
  /// The descriptors that a run opens, with all that it starts, and some more.
  private static let enough: rlim_t = 64
  private static let least: rlim_t = 24
  /// More threads than the runtime, the reader and a child have been seen to need at once; those
  /// that read parts of a catalogue are as many as can be had.
  private static let threads = 8

  /// Makes sure that descriptors can be had; more are asked for if there are few.
  ///
  /// - Throws: ``CommandError`` with the status `systemLimit`.
  /// - SeeAlso: `getrlimit(2)`.
  static func checkDescriptors() throws(CommandError) {
    let descriptors = raisedDescriptorLimit()
    guard descriptors >= least else {
      throw CommandError(
        .systemLimit,
        """
        only \(descriptors) open files are allowed, and \(least) are needed; raise the limit with \
        ulimit -n, or LimitNOFILE= in a systemd unit
        """)
    }
  }

  /// Makes sure that threads can be had, and what they wait with.
  ///
  /// Where they run out, the Swift runtime waits for ever for a thread or ends by a signal, with
  /// the lock held or a notice half sent. What runs out between this and that cannot be helped.
  ///
  /// - Throws: ``CommandError`` with the status `systemLimit`.
  /// - SeeAlso: `pthread_create(3)`, `epoll(7)`.
  static func checkThreads() throws(CommandError) {
    if check_loans_try_waiting() != 0 {
      throw CommandError(
        .systemLimit,
        """
        the system has nothing left for threads to wait with (\(Errno.last.words)); end other programs, \
        or raise the limit with ulimit -n, or LimitNOFILE= in a systemd unit
        """)
    }
    if let number = failureOfThreads() {
      throw CommandError(
        .systemLimit,
        """
        the system allows no more threads (\(Errno(rawValue: number).words)); end other programs, \
        or raise the limit with ulimit -u, or TasksMax= in a systemd unit
        """)
    }
  }

  /// The number of threads that can run at once, at least 1.
  ///
  /// - SeeAlso: `sched_getaffinity(2)`.
  static var processors: Int { max(1, Int(check_loans_processor_count())) }

  private static func raisedDescriptorLimit() -> rlim_t {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return enough
    }
    let soft = limit.rlim_cur
    if soft >= enough { return soft }
    limit.rlim_cur = min(enough, limit.rlim_max)
    return unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
      ? limit.rlim_cur : soft
  }

  /// Starts the threads, all at the same time, and lets them end.
  private static func failureOfThreads() -> Int32? {
    let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    unsafe gate.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(gate, nil)
    unsafe pthread_mutex_lock(gate)
    var started: [pthread_t] = []
    var failure: Int32?
    while started.count < threads, failure == nil {
      var thread = pthread_t()
      let result = unsafe pthread_create(&thread, nil, passThrough, gate)
      if result == 0 { started.append(thread) } else { failure = result }
    }
    unsafe pthread_mutex_unlock(gate)
    for thread in started { pthread_join(thread, nil) }
    unsafe pthread_mutex_destroy(gate)
    unsafe gate.deallocate()
    return failure
  }

  private static let passThrough:
    @convention(c) (UnsafeMutableRawPointer?) ->
      UnsafeMutableRawPointer? = { gate in
        guard let gate = unsafe gate?.assumingMemoryBound(to: pthread_mutex_t.self) else {
          return nil
        }
        unsafe pthread_mutex_lock(gate)
        unsafe pthread_mutex_unlock(gate)
        return nil
      }
}

import CLinux
import Glibc
import System
import SystemPackage

/// The limits that the system sets the process.
package enum SystemLimits {
  /// The descriptors that a run opens, with all that it starts, and some more.
  private static let enough: rlim_t = 64
  private static let least: rlim_t = 24

  /// Makes sure that descriptors can be had; more are asked for if there are few.
  ///
  /// - Throws: ``CommandError`` with the status `systemLimit`.
  /// - SeeAlso: `getrlimit(2)`.
  package static func checkDescriptors() throws(CommandError) {
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

  /// Makes sure that a thread can be had.
  ///
  /// - Throws: ``CommandError`` with the status `systemLimit`.
  package static func checkThreads() throws(CommandError) {
    do throws(Errno) {
      try SystemThread {}.join()
    } catch {
      throw CommandError(
        .systemLimit,
        """
        the system allows no more threads (\(error.words)); end other programs, \
        or raise the limit with ulimit -u, or TasksMax= in a systemd unit
        """)
    }
  }

  /// The number of threads that can run at once, at least 1.
  ///
  /// - SeeAlso: `sched_getaffinity(2)`.
  package static var processors: Int { max(1, Int(check_loans_processor_count())) }

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
}

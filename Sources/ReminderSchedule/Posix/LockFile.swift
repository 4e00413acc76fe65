internal import Glibc
internal import Loans

/// An exclusive lock on a file beside the schedule, held until the value goes away.
///
/// The file is never removed: whoever removed it would let two processes hold "the" lock on two
/// files of the same name. The kernel frees the lock when its holder dies, however it dies.
struct LockFile: ~Copyable {
  private let descriptor: Int32

  /// Takes the lock, trying every 50 milliseconds until `patience` has passed.
  ///
  /// - Throws: `ScheduleError` `locked` if another process still holds it.
  static func taking(_ path: String, patience: Duration) throws(ScheduleError) -> LockFile {
    let lock: LockFile
    do {
      lock = LockFile(
        descriptor: try SystemCall.open(path, O_RDWR | O_CREAT, mode: 0o600))
    } catch {
      throw cannotOpen(path, error)
    }
    try lock.check(path)
    try lock.wait(path, patience: patience)
    return lock
  }

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    SystemCall.close(descriptor)
  }

  private func wait(_ path: String, patience: Duration) throws(ScheduleError) {
    let end = ContinuousClock.now + patience
    while try !isTaken(path) {
      guard ContinuousClock.now < end else { throw Self.busy(path) }
      SystemCall.sleep(milliseconds: 50)
    }
  }

  private func isTaken(_ path: String) throws(ScheduleError) -> Bool {
    do {
      return try SystemCall.lock(descriptor)
    } catch {
      throw ScheduleError(
        .inputOutput, path: path,
        "cannot lock \"\(path.visible)\"; name a file on a local disk with --state",
        underlying: error.sentence)
    }
  }

  private func check(_ path: String) throws(ScheduleError) {
    let status = try? SystemCall.status(of: descriptor)
    guard let status, status.isRegular, status.owner == SystemCall.user else {
      throw ScheduleError(
        .notPermitted, path: path,
        "the lock \"\(path.visible)\" is not a regular file of ours; remove it")
    }
  }

  private static func busy(_ path: String) -> ScheduleError {
    ScheduleError(
      .locked, path: path, "another run holds the lock \"\(path.visible)\"; try again")
  }

  private static func cannotOpen(_ path: String, _ failure: SystemCall.Failure) -> ScheduleError {
    if failure.number == ELOOP {
      return ScheduleError(
        .notPermitted, path: path, "the lock \"\(path.visible)\" is a symbolic link; remove it")
    }
    if failure.number == EACCES || failure.number == EPERM {
      return ScheduleError(
        .notPermitted, path: path,
        "no permission to use the lock \"\(path.visible)\"; name another schedule with --state",
        underlying: failure.sentence)
    }
    return ScheduleError(
      .cannotCreate, path: path, "cannot create the lock \"\(path.visible)\"",
      underlying: failure.sentence)
  }
}

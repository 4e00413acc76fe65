internal import Glibc
internal import Loans

/// An exclusive lock on a file beside the schedule, held until the value goes away.
///
/// The file is never removed: whoever removed it would let two processes hold "the" lock on two
/// files of the same name. The kernel frees the lock when its holder dies, however it dies.
///
/// The file holds how many messages of the outbox were sent, which outlives the process without a
/// commit.
struct LockFile: ~Copyable {
  private let path: String
  private let descriptor: Int32

  /// Takes the lock of a schedule, trying every 50 milliseconds until `timeout` has passed.
  ///
  /// - Throws: `ScheduleError` `locked` if another process still holds it; `notPermitted` if the
  ///   file is something else, which is left as it is.
  static func taking(
    beside schedule: ScheduleFile, timeout: Duration
  ) throws(ScheduleError) -> LockFile {
    let path = schedule.lockPath
    let lock: LockFile
    do {
      lock = LockFile(
        path: path,
        descriptor: try SystemCall.open(path, O_RDWR | O_CREAT | O_NONBLOCK, mode: 0o600))
    } catch {
      throw cannotOpen(path, error)
    }
    try lock.check()
    try lock.checkContent(beside: schedule)
    try lock.wait(timeout)
    return lock
  }

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    SystemCall.close(descriptor)
  }

  private func wait(_ timeout: Duration) throws(ScheduleError) {
    let end = ContinuousClock.now + timeout
    while try !isTaken() {
      guard ContinuousClock.now < end else { throw busy }
      SystemCall.sleep(milliseconds: 50)
    }
  }

  private func isTaken() throws(ScheduleError) -> Bool {
    do {
      return try SystemCall.lock(descriptor)
    } catch {
      throw ScheduleError(
        .inputOutput, path: path,
        "cannot lock \"\(path.visible)\"; name a file on a local disk with --state",
        underlying: error.sentence)
    }
  }

  private func check() throws(ScheduleError) {
    let status = try? SystemCall.status(of: descriptor)
    guard let status, status.isRegular, status.owner == SystemCall.user else {
      throw ScheduleError(
        .notPermitted, path: path,
        "the lock \"\(path.visible)\" is not a regular file of ours; remove it")
    }
    guard status.links <= 1 else {
      throw ScheduleError(
        .notPermitted, path: path,
        "the lock \"\(path.visible)\" is a file that has another name too; remove it")
    }
  }

  /// Refuses a file that another program has put there: a schedule named `Cargo` has its lock
  /// where Rust's package manager has one of its own.
  ///
  /// Where a schedule is there already, the lock is its own, and damaged, which costs nothing.
  private func checkContent(beside schedule: ScheduleFile) throws(ScheduleError) {
    let bytes = (try? SystemCall.read(OutboxCount.beginning.count, from: descriptor)) ?? []
    if bytes.allSatisfy({ $0 == 0 }) || bytes == OutboxCount.beginning { return }
    guard let header = try? schedule.header, header.isSchedule else {
      throw ScheduleError(
        .notPermitted, path: path,
        "\"\(path.visible)\" is not a lock of check-loans; name another file with --state")
    }
  }

  private var busy: ScheduleError {
    ScheduleError(
      .locked, path: path, "another run holds the lock \"\(path.visible)\"; try again")
  }

  private static func cannotOpen(_ path: String, _ failure: SystemCall.Failure) -> ScheduleError {
    if failure.number == ELOOP {
      return ScheduleError(
        .notPermitted, path: path, "the lock \"\(path.visible)\" is a symbolic link; remove it")
    }
    if failure.isSystemLimit {
      return ScheduleError(systemLimit: path, underlying: failure.sentence)
    }
    if failure.number == EACCES || failure.number == EPERM {
      return ScheduleError(
        .notPermitted, path: path,
        "no permission to use the lock \"\(path.visible)\"; name another schedule with --state",
        underlying: failure.sentence)
    }
    return ScheduleError(
      .cannotCreate, path: path,
      "cannot create the lock \"\(path.visible)\"; remove what is there, or name another file with "
        + "--state",
      underlying: failure.sentence)
  }
}

/// How many messages of the outbox were sent.
struct OutboxCount: Equatable {
  /// The number of the ``Sending`` that they are of.
  var sending: Int64
  var sent: Int

  /// Bytes in the file: a word that says what it is, the sending, the count, and a check.
  fileprivate static let size = 32

  private static let magic: UInt64 = 0x676E_6964_6E65_5331

  /// What a file begins with in which something was counted.
  fileprivate static let beginning = Array("1Sending".utf8)

  fileprivate var words: InlineArray<4, UInt64> {
    let (sending, sent) = (UInt64(bitPattern: sending), UInt64(truncatingIfNeeded: sent))
    let check = (sending ^ sent &* 0x9E37_79B9_7F4A_7C15) &* 0xC2B2_AE3D_27D4_EB4F
    return [Self.magic, sending, sent, check]
  }

  init(sending: Int64, sent: Int) {
    self.sending = sending
    self.sent = sent
  }

  /// The count in the bytes of a lock file, unless they hold anything else.
  fileprivate init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.size else { return nil }
    let words = InlineArray<4, UInt64> { index in
      bytes[8 * index..<8 * index + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard let sent = Int(exactly: words[2]) else { return nil }
    self.init(sending: Int64(bitPattern: words[1]), sent: sent)
    let own = self.words
    guard own.indices.allSatisfy({ own[$0] == words[$0] }) else { return nil }
  }
}

extension LockFile {
  /// Writes a count in one piece (`pwrite`).
  ///
  /// - Throws: `ScheduleError` `inputOutput`.
  func write(_ count: OutboxCount) throws(ScheduleError) {
    do {
      try SystemCall.write(count.words, to: descriptor, at: 0)
    } catch {
      throw ScheduleError(
        .inputOutput, path: path, "cannot write to the lock \"\(path.visible)\"",
        underlying: error.sentence)
    }
  }

  /// The count in the file; `nil` if there is none.
  ///
  /// - Throws: `ScheduleError` `inputOutput`: without the count, all that was sent would be sent
  ///   again.
  func count() throws(ScheduleError) -> OutboxCount? {
    do {
      return OutboxCount(try SystemCall.read(OutboxCount.size, from: descriptor))
    } catch {
      throw ScheduleError(
        .inputOutput, path: path, "cannot read the lock \"\(path.visible)\"",
        underlying: error.sentence)
    }
  }

  /// The same of a file that somebody else may have locked.
  static func count(in path: String) throws(SystemCall.Failure) -> OutboxCount? {
    OutboxCount(try SystemCall.read(OutboxCount.size, fromFileAt: path))
  }
}

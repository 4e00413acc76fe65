internal import Loans
internal import System
internal import SystemPackage

/// An exclusive lock on a file beside the schedule, held until the value goes away.
///
/// The file is never removed: otherwise two processes could hold "the" lock on two files of the same
/// name. The kernel releases the lock when its holder dies, however it dies.
///
/// The file contains the number of messages of the outbox that were sent, which outlives the process
/// without a commit.
struct LockFile: ~Copyable {
  private let path: String
  private let file: OpenFile

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
        file: try OpenFile(
          path, .readWrite, options: .create, permissions: .ownerReadWrite))
    } catch {
      throw cannotOpen(path, error)
    }
    try lock.check()
    try lock.checkContent(beside: schedule)
    try lock.wait(timeout)
    return lock
  }

  private func wait(_ timeout: Duration) throws(ScheduleError) {
    let isTaken: Bool
    do {
      isTaken = try file.lock(within: timeout)
    } catch {
      throw ScheduleError(
        .inputOutput, path: path,
        "cannot lock \(Self.quoted(path)); name a file on a local disk with --state",
        error)
    }
    if !isTaken {
      throw ScheduleError(
        .locked, path: path, "another run holds the lock \(Self.quoted(path)); try again")
    }
  }

  private func check() throws(ScheduleError) {
    let status = try? file.status
    guard let status, status.type == .regular, status.userID == .current else {
      throw refusal("is not a regular file of this user")
    }
    guard status.linkCount <= 1 else { throw refusal("has more than one hard link") }
  }

  private func refusal(_ what: String) -> ScheduleError {
    ScheduleError(.notPermitted, path: path, "the lock \(Self.quoted(path)) \(what); remove it")
  }

  /// Refuses another program's file: the lock of a schedule named `Cargo` has the name of one that
  /// Rust's package manager writes.
  ///
  /// If there is a schedule already, the lock is its own and damaged, which does no harm.
  private func checkContent(beside schedule: ScheduleFile) throws(ScheduleError) {
    let bytes = (try? file.read(OutboxCount.beginning.count)) ?? []
    if bytes.allSatisfy({ $0 == 0 }) || bytes == OutboxCount.beginning { return }
    guard let header = try? schedule.header, header.isSchedule else {
      throw ScheduleError(
        .notPermitted, path: path,
        "\(Self.quoted(path)) is not a lock of check-loans; name another file with --state")
    }
  }

  private static func cannotOpen(_ path: String, _ error: Errno) -> ScheduleError {
    switch error {
    case .tooManySymbolicLinkLevels:
      ScheduleError(
        .notPermitted, path: path, "the lock \(quoted(path)) is a symbolic link; remove it")
    case .permissionDenied, .notPermitted:
      ScheduleError(
        .notPermitted, path: path,
        "no permission to use the lock \(quoted(path)); name another schedule with --state", error)
    default:
      ScheduleError(
        .cannotCreate, path: path,
        "cannot create the lock \(quoted(path)); remove what is there, or name another file with "
          + "--state", error)
    }
  }

  private static func quoted(_ path: String) -> String { "\"\(path.visible)\"" }
}

/// The number of messages of an outbox that were sent.
struct OutboxCount: Equatable {
  /// The number of the ``Outbox``.
  var sending: Int64
  var sent: Int

  /// Bytes in the file: a word that identifies it, the outbox, the count, and a check.
  fileprivate static let size = 32

  /// The beginning of a file in which something was counted.
  fileprivate static let beginning = Array("1Sending".utf8)

  init(sending: Int64, sent: Int) {
    self.sending = sending
    self.sent = sent
  }

  /// The bytes of the count: each number has eight bytes, the low ones first.
  fileprivate var bytes: [UInt8] {
    let (sending, sent) = (UInt64(bitPattern: sending), UInt64(truncatingIfNeeded: sent))
    let check = (sending ^ sent &* 0x9E37_79B9_7F4A_7C15) &* 0xC2B2_AE3D_27D4_EB4F
    return Self.beginning
      + [sending, sent, check].flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
      }
  }

  /// The count in the bytes of a lock file; `nil` if they are anything else.
  fileprivate init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.size else { return nil }
    func word(at offset: Int) -> UInt64 {
      bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard let sent = Int(exactly: word(at: 16)) else { return nil }
    self.init(sending: Int64(bitPattern: word(at: 8)), sent: sent)
    guard self.bytes == Array(bytes.prefix(Self.size)) else { return nil }
  }
}

extension LockFile {
  /// Writes a count in one piece (`pwrite`).
  ///
  /// - Throws: `ScheduleError` `inputOutput`.
  func write(_ count: OutboxCount) throws(ScheduleError) {
    do {
      try file.write(count.bytes)
    } catch {
      throw ScheduleError(
        .inputOutput, path: path, "cannot write to the lock \(Self.quoted(path))", error)
    }
  }

  /// The count in the file; `nil` if there is none.
  ///
  /// - Throws: `ScheduleError` `inputOutput`: without the count, everything would be sent again.
  func count() throws(ScheduleError) -> OutboxCount? {
    do {
      return OutboxCount(try file.read(OutboxCount.size))
    } catch {
      throw ScheduleError(
        .inputOutput, path: path, "cannot read the lock \(Self.quoted(path))", error)
    }
  }

  /// The count in a file that another process may have locked.
  static func count(in path: String) throws(Errno) -> OutboxCount? {
    OutboxCount(try OpenFile(path).read(OutboxCount.size))
  }
}

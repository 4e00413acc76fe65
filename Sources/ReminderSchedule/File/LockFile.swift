internal import Loans
internal import System
internal import SystemPackage

/// An exclusive lock on a file beside the schedule, held as long as there is a copy of the value.
///
/// The file is never removed: otherwise two processes could hold "the" lock on two files of the same
/// name. The kernel releases the lock when its holder dies, however it dies.
///
/// The file contains the number of messages of the outbox that were sent, which outlives the process
/// without a commit.
struct LockFile {
  private let path: String
  private let file: OpenFile

  /// Takes the lock of a schedule, trying every 50 milliseconds until `timeout` has passed.
  ///
  /// - Throws: `ScheduleError` `locked` if another process still holds it; `notPermitted` if the
  ///   file is something else, which is left as it is.
  init(beside schedule: ScheduleFile, timeout: Duration) throws(ScheduleError) {
    path = schedule.lockPath
    do {
      file = try OpenFile(path, .readWrite, options: .create, permissions: .ownerReadWrite)
    } catch {
      let lock = "the lock \(Self.quoted(path))"
      switch error {
      case .tooManySymbolicLinkLevels:
        throw ScheduleError(.notPermitted, path: path, "\(lock) is a symbolic link; remove it")
      case .permissionDenied, .notPermitted:
        throw ScheduleError(
          .notPermitted, path: path,
          "no permission to use \(lock); name another schedule with --state", error)
      default:
        throw ScheduleError(
          .cannotCreate, path: path,
          "cannot open \(lock); remove what is there, or name another file with --state", error)
      }
    }
    try check(beside: schedule)
    let isTaken: Bool
    do {
      isTaken = try file.lock(within: timeout)
    } catch {
      throw ScheduleError(
        .inputOutput, path: path,
        "cannot lock \(Self.quoted(path)); name a file on a local disk with --state", error)
    }
    if !isTaken {
      throw ScheduleError(
        .locked, path: path, "another run holds the lock \(Self.quoted(path)); try again")
    }
  }

  /// Refuses another program's file: the lock of a schedule named `Cargo` has the name of one that
  /// Rust's package manager writes.
  ///
  /// If there is a schedule already, the lock is its own and damaged, which does no harm.
  private func check(beside schedule: ScheduleFile) throws(ScheduleError) {
    guard let status = try? file.status, status.type == .regular, status.userID == .current,
      status.linkCount <= 1
    else {
      throw ScheduleError(
        .notPermitted, path: path,
        "the lock \(Self.quoted(path)) is not a regular file of this user with one name; remove it")
    }
    let bytes = (try? file.read(OutboxCount.beginning.count)) ?? []
    if bytes.allSatisfy({ $0 == 0 }) || bytes == OutboxCount.beginning { return }
    guard let header = try? schedule.readHeader(), header.isSchedule else {
      throw ScheduleError(
        .notPermitted, path: path,
        "\(Self.quoted(path)) is not a lock of check-loans; name another file with --state")
    }
  }

  private static func quoted(_ path: String) -> String { "\"\(path.visible)\"" }

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

  /// The count in the lock file of a schedule, which another process may have locked; `nil` if there is
  /// none.
  ///
  /// - Throws: `ScheduleError` `inputOutput`: without the count, everything would be sent again.
  static func count(beside schedule: ScheduleFile) throws(ScheduleError) -> OutboxCount? {
    let path = schedule.lockPath
    do {
      return OutboxCount(try OpenFile(path).read(OutboxCount.size))
    } catch {
      if error.isMissing { return nil }
      throw ScheduleError(.inputOutput, path: path, "cannot read the lock \(quoted(path))", error)
    }
  }
}

/// The number of messages of an outbox that were sent.
struct OutboxCount: Equatable {
  /// The number of the ``Outbox``.
  var sending: Int64
  var sent: Int

  /// The most bytes that a count has in the file.
  fileprivate static let size = 80

  /// The beginning of a file in which something was counted.
  fileprivate static let beginning = Array("1Sending".utf8)

  init(sending: Int64, sent: Int) {
    self.sending = sending
    self.sent = sent
  }

  /// The line of the count, which ends with a number that shows whether it is damaged.
  fileprivate var bytes: [UInt8] {
    let sum = (sending ^ Int64(sent) &* 0x1E37_79B9_7F4A_7C15) &* 0x42B2_AE3D_27D4_EB4F
    return Array("1Sending \(sending) \(sent) \(sum)\n".utf8)
  }

  /// The count in the bytes of a lock file; `nil` if they are anything else.
  fileprivate init?(_ bytes: [UInt8]) {
    let words = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" }.split(separator: " ")
    guard words.count == 4, let sending = Int64(words[1]), let sent = Int(words[2]) else {
      return nil
    }
    self.init(sending: sending, sent: sent)
    guard bytes.starts(with: self.bytes) else { return nil }
  }
}

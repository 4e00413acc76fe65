internal import CSQLite
internal import Loans
internal import System
internal import SystemPackage

/// The reason why the schedule cannot be used; nothing was changed.
public struct ScheduleError: Error, Hashable, Sendable {
  /// The kind of an error, which decides who can do something about it.
  public enum Code: String, CaseIterable, Sendable {
    /// The file or its directory must not be trusted, or this user may not use it.
    case notPermitted
    /// The file or its directory cannot be created.
    case cannotCreate
    /// The file is another program's, a newer version's, or not a database, and was left as it is.
    case notASchedule
    /// The file is damaged, and was left as it is.
    case damaged
    /// Another process is using the schedule.
    case locked
    /// The disk is full, reading or writing failed, or the file was removed.
    case inputOutput
    /// The system has no descriptor or memory left.
    case systemLimit
  }

  /// The kind of the error.
  public var code: Code
  /// The file or directory concerned.
  public var path: String
  /// One lower-case line: what is wrong and what to do about it, harmless on a terminal.
  public var message: String
  /// The message of the system or SQLite, if there is one.
  public var underlying: String?

  /// An error, often after a system call that failed.
  init(_ code: Code, path: String, _ message: String, _ error: Errno? = nil) {
    self.init(
      code, path: path, message, underlying: error?.description,
      isSystemLimit: error?.isSystemLimit ?? false)
  }

  /// An error; if the reason is that descriptors or memory have run out, the message says so instead.
  init(
    _ code: Code, path: String, _ message: String, underlying: String?, isSystemLimit: Bool = false
  ) {
    self.code = isSystemLimit ? .systemLimit : code
    self.path = path
    self.message =
      isSystemLimit
      ? "cannot open \"\(path.visible)\": the system's limit is reached; close programs and try again"
      : message
    self.underlying = underlying
  }
}

extension ScheduleError: CustomStringConvertible {
  /// The message, then the cause in parentheses if there is one.
  public var description: String {
    guard let underlying else { return message }
    return "\(message) (\(underlying.visible))"
  }
}

extension ScheduleError {
  /// The error of a file that is left untouched because of what it holds.
  static func notASchedule(_ path: String, _ what: String) -> ScheduleError {
    ScheduleError(
      .notASchedule, path: path,
      "\"\(path.visible)\" \(what); move it away or name another file with --state")
  }

  /// The error that a failure inside the connection means to a user.
  ///
  /// - Parameter path: the schedule's file.
  init(_ error: any Error, path: String) {
    if let error = error as? ScheduleError {
      self = error
      return
    }
    guard let error = error as? DatabaseError else {
      preconditionFailure("using a schedule threw \(error)")
    }
    let (code, message) = Self.meaning(of: error, path: path)
    self.init(
      code, path: path, message, underlying: "\(error.message) [\(error.extendedCode)]",
      isSystemLimit: error.code == SQLITE_NOMEM
        || [SQLITE_CANTOPEN, SQLITE_IOERR].contains(error.code) && !FileSystem.canOpenOneMore)
  }

  /// What an SQLite result code means to a user; see <https://www.sqlite.org/rescode.html>.
  private static func meaning(of error: DatabaseError, path: String) -> (Code, String) {
    let schedule = "the schedule \"\(path.visible)\""
    switch error.code {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      return (.locked, "\(schedule) is in use by another process; try again")
    case SQLITE_NOTADB:
      return (.notASchedule, notASchedule(path, "is not a database").message)
    // Of texts of loans, which the views and queries take apart.
    case SQLITE_CORRUPT, SQLITE_FORMAT,
      SQLITE_ERROR where error.message.hasPrefix("malformed JSON"):
      return (
        .damaged,
        """
        \(schedule) is damaged; restore it from a backup, or move it away with its journal: the next \
        run then makes a new one, without a record of what was delivered
        """
      )
    // The file was renamed or removed.
    case SQLITE_READONLY where error.extendedCode == SQLITE_READONLY | 4 << 8:
      return (.inputOutput, ScheduleFile(path: path).removed.message)
    case SQLITE_READONLY where isOpenToUs(error, path: path),
      SQLITE_CANTOPEN where isOpenToUs(error, path: path):
      return (
        .inputOutput,
        "cannot open \(schedule) or make its journal; check whether the disk is full"
      )
    case SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH, SQLITE_CANTOPEN:
      return (.notPermitted, "no permission for \(schedule) or its journal")
    case SQLITE_FULL:
      return (.inputOutput, "no room to write \(schedule); free some space")
    default:
      return (
        .inputOutput,
        "cannot read or write \(schedule); check its disk and the limit of file sizes, and run again"
      )
    }
  }

  /// Whether permission is not the reason why SQLite could not open a file for writing.
  ///
  /// SQLite reports the same error for a disk that has no room for the journal's name. The extended
  /// codes of `SQLITE_READONLY` are about journals that a reader may not roll back.
  private static func isOpenToUs(_ error: DatabaseError, path: String) -> Bool {
    let file = ScheduleFile(path: path)
    return error.extendedCode == error.code
      && FileSystem.mayWrite(file.location) && FileSystem.mayWrite(file.directory)
  }
}

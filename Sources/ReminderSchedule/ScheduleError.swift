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
    /// The file is another program's, a newer version's, or not a database, and was left as it is; or
    /// it is damaged and was opened only for reading.
    case notASchedule
    /// The file was damaged, or is an older build's, and was set aside under the name that the
    /// message says.
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

  /// The error of a schedule that was set aside.
  init(_ error: any Error, path: String, setAsideAs other: String) {
    let what = error is OlderBuild ? "was written by an older build" : "was damaged"
    self.init(
      .damaged, path: path,
      "the schedule \"\(path.visible)\" \(what) and is now \"\(other.visible)\"; the next run "
        + "starts a new one and sends again what was delivered before",
      underlying: (error as? DatabaseError)?.message)
  }

  /// The error of a file that is left untouched because of what it holds.
  init(notASchedule path: String, _ what: String) {
    self.init(.notASchedule, path: path, Self.notASchedule(path, what))
  }

  /// An error, often after a system call that failed; if the reason is that descriptors or memory
  /// have run out, the message says so instead.
  init(_ code: Code, path: String, _ message: String, _ error: Errno? = nil) {
    let isLimit = error?.isSystemLimit ?? false
    self.init(
      isLimit ? .systemLimit : code, path: path, isLimit ? Self.systemLimit(path) : message,
      underlying: error?.description)
  }

  private init(_ code: Code, path: String, _ message: String, underlying: String?) {
    self.code = code
    self.path = path
    self.message = message
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
  /// The error that a failure inside the connection means to a user.
  ///
  /// - Parameter path: the schedule's file.
  init(_ error: any Error, path: String) {
    if let error = error as? ScheduleError {
      self = error
    } else if error is OlderBuild {
      self.init(
        .notASchedule, path: path,
        "the schedule \"\(path.visible)\" was written by an older build; the next run that delivers "
          + "or reloads sets it aside")
    } else if let error = error as? DatabaseError {
      self.init(database: error, path: path)
    } else if let error = error as? Errno {
      self.init(
        error.isPermission ? .notPermitted : .inputOutput, path: path,
        "cannot open the schedule \"\(path.visible)\"", error)
    } else {
      self.init(
        .inputOutput, path: path, "cannot use the schedule \"\(path.visible)\"",
        underlying: String(describing: error))
    }
  }

  private init(database error: DatabaseError, path: String) {
    let (code, message) = Self.meaning(of: error, path: path)
    self.init(
      code, path: path, message,
      underlying: "\(error.message) [\(error.extendedResultCode.rawValue)]")
  }

  /// What an SQLite result code means to a user; see <https://www.sqlite.org/rescode.html>.
  private static func meaning(of error: DatabaseError, path: String) -> (Code, String) {
    switch error.resultCode {
    case _ where isSystemLimit(error):
      (.systemLimit, systemLimit(path))
    case .busy, .locked, .lockProtocol:
      (.locked, "the schedule \"\(path.visible)\" is in use by another process; try again")
    case .notADatabase:
      (.notASchedule, notASchedule(path, "is not a database"))
    case .corrupt, .format:
      (
        .notASchedule,
        "the schedule \"\(path.visible)\" is damaged; the next run that delivers or reloads sets it "
          + "aside"
      )
    case .readOnly where error.extendedResultCode == .readOnlyMoved:
      (.inputOutput, ScheduleFile(path: path).removed.message)
    case .readOnly where isOpenToUs(error, path: path),
      .cannotOpen where isOpenToUs(error, path: path):
      (
        .inputOutput,
        "cannot open the schedule \"\(path.visible)\" or make its journal; check whether the disk is "
          + "full"
      )
    case .permission, .readOnly, .authorization, .cannotOpen:
      (.notPermitted, "no permission for the schedule \"\(path.visible)\" or its journal")
    case .full:
      (.inputOutput, "no room to write the schedule \"\(path.visible)\"; free some space")
    default:
      (
        .inputOutput,
        "cannot read or write the schedule \"\(path.visible)\"; check its disk and the limit of "
          + "file sizes, and run again"
      )
    }
  }

  /// Whether permission is not the reason why SQLite could not open a file for writing.
  ///
  /// SQLite reports the same error for a disk that has no room for the journal's name. The extended
  /// codes of `SQLITE_READONLY` are about journals that a reader may not roll back.
  private static func isOpenToUs(_ error: DatabaseError, path: String) -> Bool {
    let file = ScheduleFile(path: path)
    return error.extendedResultCode == error.resultCode
      && FileSystem.mayWrite(file.location) && FileSystem.mayWrite(file.directory)
  }

  /// Whether SQLite could not open a file because the process cannot open any.
  private static func isSystemLimit(_ error: DatabaseError) -> Bool {
    switch error.resultCode {
    case .noMemory: true
    case .cannotOpen, .inputOutput: !FileSystem.canOpenOneMore
    default: false
    }
  }

  private static func systemLimit(_ path: String) -> String {
    "cannot open \"\(path.visible)\": the system's limit is reached; close programs and try again"
  }

  private static func notASchedule(_ path: String, _ what: String) -> String {
    "\"\(path.visible)\" \(what); move it away or name another file with --state"
  }
}

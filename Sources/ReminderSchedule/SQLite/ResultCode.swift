internal import CSQLite

/// A result code of SQLite.
///
/// - SeeAlso: <https://www.sqlite.org/rescode.html>
struct ResultCode: RawRepresentable, Equatable {
  var rawValue: Int32

  /// The primary code of an extended one.
  var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

  /// SQLite's description of it (`sqlite3_errstr`).
  var message: String {
    unsafe sqlite3_errstr(rawValue).map { unsafe String(cString: $0) } ?? "unknown"
  }

  static let error = ResultCode(rawValue: SQLITE_ERROR)
  static let permission = ResultCode(rawValue: SQLITE_PERM)
  static let busy = ResultCode(rawValue: SQLITE_BUSY)
  static let locked = ResultCode(rawValue: SQLITE_LOCKED)
  static let noMemory = ResultCode(rawValue: SQLITE_NOMEM)
  static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
  /// `SQLITE_READONLY_DBMOVED`: the file was renamed or removed.
  static let readOnlyMoved = ResultCode(rawValue: SQLITE_READONLY | 4 << 8)
  static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
  static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
  static let full = ResultCode(rawValue: SQLITE_FULL)
  static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  static let lockProtocol = ResultCode(rawValue: SQLITE_PROTOCOL)
  static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
  static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
  static let authorization = ResultCode(rawValue: SQLITE_AUTH)
  static let format = ResultCode(rawValue: SQLITE_FORMAT)
  static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
}

/// The reason why SQLite could not do something, or a value that makes no sense.
struct DatabaseError: Error {
  /// The extended code.
  let extendedResultCode: ResultCode
  let message: String

  /// The primary code.
  var resultCode: ResultCode { extendedResultCode.primary }

  /// - Parameter message: by default SQLite's description of the code.
  init(_ code: ResultCode, message: String? = nil) {
    extendedResultCode = code
    self.message = message ?? code.message
  }

  /// The error of a value that makes no sense.
  static func damage(_ what: String) -> DatabaseError {
    DatabaseError(.corrupt, message: "damaged: \(what)")
  }

  /// Whether it is one of ``damage(_:)``, rather than SQLite's.
  var isOwnFinding: Bool { message.hasPrefix("damaged: ") }

  /// Whether it says that the file is damaged; SQLite says so after some reads that failed, too.
  var isDamage: Bool { [.corrupt, .format, .notADatabase].contains(resultCode) }
}

import Glibc
import LoanCatalogue
import Loans
import ReminderSchedule
import ReminderService
import System

/// Why the command cannot go on, and the exit status that says so.
struct CommandError: Error {
  var status: ExitStatus
  /// One line for standard error; `nil` if nobody is left to read it, or everything was said.
  var message: String?

  init(_ status: ExitStatus, _ message: String?) {
    self.status = status
    self.message = message
  }

  /// Any error that the rooms below throw.
  init(_ error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case ReminderError.catalogue(let error): self.init(error)
    case ReminderError.schedule(let error): self.init(error)
    case let error as ScheduleError: self.init(error.code.status, "\(error)")
    case let error as CatalogueError: self.init(error.code.status, "\(error)\(error.advice)")
    case let error as OutputError:
      self.init(.inputOutput, error.isBrokenPipe || error.isByStop ? nil : "\(error)")
    default: self.init(.inputOutput, String(describing: error).visible)
    }
  }
}

extension CatalogueError {
  /// The words to add where the file is missing: that the path is a pattern, or that another file is named
  /// nearly like it.
  var advice: String {
    guard underlying == ENOENT else { return "" }
    if FilePattern.isPattern(path) { return "; no file fits this pattern" }
    return FilePattern.file(namedLike: path).map { "; did you mean \($0.visible)?" } ?? ""
  }
}

extension ScheduleError.Code {
  fileprivate var status: ExitStatus {
    switch self {
    case .notPermitted: .noPermission
    case .cannotCreate: .cannotCreate
    case .notASchedule: .badSetting
    case .locked: .tryAgain
    case .inputOutput, .damaged: .inputOutput
    case .systemLimit: .systemLimit
    }
  }
}

extension CatalogueError.Code {
  fileprivate var status: ExitStatus {
    switch self {
    case .cannotRead: .noInput
    case .inputOutput: .inputOutput
    case .changedWhileReading: .tryAgain
    case .profileFailed: .badSetting
    case .systemLimit: .systemLimit
    }
  }
}

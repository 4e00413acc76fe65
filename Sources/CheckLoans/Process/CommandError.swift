import LoanCatalogue
import Loans
import Notifiers
import ReminderSchedule
import ReminderService

/// Why the command cannot go on, and the exit status that says so.
struct CommandError: Error {
  var status: ExitStatus
  /// One line for standard error; `nil` if nobody is left to read it, or everything was said.
  var message: String?

  init(_ status: ExitStatus, _ message: String?) {
    self.status = status
    self.message = message
  }

  init(_ error: OutputError) {
    self.init(.inputOutput, error.isBrokenPipe || error.isByStop ? nil : "\(error)")
  }

  init(_ error: ScheduleError) {
    let status: ExitStatus =
      switch error.code {
      case .notPermitted: .noPermission
      case .cannotCreate: .cannotCreate
      case .notASchedule: .badSetting
      case .locked: .tryAgain
      case .inputOutput, .damaged: .inputOutput
      case .systemLimit: .systemLimit
      }
    self.init(status, "\(error)")
  }

  init(_ error: CatalogueError) {
    let status: ExitStatus =
      switch error.code {
      case .cannotRead: .noInput
      case .inputOutput: .inputOutput
      case .changedWhileReading: .tryAgain
      case .profileFailed: .badSetting
      }
    self.init(status, "\(error)")
  }

  init(_ error: ReminderError) {
    switch error {
    case .catalogue(let error): self.init(error)
    case .schedule(let error): self.init(error)
    }
  }

  /// Any error that the rooms below throw.
  init(_ error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case let error as OutputError: self.init(error)
    case let error as ScheduleError: self.init(error)
    case let error as CatalogueError: self.init(error)
    case let error as ReminderError: self.init(error)
    default: self.init(.inputOutput, String(describing: error).visible)
    }
  }
}

import CommandOutput
import ReminderSchedule
import ReminderService

extension ReminderError: EndsCommand {
  var commandError: CommandError {
    switch self {
    case .catalogue(let error): CommandError(error)
    case .schedule(let error): CommandError(error)
    }
  }
}

extension ScheduleError: EndsCommand {
  var commandError: CommandError { CommandError(code.status, "\(self)") }
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

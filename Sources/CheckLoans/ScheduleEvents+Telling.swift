import ReminderService

extension ScheduleEvents {
  /// Events that are told on standard error, if that is wanted.
  convenience init(isTold: Bool, _ console: Console) {
    self.init { event in if isTold { console.printError("\(event)") } }
  }
}

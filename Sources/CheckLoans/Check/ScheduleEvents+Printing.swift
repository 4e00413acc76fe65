import ReminderService

extension ScheduleEvents {
  /// Events that are printed to standard error, if that is wanted.
  convenience init(isPrinted: Bool, _ console: Console) {
    self.init { event in if isPrinted { console.printError("\(event)") } }
  }
}

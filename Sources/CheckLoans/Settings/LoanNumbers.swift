import ArgumentParser
import ReminderSchedule

/// The loans of the schedule, for a shell to complete.
enum LoanNumbers {
  /// More would be no help.
  private static let most = 1_000

  static let completion = CompletionKind.custom { _, _, _ in
    let environment = Environment.ofProcess()
    guard let path = try? environment.standardStateFile(),
      let schedule = try? ScheduleReader(opening: path),
      let now = try? LocalClock(environment["TZ"], environment).read()?.now,
      var entries = try? schedule.entries(at: now)
    else { return [] }
    var numbers: [String] = []
    while numbers.count < most, let entry = try? entries.next() {
      if numbers.last != "\(entry.id)" { numbers.append("\(entry.id)") }
    }
    return numbers
  }
}

import ArgumentParser
import ReminderSchedule

/// Numbers of loans in the schedule.
enum LoanNumbers {
  /// More would be no help.
  private static let most = 1_000

  /// Reads a number.
  @Sendable static func parse(_ text: String) throws -> Int {
    if let number = Int(text) { return number }
    throw ValidationError("give a number of schedule list; a book's own id does not count here")
  }

  /// What a shell completes.
  static let completion = CompletionKind.custom { _, _, _ in
    guard let environment = try? Environment.ofProcess(),
      let path = try? environment.standardStateFile(),
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

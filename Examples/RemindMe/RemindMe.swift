import LoanCatalogue
import LoanRules
import Loans
import Notifiers
import ReminderSchedule
import ReminderService
import System

/// `RemindMe CATALOGUE SCHEDULE YYYY-MM-DDTHH:MM`: reloads a catalogue and prints what is due.
@main
enum RemindMe {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let now = CivilDateTime(iso: arguments[3]) else {
      throw Mistake.usage
    }

    let center = ReminderCenter(
      schedule: try Schedule(opening: arguments[2]),
      onEvent: { event in try? trace.write("event: \(event)\n") })

    let settings = ReloadSettings(policy: ReminderPolicy(Ladder(leads: [2])))
    let report = try center.reload(
      CatalogueSource(path: arguments[1]), at: now, settings: settings,
      onDiagnostic: { diagnostic in
        try? trace.write("\(diagnostic.location.line): \(diagnostic.message)\n")
      })
    try trace.write("\(report.summary.loans) loans were read\n")

    try center.deliver(
      through: StandardOutputNotifier(output: output), in: [center.zone(at: now)])
    try trace.flush()
  }

  private static let output = CheckedOutput(descriptor: 1)
  private static let trace = CheckedOutput(descriptor: 2)

  enum Mistake: Error { case usage }
}

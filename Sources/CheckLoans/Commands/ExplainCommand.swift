import ArgumentParser
import ReminderSchedule
import ReminderService
import System

/// `check-loans schedule explain`.
struct ExplainCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain what was sent about a loan, what failed, and what comes next.",
    discussion: """
      For each loan: its expiration, its fire date, what was delivered when and through what, what \
      failed and why, and what comes next. Reads the schedule without locking it.

      Example:
        check-loans schedule explain 3
      """)

  static var settingsKeys: SettingsKeys? { .user }

  @Argument(
    help: ArgumentHelp("IDs, as schedule list shows them.", valueName: "id"),
    completion: LoanNumbers.completion, transform: LoanNumbers.parse)
  var ids: [Int]

  @OptionGroup var clock: ClockOptions
  @OptionGroup var repetition: RepeatOptions
  @OptionGroup var state: StateOptions

  var configFile: String? { state.config }

  func run(_ environment: Environment, _ console: Console) throws(CommandError) -> ExitStatus {
    let (now, clock) = try clock.read(environment)
    let path = try state.path(environment)
    var unknown: [Int] = []
    do {
      let schedule = try ScheduleReader(opening: path)
      for (index, id) in ids.enumerated() {
        guard let history = try schedule.history(of: id, at: now) else {
          unknown.append(id)
          continue
        }
        if index > unknown.count { try console.print(line: "") }
        // The catalogue may have its own time zone.
        for (clock, now, _) in try environment.namesByZone(
          [history.catalogue], clock, now: self.clock.now.now)
        {
          let center = ReminderCenter(schedule: nil, civilTime: clock.civilTime)
          let explanation = Explanation(
            history, now: now, utcOffset: center.utcOffset(at: now),
            repeatExpired: repetition.repeatExpired)
          for sentence in explanation.sentences { try console.print(line: sentence) }
        }
      }
    } catch {
      throw CommandError(error)
    }
    console.printError(ofUnknownLoans: unknown)
    return unknown.isEmpty ? .done : .usage
  }
}

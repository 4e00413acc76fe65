import Runs
import Languages
import ArgumentParser
import CommandOutput
import Loans
import ReminderSchedule
import Settings

/// A command that changes the schedule, and says what it has done.
protocol ScheduleChange: Subcommand {
  var state: StateOptions { get }
  var quiet: QuietOptions { get }

  /// Changes the schedule.
  ///
  /// - Throws: what ``CommandError`` makes a message of, if nothing was changed.
  func change(_ schedule: Schedule, _ environment: Environment) throws -> ScheduleChanges
}

/// What a command has changed in the schedule.
struct ScheduleChanges {
  /// The sentences about what was done.
  var done: [String] = []
  /// What is worth knowing about it.
  var notes: [String] = []
  /// What was asked for and could not be done.
  var complaints: [String] = []

  /// Adds a complaint for each ID that no loan in the schedule has.
  mutating func complain(aboutUnknown ids: [Int]) {
    complaints += ids.map {
      "there is no loan \($0) in the schedule; see check-loans schedule list"
    }
  }
}

extension ScheduleChange {
  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    try environment.refuseDryRun()
    let changes = try change(Schedule(opening: state.path(environment)), environment)
    if !quiet.quiet { for sentence in changes.done { try console.print(line: sentence) } }
    for words in changes.notes + changes.complaints { console.printError(words) }
    return changes.complaints.isEmpty ? .done : .usage
  }
}

/// A change that is made at some time.
protocol TimedChange: ScheduleChange {
  var change: ChangeOptions { get }
}

extension TimedChange {
  var state: StateOptions { change.state }
  var quiet: QuietOptions { change.quiet }

  /// The time for what is in no catalogue, and the catalogues of the schedule with theirs.
  func times(
    _ schedule: Schedule, _ environment: Environment
  ) throws -> (now: CivilDateTime, catalogues: KnownCatalogues) {
    let (now, clock) = try change.clock.read(environment)
    let names = try schedule.reader.catalogues()
    return (
      now, try KnownCatalogues(names, environment, clock, now: change.clock.now.now)
    )
  }
}

/// The loans that a command changes.
struct LoanIDs: ParsableArguments {
  @Argument(
    help: ArgumentHelp("IDs, as schedule list shows them.", valueName: "id"),
    completion: LoanNumbers.completion, transform: LoanNumbers.parse)
  var ids: [Int]
}

extension [Loan] {
  /// The titles of the first ten, so that a wrong number is seen.
  var titles: String {
    prefix(10).map { $0.label() }.joined(separator: ", ") + (count > 10 ? ", …" : "")
  }
}

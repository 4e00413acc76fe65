import ArgumentParser
import CommandOutput
import Languages
import Loans
import ReminderSchedule
import Runs
import Settings

/// A command that changes the schedule, and says what it has done.
protocol ScheduleChange: Subcommand {
  var state: StateOptions { get }
  var quiet: QuietOptions { get }

  /// Changes the schedule.
  ///
  /// - Parameter changes: gets what was done, also before an error.
  func change(
    _ schedule: Schedule, _ environment: Environment, _ changes: inout ScheduleChanges
  ) throws
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

  /// Opens the schedule for a change, and says what has become of that once the schedule is closed.
  fileprivate static func apply(
    _ state: StateOptions, _ quiet: QuietOptions, _ environment: Environment, _ console: Console,
    _ change: (Schedule, inout ScheduleChanges) throws -> Void
  ) throws -> ExitStatus {
    try environment.refuseDryRun()
    var changes = ScheduleChanges()
    let path = try state.path(environment)
    let result = Result { try change(Schedule(opening: path), &changes) }
    if !quiet.quiet { for sentence in changes.done { try console.print(line: sentence) } }
    for words in changes.notes + changes.complaints { console.printError(words) }
    try result.get()
    return changes.complaints.isEmpty ? .done : .usage
  }
}

extension ScheduleChange {
  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    try ScheduleChanges.apply(state, quiet, environment, console) {
      try change($0, environment, &$1)
    }
  }
}

/// A change that is made at some time.
protocol TimedChange: Subcommand {
  var change: ChangeOptions { get }

  /// Checks what depends on the time, before the schedule is opened.
  func check(at now: CivilDateTime) throws

  /// Changes the schedule.
  ///
  /// - Parameter changes: gets what was done, also before an error.
  func change(
    _ schedule: Schedule, _ time: ChangeTime, _ changes: inout ScheduleChanges
  ) throws
}

/// The time of a change, and the environment in which it is made.
struct ChangeTime {
  let environment: Environment
  /// The time for what is in no catalogue.
  let now: CivilDateTime
  fileprivate let clock: LocalClock
  fileprivate let given: CivilDateTime?

  /// The catalogues of the schedule, which may have their own time zones.
  func catalogues(of schedule: Schedule) throws -> KnownCatalogues {
    try KnownCatalogues(schedule.reader.catalogues(), environment, clock, now: given)
  }
}

extension TimedChange {
  func check(at now: CivilDateTime) throws {}

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let (now, clock) = try change.clock.read(environment)
    try check(at: now)
    let time = ChangeTime(
      environment: environment, now: now, clock: clock, given: change.clock.now.now)
    return try ScheduleChanges.apply(change.state, change.quiet, environment, console) {
      try change($0, time, &$1)
    }
  }
}

/// The loans that a command changes.
struct LoanIDs: ParsableArguments {
  @Argument(
    help: ArgumentHelp("Numbers of loans, as schedule list shows them.", valueName: "id"),
    completion: LoanNumbers.completion, transform: LoanNumbers.parse)
  var ids: [Int]
}

extension [Loan] {
  /// The titles of the first ten, so that a wrong number is seen.
  var titles: String {
    prefix(10).map { $0.label() }.joined(separator: ", ") + (count > 10 ? ", …" : "")
  }
}

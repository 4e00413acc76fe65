import ArgumentParser
import Loans
import ReminderSchedule
import ReminderService
import System

/// `check-loans schedule`.
struct ScheduleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule",
    abstract: "Show, explain, silence, cancel or forget what is scheduled.",
    discussion: """
      Examples:
        check-loans schedule list
        check-loans schedule explain 3
        check-loans schedule snooze 3
        check-loans schedule forget old-books.xml
      """,
    subcommands: [
      ListCommand.self, ExplainCommand.self, SnoozeCommand.self, ReturnedCommand.self,
      CancelCommand.self, ForgetCommand.self,
    ],
    defaultSubcommand: ListCommand.self)
}

extension Console {
  /// Reports the IDs that no loan in the schedule has.
  ///
  /// - Returns: `usage` if there are any.
  func report(unknownLoans ids: [Int]) -> ExitStatus {
    for id in ids {
      printError("there is no loan \(id) in the schedule; see check-loans schedule list")
    }
    return ids.isEmpty ? .done : .usage
  }
}

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

  @Argument(
    help: ArgumentHelp("IDs, as schedule list shows them.", valueName: "id"),
    completion: LoanNumbers.completion, transform: LoanNumbers.parse)
  var ids: [Int]

  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let (now, clock) = try clock.read(environment)
    let schedule = try ScheduleReader(opening: state.path(environment))
    var unknown: [Int] = []
    for (index, id) in ids.enumerated() {
      guard let history = try schedule.history(of: id, at: now) else {
        unknown.append(id)
        continue
      }
      if index > unknown.count { try console.print(line: "") }
      // The catalogue may have its own time zone.
      let groups = try environment.namesByZone(
        [history.catalogue], clock, now: self.clock.now.now)
      for (clock, now, _) in groups {
        let center = ReminderCenter(schedule: nil, civilTime: clock.civilTime)
        let explanation = Explanation(
          history, now: now, utcOffset: center.utcOffset(at: now))
        for sentence in explanation.sentences { try console.print(line: sentence) }
      }
    }
    return console.report(unknownLoans: unknown)
  }
}

/// `check-loans schedule cancel`.
struct CancelCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel pending reminders until the next reload of their catalogue.",
    discussion: """
      The next run that reads the catalogue schedules the loans again; schedule snooze holds until a \
      day, and schedule returned until the loan is gone from its catalogue.

      Examples:
        check-loans schedule cancel --all
        check-loans schedule cancel 3 7
      """)

  static var commandLineOnly: Set<String> { ["all"] }

  @Argument(
    help: ArgumentHelp("IDs, as schedule list shows them.", valueName: "id"),
    completion: LoanNumbers.completion, transform: LoanNumbers.parse)
  var ids: [Int] = []

  @Flag(help: "Cancel all pending reminders.")
  var all = false

  @OptionGroup var state: StateOptions

  @OptionGroup var quiet: QuietOptions

  func validate() throws {
    guard all == ids.isEmpty else {
      throw ValidationError("give either --all or the IDs that schedule list shows")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    try environment.refuseDryRun()
    let schedule = try Schedule(opening: state.path(environment))
    let (cancelled, unknown) = try schedule.cancel(ids: all ? nil : Set(ids).sorted())
    if !quiet.quiet, cancelled > 0 || unknown.isEmpty {
      let loans = counted(cancelled, "loan")
      try console.print(
        line: cancelled == 0
          ? "nothing to cancel"
          : "cancelled the notices of \(loans) until their catalogue is next read")
    }
    return console.report(unknownLoans: unknown)
  }
}

/// `check-loans schedule forget`.
struct ForgetCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Take catalogues or channels out of the schedule, with what was delivered.",
    discussion: """
      A catalogue that was only looked at, or whose file is gone, is no longer listed, counted or \
      delivered. A channel that was mistyped, or has a new name, no longer shows its failures. Named \
      again, a catalogue or channel counts as new, and what is due is sent.

      Examples:
        check-loans schedule forget old-books.xml
        check-loans schedule forget --channel exec:/srv/old-script
      """)

  @Argument(
    help: ArgumentHelp(
      "Catalogues, as schedule list shows them; - is standard input.", valueName: "catalogue"),
    completion: .custom { _, _, word in completions(of: word) })
  var catalogues: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Forget this channel. Can be given several times.", valueName: "channel"))
  var channel: [ChannelName] = []

  @OptionGroup var state: StateOptions

  @OptionGroup var quiet: QuietOptions

  func validate() throws {
    guard catalogues.isEmpty != channel.isEmpty else {
      throw ValidationError("give either catalogues or --channel")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    try environment.refuseDryRun()
    let schedule = try Schedule(opening: state.path(environment))
    var status = ExitStatus.done
    func report(_ sentence: String?, otherwise complaint: String) throws {
      if let sentence {
        if !quiet.quiet { try console.print(line: sentence) }
      } else {
        console.printError(complaint)
        status = .usage
      }
    }
    let known = try schedule.reader.catalogues().map(\.visibleCatalogue).joined(separator: ", ")
    for catalogue in catalogues {
      // A file that was known by a path that now leads elsewhere is taken at its word.
      let count =
        try schedule.forget(catalogue: environment.absolutePath(catalogue))
        ?? schedule.forget(catalogue: environment.catalogueName(catalogue))
      try report(
        count.map { "forgot \(catalogue.visible) with \(counted($0, "loan"))" },
        otherwise: """
          there is no catalogue \(catalogue.visible) in the schedule, which has \
          \(known.isEmpty ? "none" : known.shortened(to: 300))
          """)
    }
    for channel in channel.map(environment.resolved) {
      let name = channel.name.visible
      let count = try schedule.forget(channel: channel.name)
      try report(
        count.map { "forgot the channel \(name) with \(counted($0, "notice"))" },
        otherwise: "nothing was ever sent through the channel \(name)")
    }
    return status
  }

  /// The catalogues in the schedule, those in the working directory by relative paths.
  private static func completions(of word: String) -> [String] {
    guard let environment = try? Environment.ofProcess(),
      let names = try? environment.standardSchedule?.catalogues()
    else { return [] }
    let directory = "\(environment.workingDirectory)/"
    return names.filter(\.isCompletable).map { name in
      // What begins with a hyphen would be an option.
      word.hasPrefix("/") || !name.hasPrefix(directory) || name.hasPrefix("\(directory)-")
        ? name : String(name.dropFirst(directory.count))
    }
  }
}

extension Environment {
  /// The schedule in the standard place, for a shell to complete words from.
  fileprivate var standardSchedule: ScheduleReader? {
    (try? standardStateFile()).flatMap { try? ScheduleReader(opening: $0) }
  }
}

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
      let schedule = environment.standardSchedule,
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

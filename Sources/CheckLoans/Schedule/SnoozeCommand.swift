import ArgumentParser
import CommandOutput
import Loans
import ReminderSchedule
import Settings

/// `check-loans schedule snooze`.
struct SnoozeCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze",
    abstract: "Send nothing about loans until tomorrow, or a later day.",
    discussion: """
      On that day what is due by then is sent, once. Until then the loans are read and reported as \
      usual; a loan that is renewed is no longer snoozed.

      Examples:
        check-loans schedule snooze 3
        check-loans schedule snooze 3 7 --until 2w
        check-loans schedule snooze 3 --until 2026-12-01
      """)

  static let facts: [OptionFact] =
    EndOptions.facts + ChangeOptions.facts

  @OptionGroup var loans: LoanIDs

  @OptionGroup var end: EndOptions
  @OptionGroup var change: ChangeOptions

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let (silenced, until, status) = try environment.silence(
      loans.ids, "snoozed", until: end.until ?? .days(1), change, console)
    if !change.quiet.quiet, !silenced.isEmpty {
      let end = until.map { "until \($0)" } ?? "forever"
      let loans = counted(silenced.count, "loan")
      try console.print(line: "snoozed \(loans) \(end): \(silenced.map(\.loan).titles)")
    }
    return status
  }
}

/// `check-loans schedule returned`.
struct ReturnedCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "returned",
    abstract: "Stop notices for a returned book until the catalogue catches up.",
    discussion: """
      Nothing is sent until the loan is no longer in its catalogue, or was renewed. After 7 days, \
      check-loans silence list and the summary of check name the books that are still on loan: look \
      on the shelf.

      Example:
        check-loans schedule returned 3
      """)

  static let facts: [OptionFact] = ChangeOptions.facts

  @OptionGroup var loans: LoanIDs

  @OptionGroup var change: ChangeOptions

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let (silenced, _, status) = try environment.silence(
      loans.ids, "said to be returned", until: nil, change, console)
    if !change.quiet.quiet, !silenced.isEmpty {
      let loans = counted(silenced.count, "loan")
      let titles = silenced.map(\.loan).titles
      try console.print(
        line: "marked \(loans) as returned; no notices until the catalogue catches up: \(titles)")
    }
    return status
  }
}

extension Environment {
  /// Silences loans of the schedule, and reports those that are not there.
  ///
  /// - Parameter end: when what is due is sent again, by the time of each loan's library.
  /// - Returns: the loans that were silenced, and until when.
  fileprivate func silence(
    _ ids: [Int], _ reason: String, until end: SilenceEnd?, _ change: ChangeOptions,
    _ console: Console
  ) throws -> (silenced: [ScheduledLoan], until: CivilDate?, status: ExitStatus) {
    try refuseDryRun()
    let (schedule, groups, now) = try change.open(self)
    // The latest day of all libraries, so that it has not passed for any.
    _ = try end?.day(from: groups.map(\.now.date).reduce(now.date, max))
    let origin = Silence.Origin(reason: reason, by: userName, at: now)
    var until: CivilDate?
    let result = try schedule.silence(loans: Set(ids).sorted(), by: origin) { name in
      // A catalogue may have its own time zone.
      let now = groups.now(of: name) ?? now
      until = (try? end?.day(from: now.date)) ?? nil
      return until
    }
    for (id, day) in result.shortened {
      console.printError("loan \(id) was snoozed for longer, until \(day); that no longer holds")
    }
    for id in result.returned {
      console.printError(
        "loan \(id) is said to be returned, and so is silenced for longer; see check-loans silence list"
      )
    }
    for id in result.alike {
      console.printError(
        """
        loan \(id) is one of several that are alike, and nobody could say which is meant; give the books \
        ids, or use check-loans silence add --title
        """)
    }
    let status = console.report(unknownLoans: result.unknown)
    return (result.silenced, until, result.alike.isEmpty ? status : .usage)
  }
}

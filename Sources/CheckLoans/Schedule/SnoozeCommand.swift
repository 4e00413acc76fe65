import Runs
import ArgumentParser
import CommandOutput
import Loans
import ReminderSchedule
import Settings

/// `check-loans schedule snooze`.
struct SnoozeCommand: TimedChange {
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

  static let facts: [OptionFact] = [OptionFact("until", .text, .line)] + ChangeOptions.facts

  @OptionGroup var loans: LoanIDs

  @Option(
    help: ArgumentHelp(
      "When notices are sent again: after 3d or 2w, or on a day, YYYY-MM-DD. (default: tomorrow)",
      valueName: "end"),
    transform: SilenceEnd.parse)
  var until = SilenceEnd.days(1)

  @OptionGroup var change: ChangeOptions

  func validate() throws {
    if case .forever = until {
      throw ValidationError("a snooze ends; use check-loans silence add --loan ID --until forever")
    }
  }

  func change(_ schedule: Schedule, _ environment: Environment) throws -> ScheduleChanges {
    try silence(loans.ids, "snoozed", until: until, schedule, environment) {
      loans, until in
      let end = until.map { " until \($0)" } ?? ""
      return "snoozed \(counted(loans.count, "loan"))\(end): \(loans.titles)"
    }
  }
}

/// `check-loans schedule returned`.
struct ReturnedCommand: TimedChange {
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

  func change(_ schedule: Schedule, _ environment: Environment) throws -> ScheduleChanges {
    try silence(loans.ids, "said to be returned", until: nil, schedule, environment) { loans, _ in
      """
      marked \(counted(loans.count, "loan")) as returned; no notices until the catalogue catches up: \
      \(loans.titles)
      """
    }
  }
}

extension TimedChange {
  /// Silences loans of the schedule.
  ///
  /// - Parameters:
  ///   - end: when what is due is sent again, by the time of each loan's library.
  ///   - sentence: says which loans are silenced, and until when.
  fileprivate func silence(
    _ ids: [Int], _ reason: String, until end: SilenceEnd?, _ schedule: Schedule,
    _ environment: Environment, sentence: ([Loan], CivilDate?) -> String
  ) throws -> ScheduleChanges {
    let (now, known) = try times(schedule, environment)
    // The latest day of all libraries, so that it has not passed for any.
    _ = try end?.day(from: known.zones.map(\.now.date).reduce(now.date, max))
    let origin = Silence.Origin(reason: reason, by: environment.userName, at: now)
    var until: CivilDate?
    let result = try schedule.silence(loans: Set(ids).sorted(), by: origin) { name in
      // A catalogue may have its own time zone.
      let now = known.now(of: name) ?? now
      until = (try? end?.day(from: now.date)) ?? nil
      return until
    }
    var changes = ScheduleChanges()
    if !result.silenced.isEmpty {
      changes.done = [sentence(result.silenced.map(\.loan), until)]
    }
    changes.notes =
      result.shortened.map { id, day in
        "loan \(id) was snoozed for longer, until \(day); that no longer holds"
      }
      + result.returned.map { id in
        "loan \(id) is said to be returned, and so is silenced for longer; see check-loans silence list"
      }
    changes.complaints = result.alike.map { id in
      """
      loan \(id) is one of several that are alike, and nobody could say which is meant; give the books \
      ids, or use check-loans silence add --title
      """
    }
    changes.complain(aboutUnknown: result.unknown)
    return changes
  }
}

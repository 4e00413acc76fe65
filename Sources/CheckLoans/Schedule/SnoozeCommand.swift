import ArgumentParser
import CommandOutput
import Loans
import ReminderSchedule
import Runs
import Settings

/// `check-loans schedule snooze`.
struct SnoozeCommand: TimedChange {
  static let configuration = CommandConfiguration(
    commandName: "snooze",
    abstract: "Send no notices about loans until tomorrow or a later day.",
    discussion: """
      On that day, whichever notice is then due is sent, once. Until then the loans are read and \
      reported as usual. A snooze ends when the loan is renewed, or has been missing from its \
      catalogue for more than a week.

      Examples:
        check-loans schedule snooze 3
        check-loans schedule snooze 3 7 --until 2w
        check-loans schedule snooze 3 --until 2026-12-01
      """)

  static let facts: [OptionFact] = [OptionFact("until", .text, .line)] + ChangeOptions.facts

  @OptionGroup var loans: LoanIDs

  @Option(
    help: ArgumentHelp(
      "Send notices again after 3d or 2w, or from a day on, YYYY-MM-DD. (default: tomorrow)",
      valueName: "end"),
    transform: SilenceEnd.parse)
  var until = SilenceEnd.days(1)

  @OptionGroup var change: ChangeOptions

  func validate() throws {
    if case .forever = until {
      throw ValidationError(
        """
        a snooze ends; to send nothing ever, use check-loans silence add --loan BOOK --until forever \
        --reason TEXT, with the book's own id or barcode
        """)
    }
  }

  func change(
    _ schedule: Schedule, _ time: ChangeTime, _ changes: inout ScheduleChanges
  ) throws {
    let known = try time.catalogues(of: schedule)
    // The latest day of all libraries, so that it has not passed for any.
    _ = try until.day(from: known.zones.map(\.now.date).reduce(time.now.date, max))
    let loans = try silence(loans.ids, "snoozed", schedule, time, known, &changes) {
      (try? until.day(from: $0)) ?? nil
    }
    if let day = loans.last?.until {
      let titles = loans.map(\.loan).titles
      changes.done = ["snoozed \(counted(loans.count, "loan")) until \(day): \(titles)"]
    }
  }
}

/// `check-loans schedule returned`.
struct ReturnedCommand: TimedChange {
  static let configuration = CommandConfiguration(
    commandName: "returned",
    abstract: "Stop notices about a returned book until its catalogue shows it.",
    discussion: """
      Nothing is sent until the loan is renewed, or has been missing from its catalogue for more \
      than a week. After 7 days, check-loans silence list names the books that are still on loan, \
      and the summary of check counts them: look on the shelf.

      Example:
        check-loans schedule returned 3
      """)

  static let facts: [OptionFact] = ChangeOptions.facts

  @OptionGroup var loans: LoanIDs

  @OptionGroup var change: ChangeOptions

  func change(
    _ schedule: Schedule, _ time: ChangeTime, _ changes: inout ScheduleChanges
  ) throws {
    let known = try time.catalogues(of: schedule)
    let loans = try silence(
      loans.ids, "reported as returned", schedule, time, known, &changes
    ) { _ in nil }
    if loans.isEmpty { return }
    changes.done = [
      """
      marked \(counted(loans.count, "loan")) as returned; no notices until the catalogue shows it: \
      \(loans.map(\.loan).titles)
      """
    ]
  }
}

extension TimedChange {
  /// Silences loans of the schedule.
  ///
  /// - Parameter end: the day on which what is due is sent again, for a day in a loan's library; `nil` for
  ///   none.
  /// - Returns: the loans that are silenced, each with that day.
  fileprivate func silence(
    _ ids: [Int], _ reason: String, _ schedule: Schedule, _ time: ChangeTime,
    _ known: KnownCatalogues, _ changes: inout ScheduleChanges,
    until end: @escaping (CivilDate) -> CivilDate?
  ) throws -> [(loan: Loan, until: CivilDate?)] {
    let origin = Silence.Origin(reason: reason, by: time.environment.userName, at: time.now)
    // A catalogue may have its own time zone.
    let day = { name in end((known.now(of: name) ?? time.now).date) }
    let result = try schedule.silence(loans: Set(ids).sorted(), by: origin, until: day)
    changes.notes =
      result.shortened.map { id, day in
        "loan \(id) was snoozed until \(day); the new date replaces it"
      }
      + result.returned.map { id in
        "loan \(id) is reported as returned, and so is silenced for longer; see check-loans silence list"
      }
    changes.complaints = result.alike.map { id in
      """
      loan \(id) is one of several that are alike; give the books \
      ids, or use check-loans silence add --title
      """
    }
    changes.complain(aboutUnknown: result.unknown)
    return result.silenced.map { ($0.loan, day($0.catalogue)) }
  }
}

package import ArgumentParser
import CommandOutput
package import LoanRules
package import Loans

/// Days of the week as they are given: some names with commas between them.
package struct GivenWeekdays: Hashable, Sendable, CustomStringConvertible {
  package let weekdays: [Weekday]

  @Sendable static func parse(_ text: String) throws -> GivenWeekdays {
    if text == "none" { return GivenWeekdays(weekdays: []) }
    return GivenWeekdays(
      weekdays: try text.entries.map { word in
        let found = Weekday.allCases.first {
          [$0.shortName, $0.name.lowercased()].contains(word.lowercased())
        }
        if let found { return found }
        let names = Weekday.allCases.flatMap { [$0.shortName, $0.name.lowercased()] }
        let guess = word.nearest(among: names).map { "; did you mean \($0)?" } ?? ""
        throw ValidationError(
          "there is no day \(word.quoted(limit: 40))\(guess.isEmpty ? "; write sat,sun" : guess)")
      })
  }

  package var description: String { weekdays.map(\.shortName).joined(separator: ",") }
}

/// Days of a calendar as they are given: some entries with commas between them.
package struct GivenDays: Hashable, Sendable, CustomStringConvertible {
  package let days: [DayRange]

  @Sendable static func parse(_ text: String) throws -> GivenDays {
    if text == "none" { return GivenDays(days: []) }
    do {
      return GivenDays(days: try text.entries.map { try DayRange(reading: $0) })
    } catch {
      throw ValidationError((error as? DayRange.Fault)?.message ?? "\(error)")
    }
  }

  package var description: String { days.map(\.description).joined(separator: ",") }
}

extension String {
  /// The parts between commas, without spaces around them.
  fileprivate var entries: [String] {
    split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
  }
}

/// The options for the days on which a library is closed.
package struct ClosedDayOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [
    OptionFact("closed-weekdays", .list, .table), OptionFact("closed-days", .list, .table),
    OptionFact("closed-calendars", .list, .table, path: .fileOrNone),
    OptionFact("closed-only", .list, .table), OptionFact("closed-open", .list, .table),
  ]

  @Option(
    help: ArgumentHelp(
      "Days of the week on which the library is closed, as in sat,sun, or none.", valueName: "days"),
    transform: GivenWeekdays.parse)
  package var closedWeekdays: [GivenWeekdays] = []

  @Option(
    help: ArgumentHelp(
      """
      Other closed days: YYYY-MM-DD, MM-DD for every year, or a range with .. between two days; a \
      space and a name can follow.
      """, valueName: "days"), transform: GivenDays.parse)
  package var closedDays: [GivenDays] = []

  @Option(
    help: ArgumentHelp(
      "Close the library on the days of the events in this iCalendar file.", valueName: "file"),
    completion: .file(extensions: ["ics"]))
  package var closedCalendars: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Use only calendar events whose summary, category or description begins with this pattern; * \
      matches any text.
      """, valueName: "pattern"))
  package var closedOnly: [String] = []

  @Option(
    help: ArgumentHelp(
      "Days on which the library is open in spite of the others.", valueName: "days"),
    transform: GivenDays.parse)
  package var closedOpen: [GivenDays] = []
}

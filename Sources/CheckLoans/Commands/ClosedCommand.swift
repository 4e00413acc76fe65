import ArgumentParser
import CommandOutput
import LoanRules
import Loans
import ReminderSchedule
import Runs
import Settings

/// `check-loans closed`.
struct ClosedCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "closed",
    abstract: "List the days on which the library is closed.",
    discussion: """
      Prints one line for each closed day, or for several days in a row with the same name: the \
      days, the name, and where they are set. Reports oddities in calendars, such as events of a \
      few hours, which close no day.

      Examples:
        check-loans closed
        check-loans closed --from 2026-12-01 --to 2027-01-31
        check-loans closed --closed-calendars holidays.ics --closed-only National
      """)

  static let facts: [OptionFact] =
    ClosedDayOptions.facts + ClockOptions.facts + StateOptions.facts + [
      OptionFact("from", .text, .line), OptionFact("to", .text, .line),
      OptionFact("format", .text, .run),
    ]

  @OptionGroup var closed: ClosedDayOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions

  @Option(
    help: ArgumentHelp("List from this day on. (default: today)", valueName: "date"),
    transform: CivilDate.parse)
  var from: CivilDate?

  @Option(
    help: ArgumentHelp("List up to this day. (default: a year later)", valueName: "date"),
    transform: CivilDate.parse)
  var to: CivilDate?

  @Option(help: "Format of the list.")
  var format = OutputFormat.text

  /// The most days that are listed.
  private static let longest = 36_525

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let today = try clock.read(environment).now.date
    let first = from ?? today
    let last = to ?? first.adding(days: 365)
    guard first <= last, first.days(until: last) <= Self.longest else {
      throw CommandError(
        .usage, "--to must be on or after --from, and at most a hundred years later")
    }
    let schedule = try ScheduleReader(opening: state.path(environment))
    var settings = [(name: String?.none, setting: ClosedDaySetting(closed, environment))]
    for table in environment.given.tables
    where table.own.contains(where: { $0.name.hasPrefix("closed-") }) {
      let setting = ClosedDaySetting(
        table.options.catalogue.closed, environment, own: table.own)
      settings.append((table.name ?? table.path?.texts.first, setting))
    }
    var status = ExitStatus.done
    var runs: [ClosedRun] = []
    for (name, setting) in settings {
      let result = try setting.closedDays(today: today, schedule: schedule, period: first...last)
      for line in result.errors + result.unused + result.warnings { console.printError(line) }
      status = status.worse(result.status)
      runs += result.days.closures(from: first, to: last).runs.map { run in
        var run = run
        run.catalogue = name
        return run
      }
    }
    if format == .json {
      try console.print(
        line: "{\"version\":1,\"closed\":\(JSONValue.array(runs.map(\.json)).text)}")
    } else if runs.isEmpty {
      console.printError(
        "no day from \(first) to \(last) is closed; set closed-weekdays, closed-days or closed-calendars"
      )
    } else {
      for run in runs { try console.print(line: run.line) }
    }
    return status
  }
}

extension CivilDate {
  /// Reads a day, also as catalogues write it.
  @Sendable static func parse(_ text: String) throws -> CivilDate {
    let moment = try CivilDateTime.parse(text)
    if text.utf8.count == 10 { return moment.date }
    throw ValidationError("write a day without a time, for example 2026-12-01")
  }
}

/// Closed days in a row for one reason.
private struct ClosedRun {
  let first: ClosedDays.Closure
  var last: CivilDate
  /// The name or path of the catalogue whose own closed days these are.
  var catalogue: String?

  var line: String {
    let days = last == first.day ? "\(first.day)" : "\(first.day)..\(last)"
    let name = first.name.map { "\($0.visible)  " } ?? ""
    let library = catalogue.map { "\($0.visible): " } ?? ""
    return "\(days.padded(to: 22))  \(library)\(name)(\(first.origin.visible))"
  }

  var json: JSONValue {
    .object([
      ("from", .string("\(first.day)")), ("to", .string("\(last)")),
      ("name", JSONValue(first.name)), ("origin", .string(first.origin)),
      ("catalogue", JSONValue(catalogue)),
    ])
  }
}

extension [ClosedDays.Closure] {
  /// The closed days, those in a row with one name and origin together.
  fileprivate var runs: [ClosedRun] {
    reduce(into: []) { runs, closure in
      if let run = runs.last, run.last.days(until: closure.day) == 1,
        (run.first.name, run.first.origin) == (closure.name, closure.origin)
      {
        runs[runs.count - 1].last = closure.day
      } else {
        runs.append(ClosedRun(first: closure, last: closure.day))
      }
    }
  }
}

import ArgumentParser
import CommandOutput
import Languages
import Loans
import ReminderSchedule
import Reports
import Runs
import Settings
import Validation

/// `check-loans plan`.
struct PlanCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show which notices will be sent on which day.",
    discussion: """
      Simulates a run on each of the coming days, and lists the notices that it would send, as \
      they would read on that day. Nothing is sent or written. Catalogues on the command line, or \
      else in the settings file, are read first, so that changed settings count; without any, the \
      schedule is used as it is. Without --notify, a notice that was sent through any channel is \
      left out.

      Examples:
        check-loans plan
        check-loans plan --remind 7,3,1 books.xml
        check-loans plan --days 30 --notify exec:/usr/local/bin/tell
      """)

  static let facts: [OptionFact] =
    [OptionFact("days", .number, .line), OptionFact("format", .text, .run)] + ChannelOptions.facts
    + CatalogueOptions.facts + StateOptions.facts + NowOptions.facts + LanguageOptions.facts

  @Argument(
    help: "Catalogues to read first. (default: those of the settings file)", completion: .file())
  var catalogues: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Show this many days, beginning with today, 1 to 400. (default: 14)", valueName: "days"),
    transform: number(1...400))
  var days = 14

  @Option(help: "Format of the plan.")
  var format = OutputFormat.text

  @OptionGroup var channels: ChannelOptions
  @OptionGroup var catalogue: CatalogueOptions
  @OptionGroup var state: StateOptions
  @OptionGroup var now: NowOptions
  @OptionGroup var language: LanguageOptions

  var files: [String] { catalogues }
  var readingOptions: CatalogueOptions? { catalogue }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let language = try language.language(environment)
    let zone = try catalogue.zone.clock(environment)
    let given = environment.given
    let isListed = given.file.map { !$0.catalogues.isEmpty || $0.listed != nil } ?? false
    let reads = !catalogues.isEmpty || isListed
    if given["backlog"]?.isFromCommandLine == true {
      throw CommandError(.usage, "--backlog is for a run that delivers; leave it out")
    }
    let ofReading = LadderOptions.facts + ProfileOptions.facts
    if !reads, let unused = ofReading.first(where: { given[$0.name]?.isFromCommandLine == true }) {
      throw CommandError(
        .usage, "--\(unused.name) has no effect on the stored schedule; name a catalogue to read")
    }
    let path = try reads ? state.optionalPath(environment) : nil
    let copy = try reads ? Schedule.copy(of: path) : nil
    defer { withExtendedLifetime(copy) {} }
    let schedule = try copy?.reader ?? ScheduleReader(opening: state.path(environment))
    var status = ExitStatus.done
    if let copy {
      let read = try environment.catalogues(
        catalogues, catalogue, now: now.now, schedule: path,
        findsGone: false, example: "check-loans plan books.xml")
      var reading = CatalogueReadings(copy, console)
      reading.isKept = path != nil
      for entry in read { _ = try reading.read(entry) }
      status = reading.status
    }
    let names = try schedule.catalogues()
    let known = try KnownCatalogues(
      names, environment, zone, now: now.now, closed: catalogue.closed)
    let times = DeliveryTimes(
      channels.times, known.closedDays, today: try zone.now(now.now).date, schedule)
    status = status.worse(console.report(times.problems))
    var planned: [PlannedNotice] = []
    for (_, now, names) in known.zones {
      let groups = Dictionary(grouping: names) { times.ends(of: $0, from: now, days: days) }
      for channel in try channels.channels(environment).map(Optional.some).orAny {
        for (times, names) in groups {
          planned += try schedule.planned(
            at: times, channel: channel?.name, catalogues: names
          ).map { PlannedNotice(day: $0.time.date, channel: channel, due: $0.notice) }
        }
      }
    }
    planned.sort {
      ($0.day, $0.due.notice.loan.expiration, $0.due.reminderID)
        < ($1.day, $1.due.notice.loan.expiration, $1.due.reminderID)
    }
    try format == .json ? printJSON(planned, console) : printText(planned, in: language, console)
    return status
  }

  private func printText(
    _ planned: [PlannedNotice], in language: Language, _ console: Console
  ) throws {
    for notice in planned {
      let channel = notice.channel.map { "\($0.name.visible)  " } ?? ""
      let line = notice.due.notice.line(today: notice.day, in: language)
      try console.print(line: "\(notice.day)  \(channel)\(line)")
    }
    if planned.isEmpty { console.printError("nothing will be sent within \(counted(days, "day"))") }
  }

  private func printJSON(_ planned: [PlannedNotice], _ console: Console) throws {
    try console.print("{\"version\":1,\"days\":\(days),\"notices\":[")
    for (index, notice) in planned.enumerated() {
      try console.print((index == 0 ? "" : ",") + notice.json.text)
    }
    try console.print(line: "]}")
  }
}

/// A notice that will be sent on a day.
private struct PlannedNotice {
  let day: CivilDate
  /// The channel through which it will be sent; `nil` for any.
  let channel: ChannelName?
  let due: DueNotice

  var json: JSONValue {
    .object([
      ("date", .string("\(day)")), ("channel", JSONValue(channel?.name)),
      ("id", .int(due.reminderID)), ("kind", .string(due.notice.kind.rawValue)),
      ("rung", .int(due.notice.rung)), ("text", .string(due.notice.line(today: day))),
      ("expiration", .string("\(due.notice.loan.expiration)")),
      ("catalogue", .string(due.notice.catalogue)), ("library", JSONValue(due.notice.library)),
      ("loan", .object(due.notice.loan.members(library: due.notice.library))),
      ("openDays", due.notice.openDays?.json ?? .null),
    ])
  }
}

extension [ChannelName?] {
  /// The channels, or `nil` alone for any.
  fileprivate var orAny: [ChannelName?] { isEmpty ? [nil] : self }
}

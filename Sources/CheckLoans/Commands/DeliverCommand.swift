import ArgumentParser
import CommandOutput
import Loans
import ReminderSchedule
import Runs
import Settings

/// `check-loans deliver`.
struct DeliverCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "deliver",
    abstract: "Deliver due notices from the schedule, without reading a catalogue.",
    discussion: """
      Delivers the due notices that were not delivered before, to standard output unless --notify \
      names other channels. A catalogue is included if a run with --notify has read it, or if the \
      settings file lists it.

      Examples:
        check-loans deliver --notify notify-send
        check-loans deliver --notify mail --backlog mark
      """)

  static let facts: [OptionFact] =
    ChannelOptions.facts + ClosedDayOptions.facts + StaleOptions.facts + ClockOptions.facts
    + StateOptions.facts + LanguageOptions.facts + DryRunOptions.facts + VerboseOptions.facts

  @OptionGroup var channels: ChannelOptions

  @OptionGroup(visibility: .hidden) var closed: ClosedDayOptions
  @OptionGroup var stale: StaleOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions
  @OptionGroup var language: LanguageOptions

  @OptionGroup var dryRun: DryRunOptions
  @OptionGroup var verbose: VerboseOptions

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let channels = try channels.channels(environment, otherwise: [.stdout])
    let (now, zone) = try clock.read(environment)
    let backlog = try self.channels.backlog(through: channels, hasSchedule: true, environment)
    let notifiers = try ChannelNotifiers(
      channels, self.channels, language, environment, state: state,
      makesSecrets: !dryRun.dryRun)
    if verbose.verbose { console.printError(zone.words(for: now)) }
    let schedule = try Schedule(state.path(environment), isDryRun: dryRun.dryRun)
    if let warning = try schedule.clockSetBackWarning(now: now) { console.printError(warning) }
    let (names, lookedAt) = try environment.delivered(schedule.reader)
    for name in lookedAt {
      console.printError(
        """
        \(name.visibleCatalogue) was only looked at, and is left out; read it with --notify, or list it \
        in the settings file
        """)
    }
    let known = try KnownCatalogues(
      names, environment, zone, now: clock.now.now, closed: closed, stale: stale)
    let times = DeliveryTimes(
      self.channels.times, known.closedDays, today: now.date, schedule.reader)
    let stale = try StaleCatalogues(
      schedule.reader, known.staleLimits, at: zone.clockTime(now))
    var status = console.report(times.problems).worse(console.report(stale))
    let groups = try known.zones.withoutMoved(schedule.reader) { sentence in
      console.printError(sentence)
      status = status.worse(.badSetting)
    }
    let delivery = ChannelDelivery(
      schedule, groups, times, stale, notifiers, backlog: backlog, console,
      onEvent: console.eventPrinter(isVerbose: verbose.verbose))
    if !dryRun.dryRun { return status.worse(try delivery.run(channels)) }
    try delivery.rehearse(channels)
    return status
  }
}

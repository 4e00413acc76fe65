import ArgumentParser
import Loans
import ReminderSchedule
import ReminderService

/// `check-loans deliver`.
struct DeliverCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "deliver",
    abstract: "Deliver what is due from the stored schedule, without a catalogue.",
    discussion: """
      Delivers what is due of every catalogue in the schedule and was not yet delivered through \
      the channel, through standard output unless --notify names others.

      Examples:
        check-loans deliver --notify notify-send
        check-loans deliver --notify mail --mark-only
      """)

  static var commandLineOnly: Set<String> { ["mark-only"] }

  @OptionGroup var channels: ChannelOptions

  @Flag(help: "Mark what is due through the channels of --notify as delivered, and send nothing.")
  var markOnly = false

  @OptionGroup var closed: ClosedDayOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions
  @OptionGroup var language: LanguageOptions

  @OptionGroup var dryRun: DryRunOptions
  @OptionGroup var verbose: VerboseOptions

  func validate() throws {
    if markOnly && channels.notify.isEmpty {
      throw ValidationError("--mark-only needs --notify with the channel that is not to send")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let channels = try channels.channels(environment, otherwise: [.stdout])
    let (now, zone) = try clock.read(environment)
    let notifiers = try ChannelNotifiers(channels, self.channels, language, environment)
    if verbose.verbose { console.printError(zone.words(for: now)) }
    let schedule = try Schedule(state.path(environment), isDryRun: dryRun.dryRun)
    if let warning = try schedule.clockSetBackWarning(now: now) { console.printError(warning) }
    let times = try DeliveryTimes(
      self.channels.times, environment.closedDays(of: schedule.reader.catalogues(), closed),
      today: now.date, schedule.reader)
    let status = console.report(times.problems)
    let delivery = ChannelDelivery(
      schedule: schedule,
      groups: try environment.namesByZone(
        schedule.reader.catalogues(), zone, now: clock.now.now),
      times: times,
      events: ScheduleEvents(isPrinted: verbose.verbose, console),
      notifiers: notifiers, console: console, firstRun: self.channels.firstRun)
    if markOnly {
      if try schedule.reader.catalogues().isEmpty {
        throw CommandError(
          .usage,
          "the schedule has no catalogue, so nothing is due; run check-loans CATALOGUE first")
      }
      for channel in channels { try delivery.markAll(channel, isDryRun: dryRun.dryRun) }
      return status
    }
    if !dryRun.dryRun { return status.worse(try delivery.run(channels)) }
    try delivery.rehearse(channels)
    return status
  }
}

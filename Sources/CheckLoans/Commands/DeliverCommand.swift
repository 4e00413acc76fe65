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

      Example:
        check-loans deliver --notify notify-send
      """)

  @OptionGroup var channels: ChannelOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions

  @OptionGroup var dryRun: DryRunOptions
  @OptionGroup var verbose: VerboseOptions

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    try Main.wait { try await deliver(environment, console) }
  }

  private func deliver(_ environment: Environment, _ console: Console) async throws -> ExitStatus {
    let (now, zone) = try clock.read(environment)
    let schedule = try Schedule(state.path(environment), isDryRun: dryRun.dryRun)
    try schedule.warnOfClockSetBack(now: now, console)
    var status = ExitStatus.done
    // A catalogue may have its own time zone.
    let groups = try environment.namesByZone(
      schedule.reader.catalogues(), zone, now: clock.now.now)
    for (zone, now, names) in groups.isEmpty ? [(zone, now, [])] : groups {
      let center = ReminderCenter(
        schedule: schedule, events: ScheduleEvents(isPrinted: verbose.verbose, console),
        civilTime: zone.civilTime)
      let delivery = ChannelDelivery(
        center: center, channels: channels.channels(environment, otherwise: [.stdout]), now: now,
        catalogues: names, repeatExpired: channels.repetition.repeatExpired,
        isDryRun: dryRun.dryRun, environment: environment, console: console)
      status = status.worse(try await delivery.run())
    }
    return status
  }
}

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

  static var settingsKeys: SettingsKeys? { .user }

  @OptionGroup var channels: ChannelOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions

  @OptionGroup var dryRun: DryRunOptions
  @OptionGroup var verbose: VerboseOptions

  var configFile: String? { state.config }

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let (now, _) = try clock.read(environment)
    let path = try state.path(environment)
    let center: ReminderCenter
    do throws(ScheduleError) {
      center = ReminderCenter(
        schedule: try Schedule(path, isDryRun: dryRun.dryRun),
        events: ScheduleEvents(isPrinted: verbose.verbose, console))
      try center.schedule?.warnOfClockSetBack(now: now, console)
    } catch {
      throw CommandError(error)
    }
    return try await ChannelDelivery(
      center: center, channels: channels.channels(environment, otherwise: [.stdout]), now: now,
      repeatExpired: channels.repetition.repeatExpired, isDryRun: dryRun.dryRun,
      environment: environment, console: console
    ).run()
  }
}

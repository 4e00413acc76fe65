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

  @Flag(help: "Deliver nothing and note nothing; say what would be delivered.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Say on standard error what is done.")
  var verbose = false

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let (now, _) = try clock.read(environment)
    let path = try state.path(environment)
    let isDryRun = try environment.isOn(dryRun, "DRY_RUN")
    let isVerbose = try environment.isOn(verbose, "VERBOSE")
    let channels = try channels.channels(environment, otherwise: [.stdout])
    let repeatExpired = try self.channels.repetition.days(environment)
    let center: ReminderCenter
    do throws(ScheduleError) {
      center = ReminderCenter(
        schedule: try Schedule(path, isDryRun: isDryRun),
        events: ScheduleEvents(isTold: isVerbose, console))
      try center.schedule?.warnOfClockSetBack(now: now, console)
    } catch {
      throw CommandError(error)
    }
    return try await ChannelDelivery(
      center: center, channels: channels, now: now, repeatExpired: repeatExpired,
      isDryRun: isDryRun, environment: environment, console: console
    ).run()
  }
}

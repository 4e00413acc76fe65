import ArgumentParser
import Loans
import ReminderSchedule

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
    var channels = try channels.channels(environment)
    if channels.isEmpty { channels = [.stdout] }
    do {
      let schedule = try Schedule(path, isDryRun: isDryRun)
      var status = ExitStatus.done
      for channel in channels {
        let delivery = DeliveryRun(
          notifier: channel.notifier(environment, console), schedule: schedule, now: now,
          isDryRun: isDryRun, isVerbose: isVerbose, console: console)
        let due = try schedule.due(at: now, channel: channel.name)
        status = status.worse(try await delivery.run(due))
      }
      return status
    } catch {
      throw CommandError(error)
    }
  }
}

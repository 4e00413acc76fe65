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

  func run(_ environment: Environment, _ console: Console) throws(CommandError) -> ExitStatus {
    try Main.wait { () throws(CommandError) in try await deliver(environment, console) }
  }

  private func deliver(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let (now, clock) = try clock.read(environment)
    let path = try state.path(environment)
    let schedule: Schedule
    var names: [String] = []
    do throws(ScheduleError) {
      schedule = try Schedule(path, isDryRun: dryRun.dryRun)
      try schedule.warnOfClockSetBack(now: now, console)
      if environment.given.file?.tables.isEmpty == false {
        names = try schedule.reader.catalogues()
      }
    } catch {
      throw CommandError(error)
    }
    if names.isEmpty { return try await deliver(schedule, nil, clock, now, environment, console) }
    // A catalogue may have its own time zone.
    var status = ExitStatus.done
    for (clock, now, names) in try environment.namesByZone(names, clock, now: self.clock.now.now) {
      status = status.worse(try await deliver(schedule, names, clock, now, environment, console))
    }
    return status
  }

  private func deliver(
    _ schedule: Schedule, _ catalogues: [String]?, _ clock: LocalClock, _ now: CivilDateTime,
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let center = ReminderCenter(
      schedule: schedule, events: ScheduleEvents(isPrinted: verbose.verbose, console),
      civilTime: clock.civilTime)
    return try await ChannelDelivery(
      center: center, channels: channels.channels(environment, otherwise: [.stdout]), now: now,
      catalogues: catalogues, repeatExpired: channels.repetition.repeatExpired,
      isDryRun: dryRun.dryRun, environment: environment, console: console
    ).run()
  }
}

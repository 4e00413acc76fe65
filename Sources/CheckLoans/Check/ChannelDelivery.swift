import Glibc
import Loans
import Notifiers
import ReminderSchedule
import ReminderService

extension ChannelName {
  /// The notifier of the channel.
  ///
  /// - Parameter actions: gives notifications a button.
  func notifier(
    _ environment: Environment, _ console: Console, actions: NotificationActions? = nil
  ) -> any Notifier {
    switch self {
    case .stdout:
      StandardOutputNotifier(output: console.output)
    case .notifySend:
      NotifySendNotifier(
        environment: environment.variables, userID: environment.userID, actions: actions)
    case .exec(let program):
      ExecNotifier(program: program, environment: environment.variables)
    }
  }
}

/// Delivers what is due through the channels that were named, each for itself, and reports what could
/// not be delivered.
struct ChannelDelivery {
  let center: ReminderCenter
  let channels: [ChannelName]
  let now: CivilDateTime
  /// The names of the catalogues whose loans count; `nil` for all.
  var catalogues: [String]?
  /// After how many days an expired notice is delivered again.
  var repeatExpired: Int?
  var isDryRun = false
  /// Whether a dry run prints to standard output, rather than standard error, what it would do.
  var announces = true
  /// Whether what could not be delivered is kept for the next run.
  var isRemembered = true
  let environment: Environment
  let console: Console

  /// - Throws: ``CommandError`` if the schedule fails; or, once every channel had its turn, if
  ///   standard output did.
  /// - Returns: `unavailable` if something was not delivered.
  func run() async throws(CommandError) -> ExitStatus {
    var status = ExitStatus.done
    var outputFailure: CommandError?
    var leftByStop = 0
    if !channels.isEmpty { StopSignals.catchThem() }
    for channel in channels where !StopSignals.isStopRequested {
      if isDryRun {
        try announce(channel)
        continue
      }
      let report = try await deliver(through: channel)
      leftByStop += report.leftByStop
      for failure in report.failuresByError {
        status = status.worse(failure.error.code == .systemLimit ? .systemLimit : .unavailable)
        if case .outputFailed(EINTR) = failure.error.code {
          leftByStop += failure.notices
        } else if case .outputFailed(let number) = failure.error.code {
          outputFailure = CommandError(OutputError(errno: number, descriptor: 1))
          outputFailure?.message?.append("; \(outcome(of: failure.notices))")
        } else {
          printError(failure)
        }
      }
    }
    if leftByStop > 0 { console.printError("stopping; \(outcome(of: leftByStop))") }
    if let outputFailure { throw outputFailure }
    return status
  }

  private func deliver(
    through channel: ChannelName
  ) async throws(CommandError) -> DeliveryReport {
    do throws(ReminderError) {
      return try await center.deliver(
        through: channel.notifier(environment, console), at: now, catalogues: catalogues,
        repeatExpired: repeatExpired, isStopRequested: { StopSignals.isStopRequested })
    } catch {
      throw CommandError(error)
    }
  }

  private func announce(_ channel: ChannelName) throws(CommandError) {
    let due: [DueNotice]
    do throws(ScheduleError) {
      due =
        try center.schedule?.reader.due(
          at: now, channel: channel.name, catalogues: catalogues, repeatExpired: repeatExpired)
        ?? []
    } catch {
      throw CommandError(error)
    }
    if due.isEmpty { console.printError("nothing is due through \(channel.name.visible)") }
    for notice in due {
      let line = notice.notice.line(today: now.date)
      let sentence = "would deliver through \(channel.name.visible): \(line)"
      if announces { try console.print(line: sentence) } else { console.printError(sentence) }
    }
  }

  private func printError(_ failure: DeliveryReport.Failure) {
    console.printError("\(failure.error.message); \(outcome(of: failure.notices))")
  }

  private func outcome(of notices: Int) -> String {
    let verb = notices == 1 ? "stays" : "stay"
    return "\(counted(notices, "notice")) \(isRemembered ? "\(verb) pending" : "not delivered")"
  }
}

extension DeliveryReport {
  /// The failures, those of the same error taken together, in the order of the first of each.
  var failuresByError: [Failure] {
    var merged: [Failure] = []
    for failure in failures {
      if let index = merged.firstIndex(where: { $0.error == failure.error }) {
        merged[index].notices += failure.notices
      } else {
        merged.append(failure)
      }
    }
    return merged
  }
}

import Loans
import Notifiers
import ReminderSchedule

extension ChannelName {
  /// The notifier behind the channel.
  func notifier(_ environment: Environment, _ console: Console) -> any Notifier {
    switch self {
    case .stdout:
      StandardOutputNotifier(output: console.output)
    case .notifySend:
      NotifySendNotifier(environment: environment.variables, userID: environment.userID)
    case .exec:
      MissingNotifier(channel: name)
    }
  }
}

/// A stand-in for the notifier of programs.
private struct MissingNotifier: Notifier {
  let channel: String

  func messages(for notices: [Notice]) -> [ArraySlice<Notice>] { [notices[...]] }

  func send(_ message: ArraySlice<Notice>, today: CivilDate) async throws(NotifierError) {
    throw NotifierError(.unavailable, channel: channel, message: "\(channel): not there yet")
  }
}

extension Schedule {
  /// The schedule in a file, or a copy of it to try things out on.
  convenience init(_ path: String, isDryRun: Bool) throws(ScheduleError) {
    if isDryRun { try self.init(rehearsing: path) } else { try self.init(opening: path) }
  }
}

/// The delivery of what is due through one channel.
struct DeliveryRun {
  let notifier: any Notifier
  /// Where deliveries are noted; `nil` where nothing is remembered.
  let schedule: Schedule?
  let now: CivilDateTime
  let isDryRun: Bool
  let isVerbose: Bool
  /// Whether a dry run may tell on standard output, rather than standard error, what it would do.
  var announces = true
  let console: Console

  /// Delivers each notice once, and notes it before and after.
  ///
  /// A message that fails leaves its notices pending. Where every other would fail too, no more
  /// are tried in this run.
  ///
  /// - Throws: ``CommandError`` if the schedule fails, or standard output.
  /// - Returns: `unavailable` if something was not delivered.
  func run(_ due: [DueNotice]) async throws(CommandError) -> ExitStatus {
    var status = ExitStatus.done
    var start = 0
    for message in notifier.messages(for: due.map(\.notice)) {
      let notices = Array(due[start..<start + message.count])
      start += message.count
      if isDryRun {
        try announce(notices)
      } else if let failure = try await send(message, notices) {
        status = .unavailable
        if failure.stopsTheRun {
          complain(failure, pending: due.count - start + notices.count)
          break
        }
        complain(failure, pending: notices.count)
      }
    }
    return status
  }

  private func announce(_ notices: [DueNotice]) throws(CommandError) {
    for notice in notices {
      let line = notice.notice.line(today: now.date)
      let sentence = "would deliver through \(notifier.channel): \(line)"
      if announces { try console.print(line: sentence) } else { console.complain(sentence) }
    }
  }

  private func send(
    _ message: ArraySlice<Notice>, _ notices: [DueNotice]
  ) async throws(CommandError) -> NotifierError? {
    try mark { schedule throws(ScheduleError) in
      try schedule.markSending(notices, channel: notifier.channel, at: now)
    }
    do throws(NotifierError) {
      try await notifier.send(message, today: now.date)
    } catch {
      try mark { schedule throws(ScheduleError) in
        try schedule.markFailed(
          notices, channel: notifier.channel, at: now, error: error.message)
      }
      if case .outputFailed(let number) = error.code {
        throw CommandError(OutputError(errno: number, descriptor: 1))
      }
      return error
    }
    try mark { schedule throws(ScheduleError) in
      try schedule.markDelivered(notices, channel: notifier.channel, at: now)
    }
    if isVerbose {
      for notice in notices {
        console.complain("delivered through \(notifier.channel): \(notice.notice.loan.label)")
      }
    }
    return nil
  }

  private func mark(
    _ body: (Schedule) throws(ScheduleError) -> Void
  ) throws(CommandError) {
    guard let schedule else { return }
    do throws(ScheduleError) { try body(schedule) } catch { throw CommandError(error) }
  }

  private func complain(_ failure: NotifierError, pending: Int) {
    let verb = pending == 1 ? "stays" : "stay"
    let fate = schedule == nil ? "not delivered" : "\(verb) pending"
    console.complain("\(failure.message); \(counted(pending, "notice")) \(fate)")
  }
}

internal import Failpoints
internal import Loans
internal import Notifiers
internal import ReminderSchedule

/// The delivery of what is due through one channel.
struct DeliveryRun {
  private let notifier: any Notifier
  private let schedule: Schedule
  private let events: ScheduleEvents
  private let context: DeliveryContext
  private let utcOffset: Int?
  private var report: DeliveryReport

  /// One message: what is sent, and the notices of the schedule that it is made of.
  fileprivate struct Message {
    var content: ArraySlice<Notice>
    var notices: ArraySlice<DueNotice>
  }

  init(
    notifier: any Notifier, schedule: Schedule, events: ScheduleEvents, context: DeliveryContext,
    utcOffset: Int?
  ) {
    precondition(
      notifier.messagesPerCommit >= 1, "\(notifier.messagesPerCommit) messages for each commit")
    self.notifier = notifier
    self.schedule = schedule
    self.events = events
    self.context = context
    self.utcOffset = utcOffset
    report = DeliveryReport(channel: notifier.channel)
  }

  /// Sends each notice once, and notes it in the schedule before and after.
  mutating func deliver(
    _ due: [DueNotice], isStopRequested: @Sendable () -> Bool
  ) async throws(ScheduleError) -> DeliveryReport {
    var rest = messages(of: due)[...]
    while !rest.isEmpty {
      if isStopRequested() {
        report.leftByStop = rest.noticeCount
        break
      }
      let sent = try await send(rest.prefix(notifier.messagesPerCommit), isStopRequested)
      rest = rest.dropFirst(sent)
      if let failure = report.failures.last, failure.error.stopsTheRun {
        try giveUp(rest, failure.error)
        break
      }
    }
    return report
  }

  private func messages(of due: [DueNotice]) -> [Message] {
    var start = 0
    return notifier.messages(for: due.map(\.notice)).map { content in
      defer { start += content.count }
      return Message(content: content, notices: due[start..<start + content.count])
    }
  }

  /// Sends messages that share a commit, up to the first one that fails.
  ///
  /// - Returns: how many were tried.
  private mutating func send(
    _ batch: ArraySlice<Message>, _ isStopRequested: @Sendable () -> Bool
  ) async throws(ScheduleError) -> Int {
    var outbox = try schedule.beginSending(
      batch.map(\.notices), channel: notifier.channel, at: context.now,
      utcOffset: utcOffset)
    var tried = 0
    for message in batch {
      if tried > 0, isStopRequested() { break }
      failpoint("before-sending")
      tried += 1
      do throws(NotifierError) {
        try await notifier.send(message.content, in: context)
      } catch {
        try end(outbox, error)
        note(batch.prefix(tried - 1))
        note(error, message)
        return tried
      }
      failpoint("after-sending")
      do throws(ScheduleError) {
        try outbox.noteSent()
      } catch {
        // It was sent all the same, and may still be noted by a commit.
        try outbox.finish()
        note(batch.prefix(tried))
        throw error
      }
    }
    try outbox.finish()
    note(batch.prefix(tried))
    return tried
  }

  private func end(_ outbox: consuming Outbox, _ error: NotifierError) throws(ScheduleError) {
    do throws(ScheduleError) {
      try outbox.fail(error: error.message)
    } catch let failure {
      throw failure.after(error)
    }
  }

  /// Notes that the remaining messages were not tried, since they would fail too.
  private mutating func giveUp(
    _ rest: ArraySlice<Message>, _ error: NotifierError
  ) throws(ScheduleError) {
    let notices = Array(rest.map(\.notices).joined())
    do throws(ScheduleError) {
      try schedule.markUntried(
        notices, channel: notifier.channel, at: context.now, utcOffset: utcOffset,
        error: error.message)
    } catch let failure {
      throw failure.after(error)
    }
    report.failures[report.failures.count - 1].notices += notices.count
    for notice in notices { announce(failed: notice, error) }
  }

  private mutating func note(_ delivered: ArraySlice<Message>) {
    for message in delivered {
      report.delivered += message.notices.count
      guard events.areObserved else { continue }
      for notice in message.notices {
        events.announce(.delivered(notice, channel: notifier.channel))
      }
    }
  }

  private mutating func note(_ error: NotifierError, _ message: Message) {
    report.failures.append(DeliveryReport.Failure(error: error, notices: message.notices.count))
    for notice in message.notices { announce(failed: notice, error) }
  }

  private func announce(failed notice: DueNotice, _ error: NotifierError) {
    events.announce(.failed(notice, channel: notifier.channel, error: error.message))
  }
}

extension ScheduleError {
  /// The same error, which occurred when a channel's was to be noted.
  fileprivate func after(_ error: NotifierError) -> ScheduleError {
    var both = self
    both.message += "; before that, \(error.message)"
    return both
  }
}

extension ArraySlice<DeliveryRun.Message> {
  fileprivate var noticeCount: Int { reduce(0) { $0 + $1.notices.count } }
}

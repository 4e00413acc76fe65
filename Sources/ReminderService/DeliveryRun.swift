internal import Failpoints
internal import Loans
internal import Notifiers
internal import ReminderSchedule

/// The delivery of what is due through one channel.
struct DeliveryRun {
  private let notifier: any Notifier
  private let schedule: Schedule
  private let events: ScheduleEvents
  private let occasion: Occasion
  private var report: DeliveryReport

  /// One message: what is sent, and the notices of the schedule that it is made of.
  fileprivate struct Message {
    var content: ArraySlice<Notice>
    var notices: [DueNotice]
  }

  init(
    notifier: any Notifier, schedule: Schedule, events: ScheduleEvents, occasion: Occasion
  ) {
    self.notifier = notifier
    self.schedule = schedule
    self.events = events
    self.occasion = occasion
    report = DeliveryReport(channel: notifier.channel)
  }

  /// Sends each notice once, and marks it before and after.
  mutating func deliver(
    _ due: [DueNotice], isStopRequested: @Sendable () -> Bool
  ) async throws(ScheduleError) -> DeliveryReport {
    var rest = messages(of: due)[...]
    while !rest.isEmpty {
      if isStopRequested() {
        report.leftByStop = rest.noticeCount
        break
      }
      let sent = try await send(rest.prefix(notifier.messagesPerMark), isStopRequested)
      rest = rest.dropFirst(sent)
      if let failure = report.failures.last, failure.error.stopsTheRun {
        report.failures[report.failures.count - 1].notices += rest.noticeCount
        break
      }
    }
    return report
  }

  private func messages(of due: [DueNotice]) -> [Message] {
    var start = 0
    return notifier.messages(for: due.map(\.notice)).map { content in
      defer { start += content.count }
      return Message(content: content, notices: Array(due[start..<start + content.count]))
    }
  }

  /// Sends messages that are marked together, up to the first one that fails.
  ///
  /// - Returns: how many were tried.
  private mutating func send(
    _ batch: ArraySlice<Message>, _ isStopRequested: @Sendable () -> Bool
  ) async throws(ScheduleError) -> Int {
    let sending = try schedule.beginSending(
      batch.map(\.notices), channel: notifier.channel, at: occasion.now)
    var tried = 0
    for message in batch {
      if tried > 0, isStopRequested() { break }
      failpoint("before-sending")
      tried += 1
      do throws(NotifierError) {
        try await notifier.send(message.content, on: occasion)
      } catch {
        try sending.fail(error: error.message)
        note(batch.prefix(tried - 1))
        note(error, message)
        return tried
      }
      failpoint("after-sending")
      do throws(ScheduleError) {
        try sending.noteSent()
      } catch {
        // It was sent all the same, and may still be noted by a commit.
        try sending.finish()
        throw error
      }
    }
    try sending.finish()
    note(batch.prefix(tried))
    return tried
  }

  private mutating func note(_ delivered: ArraySlice<Message>) {
    for message in delivered {
      report.delivered += message.notices.count
      for notice in message.notices {
        events.announce(.delivered(notice, channel: notifier.channel))
      }
    }
  }

  private mutating func note(_ error: NotifierError, _ message: Message) {
    report.failures.append(DeliveryReport.Failure(error: error, notices: message.notices.count))
    for notice in message.notices {
      events.announce(.failed(notice, channel: notifier.channel, error: error.message))
    }
  }
}

extension ArraySlice<DeliveryRun.Message> {
  fileprivate var noticeCount: Int { reduce(0) { $0 + $1.notices.count } }
}

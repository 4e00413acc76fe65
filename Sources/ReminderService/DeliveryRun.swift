internal import Failpoints
public import Loans
public import Notifiers
public import ReminderSchedule

extension ReminderCenter {
  /// Delivers what is due and was not yet delivered through a channel, each notice once.
  ///
  /// A message that fails leaves its notices pending. Where every other would fail too, no more
  /// are tried.
  ///
  /// - Parameters:
  ///   - notifier: the channel.
  ///   - now: the library's civil time.
  ///   - catalogues: the names of the catalogues whose loans count; `nil` for all.
  ///   - isStopRequested: asked before each message; once it says yes, the rest stays pending.
  /// - Throws: `ScheduleError`: what was sent and could not be noted is sent again.
  @discardableResult
  public func deliver(
    through notifier: any Notifier, at now: CivilDateTime, catalogues: [String]? = nil,
    isStopRequested: @Sendable () -> Bool = { false }
  ) throws(ScheduleError) -> DeliveryReport {
    guard let schedule else { return DeliveryReport() }
    let utcOffset = utcOffset(at: now)
    try schedule.noteUse(of: notifier.channel, at: now, utcOffset: utcOffset)
    let due = try schedule.reader.due(
      at: now, channel: notifier.channel, catalogues: catalogues)
    let silenced = try schedule.reader.silencedCount(
      at: now, channel: notifier.channel, catalogues: catalogues)
    if silenced > 0 { events.announce(.silenced(notices: silenced, channel: notifier.channel)) }
    if due.isEmpty { return DeliveryReport() }
    let open = try schedule.reader.openCount(at: now)
    var run = DeliveryRun(
      notifier: notifier, schedule: schedule, events: events,
      context: DeliveryContext(now: now, openCount: open.reminders + open.expired),
      utcOffset: utcOffset)
    return try run.deliver(due, isStopRequested: isStopRequested)
  }
}

/// The result of a delivery through one channel.
public struct DeliveryReport: Sendable, Hashable {
  /// Messages that could not be sent, for the same reason.
  public struct Failure: Sendable, Hashable {
    /// The reason.
    public var error: NotifierError
    /// The number of notices that stay pending because of it.
    public var notices: Int
  }

  /// The number of notices that were delivered.
  public var delivered = 0
  /// The messages that could not be sent, by reason, in the order of the first of each.
  public var failures: [Failure] = []
  /// The number of notices that stay pending because a stop was requested.
  public var leftByStop = 0
  /// The number of notices that are held, since nothing is sent at this hour or on this day.
  public private(set) var held = 0
  /// The time until which they are held, the first one of those of several libraries.
  public private(set) var heldUntil: CivilDateTime?

  /// A report of nothing yet.
  public init() {}

  /// Adds the result of another delivery through the channel.
  public mutating func add(_ other: DeliveryReport) {
    delivered += other.delivered
    leftByStop += other.leftByStop
    if let until = other.heldUntil { addHeld(other.held, until: until) }
    for failure in other.failures { add(failure) }
  }

  /// Adds notices that are held.
  public mutating func addHeld(_ count: Int, until end: CivilDateTime) {
    held += count
    heldUntil = heldUntil.map { min($0, end) } ?? end
  }

  fileprivate mutating func add(_ failure: Failure) {
    if let index = failures.firstIndex(where: { $0.error == failure.error }) {
      failures[index].notices += failure.notices
    } else {
      failures.append(failure)
    }
  }
}

/// A delivery through one channel.
private struct DeliveryRun {
  typealias Message = ArraySlice<DueNotice>

  let notifier: any Notifier
  let schedule: Schedule
  let events: ScheduleEvents
  let context: DeliveryContext
  let utcOffset: Int?
  var report = DeliveryReport()

  /// Sends each notice once, and notes it in the schedule before and after.
  mutating func deliver(
    _ due: [DueNotice], isStopRequested: @Sendable () -> Bool
  ) throws(ScheduleError) -> DeliveryReport {
    let size = notifier.messagesPerCommit
    precondition(size >= 1, "\(size) messages for each commit")
    var rest = messages(of: due)[...]
    while !rest.isEmpty, !isStopRequested() {
      let (tried, error) = try send(rest.prefix(size), isStopRequested)
      rest = rest.dropFirst(tried)
      guard let error, error.stopsTheRun else { continue }
      // The others are not tried, since they would fail too.
      let notices = Array(rest.joined())
      do throws(ScheduleError) {
        try schedule.markUntried(
          notices, channel: notifier.channel, at: context.now, utcOffset: utcOffset,
          error: error.message)
      } catch let failure {
        throw failure.after(error)
      }
      note(failed: notices[...], error)
      return report
    }
    report.leftByStop = rest.joined().count
    return report
  }

  private func messages(of due: [DueNotice]) -> [Message] {
    var start = 0
    return notifier.messages(for: due.map(\.notice)).map { message in
      defer { start += message.count }
      return due[start..<start + message.count]
    }
  }

  /// Sends messages that share a commit, up to the first one that fails.
  ///
  /// - Returns: how many were tried, and why the last of them failed.
  private mutating func send(
    _ batch: ArraySlice<Message>, _ isStopRequested: @Sendable () -> Bool
  ) throws(ScheduleError) -> (tried: Int, error: NotifierError?) {
    var outbox = try schedule.beginSending(
      Array(batch), channel: notifier.channel, at: context.now, utcOffset: utcOffset)
    var sent = 0
    for message in batch {
      if sent > 0, isStopRequested() { break }
      failpoint("before-sending")
      do throws(NotifierError) {
        try notifier.send(message.map(\.notice)[...], in: context)
      } catch {
        do throws(ScheduleError) { try outbox.fail(error: error.message) } catch let failure {
          throw failure.after(error)
        }
        note(delivered: batch.prefix(sent))
        note(failed: message, error)
        return (sent + 1, error)
      }
      failpoint("after-sending")
      sent += 1
      do throws(ScheduleError) {
        try outbox.noteSent()
      } catch {
        // It was sent all the same, and may still be noted by a commit.
        try outbox.finish()
        note(delivered: batch.prefix(sent))
        throw error
      }
    }
    try outbox.finish()
    note(delivered: batch.prefix(sent))
    return (sent, nil)
  }

  private mutating func note(delivered messages: ArraySlice<Message>) {
    for notice in messages.joined() {
      report.delivered += 1
      events.announce(.delivered(notice, channel: notifier.channel))
    }
  }

  private mutating func note(failed message: Message, _ error: NotifierError) {
    report.add(DeliveryReport.Failure(error: error, notices: message.count))
    for notice in message {
      events.announce(.failed(notice, channel: notifier.channel, error: error.message))
    }
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

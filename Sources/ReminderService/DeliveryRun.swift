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
  ///   - others: catalogues of libraries where it is another time of the same day.
  ///   - earlier: the report of what the same run has delivered through the channel before, for a limit
  ///     that holds for the whole run.
  ///   - isStopRequested: asked before each message; once it says yes, the rest stays pending.
  /// - Throws: `ScheduleError`: what was sent and could not be noted is sent again.
  @discardableResult
  public func deliver(
    through notifier: any Notifier, at now: CivilDateTime, catalogues: [String]? = nil,
    and others: [(now: CivilDateTime, catalogues: [String])] = [],
    after earlier: DeliveryReport = DeliveryReport(),
    isStopRequested: @Sendable () -> Bool = { false }
  ) throws(ScheduleError) -> DeliveryReport {
    guard let schedule else { return DeliveryReport() }
    let utcOffset = utcOffset(at: now)
    try schedule.noteUse(of: notifier.channel, at: now, utcOffset: utcOffset)
    var due = try schedule.reader.dueRungs(
      at: now, channel: notifier.channel, catalogues: catalogues)
    for (now, catalogues) in others {
      due.add(
        try schedule.reader.dueRungs(at: now, channel: notifier.channel, catalogues: catalogues))
    }
    if due.silenced > 0 {
      events.announce(.silenced(notices: due.silenced, channel: notifier.channel))
    }
    if due.rungs.isEmpty { return DeliveryReport() }
    let open = try schedule.reader.openCount(at: now)
    var run = DeliveryRun(
      notifier: notifier, schedule: schedule, events: events,
      context: DeliveryContext(
        now: now, utcOffset: utcOffset, openCount: open.reminders + open.expired))
    return try run.deliver(due.rungs, after: earlier, isStopRequested: isStopRequested)
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
    /// Whether the library itself gets them instead, so that they stay pending only if that fails too.
    public var isHandedOn = false

    /// A failure of this number of notices.
    public init(error: NotifierError, notices: Int, isHandedOn: Bool = false) {
      self.error = error
      self.notices = notices
      self.isHandedOn = isHandedOn
    }
  }

  /// The number of notices that were delivered.
  public var delivered = 0
  /// The number of messages that were handed over.
  public fileprivate(set) var messages = 0
  /// The number of borrowers without an address that can be written to, where the library gets no
  /// message in their place.
  public fileprivate(set) var unreachable = 0
  /// The number of their notices, which stay pending.
  public fileprivate(set) var unreachableNotices = 0
  /// The number of notices that stay pending because the channel may send no more messages in a run.
  public fileprivate(set) var overLimit = 0
  /// The most messages that the channel may send in a run, if that leaves out any.
  public fileprivate(set) var limit: Int?
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
    messages += other.messages
    unreachable += other.unreachable
    unreachableNotices += other.unreachableNotices
    overLimit += other.overLimit
    limit = limit ?? other.limit
    leftByStop += other.leftByStop
    if let until = other.heldUntil { addHeld(other.held, until: until) }
    for failure in other.failures { add(failure) }
  }

  /// Adds notices that are held.
  public mutating func addHeld(_ count: Int, until end: CivilDateTime) {
    held += count
    heldUntil = heldUntil.map { min($0, end) } ?? end
  }

  /// Adds notices that could not be sent.
  public mutating func add(_ failure: Failure) {
    if let index = failures.firstIndex(where: {
      $0.error == failure.error && $0.isHandedOn == failure.isHandedOn
    }) {
      failures[index].notices += failure.notices
    } else {
      failures.append(failure)
    }
  }
}

/// A delivery through one channel.
private struct DeliveryRun {
  /// Notices that are sent as one, and the address that they are for.
  struct Message {
    var notices: ArraySlice<DueNotice>
    var address: String?
  }

  let notifier: any Notifier
  let schedule: Schedule
  let events: ScheduleEvents
  let context: DeliveryContext
  var report = DeliveryReport()
  var parts = DueParts()
  /// The messages whose notices have been read, and that have not been tried.
  var waiting: ArraySlice<Message> = []
  var temporaryFailures = 0
  /// The messages whose addresses have refused them, which are for the library if it has one.
  var refused: [Message] = []

  /// A mail server that is busy three times in a row is left alone for this run, and so is one that
  /// refuses the first three.
  private static let mostFailures = 3
  /// How many messages that are not tried are noted in one commit, at least.
  private static let mostAtOnce = 1_000

  /// Sends each notice once, and notes it in the schedule before and after.
  mutating func deliver(
    _ due: [DueRung], after earlier: DeliveryReport, isStopRequested: @Sendable () -> Bool
  ) throws(ScheduleError) -> DeliveryReport {
    let size = notifier.messagesPerCommit
    precondition(size >= 1, "\(size) messages for each commit")
    parts = try DueParts(
      due, notifier.grouping, schedule, channel: notifier.channel, today: context.now.date,
      utcOffset: context.utcOffset)
    try leaveOut(after: earlier)
    while try readMessages(size), !isStopRequested() {
      let (tried, error) = try send(waiting.prefix(size), isStopRequested)
      waiting = waiting.dropFirst(tried)
      guard let error else { continue }
      if error.stopsTheRun || temporaryFailures == Self.mostFailures {
        try giveUp(error)
        return report
      }
      if refused.count == Self.mostFailures, earlier.messages + report.messages == 0 {
        try takeBackRefusals(error)
        return report
      }
    }
    giveRefusedToLibrary()
    report.leftByStop = waiting.reduce(parts.count) { $0 + $1.notices.count }
    return report
  }

  /// Counts what is not sent to anybody now.
  private mutating func leaveOut(after earlier: DeliveryReport) throws(ScheduleError) {
    if !parts.held.isEmpty {
      report.addHeld(parts.held.count, until: CivilDateTime(context.now.date.adding(days: 1)))
    }
    report.overLimit = parts.limit(messages: earlier.messages)
    if report.overLimit > 0 { report.limit = parts.limit }
    report.unreachable = parts.unreachable.borrowers
    for (reason, rungs) in parts.unreachable.groups {
      report.unreachableNotices += rungs.count
      try schedule.note(
        rungs, as: .undeliverable, channel: notifier.channel, at: context.now,
        utcOffset: context.utcOffset, error: reason)
    }
  }

  /// Reads the notices of the next messages, at least this many if there are so many.
  ///
  /// - Returns: whether there are any.
  private mutating func readMessages(_ size: Int) throws(ScheduleError) -> Bool {
    while waiting.count < size {
      if parts.isForLibrary {
        // It waits until all others were tried, since some may be refused.
        if !waiting.isEmpty { break }
        giveRefusedToLibrary()
      }
      guard let part = parts.next() else { break }
      let due = try schedule.reader.notices(of: part.rungs)
      var start = 0
      for message in notifier.messages(for: due.map(\.notice)) {
        waiting.append(
          Message(notices: due[start..<start + message.count], address: part.address))
        start += message.count
      }
    }
    return !waiting.isEmpty
  }

  private mutating func giveRefusedToLibrary() {
    guard parts.hasFallback else { return }
    let held = parts.giveToLibrary(refused.flatMap(\.notices).map(\.due))
    refused = []
    if held > 0 {
      report.addHeld(held, until: CivilDateTime(context.now.date.adding(days: 1)))
    }
  }

  /// Forgets that addresses were refused, and gives up: where nobody is accepted, that is no fault of
  /// theirs.
  private mutating func takeBackRefusals(_ error: NotifierError) throws(ScheduleError) {
    for message in refused {
      if let address = message.address {
        _ = try schedule.forget(address: address, channel: notifier.channel)
      }
    }
    report.failures.removeAll { $0.error.code == .undeliverable }
    waiting = refused[...] + waiting
    refused = []
    try giveUp(
      NotifierError(
        .temporary, channel: error.channel,
        message: "\(error.message), or check the channel, which has accepted nobody so far"))
  }

  /// Sends messages that share a commit, up to the first one that fails.
  ///
  /// - Returns: how many were tried, and why the last of them failed.
  private mutating func send(
    _ batch: ArraySlice<Message>, _ isStopRequested: @Sendable () -> Bool
  ) throws(ScheduleError) -> (tried: Int, error: NotifierError?) {
    var outbox = try schedule.beginSending(
      batch.map(\.notices),
      to: parts.hasAddresses ? batch.map { EmailAddress.key(of: $0.address) ?? "" } : [],
      channel: notifier.channel, at: context.now, utcOffset: context.utcOffset)
    var sent = 0
    for message in batch {
      if sent > 0, isStopRequested() { break }
      failpoint("before-sending")
      do throws(NotifierError) {
        var context = context
        context.address = message.address
        try notifier.send(message.notices.map(\.notice)[...], in: context)
      } catch {
        do throws(ScheduleError) {
          try outbox.fail(
            error: error.message, isFinal: error.code == .undeliverable,
            delivered: error.delivered.filter((0..<message.notices.count).contains))
        } catch let failure {
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

  /// Notes what is not tried, since it would fail too.
  private mutating func giveUp(_ error: NotifierError) throws(ScheduleError) {
    // What the library would have got instead fails with its message.
    report.failures.removeAll(where: \.isHandedOn)
    while try readMessages(Self.mostAtOnce) {
      let notices = waiting.flatMap(\.notices)
      waiting = []
      do throws(ScheduleError) {
        try schedule.note(
          notices.map(\.due), as: .failed, channel: notifier.channel, at: context.now,
          utcOffset: context.utcOffset, error: error.message)
      } catch let failure {
        throw failure.after(error)
      }
      fail(notices, error)
    }
  }

  private mutating func note(delivered messages: ArraySlice<Message>) {
    if !messages.isEmpty { temporaryFailures = 0 }
    report.messages += messages.count
    for message in messages { note(delivered: message.notices) }
  }

  private mutating func note(delivered notices: some Collection<DueNotice>) {
    for notice in notices {
      report.delivered += 1
      events.announce(.delivered(notice, channel: notifier.channel))
    }
  }

  private mutating func note(failed message: Message, _ error: NotifierError) {
    temporaryFailures = error.code == .temporary ? temporaryFailures + 1 : 0
    let delivered = Set(error.delivered)
    let places = message.notices.enumerated()
    note(delivered: places.filter { delivered.contains($0.offset) }.map(\.element))
    // The library's own address may be refused as well, and then nobody else is left to write to.
    let isRefused = error.code == .undeliverable && message.address != nil
    if isRefused { refused.append(message) }
    fail(
      places.filter { !delivered.contains($0.offset) }.map(\.element), error,
      isHandedOn: isRefused && parts.hasFallback)
  }

  private mutating func fail(
    _ notices: [DueNotice], _ error: NotifierError, isHandedOn: Bool = false
  ) {
    report.add(
      DeliveryReport.Failure(error: error, notices: notices.count, isHandedOn: isHandedOn))
    for notice in notices {
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

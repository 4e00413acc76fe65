internal import Failpoints
public import Loans
public import Notifiers
public import ReminderSchedule

/// Catalogues of libraries where it is the same time.
public struct DeliveryZone: Sendable {
  /// The civil time there.
  public let now: CivilDateTime
  /// The names of the catalogues whose loans count; `nil` for all.
  public let catalogues: [String]?
  /// The number of seconds by which the clock there is ahead of UTC; `nil` if that is not known.
  public let utcOffset: Int?
}

/// What is due through a channel in one time zone.
public struct ZoneDue: Sendable {
  /// The catalogues.
  public let zone: DeliveryZone
  /// The notices.
  public var due: DueRungs

  /// What is due through a channel.
  ///
  /// - Throws: `ScheduleError` if the schedule cannot be read.
  public init(
    through channel: String, in zone: DeliveryZone, of schedule: ScheduleReader
  ) throws(ScheduleError) {
    self.zone = zone
    due = try schedule.dueRungs(at: zone.now, channel: channel, catalogues: zone.catalogues)
  }
}

extension ReminderCenter {
  /// Catalogues in the center's time zone.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - catalogues: the names of the catalogues whose loans count; `nil` for all.
  public func zone(at now: CivilDateTime, catalogues: [String]? = nil) -> DeliveryZone {
    DeliveryZone(now: now, catalogues: catalogues, utcOffset: now.utcOffset(civilTime))
  }

  /// Delivers what is due and was not yet delivered through a channel, each notice once.
  ///
  /// A message that fails leaves its notices pending. Where every other would fail too, no more
  /// are tried.
  ///
  /// - Parameters:
  ///   - notifier: the channel.
  ///   - zones: the catalogues of libraries in each time zone; those where it is the same day share
  ///     messages.
  ///   - onDue: gets what is due before anything is sent, and may remove what is not to be.
  ///   - isStopRequested: asked before each message; once it says yes, the rest stays pending.
  /// - Throws: `ScheduleError`: what was sent and could not be noted is sent again.
  @discardableResult
  public func deliver(
    through notifier: any Notifier, in zones: [DeliveryZone],
    onDue: (inout [ZoneDue]) throws(ScheduleError) -> Void = { (_: inout [ZoneDue]) in },
    isStopRequested: @Sendable () -> Bool = { false }
  ) throws(ScheduleError) -> DeliveryReport {
    guard let schedule, let first = zones.first else { return DeliveryReport() }
    try schedule.beginDelivery(
      through: notifier.channel, at: first.now, utcOffset: first.utcOffset)
    var parts: [ZoneDue] = []
    for zone in zones {
      parts.append(try ZoneDue(through: notifier.channel, in: zone, of: schedule.reader))
    }
    try onDue(&parts)
    var run = DeliveryRun(notifier: notifier, schedule: schedule, onEvent: onEvent)
    while let first = parts.first {
      let isSameDay = { (part: ZoneDue) in part.zone.now.date == first.zone.now.date }
      var due = DueRungs()
      for part in parts where isSameDay(part) { due.add(part.due) }
      parts.removeAll(where: isSameDay)
      try run.deliver(due, in: first.zone, isStopRequested: isStopRequested)
    }
    try run.end()
    return run.report
  }
}

/// The result of a delivery through one channel.
public struct DeliveryReport: Sendable, Hashable {
  /// Messages that could not be sent, for the same reason.
  public struct Failure: Sendable, Hashable {
    /// The reason.
    public let error: NotifierError
    /// The number of notices that stay pending because of it.
    public fileprivate(set) var notices: Int
    /// Whether the library itself got them instead.
    public let isHandedOn: Bool
  }

  /// The number of notices that were delivered.
  public fileprivate(set) var delivered = 0
  /// The number of messages that were handed over.
  public fileprivate(set) var messages = 0
  /// The number of borrowers without a usable address, where the library gets no
  /// message in their place.
  public fileprivate(set) var unreachable = 0
  /// The number of their notices, which stay pending.
  public fileprivate(set) var unreachableNotices = 0
  /// The number of notices that stay pending because the channel may send no more messages in a run.
  public fileprivate(set) var overLimit = 0
  /// The most messages that the channel may send in a run, if that leaves out any.
  public fileprivate(set) var limit: Int?
  /// The messages that could not be sent, by reason, in the order of the first of each.
  public fileprivate(set) var failures: [Failure] = []
  /// The number of notices that stay pending because a stop was requested.
  public fileprivate(set) var leftByStop = 0
  /// The number of notices that are held, since nothing is sent at this hour or on this day.
  public private(set) var held = 0
  /// The time until which they are held, the first one of those of several libraries.
  public private(set) var heldUntil: CivilDateTime?
  /// The number of notices that are held, since the file of their catalogue is too old.
  public var heldAsStale = 0
  /// The number of notices that wait for the next day, since an address gets one message a day.
  public fileprivate(set) var heldForTomorrow = 0

  /// A report of nothing yet.
  public init() {}

  /// Adds notices that are held.
  public mutating func addHeld(_ count: Int, until end: CivilDateTime) {
    held += count
    heldUntil = heldUntil.map { min($0, end) } ?? end
  }

  /// Adds notices that could not be sent.
  fileprivate mutating func addFailed(_ count: Int, _ error: NotifierError, isHandedOn: Bool) {
    let known = failures.firstIndex { $0.error == error && $0.isHandedOn == isHandedOn }
    if let known {
      failures[known].notices += count
    } else {
      failures.append(Failure(error: error, notices: count, isHandedOn: isHandedOn))
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
  let onEvent: @Sendable (ScheduleEvent) -> Void
  var report = DeliveryReport()
  var context = DeliveryContext(now: CivilDateTime(.first), openCount: 0)
  var parts = DueParts()
  /// The messages that were tried last, until the next ones are begun.
  var outbox: Outbox?
  /// The messages whose notices have been read, and that have not been tried.
  var waiting: ArraySlice<Message> = []
  var temporaryFailures = 0
  /// The messages that their addresses have refused, and why: they are for the library if it has one.
  var refused: [(message: Message, error: NotifierError, isHandedOn: Bool)] = []
  /// Whether the library itself was written to in this run.
  var isLibraryWritten = false
  /// Why nothing more is tried in this run.
  var fault: NotifierError?

  /// A mail server that is busy three times in a row is left alone for this run, and so is one that
  /// refuses the first three.
  private static let mostFailures = 3
  /// How many messages that are not tried are noted in one commit, at least.
  private static let mostAtOnce = 1_000

  /// Sends each notice once, and notes it in the schedule before and after.
  mutating func deliver(
    _ due: DueRungs, in zone: DeliveryZone, isStopRequested: @Sendable () -> Bool
  ) throws(ScheduleError) {
    if due.silenced > 0 {
      onEvent(.silenced(notices: due.silenced, channel: notifier.channel))
    }
    if due.rungs.isEmpty { return }
    let size = notifier.messagesPerCommit
    precondition(size >= 1, "\(size) messages for each commit")
    context = DeliveryContext(now: zone.now, utcOffset: zone.utcOffset, openCount: 0)
    if notifier.needsOpenCount {
      let open = try schedule.reader.openCount(at: zone.now)
      context.openCount = open.reminders + open.expired
    }
    parts = try DueParts(due.rungs, notifier, schedule, zone, after: report.messages)
    try leaveOut()
    while fault == nil, try readMessages(size), !isStopRequested() {
      let (tried, error) = try send(waiting.prefix(size), isStopRequested)
      waiting = waiting.dropFirst(tried)
      guard let error else { continue }
      if error.stopsTheRun || temporaryFailures == Self.mostFailures {
        fault = error
      } else if refused.count == Self.mostFailures, report.messages == 0 {
        fault = error.ofChannel
      }
    }
    try outbox?.finish()
    outbox = nil
    if let fault { return try giveUp(fault) }
    report.leftByStop += waiting.reduce(parts.count) { $0 + $1.notices.count }
    waiting = []
  }

  /// Counts what is not sent to anybody now.
  private mutating func leaveOut() throws(ScheduleError) {
    report.heldForTomorrow += parts.held.count
    report.overLimit += parts.overLimit
    if report.overLimit > 0 { report.limit = parts.limit }
    report.unreachable += parts.unreachable.borrowers
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
        if fault == nil { giveRefusedToLibrary() }
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
    let new = refused.indices.filter { !refused[$0].isHandedOn }
    if parts.giveToLibrary(new.flatMap { refused[$0].message.notices.map(\.due) }) {
      for index in new { refused[index].isHandedOn = true }
    }
  }

  /// Decides about the addresses that have refused messages: where the channel has accepted nobody, that
  /// is no fault of theirs.
  mutating func end() throws(ScheduleError) {
    let isTheirs = report.messages > 0
    for (message, error, isHandedOn) in refused {
      if isTheirs {
        try schedule.noteRefused(
          message.notices, channel: notifier.channel, reason: error.message)
      }
      // Those that were given to the library in vain are counted with its message.
      let isCounted = isHandedOn && !isLibraryWritten
      fail(
        isCounted ? [] : Array(message.notices), isTheirs ? error : error.ofChannel,
        isHandedOn: isHandedOn && !isCounted)
    }
  }

  /// Sends messages that share a commit, up to the first one that fails.
  ///
  /// - Returns: how many were tried, and why the last of them failed.
  private mutating func send(
    _ batch: ArraySlice<Message>, _ isStopRequested: @Sendable () -> Bool
  ) throws(ScheduleError) -> (tried: Int, error: NotifierError?) {
    var outbox = try schedule.beginSending(
      batch.map(\.notices),
      to: parts.hasAddresses ? batch.map { $0.address ?? "" } : [],
      channel: notifier.channel, at: context.now, utcOffset: context.utcOffset,
      after: outbox)
    var sent = 0
    var failure: NotifierError?
    for message in batch {
      if sent > 0, isStopRequested() { break }
      failpoint("before-sending")
      do throws(NotifierError) {
        var context = context
        context.address = message.address
        try notifier.send(message.notices.map(\.notice)[...], in: context)
      } catch {
        outbox.noteFailed(
          error: error.message,
          delivered: error.delivered.filter((0..<message.notices.count).contains))
        failure = error
        break
      }
      failpoint("after-sending")
      sent += 1
      do throws(ScheduleError) {
        try outbox.noteSent()
      } catch {
        // It was sent all the same, and may still be noted by a commit.
        try outbox.finish()
        throw error
      }
    }
    self.outbox = outbox
    note(delivered: batch.prefix(sent))
    if let failure { note(failed: batch[batch.startIndex + sent], failure) }
    return (sent + (failure == nil ? 0 : 1), failure)
  }

  /// Notes what is not tried, since it would fail too.
  private mutating func giveUp(_ error: NotifierError) throws(ScheduleError) {
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
    if parts.hasAddresses, messages.contains(where: { $0.address == nil }) {
      isLibraryWritten = true
    }
    for message in messages { note(delivered: message.notices) }
  }

  private mutating func note(delivered notices: some Collection<DueNotice>) {
    for notice in notices {
      report.delivered += 1
      onEvent(.delivered(notice, channel: notifier.channel))
    }
  }

  private mutating func note(failed message: Message, _ error: NotifierError) {
    temporaryFailures = error.code == .temporary ? temporaryFailures + 1 : 0
    let delivered = Set(error.delivered)
    let places = message.notices.enumerated()
    note(delivered: places.filter { delivered.contains($0.offset) }.map(\.element))
    let rest = places.filter { !delivered.contains($0.offset) }.map(\.element)
    // The library's own address may be refused as well, and then nobody else is left to write to.
    if error.code == .undeliverable, message.address != nil {
      refused.append((Message(notices: rest[...], address: message.address), error, false))
    } else {
      fail(rest, error)
    }
  }

  private mutating func fail(
    _ notices: [DueNotice], _ error: NotifierError, isHandedOn: Bool = false
  ) {
    report.addFailed(notices.count, error, isHandedOn: isHandedOn)
    for notice in notices {
      onEvent(.failed(notice, channel: notifier.channel, error: error.message))
    }
  }
}

extension NotifierError {
  /// The error where a channel refuses everybody.
  fileprivate var ofChannel: NotifierError {
    NotifierError(
      .temporary, channel: channel,
      message: "\(message), or check the channel, which has accepted nothing in this run")
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

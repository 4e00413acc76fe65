import Loans
import Notifiers
import ReminderSchedule
import ReminderService

/// What has been due for days when a channel is used for the first time.
enum Backlog {
  /// The most notices of it that a new channel sends unasked.
  static let most = 50
}

extension ChannelDelivery {
  /// What is due through a channel, in each time zone.
  private func due(
    _ channel: ChannelName
  ) throws(ScheduleError) -> [(center: ReminderCenter, now: CivilDateTime, rungs: [DueRung])] {
    var due: [(ReminderCenter, CivilDateTime, [DueRung])] = []
    for (clock, now, names) in groups {
      let center = ReminderCenter(schedule: schedule, events: events, civilTime: clock.civilTime)
      let rungs = try schedule.reader.dueRungs(
        at: now, channel: channel.name, catalogues: names
      ).rungs
      due.append((center, now, rungs))
    }
    return due
  }

  /// Marks what has been due for days through a channel that has never delivered, if that is wanted.
  ///
  /// - Returns: why the channel is not used, if there is too much of it and nobody has said what to do.
  func settleBacklog(
    of channel: ChannelName, isDryRun: Bool = false
  ) throws(ScheduleError) -> DeliveryReport.Failure? {
    // A trial reaches no borrower.
    if firstRun == .deliver || channel == .mailRedirect { return nil }
    if try schedule.reader.wasUsed(channel: channel.name) { return nil }
    let due = try due(channel)
    let backlog = due.map { part in
      (part.center, part.now, part.rungs.filter { $0.isBacklog(today: part.now.date) })
    }
    let count = backlog.reduce(0) { $0 + $1.2.count }
    if firstRun == .mark {
      try note(backlog, as: .delivered, channel)
      if count > 0 {
        let rest = "; the others \(isDryRun ? "would be" : "are") sent"
        report(marked: "\(counted(count, "notice")) of earlier days", rest, channel, isDryRun)
      }
      return nil
    }
    if count <= Backlog.most { return nil }
    let message = """
      \(channel.name.visible): nothing was ever sent through this channel, and \(count) notices have \
      been due for days; add --first-run deliver to send them, or --first-run mark to begin now
      """
    if !isDryRun { try note(due, as: .failed, channel, error: message) }
    return DeliveryReport.Failure(
      error: NotifierError(.unavailable, channel: channel.name, message: message),
      notices: due.reduce(0) { $0 + $1.rungs.count })
  }

  /// Marks all that is due through a channel as delivered; in a dry run, in a copy of the schedule.
  func markAll(_ channel: ChannelName, isDryRun: Bool) throws(ScheduleError) {
    let due = try due(channel)
    try note(due, as: .delivered, channel)
    let count = due.reduce(0) { $0 + $1.rungs.count }
    let rest = ", and \(isDryRun ? "send" : "sent") none of them"
    report(marked: counted(count, "notice"), rest, channel, isDryRun)
  }

  private func report(
    marked notices: String, _ rest: String, _ channel: ChannelName, _ isDryRun: Bool
  ) {
    console.printError(
      """
      \(isDryRun ? "would mark" : "marked") \(notices) through \(channel.name.visible) as \
      delivered\(rest)
      """)
  }

  private func note(
    _ parts: [(center: ReminderCenter, now: CivilDateTime, rungs: [DueRung])],
    as state: Delivery.State, _ channel: ChannelName, error: String? = nil
  ) throws(ScheduleError) {
    for (center, now, rungs) in parts {
      try schedule.note(
        rungs, as: state, channel: channel.name, at: now, utcOffset: center.utcOffset(at: now),
        error: error)
    }
  }
}

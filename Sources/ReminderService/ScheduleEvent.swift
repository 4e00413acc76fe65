public import Loans
public import ReminderSchedule

/// Something that happened to a schedule.
///
/// A reload cancels a catalogue's prior reminders and schedules the new ones: however many they
/// are, that is one event of each kind with their number, then the reload itself. Deliveries are
/// announced one by one. A reload is announced when it is done, which in a transaction of
/// `Schedule.begin()` is before the commit.
public enum ScheduleEvent: Sendable, Hashable {
  /// Notices were cancelled: their loans were returned or changed.
  ///
  /// - Parameters:
  ///   - catalogue: the catalogue that was reloaded.
  ///   - loans: how many loans they were of.
  case cancelled(catalogue: String, loans: Int)
  /// Notices were scheduled, for loans that are new or changed: the reminder, or the expired notice of
  /// a loan that has expired.
  ///
  /// - Parameters:
  ///   - catalogue: the catalogue that was reloaded.
  ///   - loans: how many loans they are of.
  ///   - nextFireAt: when the next reminder of the whole catalogue fires.
  case scheduled(catalogue: String, loans: Int, nextFireAt: CivilDateTime?)
  /// A catalogue's part of the schedule was replaced.
  case reloaded(catalogue: String, ReloadSummary)
  /// A notice was delivered through a channel, and that is noted.
  case delivered(DueNotice, channel: String)
  /// A notice could not be delivered through a channel; it stays pending.
  ///
  /// - Parameter error: what the channel said, harmless on a terminal.
  case failed(DueNotice, channel: String, error: String)
  /// Notices would be due through a channel if they were not silenced.
  case silenced(notices: Int, channel: String)
}

extension ScheduleEvent: CustomStringConvertible {
  /// One line without line break, harmless on a terminal.
  public var description: String {
    switch self {
    case .cancelled(let catalogue, let loans):
      "\(catalogue.visibleCatalogue): cancelled the prior notices of \(loans) loan\(loans == 1 ? "" : "s")"
    case .scheduled(let catalogue, let loans, let next):
      "\(catalogue.visibleCatalogue): scheduled the notices of \(loans) loan\(loans == 1 ? "" : "s")"
        + (next.map { "; the next one is due at \($0.toTheMinute)" } ?? "")
    case .reloaded(let catalogue, let summary):
      """
      \(catalogue.visibleCatalogue): reloaded: \(summary.scheduled) scheduled; \(summary.added) new, \
      \(summary.changed) changed, \(summary.removed) gone, \(summary.unchanged) as before
      """
    case .delivered(let due, let channel):
      "delivered through \(channel.visible): \(due.subject)"
    case .failed(let due, let channel, let error):
      """
      not delivered through \(channel.visible): \(due.subject): \
      \(Delivery.failure(error, of: channel))
      """
    case .silenced(let notices, let channel):
      "\(notices) notice\(notices == 1 ? "" : "s") through \(channel.visible) "
        + "\(notices == 1 ? "is" : "are") silenced"
    }
  }
}

extension DueNotice {
  /// The notice by its loan's number, since what somebody reads is nothing for a journal.
  fileprivate var subject: String {
    "\(notice.kind == .reminder ? "reminder" : "expired notice") of loan \(reminderID)"
  }
}

public import Loans

/// A notice that is due and has not been delivered through a channel.
public struct DueNotice: Hashable, Sendable {
  /// The number of the loan in the schedule, as `schedule list` shows it.
  public var reminderID: Int
  /// The notice.
  public var notice: Notice

  /// A notice about the loan of this number.
  public init(reminderID: Int, notice: Notice) {
    self.reminderID = reminderID
    self.notice = notice
  }
}

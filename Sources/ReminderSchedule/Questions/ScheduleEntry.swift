public import Loans

/// One line of the schedule: a kind of notice about a loan.
public struct ScheduleEntry: Hashable, Sendable {
  /// The state of an entry over all channels.
  public enum State: String, CaseIterable, Sendable {
    /// Not delivered through any channel; in the future, or due.
    case pending
    /// Delivered through every channel that was tried.
    case delivered
    /// The last attempt through some channel that is in use failed; still due there.
    case failed
    /// Cancelled by the user, until the next reload, or by the return of the loan.
    case cancelled
  }

  /// The number of the loan in the schedule; a loan's reminder and expired notice share it.
  public var id: Int
  /// The catalogue that the loan is from.
  public var catalogue: String
  /// The untrusted name that people have for the library, if there is one.
  public var library: String?
  /// The loan.
  public var loan: Loan
  /// The kind of its notice.
  public var kind: Notice.Kind
  /// The time from which it is due.
  public var fireAt: CivilDateTime
  /// Its state.
  public var state: State
  /// Its deliveries, by channel name.
  public var deliveries: [Delivery]
  /// The day of the reload by which the loan was no longer in its catalogue, or `nil` if it is there.
  public var leftOn: CivilDate?
}

extension ScheduleEntry.State {
  /// The state that follows from the deliveries.
  init(isCancelled: Bool, deliveries: [Delivery]) {
    let isDelivered = deliveries.contains { $0.state == .delivered }
    let hasFailed = deliveries.contains { $0.state == .failed && $0.isInUse }
    if isDelivered && (!hasFailed || isCancelled) {
      self = .delivered
    } else if isCancelled {
      self = .cancelled
    } else {
      self = hasFailed ? .failed : .pending
    }
  }
}

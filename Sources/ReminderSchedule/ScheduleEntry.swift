public import Loans

/// One line of the schedule: a kind of notice about a loan.
public struct ScheduleEntry: Hashable, Sendable {
  /// Where an entry stands, over all channels.
  public enum State: String, CaseIterable, Sendable {
    /// Not delivered through any channel; in the future, or due.
    case pending
    /// Delivered through every channel that was tried.
    case delivered
    /// The last attempt through some channel failed; still due there.
    case failed
    /// Cancelled by the user, until the next reload.
    case cancelled
  }

  /// The number of the loan in the schedule; a loan's reminder and expired notice share it.
  public var id: Int
  /// The catalogue that the loan is from.
  public var catalogue: String
  /// The loan.
  public var loan: Loan
  /// Which notice it is.
  public var kind: Notice.Kind
  /// When it is due.
  public var fireAt: CivilDateTime
  /// Where it stands.
  public var state: State
  /// What the ledger holds of it, by channel name.
  public var deliveries: [Delivery]

  /// An entry with these parts.
  public init(
    id: Int, catalogue: String, loan: Loan, kind: Notice.Kind, fireAt: CivilDateTime,
    state: State, deliveries: [Delivery] = []
  ) {
    self.id = id
    self.catalogue = catalogue
    self.loan = loan
    self.kind = kind
    self.fireAt = fireAt
    self.state = state
    self.deliveries = deliveries
  }
}

/// What became of a notice in one channel.
public struct Delivery: Hashable, Sendable {
  /// How far it came.
  public enum State: String, CaseIterable, Sendable {
    /// Being sent, or the run was killed while it was; counts as not delivered.
    case sending
    /// Sent, and the channel took it.
    case delivered
    /// The last attempt failed, or was not made because the channel could not be used; it will be
    /// tried again.
    case failed
  }

  /// The channel's name.
  public var channel: String
  /// How far it came.
  public var state: State
  /// When it came to this state, by the clock of that run.
  public var at: CivilDateTime?
  /// How often it was tried, all repetitions together; 0 if the channel could not be used when it
  /// was its turn.
  public var attempts: Int
  /// What the channel said when it failed; untrusted.
  public var error: String?
  /// When it was last delivered; a later attempt to repeat it may have failed since.
  public var deliveredAt: CivilDateTime?

  /// A delivery with these parts.
  public init(
    channel: String, state: State, at: CivilDateTime?, attempts: Int, error: String? = nil,
    deliveredAt: CivilDateTime? = nil
  ) {
    self.channel = channel
    self.state = state
    self.at = at
    self.attempts = attempts
    self.error = error
    self.deliveredAt = deliveredAt
  }
}

extension ScheduleEntry.State {
  /// The state that follows from a row and its part of the ledger.
  init(isCancelled: Bool, deliveries: [Delivery]) {
    let isDelivered = deliveries.contains { $0.state == .delivered }
    let hasFailed = deliveries.contains { $0.state == .failed }
    if isDelivered && (!hasFailed || isCancelled) {
      self = .delivered
    } else if isCancelled {
      self = .cancelled
    } else {
      self = hasFailed ? .failed : .pending
    }
  }
}

/// How kinds and states are written in the tables.
extension Notice.Kind {
  var stored: Int { self == .reminder ? 0 : 1 }

  init(stored: Int64) {
    self = stored == 0 ? .reminder : .expired
  }
}

extension Delivery.State {
  var stored: Int {
    switch self {
    case .sending: 0
    case .delivered: 1
    case .failed: 2
    }
  }

  init(stored: Int64) {
    switch stored {
    case 1: self = .delivered
    case 2: self = .failed
    default: self = .sending
    }
  }
}

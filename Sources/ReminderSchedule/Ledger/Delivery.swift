public import Loans

/// The state of a notice in one channel.
public struct Delivery: Hashable, Sendable {
  /// The progress of a delivery.
  public enum State: String, CaseIterable, Sendable {
    /// Being sent, or the run was killed while it was; counts as not delivered.
    case sending
    /// Sent, and the channel accepted it.
    case delivered
    /// The last attempt failed, or was not made because the channel could not be used; it will be
    /// tried again.
    case failed
  }

  /// The channel's name.
  public var channel: String
  /// Whether a run has named the channel within the last seven days: the failures of one that
  /// nobody uses count no longer.
  public var isInUse = true
  /// Its progress.
  public var state: State
  /// The time at which it came to this state, by the clock of that run.
  public var at: CivilDateTime?
  /// The number of seconds by which that clock was ahead of UTC; `nil` if it is not known.
  public var utcOffset: Int?
  /// The number of attempts, all repetitions together; 0 if the channel could not be used when it was
  /// its turn.
  public var attempts: Int
  /// The channel's error when it failed; untrusted.
  public var error: String?
  /// The time of the last delivery; an attempt to repeat it may have failed since.
  public var deliveredAt: CivilDateTime?
}

extension Delivery {
  /// The time at which it came to this state, in ISO 8601, with the offset from UTC if it is known:
  /// `2026-11-23T06:21:00+09:00`.
  public var timestamp: String? {
    at.map { "\($0)" + (utcOffset.map(Self.text(ofOffset:)) ?? "") }
  }

  /// An offset from UTC in seconds, as `+09:00`.
  public static func text(ofOffset seconds: Int) -> String {
    // Not a time of day: a zone can be a whole day away, or more.
    (seconds < 0 ? "-" : "+") + abs(seconds).hoursAndMinutes
  }
}

/// The day from which a notice is due through a channel.
public enum Dueness: Hashable, Sendable {
  /// It is due.
  case now
  /// It was delivered, and is due again from this day on.
  case again(CivilDate)
  /// It was delivered, and is not due again while its loan stays as it is.
  case never
}

extension Delivery {
  /// The day from which the notice is due through this channel, if it is the one that its loan has
  /// now, by the rule of ``ScheduleReader/due(at:channel:catalogues:repeatExpired:)``.
  ///
  /// - Parameters:
  ///   - kind: the kind of the notice.
  ///   - today: the library's civil day.
  ///   - repeatExpired: the number of days, 1 or more, after which an expired notice is due again;
  ///     `nil` if it is due only once.
  public func dueness(
    of kind: Notice.Kind, today: CivilDate, repeatExpired: Int? = nil
  ) -> Dueness {
    guard let deliveredAt else { return .now }
    guard kind == .expired, let days = repeatExpired else { return .never }
    let isDone = Self.timesDone(today: today, repeatExpired: days).contains(deliveredAt.ordinal)
    return isDone ? .again(deliveredAt.date.adding(days: days)) : .now
  }

  /// The ordinals of the times at which an expired notice must have been delivered, so that it is not
  /// due again on a day.
  ///
  /// A delivery later than tomorrow is one by a clock that was wrong: it does not count, or
  /// nothing would be repeated until then.
  static func timesDone(today: CivilDate, repeatExpired days: Int) -> Range<Int> {
    precondition(days >= 1, "repeated every \(days) days")
    let (first, end) = (today.adding(days: 1 - days), today.adding(days: 2))
    return CivilDateTime(first).ordinal..<CivilDateTime(end).ordinal
  }
}

extension Delivery.State {
  /// The state as the tables have it.
  var stored: Int64 {
    switch self {
    case .sending: 0
    case .delivered: 1
    case .failed: 2
    }
  }

  init(stored: Int64) {
    self = Self.allCases.first { $0.stored == stored } ?? .sending
  }
}

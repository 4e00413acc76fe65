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
  /// The time of the last delivery; an attempt to send another notice may have failed since.
  public var deliveredAt: CivilDateTime?
  /// The rung that was tried last, see `Ladder`.
  public var rung: Int
  /// The furthest rung that was delivered; `nil` if none was.
  public var deliveredRung: Int?
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

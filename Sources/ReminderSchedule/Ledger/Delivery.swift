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
    /// The borrower has no address that the channel can write to; it is not tried again until the
    /// catalogue has another.
    case undeliverable
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
  /// its turn, or it was marked as delivered and not sent.
  public var attempts: Int
  /// The channel's error when it failed, or why the library was written to instead; untrusted.
  public var error: String?
  /// The time of the last delivery; an attempt to send another notice may have failed since.
  public var deliveredAt: CivilDateTime?
  /// The rung that was tried last, see `Ladder`.
  public var rung: Int
  /// The times at which notices of earlier rungs were delivered.
  public var earlier: [CivilDateTime] = []
  /// The furthest rung that was delivered; `nil` if none was.
  public var deliveredRung: Int?
}

extension Delivery {
  /// Whether it failed, for now or until the address changes.
  public var hasFailed: Bool { state == .failed || state == .undeliverable }

  /// Whether it was marked as delivered, and nothing was sent.
  public var isMarked: Bool { state == .delivered && attempts == 0 }

  /// Whether the library was written to, since the borrower has no address that can be written to; where
  /// that was refused before, ``error`` is how.
  public var isToLibrary: Bool { state == .delivered && error == Self.toLibrary }

  /// What the ledger has for the reason of that.
  static let toLibrary =
    "the library was written to, since the borrower has no address that can be written to"

  /// The time at which it came to this state, with the offset of that clock.
  public var clockTime: ClockTime? { at.map { ClockTime($0, utcOffset: utcOffset) } }

  /// The reason why it failed in words, harmless on a terminal, without the channel's name.
  public var failure: String { Self.failure(error ?? "no reason is known", of: channel) }

  /// A channel's error, harmless on a terminal, without the channel's name at its beginning.
  public static func failure(_ error: String, of channel: String) -> String {
    if error.hasPrefix("\(channel): ") { return String(error.dropFirst(channel.count + 2)).visible }
    return (error.hasPrefix("\(channel) ") ? "it\(error.dropFirst(channel.count))" : error).visible
  }
}

extension Delivery.State {
  /// The state as the tables have it.
  var stored: Int64 {
    switch self {
    case .sending: 0
    case .delivered: 1
    case .failed: 2
    case .undeliverable: 3
    }
  }

  init(stored: Int64) {
    self = Self.allCases.first { $0.stored == stored } ?? .sending
  }
}

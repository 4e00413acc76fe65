public import Loans

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
  /// Whether a run has named the channel within the last seven days: the failures of one that
  /// nobody uses count no longer.
  public var isInUse = true
  /// How far it came.
  public var state: State
  /// When it came to this state, by the clock of that run.
  public var at: CivilDateTime?
  /// How many seconds that clock was ahead of UTC; `nil` if that is not known.
  public var utcOffset: Int?
  /// How often it was tried, all repetitions together; 0 if the channel could not be used when it
  /// was its turn.
  public var attempts: Int
  /// What the channel said when it failed; untrusted.
  public var error: String?
  /// When it was last delivered; a later attempt to repeat it may have failed since.
  public var deliveredAt: CivilDateTime?
}

extension Delivery {
  /// When it came to this state, in ISO 8601, with the offset from UTC where that is known:
  /// `2026-11-23T06:21:00+09:00`.
  public var timestamp: String? {
    at.map { "\($0)" + (utcOffset.map(Self.text(ofOffset:)) ?? "") }
  }

  /// An offset from UTC in seconds, as `+09:00`.
  public static func text(ofOffset seconds: Int) -> String {
    let minutes = abs(seconds) / 60
    let parts = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return (seconds < 0 ? "-" : "+") + parts.joined(separator: ":")
  }
}

/// When a notice is due through a channel.
public enum Dueness: Hashable, Sendable {
  /// It is due.
  case now
  /// It was delivered, and is due again from this day on.
  case again(CivilDate)
  /// It was delivered, and is not due again while its loan stays as it is.
  case never
}

extension Delivery {
  /// When the notice is due through this channel, if it is the one that its loan has now: what
  /// ``ScheduleReader/due(at:channel:catalogues:repeatExpired:)`` goes by.
  ///
  /// - Parameters:
  ///   - kind: which notice it is.
  ///   - today: the library's civil day.
  ///   - repeatExpired: after how many days, 1 or more, an expired notice is due again; `nil` if it
  ///     is due once only.
  public func dueness(
    of kind: Notice.Kind, today: CivilDate, repeatExpired: Int? = nil
  ) -> Dueness {
    guard let deliveredAt else { return .now }
    guard kind == .expired, let days = repeatExpired else { return .never }
    let isDone = Repetition(days: days).doneBy(today: today).contains(deliveredAt.ordinal)
    return isDone ? .again(deliveredAt.date.adding(days: days)) : .now
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

/// The deliveries of one kind of notice, one for each channel.
struct Deliveries {
  private var byChannel: [String: Delivery] = [:]
  /// Deliveries from here on are those of a clock that was wrong.
  private let future: CivilDateTime

  init(today: CivilDate) {
    future = CivilDateTime(today.adding(days: 2))
  }

  /// By channel name.
  var sorted: [Delivery] { byChannel.values.sorted { $0.channel < $1.channel } }

  /// Adds what became of another rung of the same kind, or of another attempt.
  mutating func add(_ other: Delivery) {
    guard let known = byChannel[other.channel] else {
      byChannel[other.channel] = other
      return
    }
    let isLater = (known.at ?? .first) <= (other.at ?? .first)
    var delivery = isLater ? other : known
    delivery.attempts = known.attempts &+ other.attempts
    // The last one that counts.
    delivery.deliveredAt = [known.deliveredAt, other.deliveredAt].compactMap(\.self)
      .max { ($0 < future ? 1 : 0, $0) < ($1 < future ? 1 : 0, $1) }
    byChannel[other.channel] = delivery
  }
}

extension CivilDateTime {
  fileprivate static let first = CivilDateTime(.first)
}

public import Loans

/// The state of a notice in one channel.
public struct Delivery: Hashable, Sendable {
  /// The progress of a delivery.
  public enum State: String, CaseIterable, Sendable {
    /// Being sent, or the run was killed while it was; without an attempt, ordered to be sent. Counts as
    /// not delivered.
    case sending
    /// Sent, and the channel accepted it.
    case delivered
    /// The last attempt failed, or was not made because the channel could not be used; it will be
    /// tried again.
    case failed
    /// The borrower has no usable address; it is not tried again until the catalogue has another.
    case undeliverable
  }

  /// The channel's name.
  public var channel: String
  /// Whether a run has named the channel within the last seven days: the failures of one that
  /// nobody uses no longer count.
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
  /// The address or the name of whoever was told, as it was; `nil` for nobody known, and for the
  /// library; untrusted.
  public var sentTo: String?
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
  /// What was delivered by a clock that was ahead, and counts once the time has come.
  var marks: [Mark] = []

  /// A rung that was delivered, and when.
  struct Mark: Hashable {
    var rung: Int
    var at: CivilDateTime
  }
}

extension Delivery {
  /// For how many days after its last use a channel counts as one in use.
  static let daysInUse = 7
  /// The most seconds by which the clocks of two time zones differ.
  static let farthestZones = 26 * 3_600

  /// Whether what was delivered at a time counts: later than the clock of any time zone can be it was by
  /// one that was wrong.
  static func counts(_ deliveredAt: CivilDateTime, at now: CivilDateTime) -> Bool {
    deliveredAt.ordinal <= now.ordinal + farthestZones
  }

  /// Whether it is through a channel: names that are equal by Unicode are different programs.
  func isThrough(_ channel: String) -> Bool { self.channel.utf8.elementsEqual(channel.utf8) }

  /// Whether it failed, for now or until the address changes.
  public var hasFailed: Bool { state == .failed || state == .undeliverable }

  /// Whether it was ordered to be sent, and has not been tried since.
  public var isOrdered: Bool { state == .sending && attempts == 0 }

  /// Whether it was marked as delivered, and nothing was sent.
  public var isMarked: Bool { state == .delivered && attempts == 0 }

  /// Whether it went to the library because the borrower has no usable address.
  public var isToLibrary: Bool { state == .delivered && error == Self.toLibrary }

  /// What the ledger has for the reason of that.
  static let toLibrary =
    "the library was written to, since the borrower has no usable address"

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
  /// The state as the tables have it: its place among the cases, which never changes.
  var stored: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }

  init(stored: Int64) {
    let cases = Self.allCases
    self = cases.indices.contains(Int(stored)) ? cases[Int(stored)] : .sending
  }
}

extension [Delivery] {
  /// Adds another rung of the same kind of notice, or another attempt: there is one delivery for each
  /// channel and kind.
  mutating func add(_ other: Delivery, now: CivilDateTime) {
    let index = firstIndex {
      ($0.rung > 0) == (other.rung > 0) && $0.isThrough(other.channel)
    }
    guard let index else { return append(other) }
    let known = self[index]
    let isLater = known.at.map { at in other.at.map { at <= $0 } ?? false } ?? true
    var delivery = isLater ? other : known
    delivery.earlier = known.earlier
    delivery.marks = known.marks + other.marks
    if known.rung == other.rung {
      delivery.attempts = known.attempts &+ other.attempts
    } else if let before = (isLater ? known : other).deliveredAt, delivery.deliveredAt != nil {
      delivery.earlier.append(before)
    }
    delivery.deliveredRung = [known.deliveredRung, other.deliveredRung].compactMap(\.self).max()
    // The last one that counts.
    delivery.deliveredAt = [known.deliveredAt, other.deliveredAt].compactMap(\.self).max {
      (Delivery.counts($0, at: now) ? 1 : 0, $0) < (Delivery.counts($1, at: now) ? 1 : 0, $1)
    }
    self[index] = delivery
  }
}

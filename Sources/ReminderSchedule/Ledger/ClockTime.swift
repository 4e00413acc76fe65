public import Loans

/// A time that a library's clock showed, and how far that clock was ahead of UTC.
public struct ClockTime: Hashable, Sendable {
  /// The civil time.
  public var time: CivilDateTime
  /// The number of seconds by which the clock was ahead of UTC; `nil` if it is not known.
  public var utcOffset: Int?

  /// A time with these parts.
  public init(_ time: CivilDateTime, utcOffset: Int? = nil) {
    self.time = time
    self.utcOffset = utcOffset
  }

  /// The number of seconds from this time to another; an unknown offset counts as none.
  public func seconds(until other: ClockTime) -> Int {
    other.time.ordinal - (other.utcOffset ?? 0) - time.ordinal + (utcOffset ?? 0)
  }

  /// The time in words, to the minute: `2026-11-23 at 06:21 (UTC+09:00)`.
  public var words: String {
    "\(time.date) at \(time.time)\(offsetWords)"
  }

  /// The offset, ` (UTC+09:00)`; empty if it is not known.
  package var offsetWords: String {
    utcOffset.map { " (UTC\(Self.text(ofOffset: $0)))" } ?? ""
  }

  /// An offset from UTC in seconds, as `+09:00`.
  private static func text(ofOffset seconds: Int) -> String {
    // Not a time of day: a zone can be a whole day away, or more.
    (seconds < 0 ? "-" : "+") + abs(seconds).hoursAndMinutes
  }
}

extension ClockTime: CustomStringConvertible {
  /// ISO 8601, with the offset from UTC if it is known: `2026-11-23T06:21:00+09:00`.
  public var description: String { "\(time)" + (utcOffset.map(Self.text(ofOffset:)) ?? "") }
}

extension Statement {
  /// The offset from UTC in a column, in seconds; `nil` for NULL and what no zone has.
  func offset(_ column: Int32) -> Int? {
    optionalInteger(column).flatMap { (-172_800...172_800).contains($0) ? Int($0) : nil }
  }

  /// The time in two columns of the current row, the civil time and the offset; `nil` for NULL and what
  /// no calendar has.
  func clockTime(_ column: Int32) -> ClockTime? {
    time(column).map { ClockTime($0, utcOffset: offset(column + 1)) }
  }
}

/// The pause before something that failed is tried again: a minute, and each time that this fails too,
/// twice as long, up to five minutes.
struct RetryPause {
  private static let first = Duration.seconds(60)
  private static let longest = Duration.seconds(300)

  private var length = Self.first
  private var end: Duration?

  /// Notes that it failed; failing before it was to be tried again does not put that off.
  ///
  /// - Parameter moment: when it failed, on a clock that never jumps.
  /// - Returns: the moment at which to try again.
  mutating func noteFailure(at moment: Duration) -> Duration {
    if let end {
      if moment < end { return end }
      length = min(length * 2, Self.longest)
    }
    let next = moment + length
    end = next
    return next
  }

  /// Begins again with the shortest pause, since it works again.
  mutating func reset() { self = RetryPause() }
}

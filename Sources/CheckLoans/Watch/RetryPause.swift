/// When what failed is tried again: after a minute, and each time that this fails too, after twice
/// as long, up to five minutes.
struct RetryPause {
  private static let first = Duration.seconds(60)
  private static let longest = Duration.seconds(300)

  private var length = Self.first
  private var end: Duration?

  /// - Parameter moment: when it failed, on a clock that never jumps.
  /// - Returns: the moment at which to try again. What has failed before that, since there was
  ///   another reason to try, does not put it off.
  mutating func noteFailure(at moment: Duration) -> Duration {
    if let end {
      if moment < end { return end }
      length = min(length * 2, Self.longest)
    }
    let next = moment + length
    end = next
    return next
  }

  /// It works again.
  mutating func reset() { self = RetryPause() }
}

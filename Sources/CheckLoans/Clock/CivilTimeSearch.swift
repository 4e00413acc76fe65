/// Finds the instant at which a civil time is reached, knowing only the civil time at each instant.
///
/// Instants are seconds since 1970-01-01T00:00:00Z, civil times the seconds of
/// `CivilDateTime.ordinal`.
struct CivilTimeSearch {
  /// A time within which no zone changes its offset twice.
  static let piece = 15 * 60

  /// The civil time at an instant.
  let civil: (Int) -> Int

  /// The first instant from `now` on at which the civil time is `target` or later.
  ///
  /// A civil time that is skipped, a midnight or a whole day, is reached with the next one there
  /// is; one that comes twice is reached the first time.
  func instant(of target: Int, from now: Int) -> Int {
    var instant = now
    while true {
      let missing = target - civil(instant)
      if missing <= 0 { return instant }
      let end = instant + min(missing, Self.piece)
      instant = change(after: instant, until: end) ?? end
    }
  }

  /// The instant at which the offset changes first, `nil` if it is the same at both ends.
  private func change(after start: Int, until end: Int) -> Int? {
    let offset = civil(start) - start
    guard civil(end) - end != offset else { return nil }
    var before = start
    var after = end
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if civil(middle) - middle == offset { before = middle } else { after = middle }
    }
    return after
  }
}

/// What was told about something that goes wrong again and again, so that it is told once.
struct ToldTroubles {
  private var told: [String] = []

  /// - Returns: the lines that were not told the last time.
  mutating func news(in lines: [String]) -> [String] {
    defer { told = lines }
    return lines.filter { !told.contains($0) }
  }

  /// Whether these lines were told the last time.
  func contain(_ lines: [String]) -> Bool { told == lines }
}

/// What was told about one catalogue.
///
/// One that cannot be used may be in the middle of being written: this is told only if it is found
/// in the same state again after ``delay``.
struct CatalogueTroubles {
  /// How long a catalogue must be broken in the same way before that is told.
  static let delay = Duration.seconds(1)

  private var told = ToldTroubles()
  private var suspicion: (lines: [String], since: Duration)?
  /// Whether it was told that the catalogue cannot be used.
  private var isKnownUnusable = false

  /// What is to be done about what was found.
  struct Advice: Hashable {
    /// The lines to tell.
    var news: [String] = []
    /// Whether to look again after ``CatalogueTroubles/delay``.
    var looksAgain = false
    /// Whether it can be used again after it was told that it could not be.
    var isWellAgain = false
  }

  /// - Parameters:
  ///   - lines: what there is to tell about the catalogue.
  ///   - isUsable: whether it could be used in spite of that.
  ///   - moment: on a clock that never jumps.
  mutating func note(_ lines: [String], isUsable: Bool, at moment: Duration) -> Advice {
    if isUsable {
      defer { (suspicion, isKnownUnusable) = (nil, false) }
      return Advice(news: told.news(in: lines), isWellAgain: isKnownUnusable)
    }
    if isKnownUnusable && told.contain(lines) {
      suspicion = nil
      return Advice()
    }
    guard let suspicion, suspicion.lines == lines else {
      suspicion = (lines, moment)
      return Advice(looksAgain: true)
    }
    guard moment - suspicion.since >= Self.delay else { return Advice(looksAgain: true) }
    self.suspicion = nil
    isKnownUnusable = true
    return Advice(news: told.news(in: lines))
  }
}

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
/// in the same state again after ``patience``.
struct CatalogueTroubles {
  /// How long a catalogue must be broken in the same way before that is told.
  static let patience = Duration.seconds(1)

  private var told = ToldTroubles()
  private var suspicion: (lines: [String], since: Duration)?

  /// What is to be done about what was found.
  struct Advice: Hashable {
    /// The lines to tell.
    var news: [String] = []
    /// Whether to look again after ``CatalogueTroubles/patience``.
    var looksAgain = false
  }

  /// - Parameters:
  ///   - lines: what there is to tell about the catalogue.
  ///   - isUsable: whether it could be used in spite of that.
  ///   - moment: on a clock that never jumps.
  mutating func note(_ lines: [String], isUsable: Bool, at moment: Duration) -> Advice {
    if isUsable || told.contain(lines) {
      suspicion = nil
      return Advice(news: told.news(in: lines))
    }
    guard let suspicion, suspicion.lines == lines else {
      suspicion = (lines, moment)
      return Advice(looksAgain: true)
    }
    guard moment - suspicion.since >= Self.patience else { return Advice(looksAgain: true) }
    self.suspicion = nil
    return Advice(news: told.news(in: lines))
  }
}

/// How long to wait before what failed is tried again: longer each time, up to an hour.
struct Patience {
  private var next = Duration.seconds(60)

  /// The time to wait after one more failure.
  mutating func afterFailure() -> Duration {
    defer { next = min(next * 2, .seconds(3_600)) }
    return next
  }

  /// It works again.
  mutating func reset() { self = Patience() }
}

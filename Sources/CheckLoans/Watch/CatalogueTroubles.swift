/// The problems of one catalogue that were reported.
///
/// A catalogue that cannot be used may be in the middle of being written: this is reported only if it
/// is in the same state again after ``delay``.
struct CatalogueTroubles {
  /// The time that a catalogue must be broken in the same way before that is reported.
  static let delay = Duration.seconds(1)

  private var reported: [String] = []
  private var suspicion: (lines: [String], since: Duration)?
  /// Whether it was reported that the catalogue cannot be used.
  private var isKnownUnusable = false

  /// Advice on the findings of a reading.
  struct Advice: Hashable {
    /// The lines to print.
    var news: [String] = []
    /// Whether to read it again after ``CatalogueTroubles/delay``.
    var looksAgain = false
    /// Whether it can be used again after it was reported that it could not be.
    var isUsableAgain = false
  }

  /// Compares the findings of a reading with those before.
  ///
  /// - Parameters:
  ///   - lines: what there is to report about the catalogue.
  ///   - isUsable: whether it can be used in spite of that.
  ///   - moment: on a clock that never jumps.
  mutating func note(_ lines: [String], isUsable: Bool, at moment: Duration) -> Advice {
    if isUsable {
      defer { (suspicion, isKnownUnusable) = (nil, false) }
      return Advice(news: news(in: lines), isUsableAgain: isKnownUnusable)
    }
    if isKnownUnusable && reported == lines {
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
    return Advice(news: news(in: lines))
  }

  private mutating func news(in lines: [String]) -> [String] {
    defer { reported = lines }
    return lines.filter { !reported.contains($0) }
  }
}

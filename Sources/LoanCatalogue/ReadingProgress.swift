/// How far the reading of a catalogue has come.
public struct ReadingProgress: Hashable, Sendable {
  /// Bytes read and understood.
  public var bytes: Int
  /// Bytes of the file; `nil` for standard input.
  public var total: Int?
  /// Loans so far.
  public var loans: Int
}

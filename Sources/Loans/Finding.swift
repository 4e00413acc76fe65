/// A problem that a rule has detected in a value, before the value's location is known.
public struct Finding: Hashable, Sendable {
  /// What kind of problem it is.
  public var code: Diagnostic.Code
  /// One lower-case sentence: what was expected and what was found; harmless on a terminal.
  public var message: String

  /// A problem of this kind.
  public init(_ code: Diagnostic.Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// What a rule has to say about a value, before anybody knows where the value stands.
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

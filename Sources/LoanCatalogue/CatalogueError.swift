public import Loans

/// A failure to read a catalogue at all.
///
/// Problems inside a catalogue are ``Loans/Diagnostic`` values instead.
public struct CatalogueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Hashable, Sendable {
    /// It does not exist, may not be read, or is not a regular file.
    case cannotRead
    /// Reading failed on the way.
    case inputOutput
    /// The file was changed while it was read; a later try may succeed.
    case changedWhileReading
    /// An expression of the profile has no value in this document, or takes too long.
    case profileFailed
    /// There is no memory, or no descriptor left, to open it.
    case systemLimit
  }

  /// The kind of failure.
  public let code: Code
  /// The catalogue's path as given, or `-`.
  public let path: String
  /// One line: what is wrong and what to do.
  public let message: String
  /// `errno` of the failed call, where there was one.
  public internal(set) var underlying: Int32?

  /// The place in the catalogue where it happened, if there is one.
  public var location: SourceLocation?

  /// The path, harmless on a terminal, the place, and ``message``.
  public var description: String {
    let place = location.map { ":\($0.line):\($0.column)" } ?? ""
    return "\(path.visible)\(place): \(message)"
  }
}

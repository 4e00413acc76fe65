internal import Loans

/// Why a catalogue could not be read at all.
///
/// Problems inside a catalogue are ``Loans/Diagnostic`` values instead.
public struct CatalogueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is.
  public enum Code: Hashable, Sendable {
    /// It does not exist, may not be read, or is not a regular file.
    case cannotRead
    /// Reading failed on the way.
    case inputOutput
    /// The file was changed while it was read; a later try may succeed.
    case changedWhileReading
  }

  /// What kind of failure it is.
  public let code: Code
  /// The catalogue's path as given, or `-`.
  public let path: String
  /// One line: what is wrong and what to do.
  public let message: String
  /// `errno` of the failed call, where there was one.
  public let underlying: Int32?

  /// The path, harmless on a terminal, and ``message``.
  public var description: String { "\(path.visible): \(message)" }
}

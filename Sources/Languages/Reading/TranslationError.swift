/// What is wrong with a PO file, and where.
public struct TranslationError: Error, Hashable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// What is wrong and what to do, in one line.
  public let message: String

  /// `line 12: {titel} is unknown; this text has {title}`.
  public var description: String { "line \(line): \(message)" }
}

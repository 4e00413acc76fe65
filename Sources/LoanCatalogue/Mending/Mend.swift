public import Loans

/// A value of a catalogue that is to be written in another way.
public struct Mend: Hashable, Sendable {
  /// Where the value's first character stands.
  public var location: SourceLocation
  /// The value: trimmed, and each inner run of white space one space.
  public var value: String
  /// What is to stand there: ASCII digits and full stops.
  public var replacement: String

  /// What a problem asks for, or `nil` if there is no doubtless way to mend it.
  public init?(_ diagnostic: Diagnostic) {
    guard let value = diagnostic.value, let replacement = diagnostic.replacement,
      !replacement.isEmpty,
      replacement.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E })
    else { return nil }
    location = diagnostic.location
    self.value = value
    self.replacement = replacement
  }
}

/// Bytes of a file that are to be replaced.
public struct ByteEdit: Hashable, Sendable {
  /// The bytes, counted from the file's beginning; never empty.
  public var bytes: Range<Int>
  /// What comes in their place, as characters.
  public var replacement: String
}

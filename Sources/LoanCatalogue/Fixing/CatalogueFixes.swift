public import Loans

/// Bytes of a file that are to be replaced.
public struct ByteEdit: Hashable, Sendable {
  /// The bytes, counted from the file's beginning; never empty.
  public var bytes: Range<Int>
  /// The bytes that replace them.
  public var replacement: [UInt8]
}

extension Sequence<ByteEdit> {
  /// A part of a file with these changes to it, which are in the order of their places.
  ///
  /// - Parameter bytes: numbered as in the file.
  public func applied(to bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var done = bytes.startIndex
    for edit in self {
      result += bytes[done..<edit.bytes.lowerBound]
      result += edit.replacement
      done = edit.bytes.upperBound
    }
    return result + bytes[done...]
  }
}

/// The changes to a catalogue's bytes after which its dates are written as they were meant.
///
/// Only the bytes of the dates are changed, in the catalogue's own encoding. A date with anything but
/// its own characters inside is left alone; so is every date of a catalogue in an encoding in which
/// a byte's meaning depends on those before it.
public struct CatalogueFixes: Sendable {
  /// The changes, in the order of their places.
  public private(set) var edits: [ByteEdit] = []
  /// The places of the dates that are fixed, in their order.
  public private(set) var locations: [SourceLocation] = []

  /// Works out what to change.
  ///
  /// - Parameters:
  ///   - diagnostics: problems with a `replacement`, of a reader that was asked for their bytes; in
  ///     any order.
  ///   - content: the catalogue.
  public init(_ diagnostics: [Diagnostic], in content: [UInt8]) {
    let encoding = TextEncoding(ofHead: content)
    if encoding.hasStates { return }
    for diagnostic in diagnostics.sorted(by: { $0.location < $1.location }) {
      guard let bytes = diagnostic.bytes, bytes.count < 65_536, bytes.upperBound <= content.count,
        let edit = Self.edit(diagnostic, of: Array(content[bytes]), at: bytes.lowerBound, encoding),
        edit.bytes.lowerBound >= edits.last?.bytes.upperBound ?? 0
      else { continue }
      edits.append(edit)
      locations.append(diagnostic.location)
    }
  }

  private static func edit(
    _ diagnostic: Diagnostic, of bytes: [UInt8], at offset: Int, _ encoding: TextEncoding
  ) -> ByteEdit? {
    guard let value = diagnostic.value, let replacement = diagnostic.replacement,
      !replacement.isEmpty,
      replacement.utf8.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }),
      let text = encoding.text(of: bytes), encoding.bytes(of: text) == bytes,
      let range = FixableText(text).range(of: value),
      let before = encoding.bytes(of: text[..<range.lowerBound]),
      let old = encoding.bytes(of: text[range]), let new = encoding.bytes(of: replacement),
      !old.isEmpty, bytes.dropFirst(before.count).starts(with: old)
    else { return nil }
    let start = offset + before.count
    return ByteEdit(bytes: start..<start + old.count, replacement: new)
  }
}

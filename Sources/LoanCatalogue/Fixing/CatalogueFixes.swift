public import Loans

/// Bytes of a file that are to be replaced.
public struct ByteEdit: Hashable, Sendable {
  /// The bytes, counted from the file's beginning; never empty.
  public var bytes: Range<Int>
  /// The bytes that replace them.
  public var replacement: [UInt8]
}

extension Sequence<ByteEdit> {
  /// A part of a file, its bytes numbered as there, with these changes, which are in order.
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
/// Only those dates are changed whose bytes are the date as it is read: not in UTF-16, nor with a
/// reference, a comment or a CDATA section inside.
public struct CatalogueFixes: Sendable {
  /// The changes, in the order of their places.
  public private(set) var edits: [ByteEdit] = []
  /// The places of the dates that are fixed, in their order.
  public private(set) var locations: [SourceLocation] = []

  /// Works out what to change in a catalogue.
  ///
  /// - Parameter diagnostics: problems found with ``CatalogueReader/locatesFixes``, in any order.
  public init(_ diagnostics: [Diagnostic], in content: [UInt8]) {
    for diagnostic in diagnostics.sorted(by: { $0.location < $1.location }) {
      guard let edit = Self.edit(diagnostic, in: content),
        edit.bytes.lowerBound >= edits.last?.bytes.upperBound ?? 0
      else { continue }
      edits.append(edit)
      locations.append(diagnostic.location)
    }
  }

  private static func edit(_ diagnostic: Diagnostic, in content: [UInt8]) -> ByteEdit? {
    guard let bytes = diagnostic.bytes, bytes.upperBound <= content.count,
      let value = diagnostic.value, !value.isEmpty,
      let replacement = diagnostic.replacement?.utf8, !replacement.isEmpty,
      replacement.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") })
    else { return nil }
    // They begin with the `>` of the tag before the text, and end with the whole tag after it.
    let text = content[bytes].dropFirst().prefix { $0 != UInt8(ascii: "<") }
    guard text.trimmed.elementsEqual(value.utf8), content[text.endIndex...].starts(with: "</".utf8)
    else { return nil }
    return ByteEdit(bytes: text.trimmed.indices, replacement: Array(replacement))
  }
}

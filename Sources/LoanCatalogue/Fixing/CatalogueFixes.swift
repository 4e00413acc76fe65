public import Loans

/// Bytes of a file that are to be replaced.
public struct ByteEdit: Hashable, Sendable {
  /// The bytes, counted from the file's beginning; never empty.
  public var bytes: Range<Int>
  /// The bytes that replace them.
  public var replacement: [UInt8]
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
  ///   - head: the catalogue's first bytes, 4,096 or all.
  ///   - read: gives bytes of the catalogue.
  public init<Failure: Error>(
    _ diagnostics: [Diagnostic], head: some Collection<UInt8>,
    _ read: (Range<Int>) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    let encoding = TextEncoding(ofHead: head)
    if encoding.hasStates { return }
    for diagnostic in diagnostics.sorted(by: { $0.location < $1.location }) {
      guard let bytes = diagnostic.bytes, bytes.count < 65_536,
        let edit = try Self.edit(diagnostic, of: read(bytes), at: bytes.lowerBound, encoding),
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

  /// Fixes a part of the catalogue.
  ///
  /// The parts of a catalogue give the parts of the fixed one, wherever it is cut: a replacement
  /// comes with the first byte that it replaces.
  ///
  /// - Parameters:
  ///   - part: bytes of the catalogue.
  ///   - offset: how many bytes are before them.
  public func fixed(_ part: some RandomAccessCollection<UInt8>, at offset: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(part.count)
    let end = offset + part.count
    var done = offset
    func copy(to limit: Int) {
      guard limit > done else { return }
      result += part.dropFirst(done - offset).prefix(limit - done)
      done = limit
    }
    for edit in edits[firstEdit(endingAfter: offset)...] {
      guard edit.bytes.lowerBound < end else { break }
      copy(to: edit.bytes.lowerBound)
      if edit.bytes.lowerBound >= offset { result += edit.replacement }
      done = min(end, max(done, edit.bytes.upperBound))
    }
    copy(to: end)
    return result
  }

  /// The index of the first edit that ends after a byte.
  private func firstEdit(endingAfter offset: Int) -> Int {
    var (low, high) = (0, edits.count)
    while low < high {
      let middle = (low + high) / 2
      if edits[middle].bytes.upperBound <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

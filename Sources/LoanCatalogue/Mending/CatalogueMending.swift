public import Loans

/// What to change in a catalogue's bytes so that values stand there as they were meant.
///
/// Only the bytes of the values are changed, in the catalogue's own encoding. A value that does not
/// stand where it should, or with anything but its own characters inside, is left alone.
public struct CatalogueMending: Sendable {
  /// The changes, in the order of their places.
  public private(set) var edits: [ByteEdit] = []
  /// Where the values stand that are mended, in their order.
  public private(set) var locations: [SourceLocation] = []
  private let encoding: CatalogueEncoding
  private let isPlain: Bool

  /// Looks for the values in a catalogue.
  ///
  /// - Parameters:
  ///   - mends: the values; in any order.
  ///   - nextPiece: gives the catalogue's bytes from its beginning, some at a time, none at the
  ///     end.
  public init<Failure: Error>(
    _ mends: [Mend], in nextPiece: @escaping () throws(Failure) -> [UInt8]
  ) throws(Failure) {
    let text = try DecodedText(GivenPieces(give: nextPiece))
    encoding = text.encoding
    isPlain = text.isPlain
    var match = ValueMatch(text)
    for mend in mends.sorted(by: { $0.location < $1.location }) {
      guard let bytes = try match.bytes(of: mend), !bytes.isEmpty,
        bytes.lowerBound >= edits.last?.bytes.upperBound ?? 0
      else { continue }
      edits.append(ByteEdit(bytes: bytes, replacement: mend.replacement))
      locations.append(mend.location)
    }
  }

  /// The bytes of an edit's replacement.
  public func bytes(of edit: ByteEdit) -> [UInt8] {
    switch encoding.form {
    case .utf8: Array(edit.replacement.utf8)
    case .utf16(let isBigEndian):
      edit.replacement.utf8.flatMap { isBigEndian ? [0, $0] : [$0, 0] }
    case .utf32(let isBigEndian):
      edit.replacement.utf8.flatMap { isBigEndian ? [0, 0, 0, $0] : [$0, 0, 0, 0] }
    case .named(let name):
      isPlain
        ? Array(edit.replacement.utf8) : IconvConverter.encode(edit.replacement, in: name) ?? []
    }
  }

  /// What becomes of a part of the catalogue.
  ///
  /// The parts of a catalogue give the parts of the mended one, wherever it is cut: a replacement
  /// comes with the first byte that it replaces.
  ///
  /// - Parameters:
  ///   - part: bytes of the catalogue.
  ///   - offset: how many bytes are before them.
  public func mended(_ part: some RandomAccessCollection<UInt8>, at offset: Int) -> [UInt8] {
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
      if edit.bytes.lowerBound >= offset { result += bytes(of: edit) }
      done = min(end, max(done, edit.bytes.upperBound))
    }
    copy(to: end)
    return result
  }

  /// The index of the first edit that ends behind a byte.
  public func firstEdit(endingAfter offset: Int) -> Int {
    var (low, high) = (0, edits.count)
    while low < high {
      let middle = (low + high) / 2
      if edits[middle].bytes.upperBound <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether the mended catalogue says what the catalogue does but for the mended values.
  ///
  /// That is beyond doubt where each character's bytes stand for themselves; where a byte's meaning
  /// depends on those before it, both are read and compared.
  ///
  /// - Parameters:
  ///   - nextPiece: gives the catalogue's bytes from its beginning, some at a time, none at the
  ///     end.
  ///   - nextMended: does so for the mended one.
  public func isProven<Failure: Error>(
    _ nextPiece: @escaping () throws(Failure) -> [UInt8],
    _ nextMended: @escaping () throws(Failure) -> [UInt8]
  ) throws(Failure) -> Bool {
    if isPlain || edits.isEmpty { return true }
    var original = try DecodedText(GivenPieces(give: nextPiece))
    var mended = try DecodedText(GivenPieces(give: nextMended))
    var rest = edits[...]
    while let next = try original.next() {
      // A character that was held back, until the next one was known, comes without bytes.
      if let edit = rest.first, !next.bytes.isEmpty,
        next.bytes.lowerBound >= edit.bytes.lowerBound
      {
        if next.bytes.lowerBound == edit.bytes.lowerBound {
          for scalar in edit.replacement.unicodeScalars {
            guard try mended.next()?.scalar == scalar else { return false }
          }
        }
        if next.bytes.upperBound >= edit.bytes.upperBound { rest.removeFirst() }
      } else if try mended.next()?.scalar != next.scalar {
        return false
      }
    }
    let surplus = try mended.next()
    return rest.isEmpty && surplus == nil
  }
}

public import Loans

/// A part of a catalogue's line, to be shown with a mark below it.
public struct SourceExcerpt: Hashable, Sendable {
  /// The characters as they are, without the line's end; untrusted.
  public var text: String
  /// The column of the first character.
  public var firstColumn: Int
  /// Whether the line has more before.
  public var isCutBefore: Bool { firstColumn > 1 }
  /// Whether the line has more after.
  public var isCutAfter: Bool
}

/// The lines of a catalogue in its own encoding, from the first on and never back, in memory that
/// does not grow: of a line, its first 64 KiB.
public struct SourceLines: ~Copyable {
  private static let longest = 65_536

  private let file: CatalogueFile
  private var converter: TextConverter?
  private var offset = 0
  /// The bytes that have been read and not been looked at, in UTF-8.
  private var bytes: ArraySlice<UInt8> = []
  private var isAtEnd = false
  /// The number of the last line that was read, its bytes, and its characters once they are wanted.
  private var number = 0
  private var line: [UInt8] = []
  private var scalars: [Unicode.Scalar] = []

  /// The lines of a file; `nil` for what cannot be read, or not again, as standard input.
  public init?(path: String) {
    guard path != "-", let file = try? CatalogueFile(opening: path) else { return nil }
    self.file = file
    readPiece()
    converter = TextConverter(ofHead: bytes)
    if let converted = converter?.convert(Array(bytes)) { bytes = converted[...] }
    if bytes.isMarked { bytes = bytes.dropFirst(3) }
  }

  /// The characters around a place.
  ///
  /// - Parameters:
  ///   - place: in the line asked for last, or after it; lines end with LF or CRLF, and a byte
  ///     order mark belongs to none.
  ///   - width: the most characters wanted, half of them before the place.
  /// - Returns: `nil` if there is no such line, it has been passed already, or the place is beyond
  ///   what is kept of it.
  public mutating func excerpt(around place: SourceLocation, width: Int = 160) -> SourceExcerpt? {
    if number < place.line {
      while number < place.line { if !readLine() { return nil } }
      scalars = Array(String(decoding: line, as: UTF8.self).unicodeScalars)
    }
    let first = max(1, place.column - width / 2)
    guard number == place.line, first <= scalars.count + 1 else { return nil }
    let part = scalars[(first - 1)...].prefix(width)
    var text = String.UnicodeScalarView()
    text.append(contentsOf: part)
    return SourceExcerpt(
      text: String(text), firstColumn: first,
      isCutAfter: part.endIndex < scalars.endIndex || line.count == Self.longest)
  }

  /// Reads the next line; the last one may be empty.
  ///
  /// - Returns: whether there is one.
  private mutating func readLine() -> Bool {
    guard !isAtEnd else { return false }
    line.removeAll(keepingCapacity: true)
    number += 1
    while true {
      if bytes.isEmpty { readPiece() }
      let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
      line += bytes[..<end].prefix(Self.longest - line.count)
      let isEnded = end < bytes.endIndex
      bytes = bytes[end...].dropFirst()
      if isEnded && line.last == 0x0D { line.removeLast() }
      if isEnded || isAtEnd { return true }
    }
  }

  /// A failure to read ends the text, as the file's end does.
  private mutating func readPiece() {
    let piece = (try? file.piece(at: offset)) ?? []
    offset += piece.count
    isAtEnd = piece.isEmpty
    bytes = (converter?.convert(piece) ?? piece)[...]
  }
}

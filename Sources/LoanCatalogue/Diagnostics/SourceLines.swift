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
/// grows neither with the file nor with its lines.
public struct SourceLines: ~Copyable {
  private let file: CatalogueFile
  private var converter: TextConverter?
  /// The bytes that have been read and not been looked at, in UTF-8.
  private var bytes: ArraySlice<UInt8> = []
  private var isAtEnd = false
  /// The place of the next character; lines end with LF.
  private var place = SourceLocation(line: 1, column: 1)
  /// The line of the last excerpt, the characters of it that were read last, and the column of the
  /// first of these.
  private var line = 0
  private var scalars: [Unicode.Scalar] = []
  private var firstColumn = 1

  /// The lines of a file; `nil` for what cannot be read, or not again, as standard input.
  public init?(path: String) {
    guard path != "-" else { return nil }
    do { self.init(try CatalogueFile(opening: path)) } catch { return nil }
  }

  init(_ file: CatalogueFile) {
    self.file = file
    readPiece()
    let encoding = TextEncoding(ofHead: bytes)
    bytes.removeFirst(encoding.markLength)
    converter = encoding.makeConverter()
    if let converted = converter?.convert(Array(bytes)) { bytes = converted[...] }
  }

  /// The characters around a place.
  ///
  /// - Parameters:
  ///   - place: in the line asked for last, or after it; lines end with LF or CRLF, and a byte
  ///     order mark belongs to none.
  ///   - width: the most characters wanted, half of them before the place.
  /// - Returns: `nil` if there is no such line, or it has been passed already.
  public mutating func excerpt(around place: SourceLocation, width: Int = 160) -> SourceExcerpt? {
    if place.line > line { begin(place.line) }
    guard place.line == line else { return nil }
    let first = max(1, place.column - width / 2)
    read(to: first + width, keeping: width)
    guard first >= firstColumn, first - firstColumn <= scalars.count else { return nil }
    let part = scalars[(first - firstColumn)...].prefix(width)
    var text = String.UnicodeScalarView()
    text.append(contentsOf: part)
    return SourceExcerpt(
      text: String(text), firstColumn: first, isCutAfter: part.endIndex < scalars.endIndex)
  }

  /// Moves on to a line's beginning, if there is one and it has not been passed.
  private mutating func begin(_ line: Int) {
    while place.line < line, fill(1) {
      guard let end = bytes.firstIndex(of: 0x0A) else {
        bytes = []
        continue
      }
      bytes = bytes[(end + 1)...]
      place = SourceLocation(line: place.line + 1, column: 1)
    }
    guard place == SourceLocation(line: line, column: 1) else { return }
    self.line = line
    scalars.removeAll(keepingCapacity: true)
    firstColumn = 1
  }

  /// Reads on until the character at `column` is known, if the line is so long.
  private mutating func read(to column: Int, keeping width: Int) {
    while place.line == line && firstColumn + scalars.count <= column {
      guard let next = next(), next != "\n" else {
        if scalars.last == "\r" { scalars.removeLast() }
        return
      }
      scalars.append(next)
      if scalars.count > 8 * width + 1_024 {
        firstColumn += scalars.count - 2 * width
        scalars.removeFirst(scalars.count - 2 * width)
      }
    }
  }
}

// MARK: - Characters

extension SourceLines {
  /// The next character, or `nil` at the end; what is not UTF-8 is U+FFFD, one byte at a time.
  mutating func next() -> Unicode.Scalar? {
    _ = fill(4)
    guard !bytes.isEmpty else { return nil }
    var decoder = UTF8()
    var ahead = bytes.prefix(4).makeIterator()
    var (scalar, width): (Unicode.Scalar, Int) = ("\u{FFFD}", 1)
    if case .scalarValue(let decoded) = decoder.decode(&ahead) {
      (scalar, width) = (decoded, UTF8.width(decoded))
    }
    bytes.removeFirst(width)
    if scalar == "\n" {
      place = SourceLocation(line: place.line + 1, column: 1)
    } else {
      place.column += 1
    }
    return scalar
  }

  /// Reads ahead until there are some bytes, or to the end.
  ///
  /// - Returns: whether there are any.
  private mutating func fill(_ count: Int) -> Bool {
    while bytes.count < count && !isAtEnd { readPiece() }
    return !bytes.isEmpty
  }

  /// A failure to read ends the text, as the file's end does.
  private mutating func readPiece() {
    let piece = (try? file.readPiece()) ?? []
    isAtEnd = piece.isEmpty
    bytes += converter?.convert(piece) ?? piece
  }
}

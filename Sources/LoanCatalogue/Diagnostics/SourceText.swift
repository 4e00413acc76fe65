import Loans

/// The characters of a catalogue one after the other, in whatever encoding it is.
struct SourceText: ~Copyable {
  private let file: CatalogueFile
  private var converter: TextConverter?
  private var bytes: [UInt8] = []
  /// The next byte in ``bytes``.
  private var index = 0
  private var isAtEnd = false
  /// Where the next character is; lines end with LF.
  private(set) var place = SourceLocation(line: 1, column: 1)

  init(_ file: CatalogueFile) {
    self.file = file
    readPiece()
    let encoding = TextEncoding(ofHead: bytes)
    bytes.removeFirst(encoding.markLength)
    converter = encoding.makeConverter()
    if let converted = converter?.convert(bytes) { bytes = converted }
  }

  /// A failure to read ends the text, as the file's end does.
  private mutating func readPiece() {
    let piece = (try? file.readPiece()) ?? []
    isAtEnd = piece.isEmpty
    bytes.removeFirst(index)
    index = 0
    bytes += converter?.convert(piece) ?? piece
  }

  /// Makes room for looking ahead.
  private mutating func look(_ count: Int) {
    while bytes.count - index < count && !isAtEnd { readPiece() }
  }

  /// The next character, or `nil` at the end; what is not UTF-8 is U+FFFD, one byte at a time.
  mutating func next() -> Unicode.Scalar? {
    look(4)
    guard index < bytes.count else { return nil }
    var decoder = UTF8()
    var ahead = bytes[index..<min(index + 4, bytes.count)].makeIterator()
    var scalar: Unicode.Scalar = "\u{FFFD}"
    var width = 1
    if case .scalarValue(let decoded) = decoder.decode(&ahead) {
      (scalar, width) = (decoded, UTF8.width(decoded))
    }
    index += width
    if scalar == "\n" {
      place = SourceLocation(line: place.line + 1, column: 1)
    } else {
      place.column += 1
    }
    return scalar
  }

  /// Moves on to a line's beginning, unless that is behind already; to the end if there are fewer
  /// lines.
  mutating func move(toLine line: Int) {
    while place.line < line {
      look(1)
      guard index < bytes.count else { return }
      let end = bytes[index...].firstIndex(of: 0x0A)
      index = end.map { $0 + 1 } ?? bytes.count
      if end != nil { place = SourceLocation(line: place.line + 1, column: 1) }
    }
  }
}

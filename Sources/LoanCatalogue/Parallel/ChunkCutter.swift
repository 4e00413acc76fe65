import Loans

/// Cuts a document into chunks where records begin, each with its place in the document.
struct ChunkCutter {
  /// A chunk of a document.
  struct Chunk {
    /// From 0 on.
    var number: Int
    var start: ChunkStart
    /// Its end, in bytes of the file; `nil` if it is not in the buffer, since it would be too long.
    var end: Int?
    /// Whether the file ends with it.
    var isLast = false
  }

  private let file: CatalogueFile
  private let frame: ChunkFrame
  private let leastLength: Int
  /// Bytes of a chunk of a large file: fewer the more threads there are, since all of them hold one, and
  /// several wait for whoever uses them.
  private let usualLength: Int
  /// The beginning of the next chunk; `nil` after the last one.
  private var next: ChunkStart?
  private var number = 0
  /// Longer chunks are not read as a whole: libxml2 limits what it looks at to 10 MB only where it
  /// asks for the bytes piece by piece.
  private static let longest = 8_000_000
  /// Bytes within which there is a record's start in a usual document.
  private static let margin = 16_384

  init(_ document: CatalogueDocument, _ frame: ChunkFrame, from start: ChunkStart) {
    file = document.catalogue
    self.frame = frame
    leastLength = document.reader.chunks.size
    usualLength = leastLength * 8 / document.reader.jobs
    next = start
  }

  /// Reads the next chunk.
  ///
  /// - Returns: `nil` after the last one, and after one that is not in the buffer.
  mutating func cut(into buffer: inout ChunkBuffer) -> Chunk? {
    guard let start = exchange(&next, with: nil) else { return nil }
    defer { number += 1 }
    var chunk = Chunk(number: number, start: start)
    let size = file.size ?? 0
    // The more was read, the longer: for each chunk two threads may wait for each other, but at the
    // end of a small file long ones would let one of them wait longer.
    let length = max(leastLength, min(start.offset / 64, usualLength))
    var count = length + Self.margin
    while true {
      let end = min(start.offset + count, size)
      guard
        buffer.read(
          start.offset..<end, of: file, after: start.head, tailCount: frame.tail.count)
      else { return chunk }
      if let cut = buffer.recordStart(from: length, frame.recordStart) {
        chunk.end = start.offset + cut
        next = ChunkStart(
          offset: start.offset + cut, location: buffer.location(ofByte: cut, from: start.location),
          head: frame.head)
        buffer.end(after: cut, with: frame.tail)
        return chunk
      }
      if end == size {
        (chunk.end, chunk.isLast) = (size, true)
        buffer.end(after: end - start.offset, with: [])
        return chunk
      }
      if count >= Self.longest { return chunk }
      count = min(count * 2, Self.longest)
    }
  }
}

/// Where reading begins: at the beginning of a document, or at a record's start directly inside its
/// root element.
struct ChunkStart: Sendable {
  /// Bytes of the file before it.
  var offset: Int
  /// The place of its first character.
  var location: SourceLocation
  /// What comes before it, so that it can be read like a document; nothing at the beginning of one.
  var head: [UInt8] = []

  /// The beginning of a file.
  static let ofFile = ChunkStart(offset: 0, location: SourceLocation(line: 1, column: 1))
}

/// What is around a chunk of a document with which it can be read like a whole one.
struct ChunkFrame: Sendable {
  /// The document's beginning up to the end of its root element's start tag.
  var head: [UInt8]
  /// The root element's end tag.
  var tail: [UInt8]
  /// The beginning of a record: `<` and its name.
  var recordStart: [UInt8]
}

extension ChunkFrame {
  /// What is around the chunks of a document in the tool's own form, from how it begins.
  ///
  /// `nil` if it has a document type, or an encoding other than UTF-8: what they say cannot be known from a
  /// chunk.
  init?(ofDocumentWith beginning: ArraySlice<UInt8>) {
    let root = DocumentOpening.skippingProlog(beginning)
    guard TextConverter.encoding(ofHead: beginning) == nil, let end = Self.tagEnd(root) else {
      return nil
    }
    let name = root[..<end].dropFirst().prefix { !$0.isXMLWhiteSpace }
    let (prefix, local) = (name.dropLast(5), name.suffix(5))
    guard local.elementsEqual("books".utf8) || local.elementsEqual("Books".utf8),
      prefix.isEmpty || prefix.last == UInt8(ascii: ":"),
      let record = ["book", "Book"].map({ Array("<".utf8) + prefix + Array($0.utf8) })
        .first(where: { root[end...].firstRange(of: $0) != nil })
    else { return nil }
    head = Array(beginning[...end])
    tail = Array("</".utf8) + name + Array(">".utf8)
    recordStart = record
  }

  /// The end of the tag with which a text begins, if it is not a long one.
  private static func tagEnd(_ text: ArraySlice<UInt8>) -> Int? {
    var quote: UInt8?
    return text.prefix(4_096).firstIndex { byte in
      if byte == quote {
        quote = nil
      } else if quote == nil, "\"'".utf8.contains(byte) {
        quote = byte
      }
      return quote == nil && byte == UInt8(ascii: ">")
    }
  }
}

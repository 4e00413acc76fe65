import Loans

/// Cuts a document into parts where records begin, each with its place in the document.
struct PartCutter {
  /// A part of a document.
  struct Part: Sendable {
    var start: PartStart
    /// Its end, in bytes of the file.
    var end: Int
    /// Whether the file ends with it.
    var isLast: Bool
  }

  private let file: CatalogueFile
  private let frame: PartFrame
  private let size: Int
  private let leastLength: Int
  /// Bytes of a part of a large file: fewer the more threads there are, since all of them hold one, and
  /// several wait for whoever uses them.
  private let usualLength: Int
  /// The beginning of the next part; `nil` after the last one.
  private(set) var next: PartStart?
  /// Longer parts are not read as a whole: libxml2 limits what it looks at to 10 MB only where it
  /// asks for the bytes piece by piece.
  private static let longestPart = 8_000_000
  /// Bytes within which there is a record's start in a usual document.
  private static let margin = 16_384

  /// - Parameters:
  ///   - partSize: bytes of a part, at least.
  ///   - jobs: how many threads read.
  init(
    _ file: CatalogueFile, _ frame: PartFrame, from start: PartStart, partSize: Int, jobs: Int
  ) {
    self.file = file
    self.frame = frame
    size = file.size ?? 0
    leastLength = partSize
    usualLength = partSize * 8 / jobs
    next = start
  }

  /// Reads the next part.
  ///
  /// - Returns: `nil` after the last one, and where there is none that could be read.
  mutating func cut(into buffer: inout PartBuffer) -> Part? {
    guard let start = next else { return nil }
    // Where there is none, no other thread need try.
    next = nil
    // The more was read, the longer: for each part two threads may wait for each other, but at the
    // end of a small file long ones would let one of them wait longer.
    let length = max(leastLength, min(start.offset / 64, usualLength))
    var count = length + Self.margin
    while true {
      let end = min(start.offset + count, size)
      guard
        buffer.read(
          start.offset..<end, of: file, after: start.head, tailCount: frame.tail.count)
      else { return nil }
      if let cut = buffer.recordStart(from: length, frame.recordStart) {
        next = PartStart(
          offset: start.offset + cut, location: buffer.location(ofByte: cut, from: start.location),
          head: frame.head)
        buffer.end(after: cut, with: frame.tail)
        return Part(start: start, end: start.offset + cut, isLast: false)
      }
      if end == size {
        buffer.end(after: end - start.offset, with: [])
        return Part(start: start, end: size, isLast: true)
      }
      if count >= Self.longestPart { return nil }
      count = min(count * 2, Self.longestPart)
    }
  }
}

/// Where reading begins: at the beginning of a document, or at a record's start directly inside its
/// root element.
struct PartStart: Sendable {
  /// Bytes of the file before it.
  var offset: Int
  /// The place of its first character.
  var location: SourceLocation
  /// Tags that come before it, so that it can be read like a document; none at the beginning of one.
  var head: [UInt8] = []

  /// The beginning of a file.
  static let ofFile = PartStart(offset: 0, location: SourceLocation(line: 1, column: 1))
}

/// The tags around a part of a document with which it can be read like a whole one.
struct PartFrame: Sendable {
  /// The root element's start tag, on its line, after an XML declaration if the document declares its
  /// encoding.
  var head: [UInt8]
  /// The root element's end tag.
  var tail: [UInt8]
  /// The beginning of a record: `<` and its name.
  var recordStart: [UInt8]
}

extension PartFrame {
  /// The tags around the parts of a document in the tool's own form, from how it begins.
  ///
  /// `nil` if there can be no parts: what a document type declares, or an encoding other than UTF-8,
  /// cannot be known from a part.
  init?(ofDocumentWith beginning: ArraySlice<UInt8>) {
    let root = DocumentOpening.skippingProlog(beginning)
    guard let declaration = Self.declaration(of: beginning), let tag = Self.startTag(root)
    else { return nil }
    let name = tag.dropFirst().prefix { !$0.isXMLWhiteSpace && $0 != UInt8(ascii: ">") }
    let (prefix, local) = (name.dropLast(5), name.suffix(5))
    guard local.elementsEqual("books".utf8) || local.elementsEqual("Books".utf8),
      prefix.isEmpty || prefix.last == UInt8(ascii: ":"),
      let record = ["book", "Book"].map({ Array("<".utf8) + prefix + Array($0.utf8) })
        .first(where: { root.dropFirst(tag.count).firstRange(of: $0) != nil })
    else { return nil }
    head = Array(declaration.utf8) + beginning[..<root.startIndex].filter { $0 == 0x0A } + tag
    tail = Array("</".utf8) + name + Array(">".utf8)
    recordStart = record
  }

  /// An XML declaration with the encoding that a text declares: nothing if it declares none, `nil` if
  /// it may not be UTF-8.
  private static func declaration(of text: ArraySlice<UInt8>) -> String? {
    guard text.starts(with: "<?xml".utf8) else { return "" }
    let declared = String(decoding: text.prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
      .lowercased().replacing("'", with: "\"")
    guard declared.contains("version=\"1.0\"") else { return nil }
    if !declared.contains("encoding") { return "" }
    return declared.contains("encoding=\"utf-8\"")
      ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" : nil
  }

  /// The start tag with which a text begins, if it is not a long one nor an end as well.
  private static func startTag(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var quote: UInt8?
    let end = text.prefix(4_096).firstIndex { byte in
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      return quote == nil && byte == UInt8(ascii: ">")
    }
    guard let end, text.first == UInt8(ascii: "<"), text[end - 1] != UInt8(ascii: "/") else {
      return nil
    }
    return text[...end]
  }
}

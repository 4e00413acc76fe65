import CLibXML2
import Loans

/// A start tag as it stands in the parser's buffer, from its `<` to before its `>` or `/>`; or a
/// comment, as a whole.
struct TagText {
  let bytes: [UInt8]
  /// Characters before the `<` on its line, as far as the buffer reaches.
  private let indentation: Int

  /// - Parameter input: stands at the tag's end; libxml2 keeps the whole tag in the buffer, since
  ///   it hands over attribute values as pointers into it (`xmlParseStartTag2`).
  @unsafe init(endingAt input: xmlParserInputPtr?) {
    let buffer = unsafe Self.textRead(from: input)
    unsafe self.init(buffer, from: buffer.lastIndex(of: UInt8(ascii: "<")) ?? 0)
  }

  /// Where the start tag begins that the parser has just read.
  ///
  /// - Parameter input: is at the tag's end.
  @unsafe static func start(ofTagEndingAt input: xmlParserInputPtr?) -> SourceLocation {
    guard let input = unsafe input else { return SourceLocation(line: 1, column: 1) }
    let text = unsafe textRead(from: input)
    var (line, column) = unsafe (Int(input.pointee.line), Int(input.pointee.col))
    var index = text.count
    while index > 0 {
      index -= 1
      let byte = unsafe text[index]
      if byte == 0x0A { line -= 1 } else if byte & 0xC0 != 0x80 { column -= 1 }
      if byte == UInt8(ascii: "<") { break }
    }
    if unsafe line < Int(input.pointee.line) {
      let lineStart = unsafe text[..<index].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      column = 1 + (unsafe text[lineStart..<index].count { $0 & 0xC0 != 0x80 })
    }
    return SourceLocation(line: line, column: column)
  }

  /// Where the document begins in a buffer with something else before it.
  struct Origin {
    /// Bytes before.
    var bytes: Int
    /// The column of the first byte.
    var column: Int
  }

  /// - Parameters:
  ///   - input: stands at the comment's end.
  ///   - origin: `nil` if the buffer begins with the document, or within it.
  /// - Returns: nil if the comment is so long that the parser has not kept it.
  @unsafe init?(commentEndingAt input: xmlParserInputPtr?, origin: Origin?) {
    let buffer = unsafe Self.textRead(from: input)
    // What begins a comment cannot stand in one.
    let start = buffer.indices.last { unsafe buffer[$0...].starts(with: "<!--".utf8) }
    guard let start else { return nil }
    unsafe self.init(buffer, from: start, origin: origin)
  }

  @unsafe private static func textRead(
    from input: xmlParserInputPtr?
  ) -> UnsafeBufferPointer<xmlChar> {
    guard let input = unsafe input, let end = unsafe input.pointee.cur,
      let base = unsafe input.pointee.base
    else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
    return unsafe UnsafeBufferPointer(start: base, count: end - base)
  }

  @unsafe private init(
    _ buffer: UnsafeBufferPointer<xmlChar>, from start: Int, origin: Origin? = nil
  ) {
    let lineStart = unsafe buffer[..<start].lastIndex(of: 0x0A).map { $0 + 1 }
    let first = lineStart ?? origin?.bytes ?? 0
    let before = lineStart == nil ? (origin?.column ?? 1) - 1 : 0
    bytes = unsafe Array(buffer[start...])
    indentation = unsafe before + buffer[min(first, start)..<start].count { $0 & 0xC0 != 0x80 }
  }

  /// Where the tag begins.
  ///
  /// - Parameter end: where it ends, as libxml2 counts.
  func start(ofTagEndingAt end: SourceLocation) -> SourceLocation {
    let lineBreaks = bytes.count { $0 == 0x0A }
    guard lineBreaks > 0 else {
      return SourceLocation(
        line: end.line, column: end.column - bytes.count { $0 & 0xC0 != 0x80 })
    }
    return SourceLocation(line: end.line - lineBreaks, column: indentation + 1)
  }

  /// Where the trimmed value of an attribute stands, if the tag begins at `tagStart`.
  func extent(ofValueOf attribute: String, tagStart: SourceLocation) -> ValueExtent {
    guard let value = value(of: attribute) else {
      return ValueExtent(start: tagStart, end: tagStart)
    }
    return ValueExtent(
      start: place(of: value.lowerBound, tagStart), end: place(of: value.upperBound, tagStart))
  }

  private func place(of index: Int, _ tagStart: SourceLocation) -> SourceLocation {
    var place = tagStart
    for byte in bytes[..<index] {
      if byte == 0x0A {
        place = SourceLocation(line: place.line + 1, column: 1)
      } else if byte & 0xC0 != 0x80 {
        place.column += 1
      }
    }
    return place
  }

  /// The tag is known to be well-formed: names, `=`, and values in quotation marks.
  private func value(of attribute: String) -> Range<Int>? {
    let wanted = Array(attribute.utf8)
    var index = 0
    while let quote = bytes[index...].firstIndex(where: { $0 == 0x22 || $0 == 0x27 }),
      let end = bytes[(quote + 1)...].firstIndex(of: bytes[quote])
    {
      let name = bytes[index..<quote].reversed().drop { $0 == 0x3D || $0.isXMLWhiteSpace }
        .prefix { !$0.isXMLWhiteSpace }.reversed()
      if name.elementsEqual(wanted) { return trimmed(quote + 1..<end) }
      index = end + 1
    }
    return nil
  }

  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    let text = bytes[range]
    guard let first = text.firstIndex(where: { !$0.isXMLWhiteSpace }),
      let last = text.lastIndex(where: { !$0.isXMLWhiteSpace })
    else { return range }
    return first..<last + 1
  }
}

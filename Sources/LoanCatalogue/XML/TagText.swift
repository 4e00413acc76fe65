import CLibXML2
import Loans

/// A start tag as it is in the parser's buffer, from its `<` to before its `>` or `/>`.
///
/// libxml2 keeps the whole tag there, since it hands over attribute values as pointers into it
/// (`xmlParseStartTag2`).
struct TagText {
  let bytes: [UInt8]

  /// - Parameter input: is at the tag's end.
  @unsafe init(endingAt input: xmlParserInputPtr?) {
    let text = unsafe Self.textRead(from: input)
    bytes = unsafe Array(text[(text.lastIndex(of: UInt8(ascii: "<")) ?? 0)...])
  }

  /// The beginning of the document in a buffer with something else before it.
  struct Origin {
    /// Bytes before.
    var bytes: Int
    /// The column of the first byte.
    var column: Int
  }

  /// Finds the beginning of the tag or the comment that the parser has just read.
  ///
  /// - Parameters:
  ///   - input: is at its end.
  ///   - opening: what it begins with, and cannot be inside.
  ///   - origin: `nil` if the buffer begins with the document, or within it.
  /// - Returns: `nil` if the parser has not kept so much.
  @unsafe static func start(
    endingAt input: xmlParserInputPtr?, opening: String = "<", origin: Origin? = nil
  ) -> SourceLocation? {
    let text = unsafe textRead(from: input)
    let first = opening.utf8.first
    let start = text.indices.last {
      unsafe text[$0] == first && text[$0...].starts(with: opening.utf8)
    }
    guard let start, let input = unsafe input else { return nil }
    let end = unsafe input.pointee.location
    let lineBreaks = unsafe text[start...].count { $0 == 0x0A }
    if lineBreaks == 0 {
      return SourceLocation(
        line: end.line, column: end.column - (unsafe text[start...].characterCount))
    }
    let lineStart = unsafe text[..<start].lastIndex(of: 0x0A).map { $0 + 1 }
    let before = lineStart == nil ? origin?.column ?? 1 : 1
    let indentation = unsafe text[min(lineStart ?? origin?.bytes ?? 0, start)..<start]
    return SourceLocation(
      line: end.line - lineBreaks, column: before + (unsafe indentation.characterCount))
  }

  @unsafe private static func textRead(
    from input: xmlParserInputPtr?
  ) -> UnsafeBufferPointer<xmlChar> {
    guard let input = unsafe input, let end = unsafe input.pointee.cur,
      let base = unsafe input.pointee.base
    else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
    return unsafe UnsafeBufferPointer(start: base, count: end - base)
  }

  /// Finds the trimmed value of an attribute, if the tag begins at `tagStart`.
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
      if name.elementsEqual(wanted) {
        let value = bytes[quote + 1..<end].trimmed
        return value.isEmpty ? quote + 1..<end : value.indices
      }
      index = end + 1
    }
    return nil
  }
}

extension Collection<UInt8> {
  /// The number of characters in UTF-8.
  var characterCount: Int { count { $0 & 0xC0 != 0x80 } }
}

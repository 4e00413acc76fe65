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

  /// Finds the beginning of the tag that the parser has just read.
  ///
  /// - Parameter input: is at its end.
  /// - Returns: `nil` if the parser has not kept so much.
  @unsafe static func start(endingAt input: xmlParserInputPtr?) -> SourceLocation? {
    let text = unsafe textRead(from: input)
    guard let start = unsafe text.lastIndex(of: UInt8(ascii: "<")), let input = unsafe input else {
      return nil
    }
    let end = unsafe input.pointee.location
    let lineBreaks = unsafe text[start...].count { $0 == 0x0A }
    if lineBreaks == 0 {
      return SourceLocation(
        line: end.line, column: end.column - (unsafe text[start...].characterCount))
    }
    let lineStart = unsafe text[..<start].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return SourceLocation(
      line: end.line - lineBreaks,
      column: 1 + (unsafe text[lineStart..<start].characterCount))
  }

  @unsafe private static func textRead(
    from input: xmlParserInputPtr?
  ) -> UnsafeBufferPointer<xmlChar> {
    guard let input = unsafe input, let end = unsafe input.pointee.cur,
      let base = unsafe input.pointee.base
    else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
    return unsafe UnsafeBufferPointer(start: base, count: end - base)
  }

  /// Finds where the trimmed value of an attribute begins, if the tag begins at `tagStart`.
  func place(ofValueOf attribute: String, tagStart: SourceLocation) -> SourceLocation {
    value(of: attribute).map { place(of: $0, tagStart) } ?? tagStart
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
  private func value(of attribute: String) -> Int? {
    let wanted = Array(attribute.utf8)
    var index = 0
    while let quote = bytes[index...].firstIndex(where: { $0 == 0x22 || $0 == 0x27 }),
      let end = bytes[(quote + 1)...].firstIndex(of: bytes[quote])
    {
      let name = bytes[index..<quote].reversed().drop { $0 == 0x3D || $0.isXMLWhiteSpace }
        .prefix { !$0.isXMLWhiteSpace }.reversed()
      if name.elementsEqual(wanted) {
        let value = bytes[quote + 1..<end].trimmed
        return value.isEmpty ? quote + 1 : value.startIndex
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

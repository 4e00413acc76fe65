import CLibXML2
import Loans

/// Finds where in the document the part of a text is that is not white space.
enum ValueScan {
  /// - Parameters:
  ///   - text: what the parser handed over.
  ///   - start: where its first character is.
  ///   - end: where the parser is after it.
  ///   - isVerbatim: false if the text comes from an entity.
  ///   - isSection: whether it is a CDATA section, which ends after its text.
  /// - Returns: nil if there is only white space.
  @inline(__always)
  @unsafe static func extent(
    of text: UnsafeBufferPointer<xmlChar>, from start: SourceLocation, end: SourceLocation,
    isVerbatim: Bool, isSection: Bool
  ) -> ValueExtent? {
    if isVerbatim, start.line == end.line, end.column &- start.column == text.count,
      unsafe text.isVisible
    {
      return ValueExtent(start: start, end: end)
    }
    return unsafe carefulExtent(
      of: text, from: start, end: end, isVerbatim: isVerbatim, isSection: isSection)
  }

  @inline(never)
  @unsafe private static func carefulExtent(
    of text: UnsafeBufferPointer<xmlChar>, from start: SourceLocation, end: SourceLocation,
    isVerbatim: Bool, isSection: Bool
  ) -> ValueExtent? {
    // A carriage return alone is handed over as a line feed too, but ends no line.
    let endsLines = !isVerbatim || end.line > start.line
    var place = start
    var extent: ValueExtent?
    for index in text.indices {
      let byte = unsafe text[index]
      let isContinuation = byte & 0xC0 == 0x80
      let first = place
      if byte == 0x0A && endsLines {
        place = SourceLocation(line: place.line + 1, column: 1)
      } else if !isContinuation {
        place.column += 1
      }
      guard !byte.isXMLWhiteSpace, !isContinuation else { continue }
      extent = ValueExtent(start: extent?.start ?? first, end: place)
    }
    guard extent != nil else { return nil }
    // Line breaks and carriage returns cannot be told apart.
    if isVerbatim && place.line > end.line { return ValueExtent(start: start, end: end) }
    // A reference is longer than its text: all of it is between start and end.
    guard !isVerbatim || (place != end && !isSection && text.count <= 4) else {
      return extent
    }
    return ValueExtent(start: start, end: end)
  }
}

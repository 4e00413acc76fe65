import Loans

/// The field whose text is at hand.
struct FieldAtHand {
  var field: LoanField?
  /// Whether its place is wanted.
  var wantsPlace = false
  /// The place after its start tag.
  var start = SourceLocation(line: 1, column: 1)
  /// The place after its last text.
  var end = SourceLocation(line: 1, column: 1)
  /// Whether its texts are as they are written, without references and comments between.
  var isVerbatim = true
  /// The byte of the file with the `>` before it; `nil` if nobody wants it.
  var firstByte: Int?
}

extension FieldAtHand {
  /// Notes a text of the field, which ends at a place.
  @inline(__always)
  mutating func note(_ text: Span<UInt8>, endingAt place: SourceLocation) {
    // Nearly always it is in ASCII, on one line: a reference has fewer bytes of text than columns.
    let isPlain =
      end.line == place.line && place.column &- end.column == text.count && text.count > 0
      && !text[0].isXMLWhiteSpace && !text[text.count - 1].isXMLWhiteSpace
    isVerbatim = isVerbatim && (isPlain || end.moved(over: text) == place)
    end = place
  }

  /// The place of the field's text without the white space at its edges; of all that is in the element, if the
  /// text is not as it is written.
  func place(of bytes: Span<UInt8>) -> ValueExtent {
    var (first, last) = (0, bytes.count)
    if isVerbatim {
      while first < last, bytes[first].isXMLWhiteSpace { first += 1 }
      while first < last, bytes[last - 1].isXMLWhiteSpace { last -= 1 }
    }
    let start = start.moved(over: bytes.extracting(..<first))
    let end = last == bytes.count ? end : start.moved(over: bytes.extracting(first..<last))
    return ValueExtent(
      start: start, endColumn: start.line == end.line ? end.column : nil, isVerbatim: isVerbatim)
  }
}

import Loans

/// The field whose text is at hand.
struct FieldAtHand {
  var field: LoanField?
  /// Whether its place is wanted.
  var wantsPlace = false
  /// The place after its start tag.
  var start = ParserSession.Place()
  /// The place after its last text.
  var end = ParserSession.Place()
  /// Whether its texts are as they are written, without references and comments between.
  var isVerbatim = true
  /// The byte of the file with the `>` before it; `nil` if nobody wants it.
  var firstByte: Int?
}

extension FieldAtHand {
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
      start: start.location, endColumn: start.line == end.line ? end.location.column : nil,
      isVerbatim: isVerbatim)
  }
}

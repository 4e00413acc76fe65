import Loans

/// The places of a value's first and last characters.
struct ValueExtent {
  // As libxml2 counts, since there is one for each record.
  private var first: (line: Int32, column: Int32)
  private var last: (line: Int32, column: Int32)

  @inline(__always)
  init(start: SourceLocation, end: SourceLocation) {
    first = (Int32(clamping: start.line), Int32(clamping: start.column))
    last = (Int32(clamping: end.line), Int32(clamping: end.column))
  }

  var start: SourceLocation { SourceLocation(line: Int(first.line), column: Int(first.column)) }

  var end: SourceLocation {
    get { SourceLocation(line: Int(last.line), column: Int(last.column)) }
    set { last = (Int32(clamping: newValue.line), Int32(clamping: newValue.column)) }
  }

  /// The column after the last character, if the value is in the document itself, on one line.
  var endColumn: Int? { start.line == end.line && start < end ? end.column : nil }
}

/// The places of the values of a record's fields, as far as they are judged.
struct ValuePlaces {
  private var extents = InlineArray<9, ValueExtent?>(repeating: nil)

  subscript(field: LoanField) -> ValueExtent? { extents[field.rawValue] }

  /// Adds a part that follows what is known of the field's value.
  @inline(__always)
  mutating func extend(_ field: LoanField, _ part: ValueExtent) {
    if extents[field.rawValue] == nil {
      extents[field.rawValue] = part
    } else {
      extents[field.rawValue]?.end = part.end
    }
  }
}

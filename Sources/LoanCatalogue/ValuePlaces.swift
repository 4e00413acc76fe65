import Loans

/// Where a value's first and last characters stand.
struct ValueExtent {
  var start: SourceLocation
  var end: SourceLocation

  /// The column behind the last character, where the value stands in the document, on one line.
  var endColumn: Int? { start.line == end.line && start < end ? end.column : nil }
}

/// Where the values of a record's fields stand, of those that are judged.
struct ValuePlaces {
  private static let nowhere = ValueExtent(
    start: SourceLocation(line: 0, column: 0), end: SourceLocation(line: 0, column: 0))
  private var extents = InlineArray<9, ValueExtent>(repeating: nowhere)
  private var known = 0

  subscript(field: LoanField) -> ValueExtent? {
    known & 1 &<< field.rawValue == 0 ? nil : extents.span[field.rawValue]
  }

  /// Adds a part that follows what is known of the field's value.
  mutating func extend(_ field: LoanField, _ part: ValueExtent) {
    let isFirst = known & 1 &<< field.rawValue == 0
    var extents = extents.mutableSpan
    if isFirst {
      extents[field.rawValue] = part
    } else {
      extents[field.rawValue].end = part.end
    }
    known |= 1 &<< field.rawValue
  }

  mutating func removeAll() { known = 0 }
}

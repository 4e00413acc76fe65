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
  private var extents = Array(repeating: nowhere, count: LoanField.allCases.count)
  private var known: UInt16 = 0

  subscript(field: LoanField) -> ValueExtent? {
    known & field.bit == 0 ? nil : extents[field.rawValue]
  }

  /// Adds a part that follows what is known of the field's value.
  @inline(__always)
  mutating func extend(_ field: LoanField, _ part: ValueExtent) {
    if known & field.bit == 0 {
      extents[field.rawValue] = part
      known |= field.bit
    } else {
      extents[field.rawValue].end = part.end
    }
  }

  mutating func removeAll() { known = 0 }
}

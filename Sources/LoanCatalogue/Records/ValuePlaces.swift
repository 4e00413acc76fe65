import Loans

/// Where a value's first and last characters are.
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

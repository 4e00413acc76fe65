import Loans

/// The places of a value's first and last characters.
struct ValueExtent {
  let start: SourceLocation
  var end: SourceLocation

  /// The column after the last character, if the value is in the document itself, on one line.
  var endColumn: Int? { start.line == end.line && start < end ? end.column : nil }
}

/// The places of the values of a record's fields, as far as they are judged.
struct ValuePlaces {
  /// Up to the day of lending; those after it are never judged.
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

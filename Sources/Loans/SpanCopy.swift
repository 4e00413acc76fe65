extension [UInt8] {
  /// A copy of the bytes in a span.
  package init(copying span: Span<UInt8>) {
    self = []
    append(copying: span)
  }

  /// Appends the bytes in a span.
  package mutating func append(copying span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

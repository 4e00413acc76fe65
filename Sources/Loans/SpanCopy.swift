extension [UInt8] {
  /// A copy of the bytes in a span.
  package init(copying span: Span<UInt8>) {
    self = span.indices.map { span[$0] }
  }

  /// Appends the bytes of a span.
  package mutating func append(copying span: Span<UInt8>) {
    append(addingCapacity: span.count) { added in
      for index in span.indices { added.append(span[index]) }
    }
  }
}

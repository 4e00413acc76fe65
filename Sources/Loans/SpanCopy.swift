extension [UInt8] {
  /// A copy of the bytes in a span.
  package init(copying span: Span<UInt8>) {
    self = span.indices.map { span[$0] }
  }
}

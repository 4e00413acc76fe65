extension [UInt8] {
  /// A copy of the bytes in a span.
  package init(copying span: Span<UInt8>) {
    self = []
    append(copying: span)
  }

  /// Appends the bytes in a span.
  package mutating func append(copying span: Span<UInt8>) {
    append(addingCapacity: span.count) { $0.append(copying: span) }
  }
}

extension OutputSpan<UInt8> {
  /// Appends the bytes in a span, for which there must be room.
  @inlinable
  package mutating func append(copying span: Span<UInt8>) {
    precondition(freeCapacity >= span.count, "\(span.count) bytes, and room for \(freeCapacity)")
    unsafe withUnsafeMutableBufferPointer { buffer, count in
      unsafe span.withUnsafeBytes { bytes in
        let room = UnsafeMutableRawBufferPointer(buffer)
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: bytes)
      }
      count += span.count
    }
  }
}

extension [UInt8] {
  /// Appends a copy of every byte of `span`.
  mutating func append(contentsOf span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends bytes to what is the beginning of a line, and stays as the beginning of the next one; of a
  /// line, the first `limit` bytes count.
  ///
  /// - Returns: the lines that are complete by that.
  mutating func appendLines(of bytes: ArraySlice<UInt8>, limit: Int) -> [String] {
    var lines: [String] = []
    var rest = bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      append(contentsOf: rest[..<end].prefix(limit - count))
      lines.append(String(decoding: self, as: UTF8.self))
      removeAll(keepingCapacity: true)
      rest = rest[(end + 1)...]
    }
    append(contentsOf: rest.prefix(limit - count))
    return lines
  }
}

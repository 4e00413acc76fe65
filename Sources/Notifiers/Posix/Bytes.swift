internal import Subprocess

extension [UInt8] {
  /// Appends a copy of every byte of `span`.
  mutating func append(contentsOf span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends a copy of at most `limit` bytes of `buffer`.
  mutating func append(_ buffer: SubprocessOutputSequence.Buffer, upTo limit: Int) {
    unsafe buffer.withUnsafeBytes { unsafe append(contentsOf: $0.prefix(limit)) }
  }

  /// Appends `buffer` to what is the beginning of a line, hands over the lines that are complete
  /// by that, and stays as the beginning of the next one; of a line, the first `limit` bytes count.
  ///
  /// - Returns: whether `isLast` was true of a line; no further one is then handed over.
  mutating func appendLines(
    of buffer: SubprocessOutputSequence.Buffer, limit: Int, until isLast: (String) -> Bool
  ) -> Bool {
    unsafe buffer.withUnsafeBytes { bytes in
      var rest = unsafe bytes[...]
      while let end = unsafe rest.firstIndex(of: UInt8(ascii: "\n")) {
        unsafe append(contentsOf: rest[..<end].prefix(limit - count))
        if isLast(String(decoding: self, as: UTF8.self)) { return true }
        removeAll(keepingCapacity: true)
        unsafe rest = rest[(end + 1)...]
      }
      unsafe append(contentsOf: rest.prefix(limit - count))
      return false
    }
  }
}

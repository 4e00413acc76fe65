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
}

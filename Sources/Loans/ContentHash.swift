/// A 64-bit hash that is the same in every run and on every machine, so that it can be stored.
///
/// Each word is mixed in by a multiplication of 64 by 64 bits whose halves are joined. It is not
/// meant to withstand somebody who looks for collisions.
package struct ContentHash {
  package private(set) var value: UInt64 = 0x243F_6A88_85A3_08D3

  package init() {}

  package static func of(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var hash = ContentHash()
    hash.combine(first)
    hash.combine(second)
    return hash.value
  }

  /// The hash of a field's text.
  package static func of(_ field: LoanField, _ text: Span<UInt8>) -> UInt64 {
    var hash = ContentHash()
    hash.combine(UInt64(field.rawValue))
    hash.combine(text)
    return hash.value
  }

  @inline(__always)
  package mutating func combine(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    value = product.high ^ product.low ^ (value << 23 | value >> 41)
  }

  /// Mixes in a text with its length, so that where one field ends and the next begins counts.
  @inline(__always)
  package mutating func combine(_ text: Span<UInt8>) {
    combine(UInt64(text.count))
    unsafe text.withUnsafeBytes { bytes in
      var index = 0
      while bytes.count - index >= 8 {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        combine(UInt64(littleEndian: word))
        index += 8
      }
      if index == bytes.count { return }
      if index > 0 {
        let last = unsafe bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        return combine(UInt64(littleEndian: last) >> UInt64(8 * (8 - (bytes.count - index))))
      }
      var word: UInt64 = 0
      for offset in index..<bytes.count {
        unsafe word |= UInt64(bytes[offset]) << UInt64(8 * (offset - index))
      }
      combine(word)
    }
  }
}

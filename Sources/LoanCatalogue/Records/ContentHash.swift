/// A 64-bit hash that is the same in every run and on every machine, so that it can be stored.
///
/// Each word is mixed by a 64 by 64 bit multiplication folded to 64 bits. It is not meant to
/// withstand somebody who looks for collisions.
struct ContentHash {
  private(set) var value: UInt64 = 0x243F_6A88_85A3_08D3

  static func of(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var hash = ContentHash()
    hash.combine(first)
    hash.combine(second)
    return hash.value
  }

  func combined(with word: UInt64) -> ContentHash {
    var hash = self
    hash.combine(word)
    return hash
  }

  mutating func combine(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    value = product.high ^ product.low ^ value.rotatedLeft(by: 23)
  }

  /// The hash of a field's text.
  static func of(_ field: LoanField, _ text: Span<UInt8>) -> UInt64 {
    var hash = ContentHash()
    hash.combine(UInt64(field.rawValue))
    hash.combine(text)
    return hash.value
  }
}

extension UInt64 {
  fileprivate func rotatedLeft(by bits: UInt64) -> UInt64 {
    self << bits | self >> (64 - bits)
  }
}

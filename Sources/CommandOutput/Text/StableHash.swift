import Loans

extension UInt64 {
  /// The number in 16 hexadecimal digits.
  package var hexadecimal: String { digits(16, radix: 16) }
}

extension String {
  /// A number that hardly any other text has, the same in every run (FNV-1a).
  package var stableHash: UInt64 {
    utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}

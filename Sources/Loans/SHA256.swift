/// A digest by FIPS 180-4, section 6.2: 32 bytes that give nothing of a text away, and that no other
/// text is known to have.
package enum SHA256 {
  /// The digest of some bytes in lower-case hexadecimal digits, as sha256sum(1) prints it.
  package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    digest(bytes).map { $0.digits(8, radix: 16) }.joined()
  }

  /// The same with a secret, at most 64 bytes, without which nobody can work it out (HMAC).
  ///
  /// - SeeAlso: RFC 2104.
  package static func hexadecimal(_ bytes: some Sequence<UInt8>, key: [UInt8]) -> String {
    let block = key + repeatElement(0, count: 64 - key.count)
    let inner = digest(block.map { $0 ^ 0x36 } + bytes).flatMap(\.bigEndianBytes)
    return hexadecimal(block.map { $0 ^ 0x5C } + inner)
  }

  /// The digest of some bytes in Base64, as a Content-Security-Policy has it.
  ///
  /// - SeeAlso: RFC 4648, section 4.
  package static func base64(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Self.digest(bytes).flatMap(\.bigEndianBytes)
    let digits = stride(from: 0, to: 8 * bytes.count, by: 6).map { bit in
      let (first, shift) = (Int(bytes[bit / 8]), 10 - bit % 8)
      let second = bit / 8 + 1 < bytes.count ? Int(bytes[bit / 8 + 1]) : 0
      return base64Digits[(first << 8 | second) >> shift & 63]
    }
    return String(decoding: digits, as: UTF8.self) + "="
  }

  private static let base64Digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static func digest(_ bytes: some Sequence<UInt8>) -> [UInt32] {
    var message = Array(bytes)
    let bitCount = UInt64(message.count) * 8
    message.append(0x80)
    message += repeatElement(0, count: (120 - message.count % 64) % 64)
    message += (0..<8).reversed().map { UInt8(truncatingIfNeeded: bitCount >> (8 * $0)) }
    var state = initial
    for start in stride(from: 0, to: message.count, by: 64) {
      mix(message[start..<start + 64], into: &state)
    }
    return state
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
      block[start..<start + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let (early, late) = (words[index - 15], words[index - 2])
      let first = early.rotated(7) ^ early.rotated(18) ^ early >> 3
      let second = late.rotated(17) ^ late.rotated(19) ^ late >> 10
      words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
    }
    var mixed = state
    for (word, constant) in zip(words, constants) {
      let (a, e) = (mixed[0], mixed[4])
      let choice = e & mixed[5] ^ ~e & mixed[6]
      let majority = a & mixed[1] ^ a & mixed[2] ^ mixed[1] & mixed[2]
      let first =
        mixed[7] &+ (e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)) &+ choice &+ constant &+ word
      let second = (a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)) &+ majority
      mixed.removeLast()
      mixed.insert(first &+ second, at: 0)
      mixed[4] &+= first
    }
    for index in state.indices { state[index] &+= mixed[index] }
  }

  /// The first 32 bits of the fractional parts of the square roots of the first eight primes.
  private static let initial: [UInt32] = [
    0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
  ]

  /// The same of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
  ]
}

extension UInt32 {
  fileprivate var bigEndianBytes: [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }

  fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}

internal import Loans

/// A digest by FIPS 180-4, section 6.2: 32 bytes that give nothing of a text away, and that no other
/// text is known to have.
enum SHA256 {
  /// The digest of some bytes in lower-case hexadecimal digits, as sha256sum(1) prints it.
  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    var message = Array(bytes)
    let bitCount = UInt64(message.count) * 8
    message.append(0x80)
    message += repeatElement(0, count: (120 - message.count % 64) % 64)
    message += (0..<8).reversed().map { UInt8(truncatingIfNeeded: bitCount >> (8 * $0)) }
    var state = initial
    for start in stride(from: 0, to: message.count, by: 64) {
      mix(message[start..<start + 64], into: &state)
    }
    return state.map { $0.digits(8, radix: 16) }.joined()
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
      mixed = [first &+ second] + mixed.dropLast()
      mixed[4] &+= first
    }
    for index in state.indices { state[index] &+= mixed[index] }
  }

  private static let primes = (2...311).filter { number in
    !(2..<number).contains { number.isMultiple(of: $0) }
  }

  /// The first 32 bits of the fractional parts of the square roots of the first eight primes.
  private static let initial = primes.prefix(8).map { fraction(Double($0).squareRoot()) }

  /// The same of the cube roots of the first 64 primes.
  private static let constants = primes.map { prime in
    // Newton's way; a double has 16 bits to spare.
    let root = (0..<40).reduce(Double(prime) / 2) { root, _ in
      root - (root * root * root - Double(prime)) / (3 * root * root)
    }
    return fraction(root)
  }

  private static func fraction(_ root: Double) -> UInt32 {
    UInt32((root - root.rounded(.down)) * 4_294_967_296)
  }
}

extension UInt32 {
  fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}

/// Eight bytes of a text, looked at together.
///
/// Each question is answered by the highest bit of each byte, and only for bytes of ASCII.
struct EightBytes {
  /// The highest bit of each byte.
  static let highest: UInt64 = 0x8080_8080_8080_8080
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  let word: UInt64
  /// The bytes without their highest bits, so that no sum runs over into the next byte.
  private var low: UInt64 { word & ~Self.highest }

  /// The bytes, of any value, whose other seven bits are this number or more.
  func atLeast(_ number: UInt8) -> UInt64 { low &+ Self.ones &* UInt64(0x80 - number) }

  /// The bytes that are another character of ASCII than this.
  func isNot(_ byte: UInt8) -> UInt64 { (low ^ Self.ones &* UInt64(byte)) &+ ~Self.highest }
}

extension Span<UInt8> {
  /// Whether a condition holds for all bytes; it is given eight at a time, the last ones perhaps again,
  /// or with spaces.
  @inline(__always)
  func allSatisfy(eight isRight: (EightBytes) -> Bool) -> Bool {
    var index = 0
    while index <= count - 8 {
      if !isRight(eight(at: index)) { return false }
      index += 8
    }
    if index == count { return true }
    if count >= 8 { return isRight(eight(at: count - 8)) }
    var word: UInt64 = 0x2020_2020_2020_2020
    for index in indices { word = word << 8 | UInt64(self[index]) }
    return isRight(EightBytes(word: word))
  }

  private func eight(at index: Int) -> EightBytes {
    unsafe EightBytes(word: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// Whether a string of JSON has the text as it is: there is no control character, `"` or `\`.
  package var isPlainJSON: Bool {
    allSatisfy { eight in
      let plain =
        eight.atLeast(0x20) & eight.isNot(UInt8(ascii: "\"")) & eight.isNot(UInt8(ascii: "\\"))
      return (plain | eight.word) & EightBytes.highest == EightBytes.highest
    }
  }

  /// Whether a text in UTF-8 has only characters that may be shown, so far as one look at each byte says:
  /// those of ASCII but controls and `#`, and those from U+00C0 to U+033F.
  var isPlain: Bool {
    allSatisfy { eight in
      let plain = eight.atLeast(0x20) & ~eight.atLeast(0x7F) & eight.isNot(UInt8(ascii: "#"))
      // 0x80 to 0xBF, which go on, and 0xC3 to 0xCC.
      let isBeyond = ~eight.atLeast(0x40) | eight.atLeast(0x43) & ~eight.atLeast(0x4D)
      let beyond = eight.word
      return (plain & ~beyond | isBeyond & beyond) & EightBytes.highest == EightBytes.highest
    }
  }
}

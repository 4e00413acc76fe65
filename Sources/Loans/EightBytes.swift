/// Eight bytes of a text, looked at together.
///
/// Each question is answered by the highest bit of each byte.
private struct EightBytes {
  /// The highest bit of each byte.
  static let highest: UInt64 = 0x8080_8080_8080_8080
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  let word: UInt64
  /// The bytes without their highest bits, so that no sum runs over into the next byte.
  private var low: UInt64 { word & ~Self.highest }

  /// The bytes whose other seven bits are this number or more.
  private func atLeast(_ number: UInt8) -> UInt64 { low &+ Self.ones &* UInt64(0x80 - number) }

  /// The bytes whose other seven bits are not those of a character of ASCII.
  private func isNot(_ byte: UInt8) -> UInt64 {
    (low ^ Self.ones &* UInt64(byte)) &+ ~Self.highest
  }

  /// Whether a string of JSON has them as they are: there is no control character, `"` or `\`.
  var isPlainJSON: Bool {
    let plain = atLeast(0x20) & isNot(UInt8(ascii: "\"")) & isNot(UInt8(ascii: "\\"))
    return (plain | word) & Self.highest == Self.highest
  }

  /// Whether they are only of characters that may be shown, so far as one look at each byte says: those of
  /// ASCII but controls and `#`, and those from U+00C0 to U+033F.
  var isVisible: Bool {
    let plain = atLeast(0x20) & ~atLeast(0x7F) & isNot(UInt8(ascii: "#"))
    // 0x80 to 0xBF, which go on with a character, and 0xC3 to 0xCC, which begin one.
    let beyond = ~atLeast(0x40) | atLeast(0x43) & ~atLeast(0x4D)
    return (plain & ~word | beyond & word) & Self.highest == Self.highest
  }
}

extension [UInt8] {
  /// Appends a text as it may be shown; see ``Swift/String/visible``.
  package mutating func append(visible text: Span<UInt8>) {
    if append(text, where: { $0.isVisible }) { return }
    self += String(decoding: [UInt8](copying: text), as: UTF8.self).visible.utf8
  }

  /// Appends a text as a string of JSON, with no more escapes than there must be, and a byte after it.
  package mutating func append(json text: Span<UInt8>, then end: UInt8) {
    let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    if append(text, in: quote, then: end, where: { $0.isPlainJSON }) { return }
    append(quote)
    for index in text.indices {
      let byte = text[index]
      if byte < 0x20 {
        self += "\\u\(UInt16(byte).digits(4, radix: 16))".utf8
        continue
      }
      if byte == quote || byte == backslash { append(backslash) }
      append(byte)
    }
    append(quote)
    append(end)
  }

  /// Appends a text, perhaps in quotation marks and with a byte after it, if a condition holds for all of
  /// its bytes: it is given eight at a time, the last ones perhaps again, or with spaces.
  ///
  /// - Returns: whether it does.
  @inline(__always)
  private mutating func append(
    _ text: Span<UInt8>, in quote: UInt8? = nil, then end: UInt8 = 0,
    where isRight: (EightBytes) -> Bool
  ) -> Bool {
    var isWhole = false
    append(addingCapacity: text.count + (quote == nil ? 0 : 3)) { output in
      if let quote { output.append(quote) }
      isWhole = unsafe output.withUnsafeMutableBufferPointer { room, count in
        guard let start = room.baseAddress else { return text.isEmpty }
        let isWhole = unsafe text.allSatisfy(copying: start + count, isRight)
        count += isWhole ? text.count : -count
        return isWhole
      }
      if isWhole, let quote {
        output.append(quote)
        output.append(end)
      }
    }
    return isWhole
  }
}

extension Span<UInt8> {
  /// Whether a text in UTF-8 can be shown as it is, so far as ``EightBytes`` knows.
  var isVisible: Bool { unsafe allSatisfy(copying: nil) { $0.isVisible } }

  /// Whether a condition holds for all bytes; as long as it does, they are copied to where there is room
  /// for them.
  @inline(__always)
  fileprivate func allSatisfy(
    copying room: UnsafeMutablePointer<UInt8>?, _ isRight: (EightBytes) -> Bool
  ) -> Bool {
    let room = UnsafeMutableRawPointer(room)
    return unsafe withUnsafeBytes { bytes in
      func copyEight(_ index: Int) -> Bool {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        unsafe room?.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
        return isRight(EightBytes(word: word))
      }
      var index = 0
      while index <= bytes.count - 8 {
        if !copyEight(index) { return false }
        index += 8
      }
      if index == bytes.count { return true }
      if index > 0 { return copyEight(bytes.count - 8) }
      var word: UInt64 = 0x2020_2020_2020_2020
      for index in bytes.indices {
        unsafe room?.storeBytes(of: bytes[index], toByteOffset: index, as: UInt8.self)
        unsafe word = word << 8 | UInt64(bytes[index])
      }
      return isRight(EightBytes(word: word))
    }
  }
}

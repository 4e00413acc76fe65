extension UInt8 {
  /// XML white space: space, tab, carriage return, line feed (XML 1.0, production S).
  var isXMLWhiteSpace: Bool {
    self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D
  }
}

extension BidirectionalCollection<UInt8> {
  /// The text without white space at its beginning and end.
  var trimmed: SubSequence {
    guard let first = firstIndex(where: { !$0.isXMLWhiteSpace }),
      let last = lastIndex(where: { !$0.isXMLWhiteSpace })
    else { return suffix(0) }
    return self[first...last]
  }
}

extension [UInt8] {
  /// Trims the text from `start` to the end and replaces each inner run of white space by one space.
  mutating func normalizeSpace(from start: Int = 0) {
    var text = mutableSpan
    let end = text.normalizeSpace(from: start)
    removeLast(count - end)
  }
}

extension MutableSpan<UInt8> {
  /// Trims the text from `start` to the end and replaces each inner run of white space by
  /// one space, in place.
  ///
  /// - Returns: where the normalized text ends; what comes after is left over.
  mutating func normalizeSpace(from start: Int) -> Int {
    var end = start
    var isSpacePending = false
    for index in start..<count {
      let byte = self[index]
      if byte.isXMLWhiteSpace {
        isSpacePending = end > start
        continue
      }
      if isSpacePending {
        self[end] = 0x20
        end += 1
        isSpacePending = false
      }
      self[end] = byte
      end += 1
    }
    return end
  }
}

extension String {
  /// The text as a catalogue's texts are read: trimmed, each inner run of white space one space.
  package var spaceNormalized: String {
    var bytes = Array(utf8)
    bytes.normalizeSpace()
    return String(decoding: bytes, as: UTF8.self)
  }
}

import Loans

/// Turns the bytes of a diff into text for a terminal that nothing in them can steer.
struct VisibleDiff {
  /// Bytes of a line that has not ended.
  private var rest: [UInt8] = []
  private static let longest = 64 * 1_024

  /// The text of the lines that are whole now; a very long one comes in parts.
  mutating func text(of bytes: [UInt8]) -> String {
    var text = ""
    for byte in bytes {
      if byte == 0x0A {
        text += takeRest() + "\n"
      } else {
        rest.append(byte)
        // Not within a character.
        if rest.count > Self.longest && byte < 0x80 { text += takeRest() }
      }
    }
    return text
  }

  /// Tabs stay, and what is not UTF-8 becomes U+FFFD.
  private mutating func takeRest() -> String {
    let parts = String(decoding: rest, as: UTF8.self)
      .split(separator: "\t", omittingEmptySubsequences: false)
    rest.removeAll(keepingCapacity: true)
    return parts.map { String($0).visible }.joined(separator: "\t")
  }
}

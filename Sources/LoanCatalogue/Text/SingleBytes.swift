/// What each byte of a named encoding is by itself.
struct SingleBytes {
  private var scalars: [Unicode.Scalar?] = []
  /// Whether each byte below 128 is always the same character, and those that matter to XML and to
  /// dates are those of ASCII: then bytes can be read without a converter, and lines be found.
  let areLikeASCII: Bool

  init(of converter: inout IconvConverter) {
    for byte in UInt8.min...UInt8.max {
      let single = [byte]
      let step = converter.convert(single.span)
      // A character that may still combine with the next one is held back.
      let isWhole = step.ending == .whole && step.produced == 1
      scalars.append(isWhole ? converter.scalar(0) : nil)
      if converter.finish() > 0 { scalars[Int(byte)] = nil }
    }
    let scalars = scalars
    areLikeASCII =
      scalars[..<0x80].allSatisfy { $0 != nil }
      && "\t\n\r\u{E}\u{F}\u{1B} !\"#&'()*+,-./0123456789:;<=>?[]x".unicodeScalars.allSatisfy {
        scalars[Int($0.value)] == $0
      }
  }

  /// The character that the byte is, or `nil` if it takes more bytes to know.
  @inline(__always)
  subscript(_ byte: UInt8) -> Unicode.Scalar? { scalars[Int(byte)] }
}

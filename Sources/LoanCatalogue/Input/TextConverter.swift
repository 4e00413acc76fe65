import Glibc

/// A converter of a catalogue's bytes, which come piece by piece, to UTF-8.
///
/// - SeeAlso: `iconv_open(3)`, `iconv(3)`, `iconv_close(3)`.
@safe struct TextConverter: ~Copyable {
  private let descriptor: iconv_t
  /// Bytes at the end of the last piece that begin a character.
  private var rest: [UInt8] = []

  /// A converter for a catalogue that begins with these bytes, some 4,096 of them.
  ///
  /// `nil` if that is in UTF-8, or in an encoding that nobody knows.
  init?(ofHead head: ArraySlice<UInt8>) {
    guard let name = Self.encoding(ofHead: head), let opened = unsafe iconv_open("UTF-8", name),
      unsafe opened != iconv_t(bitPattern: -1)
    else { return nil }
    unsafe descriptor = opened
  }

  deinit { unsafe iconv_close(descriptor) }

  private static let beginnings: [(start: [UInt8], name: String?)] = [
    ([0xEF, 0xBB, 0xBF], nil), ([0xFE, 0xFF], "UTF-16BE"), ([0xFF, 0xFE], "UTF-16LE"),
    ([0, 0, 0, 0x3C], "UTF-32BE"), ([0x3C, 0, 0, 0], "UTF-32LE"),
    ([0, 0x3C, 0, 0x3F], "UTF-16BE"), ([0x3C, 0, 0x3F, 0], "UTF-16LE"),
  ]

  /// The encoding, as libxml2 has it: by a byte order mark, else the look of `<?` in units of two and four
  /// bytes, else the XML declaration (XML 1.0, appendix F, productions 23, 80 and 81).
  static func encoding(ofHead head: ArraySlice<UInt8>) -> String? {
    if let found = beginnings.first(where: { head.starts(with: $0.start) }) { return found.name }
    // Without white space it is an instruction of another name.
    let declaration = #/<\?xml\s(?:[^>]*\s)?encoding\s*=\s*(["'])([A-Za-z][\w.\-]*)\1/#
    let text = String(decoding: head.prefix(4_096), as: UTF8.self)
    guard let name = text.prefixMatch(of: declaration)?.output.2 else { return nil }
    return ["UTF-8", "UTF8"].contains(name.uppercased()) ? nil : String(name)
  }

  /// Converts the next bytes; what is not of the encoding becomes U+FFFD, one byte at a time.
  mutating func convert(_ bytes: [UInt8]) -> [UInt8] {
    var input = (rest + bytes).map { CChar(bitPattern: $0) }
    // A byte becomes three at most; where there is no room all the same, the rest waits.
    var output = [CChar](repeating: 0, count: input.count * 3 + 16)
    var (left, room) = (input.count, output.count)
    unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        var (next, end) = (input.baseAddress, output.baseAddress)
        while unsafe iconv(descriptor, &next, &left, &end, &room) == -1, errno == EILSEQ, room >= 3
        {
          for byte in "\u{FFFD}".utf8 {
            unsafe end?.pointee = CChar(bitPattern: byte)
            unsafe end = end?.successor()
          }
          unsafe next = next?.successor()
          (left, room) = (left - 1, room - 3)
        }
      }
    }
    rest = input.suffix(left).map { UInt8(bitPattern: $0) }
    return output.dropLast(room).map { UInt8(bitPattern: $0) }
  }
}

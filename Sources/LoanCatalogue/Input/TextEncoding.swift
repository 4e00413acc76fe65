import Glibc

/// The encoding of a catalogue's characters in bytes.
struct TextEncoding: Sendable {
  /// The name that `iconv_open(3)` has for it; `nil` for UTF-8.
  private let name: String?
  /// Bytes of the byte order mark, which belongs to no line.
  let markLength: Int
  /// Bytes at a catalogue's beginning that are enough to know.
  static let headLength = 4_096

  /// The encoding of a catalogue that begins with these bytes.
  ///
  /// As libxml2 has it: a byte order mark, else the look of `<?` in units of two and four bytes,
  /// else the XML declaration, else UTF-8 (XML 1.0, appendix F; `xmlDetectCharEncoding`). One whose
  /// name nobody knows is taken for UTF-8.
  init(ofHead head: some Collection<UInt8>) {
    let head = Array(head.prefix(Self.headLength))
    let (start, found) =
      Self.beginnings.first { head.starts(with: $0.start) } ?? ([], Self.declared(in: head))
    markLength = start.first ?? 0 > 0x7F ? start.count : 0
    name = found.flatMap { Self.recode([], from: $0, to: "UTF-8") == nil ? nil : $0 }
  }

  private static let beginnings: [(start: [UInt8], name: String?)] = [
    ([0xEF, 0xBB, 0xBF], nil), ([0xFE, 0xFF], "UTF-16BE"), ([0xFF, 0xFE], "UTF-16LE"),
    ([0, 0, 0, 0x3C], "UTF-32BE"), ([0x3C, 0, 0, 0], "UTF-32LE"),
    ([0, 0x3C, 0, 0x3F], "UTF-16BE"), ([0x3C, 0, 0x3F, 0], "UTF-16LE"),
  ]

  /// The name in `<?xml version="1.0" encoding="NAME"?>` (XML 1.0, productions 23, 80 and 81), but
  /// for UTF-8.
  private static func declared(in head: [UInt8]) -> String? {
    // Without white space it is an instruction of another name.
    let declaration = #/<\?xml\s(?:[^>]*\s)?encoding\s*=\s*(["'])([A-Za-z][\w.\-]*)\1/#
    guard let match = String(decoding: head, as: UTF8.self).prefixMatch(of: declaration) else {
      return nil
    }
    let name = String(match.output.2)
    return ["UTF-8", "UTF8"].contains(name.uppercased()) ? nil : name
  }

  /// Whether what a byte means can depend on those long before it.
  var hasStates: Bool {
    let name = name?.uppercased() ?? ""
    return ["ISO-2022", "HZ", "CSISO2022"].contains { name.hasPrefix($0) }
  }

  /// The text of some bytes; `nil` if they are not of the encoding.
  func text(of bytes: [UInt8]) -> String? {
    let utf8 = name.map { Self.recode(bytes, from: $0, to: "UTF-8") } ?? bytes
    return utf8.flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The bytes of a text; `nil` if it cannot be written in the encoding.
  func bytes(of text: some StringProtocol) -> [UInt8]? {
    let utf8 = Array(text.utf8)
    return name.map { Self.recode(utf8, from: "UTF-8", to: $0) } ?? utf8
  }

  /// Bytes of one encoding as those of another; `nil` if they are not of it or cannot be.
  ///
  /// - SeeAlso: `iconv_open(3)`, `iconv(3)`.
  static func recode(_ bytes: [UInt8], from source: String, to target: String) -> [UInt8]? {
    var converter = TextConverter(from: source, to: target)
    return converter?.convertAll(bytes)
  }

  /// A converter to UTF-8; `nil` where there is nothing to convert.
  func makeConverter() -> TextConverter? { name.flatMap { TextConverter(from: $0, to: "UTF-8") } }
}

/// A converter of the C library from one encoding to another, for bytes that come piece by piece.
///
/// - SeeAlso: `iconv_open(3)`, `iconv(3)`, `iconv_close(3)`.
@safe struct TextConverter: ~Copyable {
  private let descriptor: iconv_t
  /// Bytes at the end of the last piece that begin a character.
  private var rest: [UInt8] = []

  /// `nil` if the library does not know one of them.
  init?(from source: String, to target: String) {
    guard let opened = unsafe iconv_open(target, source),
      unsafe opened != iconv_t(bitPattern: -1)
    else { return nil }
    unsafe descriptor = opened
  }

  deinit { unsafe iconv_close(descriptor) }

  /// Converts the next bytes; what is not of the encoding becomes U+FFFD, one byte at a time.
  mutating func convert(_ bytes: [UInt8]) -> [UInt8] {
    let input = rest + bytes
    var result: [UInt8] = []
    let used = convert(input, to: &result, replacing: true)
    rest = Array(input[used...])
    return result
  }

  /// Converts a whole text; `nil` if that cannot be done.
  mutating func convertAll(_ bytes: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    guard convert(bytes, to: &result, replacing: false) == bytes.count else { return nil }
    // Back to the state that the text began in.
    var end = [CChar](repeating: 0, count: 64)
    var room = end.count
    _ = unsafe end.withUnsafeMutableBufferPointer { end in
      var start = end.baseAddress
      return unsafe iconv(descriptor, nil, nil, &start, &room)
    }
    return result + end.dropLast(room).map { UInt8(bitPattern: $0) }
  }

  /// Converts bytes as far as they go.
  ///
  /// - Parameters:
  ///   - result: takes what they become.
  ///   - replacing: whether U+FFFD takes the place of a byte that is not of the encoding.
  /// - Returns: how many were taken.
  private func convert(_ bytes: [UInt8], to result: inout [UInt8], replacing: Bool) -> Int {
    var input = bytes.map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: 4_096)
    var left = input.count
    unsafe input.withUnsafeMutableBufferPointer { input in
      var next = input.baseAddress
      while left > 0 {
        var room = output.count
        let problem = unsafe output.withUnsafeMutableBufferPointer { output in
          var end = output.baseAddress
          return unsafe iconv(descriptor, &next, &left, &end, &room) == -1 ? errno : 0
        }
        result += output.dropLast(room).lazy.map { UInt8(bitPattern: $0) }
        if problem == EILSEQ && replacing {
          result += "\u{FFFD}".utf8
          unsafe next = next?.successor()
          left -= 1
        } else if problem != E2BIG {
          break
        }
      }
    }
    return bytes.count - left
  }
}

import Glibc
import Testing

/// An encoding in which a catalogue can be written, with words that need it.
struct Encoding: CustomTestStringConvertible, Sendable {
  /// The name for the XML declaration; `nil` for none.
  var name: String?
  /// The name for the C library.
  var library: String
  /// Whether a byte order mark comes first.
  var hasMark = false
  /// Characters outside ASCII.
  var words: String

  var testDescription: String { "\(library)\(hasMark ? " with mark" : "")" }

  private static let all = "Őszi éj, Москва 日本語 🌙"

  static let table = [
    Encoding(library: "UTF-8", words: all),
    Encoding(name: "utf-8", library: "UTF-8", hasMark: true, words: all),
    Encoding(name: "ISO-8859-2", library: "UTF-8", hasMark: true, words: all),
    Encoding(name: "UTF-16", library: "UTF-16LE", hasMark: true, words: all),
    Encoding(name: "UTF-16", library: "UTF-16BE", hasMark: true, words: all),
    Encoding(name: "UTF-16LE", library: "UTF-16LE", words: all),
    Encoding(name: "UTF-16BE", library: "UTF-16BE", words: all),
    Encoding(name: "ISO-8859-1", library: "ISO-8859-1", words: "éß"),
    Encoding(name: "iso-8859-2", library: "ISO-8859-2", words: "őűéł"),
    Encoding(name: "ISO-8859-15", library: "ISO-8859-15", words: "€œ"),
    Encoding(name: "windows-1250", library: "WINDOWS-1250", words: "őű„“€"),
    Encoding(name: "windows-1251", library: "WINDOWS-1251", words: "Москва"),
    Encoding(name: "windows-1252", library: "WINDOWS-1252", words: "é€“”"),
    Encoding(name: "KOI8-R", library: "KOI8-R", words: "Москва"),
    Encoding(name: "IBM852", library: "IBM852", words: "őű"),
    Encoding(name: "MACINTOSH", library: "MACINTOSH", words: "éßπ"),
    Encoding(name: "Shift_JIS", library: "SHIFT_JIS", words: "表ソ日本語ｱ"),
    Encoding(name: "CP932", library: "CP932", words: "表ソ①～ｱ"),
    Encoding(name: "EUC-JP", library: "EUC-JP", words: "日本語ｱ"),
    Encoding(name: "ISO-2022-JP", library: "ISO-2022-JP", words: "日本語"),
    Encoding(name: "GB2312", library: "GB2312", words: "中文"),
    Encoding(name: "GBK", library: "GBK", words: "中文"),
    Encoding(name: "GB18030", library: "GB18030", words: "中文ő🌙"),
    Encoding(name: "Big5", library: "BIG5", words: "中文功"),
    Encoding(name: "EUC-KR", library: "EUC-KR", words: "한국어"),
    Encoding(name: "TIS-620", library: "TIS-620", words: "ภาษาไทย"),
    Encoding(name: "windows-1258", library: "WINDOWS-1258", words: "Việt"),
  ]

  /// Whether what is in ASCII is written like that.
  var keepsASCII: Bool { !library.hasPrefix("UTF-16") }

  /// What a catalogue in this encoding begins with, if it has to.
  var declaration: String {
    name.map { "<?xml version='1.0' encoding=\"\($0)\"?>" } ?? ""
  }

  func bytes(of text: String) throws -> [UInt8] {
    try Self.recode(
      Array((hasMark ? "\u{FEFF}\(text)" : text).utf8), from: "UTF-8", to: library)
  }

  /// The text of such bytes, without the mark.
  func text(of bytes: [UInt8]) throws -> String {
    let text = try Self.recode(bytes, from: library, to: "UTF-8")
    let decoded = String(decoding: text, as: UTF8.self)
    return hasMark ? String(decoded.unicodeScalars.dropFirst()) : decoded
  }

  /// - SeeAlso: `iconv(3)`.
  private static func recode(
    _ bytes: [UInt8], from source: String, to target: String
  ) throws -> [UInt8] {
    let descriptor = unsafe iconv_open(target, source)
    defer { unsafe iconv_close(descriptor) }
    var input = bytes.map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: bytes.count * 4 + 64)
    var (left, room) = (input.count, output.count)
    unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        var (next, end) = (input.baseAddress, output.baseAddress)
        unsafe iconv(descriptor, &next, &left, &end, &room)
        // Back to the state that the text began in.
        unsafe iconv(descriptor, nil, nil, &end, &room)
      }
    }
    try #require(left == 0)
    return output.dropLast(room).map { UInt8(bitPattern: $0) }
  }
}

/// How a catalogue's bytes are its characters.
struct CatalogueEncoding: Hashable, Sendable {
  /// A family of encodings.
  enum Form: Hashable, Sendable {
    case utf8
    case utf16(isBigEndian: Bool)
    case utf32(isBigEndian: Bool)
    /// Another one, by the name that the catalogue gives it.
    case named(String)
  }

  var form: Form
  /// Bytes of the byte order mark, which belongs to no line.
  var markLength = 0

  /// Bytes at a catalogue's beginning that are enough to tell.
  static let headLength = 4_096

  /// The encoding of a catalogue that begins with these bytes.
  ///
  /// As libxml2 has it: a byte order mark, else the look of `<?` in units of two and four bytes,
  /// else the XML declaration, else UTF-8 (XML 1.0, appendix F; `xmlDetectCharEncoding`).
  init(ofHead head: some Collection<UInt8>) {
    let head = Array(head)
    if let (mark, form) = Self.marks.first(where: { head.starts(with: $0.0) }) {
      self.init(form: form, markLength: mark.count)
    } else if let (_, form) = Self.beginnings.first(where: { head.starts(with: $0.0) }) {
      self.init(form: form)
    } else if let name = Self.declared(in: head), !Self.namesOfUTF8.contains(name.uppercased()) {
      self.init(form: .named(name))
    } else {
      self.init(form: .utf8)
    }
  }

  init(form: Form, markLength: Int = 0) {
    self.form = form
    self.markLength = markLength
  }

  private static let marks: [([UInt8], Form)] = [
    ([0xEF, 0xBB, 0xBF], .utf8), ([0xFE, 0xFF], .utf16(isBigEndian: true)),
    ([0xFF, 0xFE], .utf16(isBigEndian: false)),
  ]

  private static let beginnings: [([UInt8], Form)] = [
    ([0, 0, 0, 0x3C], .utf32(isBigEndian: true)), ([0x3C, 0, 0, 0], .utf32(isBigEndian: false)),
    ([0, 0x3C, 0, 0x3F], .utf16(isBigEndian: true)),
    ([0x3C, 0, 0x3F, 0], .utf16(isBigEndian: false)),
  ]

  private static let namesOfUTF8 = ["UTF-8", "UTF8"]

  /// The name in `<?xml version="1.0" encoding="NAME"?>` (XML 1.0, productions 23, 80 and 81).
  private static func declared(in head: [UInt8]) -> String? {
    // Without white space it is an instruction of another name.
    guard head.starts(with: "<?xml".utf8), head.dropFirst(5).first?.isXMLWhiteSpace == true,
      let end = head.firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let declaration = String(decoding: head[..<end], as: UTF8.self)
    guard let name = declaration.firstMatch(of: #/\sencoding\s*=\s*(["'])([A-Za-z][\w.\-]*)\1/#)
    else { return nil }
    return String(name.output.2)
  }
}

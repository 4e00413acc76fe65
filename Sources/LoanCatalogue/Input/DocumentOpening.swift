import Loans

/// The first bytes of a document, looked at before it is parsed as XML.
struct DocumentOpening {
  /// The number of bytes to look at.
  static let reach = 8_192

  private let bytes: ArraySlice<UInt8>
  /// The bytes after a byte order mark and white space.
  private let text: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    text = (bytes.isMarked ? bytes.dropFirst(3) : bytes).drop(while: \.isXMLWhiteSpace)
  }

  /// The diagnostic for a file that is not a list of loans; `nil` if it may be one.
  ///
  /// The reader of the message may have no right to read the file, since a link can lead anywhere; so
  /// none of its content is quoted but a server's status.
  ///
  /// - Parameter mayBeHTML: whether it is to be of a form that pages have.
  func refusal(mayBeHTML: Bool) -> Diagnostic? {
    words(mayBeHTML: mayBeHTML).map {
      Diagnostic(.notACatalogue, at: SourceLocation(line: 1, column: 1), message: $0)
    }
  }

  private func words(mayBeHTML: Bool) -> String? {
    if let found = Self.binaries.first(where: { bytes.starts(with: $0.start) }) {
      return found.name.map(Self.isNotXML) ?? "this is compressed twice; unpack it first"
    }
    if bytes.dropFirst(257).starts(with: "ustar".utf8) { return Self.isNotXML("a tar archive") }
    if bytes.starts(with: "HTTP/".utf8) { return headerWords }
    if let first = text.first, "{[".utf8.contains(first) {
      return #"this is JSON, not XML; ask for XML: curl -H "Accept: application/xml""#
    }
    let root = String(decoding: Self.skippingProlog(text).prefix(15), as: UTF8.self).lowercased()
    if root.hasPrefix("<![cdata[") {
      return "the whole file is a <![CDATA[ section; remove <![CDATA[ and the ]]> at its end"
    }
    if !mayBeHTML, Self.pages.contains(where: { root.hasPrefix($0) }) {
      return """
        this is an HTML page, not a list of loans; look at it in a browser, since the \
        address or the login may be wrong
        """
    }
    return isPlain ? "this is plain text, not XML" : nil
  }

  private static let binaries: [(start: [UInt8], name: String?)] = [
    ([0x1F, 0x8B], nil), ([0x50, 0x4B, 3, 4], nil), (Array("BZh".utf8), nil),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], nil), ([0x28, 0xB5, 0x2F, 0xFD], nil),
    (Array("%PDF-".utf8), "a PDF"), (Array("SQLite format 3\0".utf8), "an SQLite database"),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive"),
    ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "an old Office file"),
  ]

  private static let pages = ["<!doctype html", "<html>", "<html ", "<html\n", "<html\r"]

  private static func isNotXML(_ name: String) -> String {
    "this is \(name), not XML; export the loans as XML"
  }

  /// The message for what `curl -i` has written (RFC 9112, 2.1).
  private var headerWords: String {
    let line = bytes.prefix { $0 != 0x0A }.drop { $0 != 0x20 }.trimmed
    let status = String(decoding: line, as: UTF8.self).quoted()
    return """
      the file begins with the headers of a server's response, \(status); save the body alone \
      (curl without -i)
      """
  }

  /// Whether this is text in ASCII or UTF-8 without any tag.
  private var isPlain: Bool {
    guard !text.contains(where: { $0 == UInt8(ascii: "<") || $0 == 0 }) else { return false }
    var line = text.prefix(80).prefix { $0 != 0x0A && $0 != 0x0D }
    // A character may have been cut.
    while let last = line.last, last >= 0x80 { line.removeLast() }
    return !line.isEmpty && String(validating: line, as: UTF8.self) != nil
  }
}

// MARK: - The root element

extension DocumentOpening {
  /// The rest after an XML declaration, processing instructions and comments.
  static func skippingProlog(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = text
    let parts = [("<?", "?>"), ("<!--", "-->")]
    while let part = parts.first(where: { rest.starts(with: $0.0.utf8) }),
      let end = rest.firstRange(of: Array(part.1.utf8))
    {
      rest = rest[end.upperBound...].drop(while: \.isXMLWhiteSpace)
    }
    return rest
  }

  /// The name of the first element without its prefix, if a text in ASCII or UTF-8 begins with one or
  /// with a prolog that declares no document type.
  static func rootName(_ text: ArraySlice<UInt8>) -> String? {
    let root = skippingProlog(DocumentOpening(text).text)
    guard root.first == UInt8(ascii: "<") else { return nil }
    let name = root.dropFirst().prefix(256).prefix {
      !$0.isXMLWhiteSpace && !">/".utf8.contains($0)
    }
    return name.split(separator: UInt8(ascii: ":")).last.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension ArraySlice<UInt8> {
  /// Whether they begin with the byte order mark of UTF-8 (XML 1.0, appendix F).
  var isMarked: Bool { starts(with: [0xEF, 0xBB, 0xBF]) }
}

import Loans

/// The beginning of a file, looked at before it is parsed as XML: the headers that a server sent
/// with it, or something that is not XML at all.
struct DocumentOpening {
  /// Bytes of headers before the document, and of the empty lines after them.
  private(set) var headerLength = 0
  /// Lines that the headers take.
  private(set) var headerLines = 0
  /// The server's last status, `401 Unauthorized`, if there are headers.
  private var status: String?
  private let kind: Kind?
  /// Whether the document begins with the byte order mark of UTF-8.
  let isMarked: Bool

  /// The kinds of file that are not a list of loans.
  ///
  /// Whoever reads the message need not be allowed to read the file, which a link may lead to; so
  /// nothing of its content is kept here.
  private enum Kind {
    /// Packed by a program that `command` unpacks; `nil` if that should have been done already.
    case packed(String, command: String?)
    case html
    /// Something else, with what to say about it.
    case other(String)
  }

  private static let longestHeaders = 65_536
  private static let longestLook = 8_192

  /// - Throws: ``CatalogueError`` if the file cannot be read.
  init(of catalogue: CatalogueFile) throws(CatalogueError) {
    var bytes = try catalogue.firstBytes(Self.longestLook)
    if bytes.starts(with: Self.protocolName) {
      bytes = try catalogue.firstBytes(Self.longestHeaders)
      if bytes.count < Self.longestHeaders, Self.body(after: bytes) == nil {
        // An answer without body, whose empty line may be lost.
        status = Self.status(of: bytes)
        bytes = bytes[bytes.endIndex...]
      }
      while let rest = Self.body(after: bytes) {
        status = Self.status(of: bytes)
        bytes = rest
      }
      let body = bytes.drop { $0 == 0x0A || $0 == 0x0D }
      if status != nil {
        let headers = try catalogue.firstBytes(body.startIndex)
        headerLength = headers.count
        headerLines = headers.count { $0 == 0x0A }
      }
      bytes = body
    }
    isMarked = bytes.isMarked
    kind =
      status != nil && bytes.isEmpty
      ? .other("nothing follows the headers; correct the request and try again")
      : Self.kind(of: bytes)
  }

  private static let protocolName = Array("HTTP/".utf8)

  /// The rest after the headers that a text begins with (RFC 9112, 2.1); the empty line between may
  /// have been lost.
  private static func body(after bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard bytes.starts(with: protocolName) else { return nil }
    var rest = bytes
    while let end = rest.firstIndex(of: 0x0A) {
      let line = rest[..<end]
      rest = rest[(end + 1)...]
      if line.isEmpty || line.elementsEqual([0x0D]) || rest.first == UInt8(ascii: "<") {
        return rest
      }
    }
    return nil
  }

  private static func status(of bytes: ArraySlice<UInt8>) -> String {
    let line = Array(bytes.prefix { $0 != 0x0A && $0 != 0x0D }.drop { $0 != 0x20 })
    return String(decoding: line.trimmed, as: UTF8.self)
  }
}

// MARK: - Kinds

extension DocumentOpening {
  private static let packings: [(start: [UInt8], name: String, command: String?)] = [
    ([0x1F, 0x8B], "a gzip file", nil),
    ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive", nil),
    (Array("BZh".utf8), "a bzip2 file", "bunzip2 -c"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "an xz file", "xz -dc"),
    ([0x28, 0xB5, 0x2F, 0xFD], "a zstd file", "zstd -dc"),
  ]

  private static let others: [(start: [UInt8], name: String)] = [
    (Array("%PDF-".utf8), "a PDF"),
    (Array("SQLite format 3\0".utf8), "an SQLite database"),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive"),
    ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "an old Office file"),
  ]

  private static func kind(of bytes: ArraySlice<UInt8>) -> Kind? {
    let isTar = bytes.dropFirst(257).starts(with: "ustar".utf8)
    for packing in packings where !isTar && bytes.starts(with: packing.start) {
      return .packed(packing.name, command: packing.command)
    }
    if let name = isTar
      ? "a tar archive" : others.first(where: { bytes.starts(with: $0.start) })?.name
    {
      return .other("this is \(name), not XML; export the loans as XML")
    }
    let text = withoutStart(bytes)
    if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
      return .other(
        """
        this is JSON, not XML; ask the server for XML, for example with \
        curl -H "Accept: application/xml"
        """)
    }
    if skippingProlog(text).starts(with: "<![CDATA[".utf8) {
      return .other(
        "the whole file is a <![CDATA[ section; remove <![CDATA[ and the ]]> at its end")
    }
    if isHTML(text) { return .html }
    return isPlain(text) ? .other("this is plain text, not XML") : nil
  }

  /// Whether this is text in ASCII or UTF-8 without any tag.
  private static func isPlain(_ text: ArraySlice<UInt8>) -> Bool {
    guard !text.contains(where: { $0 == UInt8(ascii: "<") || $0 == 0 }) else { return false }
    var line = text.prefix(80).prefix { $0 != 0x0A && $0 != 0x0D }
    // A character may have been cut.
    while let last = line.last, last >= 0x80 { line.removeLast() }
    return !line.isEmpty && String(validating: line, as: UTF8.self) != nil
  }

  private static func isHTML(_ text: ArraySlice<UInt8>) -> Bool {
    let start = String(decoding: skippingProlog(text).prefix(15), as: UTF8.self).lowercased()
    return ["<!doctype html", "<html>", "<html ", "<html\n", "<html\r"].contains {
      start.hasPrefix($0)
    }
  }

  /// The rest after a byte order mark and white space.
  private static func withoutStart(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    (text.isMarked ? text.dropFirst(3) : text).drop(while: \.isXMLWhiteSpace)
  }

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
    let root = skippingProlog(withoutStart(text))
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

// MARK: - Messages

extension DocumentOpening {
  /// The warning about headers, if there are any.
  var warnings: [Diagnostic] {
    guard let status else { return [] }
    return [
      Diagnostic(
        .httpHeaders, at: SourceLocation(line: 1, column: 1),
        message: """
          the file begins with the headers of the server's answer \(status.quoted()); they are \
          left out, but save the body alone (curl without -i)
          """, value: status)
    ]
  }

  /// The diagnostic for a file that is not a list of loans; `nil` if it may be one.
  ///
  /// - Parameters:
  ///   - path: by which a command can find it.
  ///   - mayBeHTML: whether it is to be of a form that pages have.
  func refusal(path: String, mayBeHTML: Bool) -> Diagnostic? {
    guard let kind else { return nil }
    if mayBeHTML, case .html = kind { return nil }
    let what = words(for: kind, path: path)
    let answer = isFailure ? "; the server's answer was \((status ?? "").quoted())" : ""
    return Diagnostic(
      .notACatalogue, at: SourceLocation(line: headerLines + 1, column: 1), message: what + answer)
  }

  private var isFailure: Bool { status.map { $0.hasPrefix("4") || $0.hasPrefix("5") } ?? false }

  private func words(for kind: Kind, path: String) -> String {
    let file = path.asPlainWord ?? "FILE"
    switch kind {
    case .packed(let name, _) where status != nil:
      return """
        the headers are followed by \(name), not XML; save the body alone, unpacked (curl \
        --compressed, without -i)
        """
    case .packed(let name, nil):
      return "this is packed twice: inside it is \(name); unpack it first"
    case .packed(let name, let command?):
      return path == "-"
        ? "this is \(name), not XML; unpack it first: … | \(command) | check-loans -"
        : "this is \(name), not XML; unpack it first: \(command) \(file) | check-loans -"
    case .html:
      return """
        this is an HTML page, not a list of loans; look at it in a browser, since the \
        address or the login may be wrong
        """
    case .other(let words):
      return words
    }
  }
}

extension String {
  /// The text as a word that a shell takes as it is, or `nil` if it would have to be quoted.
  fileprivate var asPlainWord: String? {
    wholeMatch(of: #/(?!-)[A-Za-z0-9\-._\/+,:@%]+/#) == nil ? nil : self
  }
}

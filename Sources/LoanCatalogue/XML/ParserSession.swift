import CLibXML2
import Glibc
import Loans

/// The state that libxml2's handlers share while it reads a document: where the parser is, and why
/// it was stopped.
///
/// It is reached by a pointer that the parser context carries (`_private`).
@safe struct ParserSession: ~Copyable {
  /// The reader whose handlers are called.
  let reader: UnsafeMutableRawPointer
  var input: CatalogueInput
  let context: xmlParserCtxtPtr
  /// The input of the document itself, from its beginning to its end: libxml2 frees it then.
  private(set) var document: xmlParserInputPtr?
  /// Bytes of the file up to where the parser came to the document's end; `nil` before that.
  private var end: Int?
  /// Bytes of the file before those that the parser reads.
  private(set) var bytesBefore = 0
  /// The place in the document where the last event ended and the next one begins.
  private(set) var position = SourceLocation(line: 1, column: 1)
  private(set) var isStopped = false
  /// Why it was stopped, if the profile cannot be applied.
  private var failure: CatalogueError?
  /// Why it was stopped, if the document is to blame.
  private(set) var malformation: Diagnostic?

  @unsafe init(
    _ reader: UnsafeMutableRawPointer, _ context: xmlParserCtxtPtr, path: String
  ) {
    unsafe self.reader = reader
    unsafe self.context = context
    input = CatalogueInput(path: path)
  }

  /// Begins with a document, or a chunk of one.
  mutating func begin(_ start: ChunkStart) {
    input = CatalogueInput(path: input.path)
    bytesBefore = start.offset - start.head.count
    position = SourceLocation(line: 1, column: 1)
    isStopped = false
    (end, failure, malformation) = (nil, nil, nil)
    unsafe document = nil
  }

  /// Has nothing more read, nor any handler called.
  mutating func stop() {
    isStopped = true
    unsafe context.pointee.disableSAX = 1
    input.close()
  }

  /// Ends the reading at what is wrong with the document itself.
  mutating func endEarly(
    _ code: Diagnostic.Code, at location: SourceLocation, _ message: String, value: String? = nil
  ) {
    guard !isStopped else { return }
    stop()
    malformation = Diagnostic(code, at: location, message: message, value: value)
  }

  /// Ends the reading at what the profile is to blame for.
  mutating func fail(_ message: String, at location: SourceLocation) {
    stop()
    failure =
      failure
      ?? CatalogueError(
        code: .profileFailed, path: input.path, message: message, location: location)
  }

  /// Whether the whole document was read, and was well-formed.
  var isWellFormed: Bool {
    // Where nothing could be read at all, there was nothing wrong either.
    unsafe !isStopped && end != nil && context.pointee.wellFormed == 1
  }

  /// Refuses a document of millions of different names, which would keep libxml2's dictionary busy
  /// for hours.
  ///
  /// - SeeAlso: `xmlDictSize`.
  mutating func checkNameCount() {
    if nameCount > 100_000 {
      endEarly(.malformedXML, at: position, "the document has more than 100,000 different names")
    }
  }

  /// The longest text, in bytes; libxml2's own limit for a text node.
  static let longestText = 10_000_000

  /// Refuses a document with a text of this many bytes, if that is too long.
  mutating func checkTextLength(_ count: Int) {
    if count > Self.longestText {
      endEarly(.malformedXML, at: position, "a text is longer than 10,000,000 bytes")
    }
  }

  /// The number of different names in the document so far, and in what the parser has read before.
  var nameCount: Int { unsafe Int(check_loans_name_count(context)) }

  /// - Throws: ``CatalogueError`` if the document could not be read.
  mutating func finish() throws(CatalogueError) {
    if let failure { throw failure }
    let isBroken = malformation?.code == .malformedXML
    try input.checkAfterwards(isBroken: isBroken)
    if let words = input.catalogue?.unpackingError, !isStopped || isBroken {
      stop()
      malformation = Diagnostic(
        .notACatalogue, at: malformation?.location ?? position, message: words)
    }
    if !isStopped && !isWellFormed {
      endEarly(.malformedXML, at: position, "the document is not well-formed XML")
    }
  }
}

// MARK: - The document and what is wrong with it

extension ParserSession {
  /// - SeeAlso: `startDocumentSAXFunc`.
  mutating func startDocument() {
    unsafe document = check_loans_document_input(context)
    if let name = refusedEncoding { refuseEncoding(name) }
  }

  /// - SeeAlso: `endDocumentSAXFunc`.
  mutating func endDocument() {
    end = bytesRead
    unsafe document = nil
  }

  /// The encoding that the document declares, if it is UTF-7, whose bytes can hide markup.
  private var refusedEncoding: String? {
    guard let encoding = unsafe check_loans_declared_encoding(context) else { return nil }
    let name = unsafe String(cString: encoding)
    return name.uppercased().replacing("-", with: "").contains("UTF7") ? name : nil
  }

  private mutating func refuseEncoding(_ name: String?) {
    let message =
      name.map { "the encoding \($0.quoted()) is not supported; save the catalogue as UTF-8" }
      ?? "the declared encoding is not supported; save the catalogue as UTF-8"
    endEarly(.unsupportedEncoding, at: SourceLocation(line: 1, column: 1), message, value: name)
  }

  /// Refuses an entity that the document type declares.
  mutating func refuseEntity(declared name: String) {
    refuseDeclaration(
      of: name,
      """
      the document declares the entity \(name.quoted()); entities are not read, so write its text \
      where it is used
      """)
  }

  /// Refuses a value of an attribute that the document type declares.
  mutating func refuseValue(ofAttribute name: String) {
    refuseDeclaration(
      of: name,
      """
      the document declares a value of the attribute \(name.quoted()), which is not read; write it \
      in the elements themselves
      """)
  }

  private mutating func refuseDeclaration(of name: String, _ message: String) {
    endEarly(.declaredText, at: tagStart, message, value: name)
  }

  /// Refuses an entity outside the catalogue that the document type declares.
  mutating func refuseAddress(_ address: String) {
    endEarly(
      .externalEntity, at: tagStart,
      "\(address.quoted()) is outside the catalogue and is never read; remove the reference to it",
      value: address)
  }

  /// - SeeAlso: `xmlStructuredErrorFunc`.
  @unsafe mutating func note(_ error: xmlError, in context: xmlParserCtxtPtr?) {
    guard !isStopped, input.failure == nil else { return }
    switch unsafe error.code {
    case Int32(XML_WAR_UNDECLARED_ENTITY.rawValue):
      let name = unsafe error.str1.map { unsafe String(cString: $0) } ?? ""
      endEarly(
        .externalEntity, at: position,
        "the entity \(name.quoted()) is not defined in the catalogue itself; write what it stands for",
        value: name)
    case Int32(XML_ERR_UNSUPPORTED_ENCODING.rawValue):
      refuseEncoding(unsafe error.str1.map { unsafe String(cString: $0) })
    case Int32(XML_ERR_DOCUMENT_EMPTY.rawValue)
    where unsafe context?.pointee.input?.pointee.cur?.pointee ?? 0 != 0:
      endEarly(
        .malformedXML, at: unsafe location(of: error),
        "not well-formed XML: it does not begin with <; remove what comes before the XML")
    // 2.14 and later report UTF-7 like this.
    case Int32(XML_ERR_INVALID_ENCODING.rawValue) where refusedEncoding != nil:
      refuseEncoding(refusedEncoding)
    case _ where unsafe error.level == XML_ERR_FATAL:
      endEarly(
        .malformedXML, at: unsafe location(of: error),
        "not well-formed XML: \(unsafe ParserErrorText.text(of: error))")
    default:
      break
    }
  }

  /// A mistake in the bytes, raised by a converter that knows no parser.
  @unsafe mutating func note(_ error: xmlError) {
    guard !isStopped, input.failure == nil, unsafe error.level.rawValue >= XML_ERR_ERROR.rawValue,
      unsafe error.domain == XML_FROM_I18N.rawValue || error.domain == XML_FROM_IO.rawValue
    else { return }
    // What is refused may fail before the document has begun.
    if let name = refusedEncoding { return refuseEncoding(name) }
    endEarly(
      .malformedXML, at: currentPosition,
      "not well-formed XML: \(unsafe ParserErrorText.text(of: error))")
  }

  @unsafe private func location(of error: xmlError) -> SourceLocation {
    guard unsafe error.line > 0 else { return position }
    return unsafe SourceLocation(line: Int(error.line), column: max(1, Int(error.int2)))
  }
}

// MARK: - Places

extension ParserSession {
  /// Notes where the parser is: an event has ended there.
  @inline(__always)
  mutating func notePlace() {
    if let input = unsafe document { position = unsafe input.pointee.location }
  }

  /// Notes where a start tag ends: the parser is at its `>`, or at the `/>` that ends the element too.
  @inline(__always)
  mutating func noteTagEnd() {
    notePlace()
    position.column &+= 1
  }

  /// Goes on as if the document began at a place, which is that of the next character.
  mutating func move(to location: SourceLocation) {
    position = location
    guard let input = unsafe document else { return }
    unsafe input.pointee.line = Int32(clamping: location.line)
    // libxml2 goes on after the tag's end.
    unsafe input.pointee.col = Int32(truncatingIfNeeded: location.column &- 1)
  }

  /// libxml2 counts the name of an end tag in bytes; columns are counted in characters.
  @inline(never)
  @unsafe func correctColumn(
    afterEndOf name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?
  ) {
    let surplus = unsafe surplusBytes(in: name, prefix)
    guard surplus > 0, let input = unsafe document else { return }
    // An element that ends in its start tag has no end tag.
    guard unsafe input.pointee.cur - input.pointee.base < 2 || input.pointee.cur[-2] != 0x2F else {
      return
    }
    unsafe input.pointee.col &-= Int32(surplus)
  }

  /// The place of the parser in the document itself.
  var currentPosition: SourceLocation { unsafe document?.pointee.location ?? position }

  /// What the parser has kept of the text before it, at least the tag or declaration that it has just read:
  /// it hands over the values of attributes as pointers into it (`xmlParseStartTag2`).
  private var textRead: UnsafeBufferPointer<xmlChar> {
    guard let input = unsafe document, let cursor = unsafe input.pointee.cur,
      let base = unsafe input.pointee.base
    else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
    return unsafe UnsafeBufferPointer(start: base, count: cursor - base)
  }

  /// The place of the `<` of the tag or declaration that the parser has just read.
  ///
  /// ``position`` is there too, unless what came before it raises no event.
  var tagStart: SourceLocation {
    let (text, end) = (unsafe textRead, currentPosition)
    guard let start = unsafe text.lastIndex(of: UInt8(ascii: "<")) else { return end }
    let lineBreaks = unsafe text[start...].count { $0 == 0x0A }
    let line = end.line - lineBreaks
    // Later versions of libxml2 count one column less in a document type, so counting from the line's
    // beginning is better, if that is kept.
    let lineStart = unsafe text[..<start].lastIndex(of: 0x0A).map { $0 + 1 }
    if lineStart == nil && lineBreaks == 0 {
      let characters = unsafe text[start...].characterCount
      return SourceLocation(line: line, column: max(1, end.column - characters))
    }
    return SourceLocation(
      line: line, column: 1 + (unsafe text[(lineStart ?? 0)..<start].characterCount))
  }

  /// The place of a value in the tag at a place, which the parser has just read.
  ///
  /// - Returns: `nil` for a value with references, or characters beyond ASCII.
  @unsafe func place(
    of value: UnsafePointer<xmlChar>, inTagAt start: SourceLocation
  ) -> SourceLocation? {
    let text = unsafe textRead
    guard let base = text.baseAddress, unsafe value > base && value < base + text.count else {
      return nil
    }
    var tag = unsafe value
    while unsafe tag > base && tag.pointee != UInt8(ascii: "<") { unsafe tag -= 1 }
    return unsafe start.moved(over: UnsafeBufferPointer(start: tag, count: value - tag).span)
  }

  /// The number of bytes of the file before the parser, if they are read as they are.
  @inline(__always)
  var bytesRead: Int {
    guard let input = unsafe document, let cursor = unsafe input.pointee.cur,
      let base = unsafe input.pointee.base
    else { return end ?? 0 }
    return unsafe bytesBefore &+ Int(input.pointee.consumed) &+ (cursor - base)
  }

  /// The number of bytes of the file before the parser, in any encoding; `nil` if it is not known.
  ///
  /// - SeeAlso: `xmlByteConsumed`.
  var byteOffset: Int? {
    if unsafe check_loans_reads_plainly(context) != 0 { return bytesRead }
    let count = unsafe check_loans_byte_offset(context)
    return count < 0 ? nil : bytesBefore + count
  }
}

extension xmlParserInput {
  /// The place of the parser in the input; columns beyond 2³¹ go on into the negative numbers.
  @inline(__always)
  fileprivate var location: SourceLocation {
    SourceLocation(line: Int(unsafe line), column: Int(UInt32(bitPattern: unsafe col)))
  }
}

extension SourceLocation {
  /// The place after a text, if it is as it is written.
  func moved(over text: Span<UInt8>) -> SourceLocation {
    let lineFeeds = text.lineFeeds
    var place = SourceLocation(line: line + lineFeeds, column: lineFeeds == 0 ? column : 1)
    var index = text.count
    while index > 0, text[index - 1] != 0x0A {
      index -= 1
      if text[index] & 0xC0 != 0x80 { place.column += 1 }
    }
    return place
  }
}

extension Span<UInt8> {
  /// The number of line feeds.
  fileprivate var lineFeeds: Int {
    unsafe withUnsafeBufferPointer { text in
      var (count, index) = (0, 0)
      while index < text.count {
        // Counted in a byte as long as it cannot overflow, many are compared at once.
        let end = min(text.count, index + 255)
        var found: UInt8 = 0
        while index < end {
          found &+= unsafe text[index] == 0x0A ? 1 : 0
          index &+= 1
        }
        count += Int(found)
      }
      return count
    }
  }
}

extension Collection<UInt8> {
  /// The number of characters in UTF-8.
  var characterCount: Int { count { $0 & 0xC0 != 0x80 } }
}

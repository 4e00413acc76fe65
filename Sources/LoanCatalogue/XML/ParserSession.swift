import CLibXML2
import Glibc
import Loans
internal import Synchronization

/// The state that libxml2's handlers share while it reads a document: where the parser is, and why
/// it was stopped.
///
/// It is reached by a pointer that the parser context carries (`_private`), so that the contexts
/// libxml2 makes for entities find it too.
@safe struct ParserSession: ~Copyable {
  typealias Place = (line: Int32, column: Int32)

  /// The reader whose handlers are called.
  let reader: UnsafeMutableRawPointer
  var input: CatalogueInput
  let context: xmlParserCtxtPtr
  /// The input of the document itself, from its beginning to its end: libxml2 frees it then.
  private(set) var document: xmlParserInputPtr?
  /// Bytes of the file up to where the parser came to the document's end; `nil` before that.
  private var end: Int?
  /// Bytes of the file before those that the parser reads.
  let bytesBefore: Int
  /// The place where the last event ended, as libxml2 counts.
  var place: Place = (1, 1)
  /// The end of the reference whose entity's text was read last.
  private var referenceEnd: SourceLocation?
  /// The envelope around a payload, which hides it from the reader.
  private(set) var envelope: SOAPEnvelope?
  private(set) var hasDoctype = false
  /// Bytes of text, and of elements roughly, that came out of entities.
  private var expansion = 0
  private static let largestExpansion = 10_000_000
  private(set) var isStopped = false
  /// Whether an event needs more than nearly all do.
  private(set) var isSpecial = false
  /// Why it was stopped, if the profile cannot be applied.
  private var failure: CatalogueError?
  /// Why it was stopped, if the document is to blame.
  private(set) var fault: Diagnostic?

  @unsafe init(
    _ reader: UnsafeMutableRawPointer, _ context: xmlParserCtxtPtr, path: String,
    from start: PartStart
  ) {
    unsafe self.reader = reader
    unsafe self.context = context
    input = CatalogueInput(path: path)
    bytesBefore = start.offset - start.head.count
  }

  /// Reads nothing but the payload of an envelope.
  @unsafe mutating func enter(_ payload: SOAPPayload?) {
    guard let payload, let handlers = unsafe context.pointee.sax else { return }
    envelope = unsafe SOAPEnvelope(payload, handlers)
  }

  /// Has every event looked at closely, since names have characters of several bytes.
  mutating func noteLongNames() { isSpecial = true }

  /// Nothing more is read.
  mutating func stop() {
    isStopped = true
    isSpecial = true
    input.close()
  }

  /// Ends the reading at a fault in the document itself.
  mutating func endEarly(
    _ code: Diagnostic.Code, at location: SourceLocation, _ message: String, value: String? = nil
  ) {
    guard !isStopped else { return }
    stop()
    fault = Diagnostic(code, at: location, message: message, value: value)
  }

  /// Ends the reading at what is not the document's fault.
  mutating func fail(_ message: String, at location: SourceLocation) {
    stop()
    failure =
      failure
      ?? CatalogueError(
        code: .profileFailed, path: input.path, message: message, location: location)
  }

  /// Whether the whole document was read, and was well-formed.
  var isWellFormed: Bool {
    // Where nothing could be read at all, there was no fault either.
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

  /// The number of different names in the document so far.
  var nameCount: Int { unsafe Int(check_loans_name_count(context)) }

  /// - Throws: ``CatalogueError`` if the document could not be read.
  mutating func finish() throws(CatalogueError) {
    if let failure { throw failure }
    let isBroken = fault?.code == .malformedXML
    try input.checkAfterwards(isBroken: isBroken)
    if let words = input.catalogue?.unpackingError, !isStopped || isBroken {
      stop()
      fault = Diagnostic(.notACatalogue, at: fault?.location ?? position, message: words)
    }
    if !isStopped && !isWellFormed {
      endEarly(.malformedXML, at: position, "the document is not well-formed XML")
    }
  }
}

// MARK: - The document and its faults

extension ParserSession {
  /// Encodings that are refused although the converter knows them: their bytes can hide markup.
  private static let refusedEncodings = ["UTF7", "UNICODE-1-1-UTF-7", "CSUNICODE11UTF7"]

  /// - SeeAlso: `startDocumentSAXFunc`.
  @unsafe mutating func startDocument(_ context: xmlParserCtxtPtr) {
    unsafe document = check_loans_document_input(context)
    if let name = unsafe refusedEncoding(context) { refuseEncoding(name) }
  }

  /// - SeeAlso: `endDocumentSAXFunc`.
  mutating func endDocument() {
    end = bytesRead
    unsafe document = nil
  }

  /// The encoding that the document declares, if it is refused.
  @unsafe private func refusedEncoding(_ context: xmlParserCtxtPtr) -> String? {
    guard let encoding = unsafe check_loans_declared_encoding(context) else { return nil }
    let name = unsafe String(cString: encoding)
    let uppercased = name.uppercased()
    let isRefused = uppercased.hasPrefix("UTF-7") || Self.refusedEncodings.contains(uppercased)
    return isRefused ? name : nil
  }

  private mutating func refuseEncoding(_ name: String?) {
    let message =
      name.map { "the encoding \($0.quoted()) is not supported; save the catalogue as UTF-8" }
      ?? "the declared encoding is not supported; save the catalogue as UTF-8"
    endEarly(.unsupportedEncoding, at: SourceLocation(line: 1, column: 1), message, value: name)
  }

  mutating func foundDoctype() {
    hasDoctype = true
    isSpecial = true
  }

  /// - SeeAlso: `xmlExternalEntityLoader`.
  @unsafe mutating func refuseEntity(_ address: String) {
    settleReference()
    let isBeforeRoot = unsafe context.pointee.nameNr == 0
    let place = isBeforeRoot ? currentPosition : position
    endEarly(
      .externalEntity, at: place,
      "\(address.quoted()) is outside the catalogue and is never read; remove the reference to it",
      value: address)
  }

  /// A reference whose text the parser leaves out.
  ///
  /// - SeeAlso: `referenceSAXFunc`.
  @unsafe mutating func unresolvedReference(_ name: String) {
    endEarly(
      .externalEntity, at: position,
      "the entity \(name.quoted()) is not defined in the catalogue itself; write what it stands for",
      value: name)
  }

  /// - SeeAlso: `xmlStructuredErrorFunc`.
  @unsafe mutating func note(_ error: xmlError, in context: xmlParserCtxtPtr?) {
    guard !isStopped, input.failure == nil else { return }
    switch unsafe error.code {
    case Int32(XML_WAR_UNDECLARED_ENTITY.rawValue):
      let name = unsafe error.str1.map { unsafe String(cString: $0) } ?? ""
      unsafe unresolvedReference(name)
    case Int32(XML_ERR_UNSUPPORTED_ENCODING.rawValue):
      refuseEncoding(unsafe error.str1.map { unsafe String(cString: $0) })
    case Int32(XML_ERR_DOCUMENT_EMPTY.rawValue)
    where unsafe context?.pointee.input?.pointee.cur?.pointee ?? 0 != 0:
      endEarly(
        .malformedXML, at: unsafe location(of: error, context),
        "not well-formed XML: it does not begin with <; remove what comes before the XML")
    case _ where unsafe error.level == XML_ERR_FATAL:
      endEarly(
        .malformedXML, at: unsafe location(of: error, context),
        "not well-formed XML: \(unsafe ParserErrorText.text(of: error))")
    default:
      break
    }
  }

  /// A fault in the bytes, raised by a converter that knows no parser.
  @unsafe mutating func note(_ error: xmlError) {
    guard !isStopped, input.failure == nil, unsafe error.level.rawValue >= XML_ERR_ERROR.rawValue,
      unsafe error.domain == XML_FROM_I18N.rawValue || error.domain == XML_FROM_IO.rawValue
    else { return }
    // What is refused may fail before the document has begun.
    if let name = unsafe refusedEncoding(context) { return refuseEncoding(name) }
    endEarly(
      .malformedXML, at: currentPosition,
      "not well-formed XML: \(unsafe ParserErrorText.text(of: error))")
  }

  @unsafe private func location(
    of error: xmlError, _ context: xmlParserCtxtPtr?
  ) -> SourceLocation {
    guard let context = unsafe context, unsafe !isInsideEntity(context), unsafe error.line > 0
    else { return position }
    return unsafe SourceLocation(line: Int(error.line), column: max(1, Int(error.int2)))
  }
}

// MARK: - Places

extension ParserSession {
  /// The place in the document itself where the last event ended and the next one begins.
  var position: SourceLocation {
    SourceLocation(line: Int(place.line), column: Int(UInt32(bitPattern: place.column)))
  }

  /// Notes where the parser is in the document itself.
  @inline(__always)
  mutating func notePlace() {
    guard let input = unsafe document else { return }
    unsafe place = (input.pointee.line, input.pointee.col)
  }

  private mutating func note(_ location: SourceLocation) {
    place = (Int32(clamping: location.line), Int32(truncatingIfNeeded: location.column))
  }

  /// Goes on as if the document began at a place, which is that of the next character.
  mutating func move(to location: SourceLocation) {
    note(location)
    guard let input = unsafe document else { return }
    unsafe input.pointee.line = place.line
    // libxml2 goes on after the tag's end.
    unsafe input.pointee.col = place.column &- 1
  }

  /// The place of the parser in the document itself.
  @inline(__always)
  var currentPosition: SourceLocation {
    unsafe document?.pointee.location ?? position
  }

  /// The number of bytes of the file before the parser, if they are read as they are.
  @inline(__always)
  var bytesRead: Int {
    guard let input = unsafe document, let cursor = unsafe input.pointee.cur,
      let base = unsafe input.pointee.base
    else { return end ?? 0 }
    return unsafe bytesBefore &+ Int(input.pointee.consumed) &+ (cursor - base)
  }

  /// Whether the parser reads the text of an entity: libxml2 uses a context of its own for it up
  /// to 2.12, and an input on top of the document's from 2.13 on.
  @inline(__always)
  @unsafe func isInsideEntity(_ context: xmlParserCtxtPtr) -> Bool {
    guard hasDoctype else { return false }
    return unsafe context != self.context || check_loans_is_inside_entity(context) != 0
  }

  /// The number of bytes of the file before the parser, in any encoding; `nil` if it is not known.
  ///
  /// - SeeAlso: `xmlByteConsumed`.
  var byteOffset: Int? {
    if unsafe check_loans_reads_plainly(context) != 0 { return bytesRead }
    let count = unsafe xmlByteConsumed(context)
    return count < 0 ? nil : bytesBefore + count
  }

  /// Takes the place where an event has ended for where the next one begins.
  ///
  /// Events within an entity are where its reference is.
  @inline(__always)
  @unsafe mutating func notePlace(_ context: xmlParserCtxtPtr) {
    if unsafe !isInsideEntity(context) { notePlace() }
  }

  /// Moves on after the reference to an entity whose text has been read, at the next event.
  @inline(__always)
  @unsafe mutating func settlePlace(_ context: xmlParserCtxtPtr) {
    guard hasDoctype else { return }
    if unsafe isInsideEntity(context) {
      settleReference()
    } else if let end = referenceEnd {
      note(end)
      referenceEnd = nil
    }
  }

  private mutating func settleReference() {
    let end = currentPosition
    if let start = referenceStart(endingAt: end) {
      note(start)
    } else if let referenceEnd, referenceEnd != end {
      note(referenceEnd)
    }
    referenceEnd = end
  }

  /// Finds the beginning of the reference that the parser has just read in the document itself.
  ///
  /// Not where the last event ended: a reference before it to an entity without text raises none.
  private func referenceStart(endingAt end: SourceLocation) -> SourceLocation? {
    guard let input = unsafe document, let cursor = unsafe input.pointee.cur,
      let base = unsafe input.pointee.base
    else { return nil }
    let text = unsafe UnsafeBufferPointer(start: base, count: cursor - base).suffix(1_024)
    guard unsafe text.last == UInt8(ascii: ";"),
      let start = unsafe text.lastIndex(of: UInt8(ascii: "&"))
    else { return nil }
    let length = unsafe text[start...].count { $0 & 0xC0 != 0x80 }
    return SourceLocation(line: end.line, column: end.column - length)
  }
}

extension xmlParserInput {
  /// The place of the parser in the input.
  ///
  /// libxml2 counts the columns of a line of more than 2³¹ characters on into the negative numbers.
  @inline(__always)
  var location: SourceLocation {
    unsafe SourceLocation(line: Int(line), column: Int(UInt32(bitPattern: col)))
  }
}

// MARK: - Sessions

extension ParserSession {
  /// The addresses of the sessions that there are, by which a parser of this library is known.
  private static let live = Mutex<Set<UInt>>([])

  static func begin(at address: UnsafeMutableRawPointer) {
    live.withLock { _ = $0.insert(UInt(bitPattern: address)) }
  }

  static func end(at address: UnsafeMutableRawPointer) {
    live.withLock { _ = $0.remove(UInt(bitPattern: address)) }
  }

  /// Whether a session is at an address.
  static func isLive(_ address: UnsafeMutableRawPointer?) -> Bool {
    live.withLock { $0.contains(UInt(bitPattern: address)) }
  }
}

// MARK: - Entities

extension ParserSession {
  /// Entities may not make much out of little: libxml2 2.9 does not see it where no tree is built.
  @inline(__always)
  @unsafe mutating func countExpansion(_ context: xmlParserCtxtPtr, by size: Int) {
    if unsafe isInsideEntity(context) { expand(by: size) }
  }

  /// Nor may a document type's default attributes, which come with each element.
  mutating func countDefaults(_ count: Int) { expand(by: count * 64) }

  /// Nor may references to entities, even to empty ones: one in the document itself has three bytes
  /// or more.
  mutating func countReference() { expand(by: 12) }

  private mutating func expand(by size: Int) {
    expansion += size
    guard expansion > Self.largestExpansion + 4 * input.total else { return }
    endEarly(
      .malformedXML, at: position,
      "what the document type declares expands to more than 10 MB and four times the document")
  }
}

import CLibXML2
import Glibc
import Loans

/// What the handlers share while libxml2 reads one catalogue.
///
/// It lives behind a pointer that the parser context carries (`_private`), so that the contexts
/// libxml2 makes for entities find it too.
@safe struct ParserState: ~Copyable {
  private var builder: RecordBuilder
  private var input = CatalogueInput()
  private var context: xmlParserCtxtPtr?
  private var document: xmlParserInputPtr?
  private var names: NameTable

  /// Where the last event ended, in the document itself: where the next one begins.
  private var position = SourceLocation(line: 1, column: 1)
  /// Where the reference ends whose entity's text was read last.
  private var referenceEnd: SourceLocation?
  private var hasDoctype = false
  /// Bytes of text, and of elements roughly, that came out of entities.
  private var expansion = 0
  private static let largestExpansion = 10_000_000
  private static let mostNames = 100_000
  private var isStopped = false

  init(builder: consuming RecordBuilder, profile: CatalogueProfile) {
    self.builder = builder
    names = NameTable(profile: profile)
  }

  /// Nothing more is handed over once something has gone wrong.
  private mutating func stop() {
    isStopped = true
    input.close()
  }
}

// The way in and out.
extension ParserState {
  @unsafe mutating func attach(to context: xmlParserCtxtPtr) {
    unsafe self.context = context
    unsafe names.intern(in: context)
  }

  mutating func beginReading(_ file: consuming CatalogueFile) {
    input.open(file)
  }

  @unsafe mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    unsafe input.read(into: buffer)
  }

  /// - Throws: ``CatalogueError``, or what the builder's closures threw.
  mutating func endReading(isWellFormed: Bool) throws -> CatalogueSummary {
    if let failure = builder.failure { throw failure }
    try input.checkAfterwards()
    if !isStopped {
      if isWellFormed {
        builder.endDocument()
      } else {
        endEarly(.malformedXML, at: position, "the document is not well-formed XML")
      }
    }
    if let failure = builder.failure { throw failure }
    return builder.summary
  }
}

// Elements.
extension ParserState {
  /// - SeeAlso: `startElementNsSAX2Func`.
  @unsafe mutating func startElement(
    _ context: xmlParserCtxtPtr, _ name: UnsafePointer<xmlChar>,
    _ prefix: UnsafePointer<xmlChar>?,
    attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
  ) {
    guard !isStopped else { return }
    unsafe settlePosition(context)
    if unsafe isInsideEntity(context) { unsafe countElement(attributes) }
    let roles = unsafe roles(of: name, prefix)
    if names.hasMissed { unsafe checkNames(context) }
    if builder.skipElement(roles) {
      unsafe noteTagEnd(context)
    } else {
      unsafe startMeaningfulElement(context, name, roles, attributes)
    }
  }

  @unsafe private mutating func startMeaningfulElement(
    _ context: xmlParserCtxtPtr, _ name: UnsafePointer<xmlChar>, _ roles: NameRoles,
    _ attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
  ) {
    let start = unsafe tagStart(context)
    let element = builder.startElement(roles, named: unsafe String(cString: name), at: start)
    if element == .record {
      unsafe takeAttributes(context, attributes, start)
    }
    unsafe noteTagEnd(context)
    checkFailure()
  }

  /// The parser stands at the tag's `>`, or at the `/>` that ends the element too.
  @inline(__always)
  @unsafe private mutating func noteTagEnd(_ context: xmlParserCtxtPtr) {
    unsafe notePosition(context)
    if unsafe !isInsideEntity(context) { position.column += 1 }
  }

  /// Millions of different names would keep libxml2's dictionary busy for hours.
  ///
  /// - SeeAlso: `xmlDictSize`.
  @unsafe private mutating func checkNames(_ context: xmlParserCtxtPtr) {
    names.hasMissed = false
    if unsafe check_loans_name_count(context) > Self.mostNames {
      endEarly(.malformedXML, at: position, "the document has more than 100,000 different names")
    }
  }

  /// A name with a prefix belongs to another vocabulary.
  @inline(__always)
  @unsafe private mutating func roles(
    of name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?
  ) -> NameRoles {
    guard let prefix = unsafe prefix else { return unsafe names.roles(of: name) }
    unsafe names.noteCharacters(of: prefix)
    unsafe names.noteCharacters(of: name)
    return .none
  }

  /// Attributes come five pointers each: name, prefix, URI, first byte of the value, end.
  @unsafe private mutating func takeAttributes(
    _ context: xmlParserCtxtPtr, _ attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>,
    _ start: SourceLocation
  ) {
    for index in stride(from: 0, to: attributes.count - 4, by: 5) {
      guard let name = unsafe attributes[index], unsafe attributes[index + 1] == nil,
        let field = unsafe names.attributeField(of: name),
        let value = unsafe attributes[index + 3], let end = unsafe attributes[index + 4]
      else { continue }
      unsafe builder.appendAttribute(field, UnsafeBufferPointer(start: value, count: end - value))
    }
    let attribute = names.idAttribute
    // Where an entity has the tag, its own place is not one of the document.
    let isInsideEntity = unsafe isInsideEntity(context)
    builder.endAttributes {
      isInsideEntity
        ? ValueExtent(start: start, end: start)
        : unsafe TagText(endingAt: check_loans_document_input(context))
          .extent(ofValueOf: attribute, tagStart: start)
    }
  }

  /// - SeeAlso: `endElementNsSAX2Func`.
  @unsafe mutating func endElement(
    _ context: xmlParserCtxtPtr, _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?
  ) {
    guard !isStopped else { return }
    unsafe settlePosition(context)
    if names.hasLongCharacters { unsafe correctColumn(context, name, prefix) }
    unsafe notePosition(context)
    builder.endElement()
    checkFailure()
  }

  /// libxml2 counts the name of an end tag in bytes; columns are counted in characters.
  @inline(never)
  @unsafe private func correctColumn(
    _ context: xmlParserCtxtPtr, _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?
  ) {
    if unsafe isInsideEntity(context) { return }
    var surplus = unsafe continuationBytes(in: name)
    if let prefix = unsafe prefix { surplus += unsafe continuationBytes(in: prefix) }
    guard surplus > 0, let input = unsafe context.pointee.input else { return }
    // An element that ends in its start tag has no end tag.
    guard unsafe input.pointee.cur - input.pointee.base < 2 || input.pointee.cur[-2] != 0x2F else {
      return
    }
    unsafe input.pointee.col -= Int32(surplus)
  }
}

// Texts.
extension ParserState {
  /// Most texts are the white space between elements.
  ///
  /// - SeeAlso: `charactersSAXFunc`.
  @inline(__always)
  @unsafe mutating func characters(
    _ context: xmlParserCtxtPtr, _ text: UnsafeBufferPointer<xmlChar>
  ) {
    if builder.field == nil && !hasDoctype && !isStopped {
      position = currentPosition()
    } else {
      unsafe takeCharacters(context, text)
    }
  }

  @inline(never)
  @unsafe private mutating func takeCharacters(
    _ context: xmlParserCtxtPtr, _ text: UnsafeBufferPointer<xmlChar>
  ) {
    guard !isStopped else { return }
    unsafe settlePosition(context)
    unsafe countExpansion(context, by: text.count)
    if builder.field != nil { unsafe take(context, text, from: position) }
    unsafe notePosition(context)
  }

  /// - SeeAlso: `cdataBlockSAXFunc`.
  @unsafe mutating func cdata(_ context: xmlParserCtxtPtr, _ text: UnsafeBufferPointer<xmlChar>) {
    guard !isStopped else { return }
    unsafe settlePosition(context)
    unsafe countExpansion(context, by: text.count)
    var start = position
    if unsafe !isInsideEntity(context) { start.column += "<![CDATA[".utf8.count }
    unsafe take(context, text, from: start, isSection: true)
    unsafe notePosition(context)
  }

  @unsafe private mutating func take(
    _ context: xmlParserCtxtPtr, _ text: UnsafeBufferPointer<xmlChar>, from start: SourceLocation,
    isSection: Bool = false
  ) {
    guard let field = builder.field else { return }
    if builder.wantsPlace {
      let end = currentPosition()
      let isVerbatim = unsafe !isInsideEntity(context)
      let extent = unsafe ValueScan.extent(
        of: text, from: start, end: end, isVerbatim: isVerbatim, isSection: isSection)
      if let extent { builder.extendValue(of: field, from: extent.start, to: extent.end) }
    }
    if unsafe !builder.append(text) {
      endEarly(.malformedXML, at: start, "a text is longer than 10,000,000 bytes")
    }
  }

  /// Entities may not make much out of little: libxml2 2.9 does not see it where no tree is built.
  @inline(__always)
  @unsafe private mutating func countExpansion(_ context: xmlParserCtxtPtr, by size: Int) {
    if unsafe isInsideEntity(context) { expand(by: size) }
  }

  @unsafe private mutating func countElement(
    _ attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
  ) {
    var size = 64
    for index in stride(from: 0, to: attributes.count - 4, by: 5) {
      if let start = unsafe attributes[index + 3], let end = unsafe attributes[index + 4] {
        unsafe size += end - start
      }
    }
    expand(by: size)
  }

  /// So may the default attributes of a document type not, which come with each element.
  mutating func countDefaults(_ count: Int) {
    expand(by: count * 64)
  }

  private mutating func expand(by size: Int) {
    expansion += size
    if expansion > Self.largestExpansion + 4 * input.total {
      endEarly(
        .malformedXML, at: position,
        "what the document type declares expands to more than 10 MB and four times the document")
    }
  }

  /// - SeeAlso: `commentSAXFunc`.
  @unsafe mutating func comment(_ context: xmlParserCtxtPtr, _ text: UnsafePointer<xmlChar>?) {
    if builder.heedsComments, !isStopped, let text = unsafe text, unsafe !isInsideEntity(context) {
      unsafe settlePosition(context)
      let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(xmlStrlen(text)))
      if let comment = unsafe IgnoreComment(bytes) {
        builder.take(comment, at: unsafe commentStart(context))
      }
    }
    unsafe skipped(context, text)
  }

  /// Where the comment begins that the parser has just read: where the last event ended, except
  /// where something may stand between that raises no event.
  @unsafe private func commentStart(_ context: xmlParserCtxtPtr) -> SourceLocation {
    guard hasDoctype || builder.isOutsideRoot else { return position }
    return unsafe TagText(commentEndingAt: check_loans_document_input(context))?
      .start(ofTagEndingAt: currentPosition()) ?? position
  }

  /// A comment or a processing instruction has ended.
  @unsafe mutating func skipped(_ context: xmlParserCtxtPtr, _ text: UnsafePointer<xmlChar>?) {
    guard !isStopped else { return }
    unsafe settlePosition(context)
    if unsafe isInsideEntity(context) {
      expand(by: 64 + Int(unsafe xmlStrlen(text)))
    }
    unsafe notePosition(context)
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
}

// The document and its faults.
extension ParserState {
  /// Encodings that are refused although the converter knows them: their bytes can hide markup.
  private static let refusedEncodings = ["UTF7", "UNICODE-1-1-UTF-7", "CSUNICODE11UTF7"]

  /// - SeeAlso: `startDocumentSAXFunc`.
  @unsafe mutating func startDocument(_ context: xmlParserCtxtPtr) {
    unsafe document = check_loans_document_input(context)
    if let name = unsafe refusedEncoding(context) { refuseEncoding(name) }
  }

  /// The encoding that the document declares, if it is refused.
  @unsafe private func refusedEncoding(_ context: xmlParserCtxtPtr) -> String? {
    guard let encoding = unsafe check_loans_declared_encoding(context) else { return nil }
    let name = unsafe String(cString: encoding)
    let uppercased = name.uppercased()
    let isRefused = uppercased.hasPrefix("UTF-7") || Self.refusedEncodings.contains(uppercased)
    return isRefused ? name : nil
  }

  mutating func refuseEncoding(_ name: String?) {
    let message =
      name.map { "the encoding \($0.quoted()) is not supported; save the catalogue as UTF-8" }
      ?? "the declared encoding is not supported; save the catalogue as UTF-8"
    endEarly(.unsupportedEncoding, at: SourceLocation(line: 1, column: 1), message, value: name)
  }

  mutating func foundDoctype() { hasDoctype = true }

  /// - SeeAlso: `xmlExternalEntityLoader`.
  @unsafe mutating func refuseEntity(_ address: String) {
    settleReference()
    let place = builder.isBeforeRoot ? currentPosition() : position
    endEarly(
      .externalEntity, at: place,
      "\(address.quoted()) is outside the catalogue and is never read; remove the reference to it",
      value: address)
  }

  /// - SeeAlso: `xmlStructuredErrorFunc`.
  @unsafe mutating func fault(_ error: xmlError, in context: xmlParserCtxtPtr?) {
    guard !isStopped, input.failure == nil else { return }
    let message = unsafe FaultText.of(error)
    switch unsafe error.code {
    case Int32(XML_WAR_UNDECLARED_ENTITY.rawValue):
      let name = unsafe error.str1.map { unsafe String(cString: $0) } ?? ""
      unsafe unresolvedReference(name)
    case Int32(XML_ERR_UNSUPPORTED_ENCODING.rawValue):
      refuseEncoding(unsafe error.str1.map { unsafe String(cString: $0) })
    case _ where unsafe error.level == XML_ERR_FATAL:
      let place = unsafe place(of: error, context)
      endEarly(.malformedXML, at: place, "not well-formed XML: \(message)")
    default:
      break
    }
  }

  /// A fault in the bytes, raised by a converter that knows no parser.
  @unsafe mutating func fault(_ error: xmlError) {
    guard !isStopped, input.failure == nil, unsafe error.level.rawValue >= XML_ERR_ERROR.rawValue,
      unsafe error.domain == XML_FROM_I18N.rawValue || error.domain == XML_FROM_IO.rawValue,
      let context = unsafe context
    else { return }
    // What is refused may fail before the document has begun.
    if let name = unsafe refusedEncoding(context) { return refuseEncoding(name) }
    let message = unsafe FaultText.of(error)
    endEarly(.malformedXML, at: currentPosition(), "not well-formed XML: \(message)")
  }

  @unsafe private func place(of error: xmlError, _ context: xmlParserCtxtPtr?) -> SourceLocation {
    guard let context = unsafe context, unsafe !isInsideEntity(context), unsafe error.line > 0
    else { return position }
    return unsafe SourceLocation(line: Int(error.line), column: max(1, Int(error.int2)))
  }

  private mutating func endEarly(
    _ code: Diagnostic.Code, at location: SourceLocation, _ message: String, value: String? = nil
  ) {
    guard !isStopped else { return }
    stop()
    builder.endEarly(Diagnostic(code, at: location, message: message, value: value))
  }

  @inline(__always)
  private mutating func checkFailure() {
    if builder.failure != nil { stop() }
  }
}

// Places.
extension ParserState {
  /// Whether the parser reads the text of an entity: libxml2 uses a context of its own for it up
  /// to 2.12, and an input on top of the document's from 2.13 on.
  @inline(__always)
  @unsafe private func isInsideEntity(_ context: xmlParserCtxtPtr) -> Bool {
    guard hasDoctype else { return false }
    return unsafe context != self.context || check_loans_is_inside_entity(context) != 0
  }

  /// Where the parser stands in the document itself.
  @inline(__always)
  private func currentPosition() -> SourceLocation {
    guard let input = unsafe document else { return position }
    return unsafe SourceLocation(line: Int(input.pointee.line), column: Int(input.pointee.col))
  }

  /// Takes the place where an event has ended for where the next one begins.
  ///
  /// Events within an entity stand where its reference does.
  @inline(__always)
  @unsafe private mutating func notePosition(_ context: xmlParserCtxtPtr) {
    if unsafe !isInsideEntity(context) { position = currentPosition() }
  }

  /// Moves on behind the reference to an entity whose text has been read, at the next event.
  @inline(__always)
  @unsafe private mutating func settlePosition(_ context: xmlParserCtxtPtr) {
    guard hasDoctype else { return }
    if unsafe isInsideEntity(context) {
      settleReference()
    } else if let end = referenceEnd {
      position = end
      referenceEnd = nil
    }
  }

  private mutating func settleReference() {
    let end = currentPosition()
    if let start = referenceStart(endingAt: end) {
      position = start
    } else if let referenceEnd, referenceEnd != end {
      position = referenceEnd
    }
    referenceEnd = end
  }

  /// Where the reference begins that the parser has just read in the document itself.
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

  /// Where the start tag begins that the parser has just read.
  ///
  /// That is where the last event ended, except before the root element and behind an entity
  /// without text, which raises no event: there the tag itself is looked at.
  @inline(__always)
  @unsafe private func tagStart(_ context: xmlParserCtxtPtr) -> SourceLocation {
    guard hasDoctype || builder.isBeforeRoot, unsafe !isInsideEntity(context) else {
      return position
    }
    return unsafe TagText(endingAt: check_loans_document_input(context))
      .start(ofTagEndingAt: currentPosition())
  }
}

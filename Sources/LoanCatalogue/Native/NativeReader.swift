import CLibXML2
import Loans

/// Reads the tool's own form, or a part of it, over SAX2.
///
/// Its handlers are called for every element and every text of the document, so what nearly all of
/// them need is done first, and the rest separately.
@safe struct NativeReader: ~Copyable {
  private let session: UnsafeMutablePointer<ParserSession>
  private(set) var builder: RecordBuilder
  private var names = NativeNames()
  /// Receives what has been read, if there may be much of it; returns whether more is wanted.
  private let output: ((RecordBatch) -> Bool)?
  private let start: PartStart
  /// Bytes up to the end of the root element; 0 if it is not known, or something that speaks to the
  /// reader comes after it.
  private var rootEnd = 0

  // Where the parser is.
  private var depth = 0
  /// Elements that are open and mean nothing, the innermost ones.
  private var skipped = 0
  private var text = FieldText()
  /// What is wrong with the name of the child of the root that the parser is in.
  private var slip = Slip.none
  /// The child's name, if it is nearly `book`.
  private var childName = ""
  private var root: RootElement?
  private var expiration = ExpirationElement()

  /// The text at hand.
  private struct FieldText {
    /// The field that it is of, if it is wanted.
    var field: LoanField?
    /// Whether its place is wanted.
    var wantsPlace = false
    /// The byte of the file with the `>` before it; `nil` if nobody wants it.
    var start: Int?
  }

  /// The expirations of the record at hand, as far as they are known.
  private struct ExpirationElement {
    var count = 0
    var start = SourceLocation(line: 1, column: 1)
    var hasMarkup = false
    /// An element that may have been meant for one: the first that contains a date, or is misspelt.
    var suspect: Suspect?
    /// Whether texts go to the suspect.
    var isInSuspect = false
  }

  /// An element or attribute that may be an expiration under another name.
  private struct Suspect {
    var name: String
    var place: SourceLocation
    var isAttribute = false
    /// Whether only its namespace is another one.
    var isForeign = false
    var hasDate = true
  }

  /// What is wrong with the name of a child of the root that was meant for a book.
  private enum Slip { case none, wrongCase, misspelt }

  /// More names than a usual document has: how many a document has in all is only known where one
  /// parser reads it.
  private static let mostNames = 1_000
  /// The longest text of one field, in bytes; libxml2's own limit for a text node.
  private static let longestField = 10_000_000

  @unsafe init(
    _ session: UnsafeMutablePointer<ParserSession>, _ builder: consuming RecordBuilder,
    _ start: PartStart, output: ((RecordBatch) -> Bool)? = nil
  ) {
    unsafe self.session = session
    self.builder = builder
    self.output = output
    self.start = start
    if isPart { root = RootElement(name: "", location: start.location, isKnown: true) }
  }

  /// Whether the root element is not that of the document, but one put before a part of it.
  private var isPart: Bool { !start.head.isEmpty }
}

// MARK: - Beginning and end

extension NativeReader {
  /// A reader that is being used, and the session of its parser.
  @safe struct Reading {
    let reader: UnsafeMutablePointer<NativeReader>
    let session: UnsafeMutablePointer<ParserSession>
  }

  /// Makes a reader and a parser that calls it, and lets them be used.
  ///
  /// - Throws: what `body` throws.
  static func read<Result>(
    _ builder: consuming RecordBuilder, _ start: PartStart, path: String,
    output: ((RecordBatch) -> Bool)? = nil,
    _ body: (borrowing XMLParser<NativeReader>, Reading) throws -> Result
  ) throws -> Result {
    let parser = unsafe XMLParser<NativeReader>(
      path: path, from: start, setHandlers: setHandlers)
    unsafe parser.reader.initialize(
      to: NativeReader(parser.session, builder, start, output: output))
    return unsafe try body(parser, Reading(reader: parser.reader, session: parser.session))
  }

  /// Returns what was read since the last batch, and how the document ends.
  mutating func endDocument() -> RecordBatch {
    var batch = builder.removeLastBatch(end: unsafe session.pointee.bytesRead)
    batch.ending = DocumentEnding(fault: unsafe session.pointee.fault)
    if !isPart { batch.root = root }
    return batch
  }

  /// Returns the contents of a part of the document; `nil` if it cannot be read on its own.
  ///
  /// - Parameter end: where the root element must end, if the document does not end here: libxml2
  ///   takes a zero byte after it for the document's end.
  mutating func endPart(at end: Int?) -> RecordBatch? {
    guard unsafe session.pointee.isWellFormed, unsafe !session.pointee.hasDoctype, rootEnd > 0,
      end.map({ unsafe $0 + session.pointee.bytesBefore }) ?? rootEnd == rootEnd,
      unsafe session.pointee.nameCount <= Self.mostNames
    else { return nil }
    var batch = builder.removeLastBatch(end: rootEnd)
    if !isPart { batch.root = root }
    return batch
  }
}

// MARK: - Elements

extension NativeReader {
  /// A start tag as libxml2 gives it.
  @unsafe fileprivate struct StartTag {
    var name: UnsafePointer<xmlChar>
    var prefix: UnsafePointer<xmlChar>?
    var namespace: UnsafePointer<xmlChar>?
    /// Five pointers each: name, prefix, namespace, first byte of the value, end.
    var attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
  }

  /// - SeeAlso: `startElementNsSAX2Func`.
  @inline(__always)
  @unsafe fileprivate mutating func startElement(_ context: xmlParserCtxtPtr, _ tag: StartTag) {
    if unsafe session.pointee.isSpecial, unsafe !prepareSpecial(context, tag) { return }
    if depth == 0 { return unsafe startRoot(context, tag) }
    if depth == 1 { handOver() }
    let element = unsafe names.element(tag.name, tag.prefix, tag.namespace)
    if names.hasMissed { checkNames() }
    let start = unsafe tagStart(context)
    depth &+= 1
    if skipped > 0 || text.field != nil {
      skip(element, at: start)
    } else if root?.isKnown != true {
      if root?.firstChild == nil { root?.firstChild = unsafe String(cString: tag.name) }
      skip(element, at: start)
    } else if depth == 2 {
      unsafe startChild(context, element, tag, at: start)
    } else {
      unsafe startPart(element, tag.name, at: start)
    }
    unsafe noteTagEnd(context)
  }

  /// Looks closely at an element where entities or long names may be.
  ///
  /// - Returns: whether the element is wanted.
  @inline(never)
  @unsafe private mutating func prepareSpecial(
    _ context: xmlParserCtxtPtr, _ tag: StartTag
  ) -> Bool {
    guard unsafe !session.pointee.isStopped else { return false }
    unsafe session.pointee.settlePlace(context)
    if unsafe session.pointee.isInsideEntity(context) { unsafe countElement(context, tag) }
    return true
  }

  @inline(__always)
  private mutating func startText(of field: LoanField) {
    text.field = field
    if builder.reader.locatesFixes { text.start = unsafe session.pointee.byteOffset }
    text.wantsPlace = builder.placedFields & field.bit != 0 && builder.draft.record.isEmpty(field)
    builder.draft.beginField()
  }

  @inline(never)
  @unsafe private mutating func startRoot(_ context: xmlParserCtxtPtr, _ tag: StartTag) {
    depth = 1
    let isKnown = unsafe names.noteRoot(tag.name, tag.prefix, tag.namespace)
    checkNames()
    if isPart {
      unsafe session.pointee.move(to: start.location)
      return
    }
    root = unsafe RootElement(
      name: String(cString: tag.name),
      namespace: tag.namespace.map { unsafe String(cString: $0) }, location: tagStart(context),
      isKnown: isKnown)
    unsafe noteTagEnd(context)
  }

  /// Begins a child of the root.
  @unsafe private mutating func startChild(
    _ context: xmlParserCtxtPtr, _ element: NativeElement, _ tag: StartTag,
    at start: SourceLocation
  ) {
    guard case .book = element else {
      switch element {
      case .misspeltBook:
        slip = .wrongCase
        findWrongCase(unsafe String(cString: tag.name), "book", at: start)
      case .likeBook:
        slip = .misspelt
        childName = unsafe String(cString: tag.name)
      default: break
      }
      return skip(element, at: start)
    }
    builder.beginRecord(at: start)
    expiration = ExpirationElement()
    unsafe readAttributes(context, tag, at: start)
  }

  /// Begins a child of a record.
  @inline(__always)
  @unsafe private mutating func startPart(
    _ element: NativeElement, _ tag: UnsafePointer<xmlChar>, at start: SourceLocation
  ) {
    switch element {
    case .unknown: skipped &+= 1
    case .field(let found):
      if found == .expiration, !beginsExpiration(at: start) { return }
      startText(of: found)
    default: unsafe startMistaken(element, tag, at: start)
    }
  }

  /// Counts the expirations of a record.
  ///
  /// - Returns: whether it is the first.
  private mutating func beginsExpiration(at start: SourceLocation) -> Bool {
    expiration.count += 1
    if expiration.count == 1 {
      expiration.start = start
      return true
    }
    if expiration.count == 2 {
      builder.findDuplicateExpiration(at: start, firstLine: expiration.start.line)
    }
    // Nothing of it is wanted.
    skipped += 1
    return false
  }

  /// Begins a child of a record that may have been meant for a field.
  @inline(never)
  @unsafe private mutating func startMistaken(
    _ element: NativeElement, _ tag: UnsafePointer<xmlChar>, at start: SourceLocation
  ) {
    switch element {
    case .dateName where expiration.suspect == nil,
      .foreignExpiration where expiration.suspect == nil:
      expiration.suspect = Suspect(
        name: unsafe String(cString: tag), place: start, isForeign: element == .foreignExpiration)
      expiration.isInSuspect = true
      text = FieldText(field: .expiration)
      builder.draft.beginField()
    case .misspelt(let field):
      findWrongCase(unsafe String(cString: tag), "\(field)", at: start)
      skipped += 1
    default:
      skip(element, at: start)
    }
  }

  /// Begins an element that means nothing where it is.
  private mutating func skip(_ element: NativeElement, at start: SourceLocation) {
    skipped &+= 1
    if text.field == .expiration && !expiration.isInSuspect {
      expiration.hasMarkup = true
      return
    }
    switch element {
    case .field(.expiration), .misspelt(.expiration), .foreignExpiration:
      guard root?.isKnown == true, slip != .wrongCase else { return }
      if expiration.isInSuspect { expiration.suspect = nil }
      builder.find(
        .misplacedExpiration, at: start,
        slip == .misspelt
          ? "this expiration is in <\(childName.visible)>, so it is ignored; did you mean <book>?"
          : "this expiration is not directly inside a book, so it is ignored; move it into its book"
      )
      handOver()
    default: break
    }
  }

  private mutating func findWrongCase(_ name: String, _ right: String, at start: SourceLocation) {
    builder.find(
      .unknownCase, at: start,
      "<\(name.visible)> is ignored, since names are case-sensitive; did you mean <\(right)>?",
      value: name)
    handOver()
  }

  /// The parser is at the tag's `>`, or at the `/>` that ends the element too.
  @inline(__always)
  @unsafe private mutating func noteTagEnd(_ context: xmlParserCtxtPtr) {
    if unsafe session.pointee.isInsideEntity(context) { return }
    unsafe session.pointee.notePlace()
    unsafe session.pointee.place.column &+= 1
  }

  /// The beginning of the start tag that the parser has just read.
  ///
  /// That is where the last event ended, except before the root element and after an entity
  /// without text, which raises no event: there the tag itself is looked at.
  @inline(__always)
  @unsafe private func tagStart(_ context: xmlParserCtxtPtr) -> SourceLocation {
    guard unsafe session.pointee.hasDoctype || depth == 1 && root == nil,
      unsafe !session.pointee.isInsideEntity(context)
    else { return unsafe session.pointee.position }
    return unsafe TagText.start(endingAt: session.pointee.document) ?? session.pointee.position
  }

  private mutating func checkNames() {
    names.hasMissed = false
    if names.hasLongCharacters { unsafe session.pointee.noteLongNames() }
    unsafe session.pointee.checkNameCount()
  }

  @unsafe private mutating func countElement(_ context: xmlParserCtxtPtr, _ tag: StartTag) {
    var size = 64
    for index in unsafe stride(from: 0, to: tag.attributes.count - 4, by: 5) {
      if let start = unsafe tag.attributes[index + 3], let end = unsafe tag.attributes[index + 4] {
        unsafe size += end - start
      }
    }
    unsafe session.pointee.countExpansion(context, by: size)
  }
}

// MARK: - Attributes

extension NativeReader {
  /// Reads a record's id, and what may be its expiration.
  @unsafe private mutating func readAttributes(
    _ context: xmlParserCtxtPtr, _ tag: StartTag, at start: SourceLocation
  ) {
    for index in unsafe stride(from: 0, to: tag.attributes.count - 4, by: 5) {
      guard let name = unsafe tag.attributes[index], unsafe tag.attributes[index + 1] == nil,
        let value = unsafe tag.attributes[index + 3], let end = unsafe tag.attributes[index + 4]
      else { continue }
      let text = unsafe UnsafeBufferPointer(start: value, count: end - value)
      guard unsafe isID(name) else {
        if unsafe expiration.suspect == nil && names.isDateName(name) {
          unsafe noteDate(text, inAttribute: name, at: start)
        }
        continue
      }
      builder.draft.beginField()
      unsafe builder.draft.append(text.span)
      builder.draft.endField(.id)
      // Where an entity has the tag, its own place is not one of the document.
      let hasPlace = unsafe !session.pointee.isInsideEntity(context)
      let input = unsafe session.pointee.document
      builder.places.extend(
        .id,
        hasPlace
          ? unsafe Self.extent(from: value, to: end, tagStart: start, in: input)
          : ValueExtent(start: start, end: start))
    }
  }

  @unsafe private mutating func noteDate(
    _ text: UnsafeBufferPointer<xmlChar>, inAttribute name: UnsafePointer<xmlChar>,
    at start: SourceLocation
  ) {
    builder.draft.beginField()
    unsafe builder.draft.append(text.span)
    guard Self.isDate(builder.draft.removeField()) else { return }
    expiration.suspect = unsafe Suspect(
      name: String(cString: name), place: start, isAttribute: true)
  }

  @inline(__always)
  @unsafe private func isID(_ name: UnsafePointer<xmlChar>) -> Bool {
    unsafe name[0] == UInt8(ascii: "i") && name[1] == UInt8(ascii: "d") && name[2] == 0
  }

  /// Finds the value of the attribute `id` in the tag that the parser has just read.
  @inline(__always)
  @unsafe private static func extent(
    from value: UnsafePointer<xmlChar>, to end: UnsafePointer<xmlChar>, tagStart: SourceLocation,
    in input: xmlParserInputPtr?
  ) -> ValueExtent {
    unsafe plainExtent(from: value, to: end, tagStart: tagStart, in: input)
      ?? TagText(endingAt: input).extent(ofValueOf: "id", tagStart: tagStart)
  }

  /// Finds a value in a tag on one line, in ASCII, if its pointer leads into the document.
  @inline(__always)
  @unsafe private static func plainExtent(
    from value: UnsafePointer<xmlChar>, to end: UnsafePointer<xmlChar>, tagStart: SourceLocation,
    in input: xmlParserInputPtr?
  ) -> ValueExtent? {
    guard let input = unsafe input, let cursor = unsafe input.pointee.cur,
      let base = unsafe input.pointee.base, unsafe value >= base, unsafe value < end,
      unsafe end < cursor, unsafe Int(input.pointee.line) == tagStart.line
    else { return nil }
    // In ASCII the tag has as many bytes as columns; its < is no character of a value.
    let length = unsafe input.pointee.location.column &- tagStart.column
    guard length > 0, unsafe length <= cursor - base, unsafe cursor[-length] == UInt8(ascii: "<"),
      unsafe !value.pointee.isXMLWhiteSpace, unsafe !end[-1].isXMLWhiteSpace
    else { return nil }
    let tag = unsafe cursor - length
    return unsafe ValueExtent(
      start: SourceLocation(line: tagStart.line, column: tagStart.column &+ (value - tag)),
      end: SourceLocation(line: tagStart.line, column: tagStart.column &+ (end - tag)))
  }
}

// MARK: - Ends

extension NativeReader {
  /// - SeeAlso: `endElementNsSAX2Func`.
  @inline(__always)
  @unsafe fileprivate mutating func endElement(
    _ context: xmlParserCtxtPtr, _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?
  ) {
    if unsafe session.pointee.isSpecial {
      guard unsafe !session.pointee.isStopped else { return }
      unsafe session.pointee.settlePlace(context)
      if names.hasLongCharacters { unsafe correctColumn(context, name, prefix) }
    }
    unsafe session.pointee.notePlace(context)
    depth &-= 1
    if depth > 1 {
      endPart()
    } else if depth == 1 {
      endChild()
    } else {
      rootEnd = unsafe session.pointee.bytesRead
    }
  }

  /// Ends an element inside a child of the root.
  @inline(__always)
  private mutating func endPart() {
    if skipped > 0 {
      skipped &-= 1
    } else if expiration.isInSuspect {
      endSuspect()
    } else if let field = text.field {
      builder.draft.endField(field)
      if let start = text.start, let end = unsafe session.pointee.byteOffset, start < end {
        builder.noteBytes(start..<end, of: field)
      }
      text.field = nil
    }
  }

  /// Ends a child of the root.
  private mutating func endChild() {
    slip = .none
    if skipped > 0 {
      skipped = 0
      builder.endChild()
    } else {
      endRecord()
    }
  }

  @inline(never)
  private mutating func endSuspect() {
    expiration.isInSuspect = false
    text.field = nil
    if Self.isDate(builder.draft.removeField()) { return }
    let isSlip = expiration.suspect.map { !$0.isForeign && ExpirationName.isSlip($0.name) } ?? false
    if isSlip {
      expiration.suspect?.hasDate = false
    } else {
      expiration.suspect = nil
    }
  }

  /// Whether a text is a date, in whatever form.
  private static func isDate(_ text: String) -> Bool {
    guard text.utf8.count <= 64 else { return false }
    do throws(CivilDate.ParseFailure) {
      _ = try CivilDate(dotted: Array(text.utf8).span)
      return true
    } catch {
      return error == .notADay || !DateSuggestion(text).words.isEmpty
    }
  }

  private mutating func endRecord() {
    if builder.draft.record.isEmpty(.title) { builder.findMissingTitle() }
    switch expiration.count {
    case 0:
      if let suspect = expiration.suspect { find(suspect) }
      builder.endWithoutExpiration()
    case 1: endExpiration()
    default: break
    }
    builder.endRecord()
  }

  /// Hands over what has been read, if there is enough of it, also from within a long record.
  private mutating func handOver() {
    guard let output, case let end = unsafe session.pointee.bytesRead, builder.isFull(at: end)
    else { return }
    if !output(builder.removeBatch(end: end)) { unsafe session.pointee.stop() }
  }

  private mutating func find(_ suspect: Suspect) {
    let name = suspect.name.visible
    builder.find(
      .unknownDateElement, at: suspect.place,
      suspect.isForeign
        ? "this <\(name)> is in another namespace, so its date is ignored; remove its prefix or xmlns"
        : suspect.isAttribute
          ? "the attribute \(name) holds a date but is ignored; did you mean the element <expiration>?"
          : "<\(name)> \(suspect.hasDate ? "holds a date but " : "")is ignored; did you mean <expiration>?",
      value: suspect.name)
  }

  private mutating func endExpiration() {
    let place = builder.places[.expiration]
    if expiration.hasMarkup {
      builder.draft.record.expiration = .unusable
      builder.find(
        .dateFormat, at: place?.start ?? expiration.start,
        "the expiration holds other elements; write only the date, as yyyy.MM.dd",
        value: builder.draft.record.text(of: .expiration) ?? "")
    } else if place == nil || builder.draft.record.isEmpty(.expiration) {
      builder.findEmptyExpiration(at: expiration.start)
    } else {
      builder.readExpiration()
    }
  }

  /// libxml2 counts the name of an end tag in bytes; columns are counted in characters.
  @inline(never)
  @unsafe private func correctColumn(
    _ context: xmlParserCtxtPtr, _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?
  ) {
    if unsafe session.pointee.isInsideEntity(context) { return }
    let surplus = unsafe surplusBytes(in: name, prefix)
    guard surplus > 0, let input = unsafe context.pointee.input else { return }
    // An element that ends in its start tag has no end tag.
    guard unsafe input.pointee.cur - input.pointee.base < 2 || input.pointee.cur[-2] != 0x2F else {
      return
    }
    unsafe input.pointee.col &-= Int32(surplus)
  }
}

// MARK: - Texts

extension NativeReader {
  /// - SeeAlso: `charactersSAXFunc`, `cdataBlockSAXFunc`.
  @inline(__always)
  @unsafe fileprivate mutating func characters(
    _ context: xmlParserCtxtPtr, _ text: UnsafeBufferPointer<xmlChar>, isSection: Bool = false
  ) {
    if unsafe session.pointee.isSpecial {
      guard unsafe !session.pointee.isStopped else { return }
      unsafe session.pointee.settlePlace(context)
      unsafe session.pointee.countExpansion(context, by: text.count)
    }
    // Most texts are the white space between elements.
    if let field = self.text.field { unsafe add(text, to: field, context, isSection: isSection) }
    unsafe session.pointee.notePlace(context)
  }

  @unsafe private mutating func add(
    _ text: UnsafeBufferPointer<xmlChar>, to field: LoanField, _ context: xmlParserCtxtPtr,
    isSection: Bool
  ) {
    let isVerbatim = unsafe !session.pointee.isInsideEntity(context)
    var start = unsafe session.pointee.position
    if isSection && isVerbatim { start.column += "<![CDATA[".utf8.count }
    if self.text.wantsPlace {
      let extent = unsafe ValueScan.extent(
        of: text, from: start, end: session.pointee.currentPosition, isVerbatim: isVerbatim,
        isSection: isSection)
      if let extent { builder.places.extend(field, extent) }
    }
    unsafe builder.draft.append(text.span)
    if builder.draft.fieldLength > Self.longestField {
      unsafe session.pointee.endEarly(
        .malformedXML, at: start, "a text is longer than 10,000,000 bytes")
    }
  }

  /// - SeeAlso: `commentSAXFunc`.
  @unsafe fileprivate mutating func comment(
    _ context: xmlParserCtxtPtr, _ text: UnsafePointer<xmlChar>?
  ) {
    if builder.reader.rules.honorsIgnoreComments, unsafe !session.pointee.isStopped,
      let text = unsafe text, unsafe !session.pointee.isInsideEntity(context)
    {
      unsafe session.pointee.settlePlace(context)
      let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(xmlStrlen(text)))
      if let comment = unsafe IgnoreComment(bytes) {
        // After the root element, its place is only known where the whole line is.
        if depth == 0 { rootEnd = 0 }
        builder.add(comment, at: commentStart, isInRecord: builder.isInRecord)
        handOver()
      }
    }
    unsafe skipped(context, text)
  }

  /// The beginning of the comment that the parser has just read: where the last event ended, except
  /// where something may be between that raises no event.
  private var commentStart: SourceLocation {
    let document = unsafe session.pointee.document
    guard unsafe session.pointee.hasDoctype || depth == 0 else {
      return unsafe session.pointee.position
    }
    let isInPart = unsafe isPart && document?.pointee.consumed ?? 1 == 0
    let origin = TagText.Origin(bytes: start.head.count, column: start.location.column)
    return unsafe TagText.start(
      endingAt: document, opening: "<!--", origin: isInPart ? origin : nil)
      ?? session.pointee.position
  }

  /// A comment or a processing instruction has ended.
  @unsafe fileprivate mutating func skipped(
    _ context: xmlParserCtxtPtr, _ text: UnsafePointer<xmlChar>?
  ) {
    guard unsafe !session.pointee.isStopped else { return }
    unsafe session.pointee.settlePlace(context)
    unsafe session.pointee.countExpansion(context, by: 64 + Int(xmlStrlen(text)))
    unsafe session.pointee.notePlace(context)
  }
}

// MARK: - Handlers

@inline(__always)
@unsafe private func reader(
  of parser: xmlParserCtxtPtr
) -> UnsafeMutablePointer<NativeReader> {
  unsafe session(of: parser).pointee.reader.assumingMemoryBound(to: NativeReader.self)
}

private let startElementHandler: startElementNsSAX2Func = {
  context, name, prefix, namespace, _, _, attributeCount, defaultCount, attributes in
  guard let name = unsafe name else { return }
  let parser = unsafe parserContext(context)
  if defaultCount > 0 { unsafe session(of: parser).pointee.countDefaults(Int(defaultCount)) }
  unsafe reader(of: parser).pointee.startElement(
    parser,
    NativeReader.StartTag(
      name: name, prefix: prefix, namespace: namespace,
      attributes: UnsafeBufferPointer(start: attributes, count: Int(attributeCount) * 5)))
}

private let endElementHandler: endElementNsSAX2Func = { context, name, prefix, _ in
  guard let name = unsafe name else { return }
  let parser = unsafe parserContext(context)
  unsafe reader(of: parser).pointee.endElement(parser, name, prefix)
}

private let charactersHandler: charactersSAXFunc = { context, text, length in
  let parser = unsafe parserContext(context)
  unsafe reader(of: parser).pointee.characters(
    parser, UnsafeBufferPointer(start: text, count: Int(length)))
}

private let cdataHandler: cdataBlockSAXFunc = { context, text, length in
  let parser = unsafe parserContext(context)
  unsafe reader(of: parser).pointee.characters(
    parser, UnsafeBufferPointer(start: text, count: Int(length)), isSection: true)
}

private let commentHandler: commentSAXFunc = { context, text in
  let parser = unsafe parserContext(context)
  unsafe reader(of: parser).pointee.comment(parser, text)
}

private let processingInstructionHandler: processingInstructionSAXFunc = { context, _, text in
  let parser = unsafe parserContext(context)
  unsafe reader(of: parser).pointee.skipped(parser, text)
}

extension NativeReader {
  /// Sets the handlers that forward to the reader of the parser's session.
  @unsafe static func setHandlers(_ handlers: UnsafeMutablePointer<xmlSAXHandler>) {
    unsafe handlers.pointee.startElementNs = startElementHandler
    unsafe handlers.pointee.endElementNs = endElementHandler
    unsafe handlers.pointee.characters = charactersHandler
    unsafe handlers.pointee.ignorableWhitespace = charactersHandler
    unsafe handlers.pointee.cdataBlock = cdataHandler
    unsafe handlers.pointee.comment = commentHandler
    unsafe handlers.pointee.processingInstruction = processingInstructionHandler
  }
}

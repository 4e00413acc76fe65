import CLibXML2
import Loans

/// Reads the tool's own form, or a chunk of it, over SAX2.
///
/// Its handlers are called for every element and every text of the document. So what nearly all of them need
/// is done first, in a few comparisons, and the rest in functions of its own.
@safe struct NativeReader: ~Copyable {
  private let session: UnsafeMutablePointer<ParserSession>
  private(set) var builder: RecordBuilder
  private var names = NativeNames()
  /// Receives what has been read, if there may be much of it; returns whether more is wanted.
  private let output: ((RecordBatch) -> Bool)?
  /// Where a chunk begins whose root element is not that of the document; `nil` for a whole document.
  private var chunk: ChunkStart?

  // Where the parser is.
  private var depth = 0
  /// Elements that are open and mean nothing, the innermost ones.
  private var skipped = 0
  private var text = FieldAtHand()
  /// What is wrong with the name of the child of the root that the parser is in.
  private var slip = Slip.none
  private var root: RootElement?
  /// Bytes up to the end of the root element.
  private var rootEnd = 0
  private var expiration = ExpirationElement()

  /// What is wrong with the name of a child of the root that was meant for a book.
  private enum Slip {
    case none, wrongCase
    case misspelt(name: String)
  }

  /// More names than a usual document has: how many a document has in all is only known where one
  /// parser reads it.
  private static let mostNames = 1_000

  @unsafe private init(
    _ session: UnsafeMutablePointer<ParserSession>, _ builder: consuming RecordBuilder,
    output: ((RecordBatch) -> Bool)?
  ) {
    unsafe self.session = session
    self.builder = builder
    self.output = output
  }
}

// MARK: - Beginning and end

extension NativeReader {
  /// A parser with a reader that it calls.
  static func parser(
    of document: CatalogueDocument, output: ((RecordBatch) -> Bool)? = nil
  ) -> XMLParser<NativeReader> {
    unsafe XMLParser(path: document.path, setHandlers: setHandlers) { session in
      unsafe NativeReader(
        session, RecordBuilder(document.reader, form: nil, document.pool), output: output)
    }
  }

  /// Begins with a document, or with a chunk of one.
  mutating func begin(_ start: ChunkStart) {
    builder.beginDocument(at: start.offset)
    chunk = start.head.isEmpty ? nil : start
    root =
      chunk == nil ? nil : RootElement(name: "", location: start.location, isKnown: true)
    (depth, skipped, text, slip, rootEnd) = (0, 0, FieldAtHand(), .none, 0)
  }

  /// Returns what was read since the last batch, and how the document ends.
  mutating func endDocument() -> RecordBatch {
    let batch = builder.removeBatch(end: unsafe session.pointee.bytesRead)
    batch.ending = DocumentEnding(malformation: unsafe session.pointee.malformation)
    if chunk == nil { batch.root = root }
    return batch
  }

  /// Returns the contents of a chunk of the document; `nil` if it cannot be read on its own.
  ///
  /// - Parameter end: bytes up to the end of the root element, if the document does not end here:
  ///   libxml2 takes a zero byte after it for the document's end.
  mutating func endChunk(at end: Int?) -> RecordBatch? {
    guard unsafe session.pointee.isWellFormed, rootEnd > 0,
      end.map({ unsafe $0 + session.pointee.bytesBefore == rootEnd }) ?? true,
      unsafe session.pointee.nameCount <= Self.mostNames
    else { return nil }
    let batch = builder.removeBatch(end: unsafe session.pointee.bytesRead)
    if chunk == nil { batch.root = root }
    return batch
  }
}

// MARK: - Elements

extension NativeReader {
  /// - SeeAlso: `startElementNsSAX2Func`.
  @inline(__always)
  @unsafe mutating func startElement(_ tag: StartTag) {
    // Most elements are a field directly in a record.
    if depth == 2, skipped == 0, text.field == nil,
      case .field(let field) = unsafe names.element(tag),
      field != .expiration
    {
      depth = 3
      unsafe session.pointee.noteTagEnd()
      return begin(field)
    }
    unsafe startOther(tag)
  }

  @inline(never)
  @unsafe private mutating func startOther(_ tag: StartTag) {
    if depth == 0 { return unsafe startRoot(tag) }
    if !builder.isInRecord { handOver() }
    let element = unsafe names.element(tag)
    if names.hasMissed { checkNames() }
    let start = unsafe session.pointee.position
    unsafe session.pointee.noteTagEnd()
    depth += 1
    if skipped > 0 || text.field != nil {
      skip(element, at: start)
    } else if root?.isKnown != true {
      if root?.firstChild == nil { root?.firstChild = unsafe String(cString: tag.name) }
      skip(element, at: start)
    } else if depth == 2 {
      unsafe startChild(element, tag, at: start)
    } else {
      unsafe startField(element, tag.name, at: start)
    }
  }

  /// Begins the text of a field.
  @inline(__always)
  private mutating func begin(_ field: LoanField) {
    text.field = field
    builder.beginField()
    text.wantsPlace = builder.judgedFields & field.bit != 0
    if text.wantsPlace { beginPlace() }
  }

  private mutating func beginPlace() {
    text.start = unsafe session.pointee.position
    text.end = text.start
    text.isVerbatim = true
    if builder.reader.locatesFixes { text.firstByte = unsafe session.pointee.byteOffset }
  }

  @unsafe private mutating func startRoot(_ tag: StartTag) {
    depth = 1
    let isKnown = unsafe names.noteRoot(tag)
    checkNames()
    if let chunk { return unsafe session.pointee.move(to: chunk.location) }
    root = unsafe RootElement(
      name: String(cString: tag.name),
      namespace: tag.namespace.map { unsafe String(cString: $0) },
      location: session.pointee.tagStart, isKnown: isKnown)
    unsafe session.pointee.noteTagEnd()
  }

  /// Begins a child of the root.
  @unsafe private mutating func startChild(
    _ element: NativeElement, _ tag: StartTag, at start: SourceLocation
  ) {
    switch element {
    case .book:
      builder.beginRecord(at: start)
      expiration = ExpirationElement()
      return unsafe readAttributes(tag, at: start)
    case .misspeltBook:
      slip = .wrongCase
      findWrongCase(unsafe String(cString: tag.name), "book", at: start)
    case .likeBook: slip = .misspelt(name: unsafe String(cString: tag.name))
    default: break
    }
    skip(element, at: start)
  }

  /// Begins a child of a record.
  @unsafe private mutating func startField(
    _ element: NativeElement, _ tag: UnsafePointer<xmlChar>, at start: SourceLocation
  ) {
    switch element {
    case .field(.expiration): startExpiration(at: start)
    case .field(let field): begin(field)
    case .dateName where expiration.suspect == nil,
      .foreignExpiration where expiration.suspect == nil:
      expiration.suspect = ExpirationElement.Suspect(
        name: unsafe String(cString: tag), place: start, isForeign: element == .foreignExpiration)
      expiration.isInSuspect = true
      text = FieldAtHand(field: .expiration)
      builder.beginField()
    case .misspelt(let field):
      findWrongCase(unsafe String(cString: tag), "\(field)", at: start)
      skipped += 1
    default:
      skip(element, at: start)
    }
  }

  /// Begins an expiration, of which only the first counts.
  private mutating func startExpiration(at start: SourceLocation) {
    expiration.count += 1
    guard expiration.count > 1 else {
      expiration.start = start
      return begin(.expiration)
    }
    if expiration.count == 2 {
      builder.findDuplicateExpiration(at: start, firstLine: expiration.start.line)
    }
    skipped += 1
  }

  /// Begins an element that means nothing where it is.
  private mutating func skip(_ element: NativeElement, at start: SourceLocation) {
    skipped += 1
    if text.field == .expiration && !expiration.isInSuspect {
      expiration.hasMarkup = true
      return
    }
    switch element {
    case .field(.expiration), .misspelt(.expiration), .foreignExpiration:
      guard root?.isKnown == true else { return }
      if expiration.isInSuspect { expiration.suspect = nil }
      findMisplacedExpiration(at: start)
    default: break
    }
  }

  private mutating func findMisplacedExpiration(at start: SourceLocation) {
    switch slip {
    case .wrongCase: break
    case .misspelt(let name):
      builder.findRepeated(
        .misplacedExpiration, at: start,
        "this expiration is in <\(name.visible)>, so it is ignored; did you mean <book>?")
    case .none:
      builder.findRepeated(
        .misplacedExpiration, at: start,
        "this expiration is not directly inside a book, so it is ignored; move it into its book")
    }
  }

  private mutating func findWrongCase(_ name: String, _ right: String, at start: SourceLocation) {
    builder.findRepeated(
      .unknownCase, at: start,
      "<\(name.visible)> is ignored, since names are case-sensitive; did you mean <\(right)>?",
      value: name)
  }

  private mutating func checkNames() {
    names.hasMissed = false
    unsafe session.pointee.checkNameCount()
  }
}

// MARK: - Attributes

extension NativeReader {
  /// Reads a record's id, and what may be its expiration.
  @unsafe private mutating func readAttributes(_ tag: StartTag, at start: SourceLocation) {
    for index in unsafe 0..<tag.attributeCount {
      guard let (name, text) = unsafe tag.attribute(index) else { continue }
      if unsafe name[0] == UInt8(ascii: "i") && name[1] == UInt8(ascii: "d") && name[2] == 0 {
        builder.beginField()
        unsafe builder.append(text.span)
        builder.endField(.id)
      } else if unsafe expiration.suspect == nil && names.isDateName(name) {
        unsafe noteDate(text, inAttribute: name, at: start)
      }
    }
  }

  @unsafe private mutating func noteDate(
    _ text: UnsafeBufferPointer<xmlChar>, inAttribute name: UnsafePointer<xmlChar>,
    at start: SourceLocation
  ) {
    builder.beginField()
    unsafe builder.append(text.span)
    guard ExpirationElement.isDate(builder.removeField()) else { return }
    expiration.suspect = unsafe ExpirationElement.Suspect(
      name: String(cString: name), place: start, isAttribute: true)
  }
}

// MARK: - Ends

extension NativeReader {
  /// - SeeAlso: `endElementNsSAX2Func`.
  @inline(__always)
  @unsafe mutating func endElement(
    _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?
  ) {
    if names.hasLongCharacters { unsafe session.pointee.correctColumn(afterEndOf: name, prefix) }
    unsafe session.pointee.notePlace()
    depth &-= 1
    if depth == 2, skipped == 0, !expiration.isInSuspect, let field = text.field {
      end(field)
    } else {
      endOther()
    }
  }

  @inline(never)
  private mutating func endOther() {
    if depth == 0 {
      rootEnd = unsafe session.pointee.bytesRead
    } else if depth == 1 {
      slip = .none
      if skipped > 0 { skipped = 0 } else { endRecord() }
    } else if skipped > 0 {
      skipped -= 1
    } else if expiration.isInSuspect {
      text.field = nil
      expiration.endSuspect(holding: builder.removeField())
    }
  }

  /// Ends the text of a field.
  @inline(__always)
  private mutating func end(_ field: LoanField) {
    text.field = nil
    guard text.wantsPlace else { return builder.endField(field) }
    var place = builder.withField { text.place(of: $0) }
    if let first = text.firstByte, let end = unsafe session.pointee.byteOffset, first < end {
      place.bytes = first..<end
    }
    builder.endField(field, place)
  }

  private mutating func endRecord() {
    if builder.head.isEmpty(.title) { builder.findMissingTitle() }
    switch expiration.count {
    case 0:
      if let suspect = expiration.suspect {
        builder.find(
          .unknownDateElement, at: suspect.place, suspect.message, value: suspect.name)
      }
      builder.endWithoutExpiration()
    case 1: endExpiration()
    default: break
    }
    builder.endRecord()
  }

  /// Hands over what has been read, if there is enough of it.
  private mutating func handOver() {
    guard let output, case let end = unsafe session.pointee.bytesRead, builder.isFull(at: end)
    else { return }
    if !output(builder.removeBatch(end: end)) { unsafe session.pointee.stop() }
  }

  private mutating func endExpiration() {
    if expiration.hasMarkup {
      builder.head.expiration = RecordHead.unusableDay
      builder.find(
        .dateFormat, at: builder.dates.expiration?.start ?? expiration.start,
        "the expiration holds other elements; write only the date, as yyyy.MM.dd",
        value: builder.text(of: .expiration) ?? "")
    } else if builder.head.isEmpty(.expiration) {
      builder.findEmptyExpiration(at: expiration.start)
    } else {
      builder.readExpiration()
    }
  }
}

// MARK: - Texts

extension NativeReader {
  /// - SeeAlso: `charactersSAXFunc`, `cdataBlockSAXFunc`.
  @inline(__always)
  @unsafe mutating func characters(_ text: UnsafeBufferPointer<xmlChar>) {
    unsafe session.pointee.notePlace()
    // Most texts are the white space between elements.
    if self.text.field == nil { return }
    unsafe builder.append(text.span)
    if self.text.wantsPlace || builder.fieldLength > ParserSession.longestText {
      unsafe noteText(text.span)
    }
  }

  private mutating func noteText(_ bytes: Span<UInt8>) {
    text.note(bytes, endingAt: unsafe session.pointee.position)
    unsafe session.pointee.checkTextLength(builder.fieldLength)
  }

  /// - SeeAlso: `commentSAXFunc`.
  @unsafe mutating func comment(_ text: UnsafePointer<xmlChar>) {
    unsafe session.pointee.notePlace()
    guard builder.reader.rules.honorsIgnoreComments, depth < 2 else { return }
    let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(xmlStrlen(text)))
    if let codes = unsafe Diagnostic.Code.ignored(byComment: bytes) { builder.ignore(codes) }
  }
}

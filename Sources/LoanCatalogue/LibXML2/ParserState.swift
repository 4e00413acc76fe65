import CLibXML2
import Glibc
import Loans

/// What the handlers share while libxml2 reads one catalogue.
///
/// It lives behind a pointer that the parser context carries (`_private`), so that the contexts
/// libxml2 makes for entities find it too.
@safe struct ParserState: ~Copyable {
  fileprivate typealias Place = (line: Int32, column: Int32)

  private var builder: RecordBuilder
  private var input = CatalogueInput()
  private var context: xmlParserCtxtPtr?
  private var document: xmlParserInputPtr?
  private var names: NameTable

  /// Where the last event ended, as libxml2 counts.
  private var place: Place = (1, 1)
  /// Where the last event ended, in the document itself: where the next one begins.
  private var position: SourceLocation {
    get { SourceLocation(place) }
    set { place = (Int32(clamping: newValue.line), Int32(clamping: newValue.column)) }
  }
  /// Where the reference ends whose entity's text was read last.
  private var referenceEnd: SourceLocation?
  private var hasDoctype = false {
    didSet { updateIsSpecial() }
  }
  /// Bytes of text, and of elements roughly, that came out of entities.
  private var expansion = 0
  private static let largestExpansion = 10_000_000
  private static let mostNames = 100_000
  private static let mostNamesOfPart = 1_000
  private var isStopped = false {
    didSet { updateIsSpecial() }
  }
  /// Whether an event needs more than nearly all do.
  private var isSpecial = false

  /// What of the document is read.
  enum Role {
    /// All of it, behind so many lines of other things.
    case document(skippedLines: Int)
    /// A part of it, of which nobody knows yet where it stands.
    case part
    /// The rest of it from a record's start on, in which a part has the frame of the whole.
    case rest(SplitPoint)
  }

  private let role: Role
  /// Bytes of the file before those that the parser reads.
  private var inputStart = 0
  /// Whether the root element that is to come is not one of the document itself.
  private var awaitsFrame: Bool
  /// Where reading may stop at a record's start, in bytes of the file.
  private var splitOffset = Int.max
  private var rootTag: [UInt8]?
  private var rootLine = 1
  /// Where reading has stopped so that the rest can be read in parts.
  private var splitPoint: SplitPoint?
  /// Where the last thing inside the root element ends.
  private var bodyEnd = SourceLocation(line: 1, column: 1)
  /// Bytes up to the end of the root element.
  private var rootEnd = 0

  init(builder: consuming RecordBuilder, role: Role) {
    names = NameTable(profile: builder.profile, tree: builder.tree)
    self.builder = builder
    self.role = role
    if case .document = role { awaitsFrame = false } else { awaitsFrame = true }
  }

  private mutating func updateIsSpecial() {
    isSpecial = isStopped || hasDoctype || names.hasLongCharacters
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

  /// - Parameter splitOffset: where in the file reading stops at the next record's start, if the
  ///   rest can be read in parts.
  mutating func beginReading(_ catalogue: OpenCatalogue, stoppingFrom splitOffset: Int) {
    self.splitOffset = splitOffset
    guard case .rest(let place) = role else {
      inputStart = catalogue.documentStart
      return input.open(catalogue)
    }
    inputStart = place.offset - place.frame.head.count
    input.open(catalogue, at: place.offset, behind: place.frame.head)
  }

  @unsafe mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let before = input.total
    defer {
      if input.total > before {
        builder.tellProgress(bytes: inputStart + before, of: input.size)
      }
    }
    return unsafe input.read(into: buffer)
  }

  /// - Throws: ``CatalogueError``, or what the builder's closures threw.
  consuming func endReading(isWellFormed: Bool) throws -> ParserOutcome {
    if let failure = builder.failure { throw failure }
    if builder.isDecided { return ParserOutcome(builder: builder) }
    try input.checkAfterwards()
    if !isStopped {
      if isWellFormed {
        builder.endDocument()
      } else {
        endEarly(.malformedXML, at: position, "the document is not well-formed XML")
      }
    }
    if let failure = builder.failure { throw failure }
    return ParserOutcome(builder: builder, splitPoint: splitPoint)
  }

  /// - Parameter end: where the root element must end, if not anywhere: libxml2 takes a zero byte
  ///   behind it for the document's end.
  /// - Returns: what the part holds; `nil` if it cannot be read on its own.
  consuming func endPart(isWellFormed: Bool, at end: Int?) -> PartReading? {
    // Where nothing could be read at all, there was no fault either.
    guard isWellFormed, rootEnd > 0, end ?? rootEnd == rootEnd, !isStopped, !hasDoctype,
      var log = builder.log, log.isUsable, builder.failure == nil
    else { return nil }
    log.texts = builder.record.texts
    log.end(builder.findings.takeAll())
    return PartReading(log: log, end: bodyEnd, walk: builder.walk)
  }
}

/// What came of a reading.
struct ParserOutcome: ~Copyable {
  var builder: RecordBuilder
  /// Where reading has stopped so that the rest can be read in parts.
  var splitPoint: SplitPoint?

  consuming func takeBuilder() -> RecordBuilder { builder }
}

/// What a part of a document holds.
struct PartReading: Sendable {
  var log: RecordLog
  /// Where the part ends, counted from its beginning.
  var end: SourceLocation
  /// What its elements were, which those of the next parts will be, too.
  var walk: ProfileWalk
}

// Elements.
extension ParserState {
  /// A start tag as libxml2 tells it.
  @unsafe struct StartTag {
    var name: UnsafePointer<xmlChar>
    var prefix: UnsafePointer<xmlChar>?
    var namespace: UnsafePointer<xmlChar>?
    /// Five pointers each: name, prefix, namespace, first byte of the value, end.
    var attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
  }

  /// The arguments go on as they came: a ``StartTag`` of them would be made in memory for each tag,
  /// of which few need it.
  ///
  /// - SeeAlso: `startElementNsSAX2Func`.
  @inline(__always)
  @unsafe mutating func startElement(
    _ context: xmlParserCtxtPtr, _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?,
    _ namespace: UnsafePointer<xmlChar>?, _ attributeCount: Int32,
    _ attributes: UnsafePointer<UnsafePointer<xmlChar>?>?
  ) {
    let place = place
    if !isSpecial, let known = unsafe names.knownElement(name, prefix, namespace),
      builder.skipElement(known) || builder.startField(known, at: SourceLocation(place))
    {
      return noteTagEnd()
    }
    unsafe startRecordOrOther(context, name, prefix, namespace, attributeCount, attributes)
  }

  @inline(never)
  @unsafe private mutating func startRecordOrOther(
    _ context: xmlParserCtxtPtr, _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?,
    _ namespace: UnsafePointer<xmlChar>?, _ attributeCount: Int32,
    _ attributes: UnsafePointer<UnsafePointer<xmlChar>?>?
  ) {
    let tag = unsafe StartTag(
      name: name, prefix: prefix, namespace: namespace,
      attributes: UnsafeBufferPointer(start: attributes, count: Int(attributeCount) * 5))
    if !isSpecial, bytesRead < splitOffset,
      let known = unsafe names.knownElement(name, prefix, namespace),
      builder.startFlatRecord(known, at: position)
    {
      unsafe takeFlatAttribute(tag)
      noteTagEnd()
      checkFailure()
    } else {
      unsafe startOtherElement(context, tag)
    }
  }

  /// The parser stands at the tag's `>` in the document itself.
  @inline(__always)
  private mutating func noteTagEnd() {
    notePlace()
    place.column &+= 1
  }

  /// Notes where the parser stands in the document itself.
  @inline(__always)
  private mutating func notePlace() {
    guard let input = unsafe document else { return }
    unsafe place = (input.pointee.line, input.pointee.col)
  }

  @inline(never)
  @unsafe private mutating func startOtherElement(_ context: xmlParserCtxtPtr, _ tag: StartTag) {
    guard !isStopped else { return }
    unsafe settlePosition(context)
    if unsafe isInsideEntity(context) { unsafe countElement(tag.attributes) }
    let name = unsafe names.element(tag.name, tag.prefix, tag.namespace)
    if names.hasMissed { unsafe checkNames(context) }
    if awaitsFrame, unsafe startFrame() { return }
    if unsafe stopsHere(name, context) { return }
    if builder.isBeforeRoot { unsafe noteRoot(context) }
    if builder.skipElement(name) { return unsafe noteTagEnd(context) }
    let start = unsafe tagStart(context)
    if builder.startField(name, at: start) {
      unsafe noteTagEnd(context)
    } else {
      unsafe startMeaningfulElement(context, name, tag, at: start)
    }
  }

  @unsafe private mutating func startMeaningfulElement(
    _ context: xmlParserCtxtPtr, _ name: ElementName, _ tag: StartTag, at start: SourceLocation
  ) {
    if builder.isBeforeRoot && !input.keepsBeginning { builder.goOnReading() }
    var element = builder.startElement(
      name, named: unsafe String(cString: tag.name),
      namespace: unsafe tag.namespace.map { unsafe String(cString: $0) }, at: start)
    if element == .conditional {
      let passed = unsafe passedTests(builder.tests(of: name), tag)
      element = builder.startElement(name, passed: passed, at: start)
    }
    if element == .attributes { unsafe takeAttributes(context, tag, start) }
    unsafe noteTagEnd(context)
    checkFailure()
    if builder.isDecided { stop() } else if builder.isReading { input.forgetBeginning() }
  }

  /// The parser stands at the tag's `>`, or at the `/>` that ends the element too.
  @inline(__always)
  @unsafe private mutating func noteTagEnd(_ context: xmlParserCtxtPtr) {
    if unsafe !isInsideEntity(context) { noteTagEnd() }
  }

  /// Millions of different names would keep libxml2's dictionary busy for hours.
  ///
  /// - SeeAlso: `xmlDictSize`.
  @unsafe private mutating func checkNames(_ context: xmlParserCtxtPtr) {
    names.hasMissed = false
    updateIsSpecial()
    if unsafe check_loans_name_count(context) > Self.mostNames {
      endEarly(.malformedXML, at: position, "the document has more than 100,000 different names")
    }
  }

  @unsafe private func passedTests(_ tests: [Int], _ tag: StartTag) -> UInt64 {
    var passed: UInt64 = 0
    for number in tests {
      let test = builder.tree.tests[number]
      var values: [ArraySlice<UInt8>] = []
      for index in unsafe stride(from: 0, to: tag.attributes.count - 4, by: 5)
      where unsafe names.attribute(tag.attributes, at: index) == test.attribute {
        guard let value = unsafe tag.attributes[index + 3],
          let end = unsafe tag.attributes[index + 4]
        else { continue }
        unsafe values.append(Array(UnsafeBufferPointer(start: value, count: end - value)).trimmed)
      }
      if test.condition.isFulfilled(by: values) { passed |= 1 << UInt64(number) }
    }
    return passed
  }

  @unsafe private mutating func takeAttributes(
    _ context: xmlParserCtxtPtr, _ tag: StartTag, _ start: SourceLocation
  ) {
    // Where an entity has the tag, its own place is not one of the document.
    let hasPlace = unsafe !isInsideEntity(context)
    let input = unsafe document
    let count = builder.attributeSlotCount
    for index in unsafe stride(from: 0, to: tag.attributes.count - 4, by: 5) {
      guard let number = unsafe names.attribute(tag.attributes, at: index),
        let value = unsafe tag.attributes[index + 3], let end = unsafe tag.attributes[index + 4]
      else { continue }
      for place in 0..<count {
        let (attribute, slot) = builder.attributeSlot(place)
        guard attribute == number else { continue }
        unsafe builder.takeAttribute(
          UnsafeBufferPointer(start: value, count: end - value), in: slot, tagStart: start
        ) {
          guard hasPlace else { return ValueExtent(start: start, end: start) }
          return unsafe Self.extent(of: tag, at: index, from: start, in: input)
        }
      }
    }
  }

  @inline(__always)
  @unsafe private mutating func takeFlatAttribute(_ tag: StartTag) {
    guard let (wanted, field) = builder.flatAttribute else { return }
    for index in unsafe stride(from: 0, to: tag.attributes.count - 4, by: 5)
    where unsafe names.attribute(tag.attributes, at: index) == wanted {
      guard let value = unsafe tag.attributes[index + 3],
        let end = unsafe tag.attributes[index + 4]
      else { continue }
      let (start, input) = unsafe (position, document)
      let text = unsafe UnsafeBufferPointer(start: value, count: end - value)
      unsafe builder.takeFlatAttribute(text.span, in: field) {
        unsafe Self.extent(of: tag, at: index, from: start, in: input)
      }
    }
  }

  /// Where an attribute's value stands in the tag that the parser has just read in the document.
  @inline(__always)
  @unsafe private static func extent(
    of tag: StartTag, at index: Int, from start: SourceLocation, in input: xmlParserInputPtr?
  ) -> ValueExtent {
    if let value = unsafe tag.attributes[index + 3], let end = unsafe tag.attributes[index + 4],
      let extent = unsafe plainExtent(of: value, end, from: start, in: input)
    {
      return extent
    }
    return unsafe TagText(endingAt: input)
      .extent(ofValueOf: qualifiedName(tag.attributes, at: index), tagStart: start)
  }

  /// Where a value stands in a tag on one line, of ASCII, where its pointer leads into the document.
  @inline(__always)
  @unsafe private static func plainExtent(
    of value: UnsafePointer<xmlChar>, _ end: UnsafePointer<xmlChar>, from start: SourceLocation,
    in input: xmlParserInputPtr?
  ) -> ValueExtent? {
    guard let input = unsafe input, let cursor = unsafe input.pointee.cur,
      let base = unsafe input.pointee.base, unsafe value >= base, unsafe value < end,
      unsafe end < cursor, unsafe Int(input.pointee.line) == start.line
    else { return nil }
    // In ASCII the tag has as many bytes as columns; its < is no character of a value.
    let length = unsafe Int(input.pointee.col) &- start.column
    guard length > 0, unsafe length <= cursor - base, unsafe cursor[-length] == UInt8(ascii: "<"),
      unsafe !value.pointee.isXMLWhiteSpace, unsafe !end[-1].isXMLWhiteSpace
    else { return nil }
    let tag = unsafe cursor - length
    return unsafe ValueExtent(
      start: SourceLocation(line: start.line, column: start.column &+ (value - tag)),
      end: SourceLocation(line: start.line, column: start.column &+ (end - tag)))
  }

  /// An attribute's name as the document has it.
  @unsafe private static func qualifiedName(
    _ attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>, at index: Int
  ) -> String {
    let name = unsafe attributes[index].map { unsafe String(cString: $0) } ?? ""
    guard let prefix = unsafe attributes[index + 1] else { return name }
    return unsafe "\(String(cString: prefix)):\(name)"
  }

  /// - SeeAlso: `endElementNsSAX2Func`.
  @inline(__always)
  @unsafe mutating func endElement(
    _ context: xmlParserCtxtPtr, _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?
  ) {
    guard !isSpecial, builder.endOrdinaryElement() else {
      return unsafe endOtherElement(context, name, prefix)
    }
    notePlace()
  }

  @inline(never)
  @unsafe private mutating func endOtherElement(
    _ context: xmlParserCtxtPtr, _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?
  ) {
    guard !isStopped else { return }
    unsafe settlePosition(context)
    if names.hasLongCharacters { unsafe correctColumn(context, name, prefix) }
    if builder.isAtRoot { (bodyEnd, rootEnd) = (position, bytesRead) }
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

// Parts.
extension ParserState {
  /// Lines before the first one that the parser reads.
  private var linesBefore: Int {
    switch role {
    case .document(let skippedLines): skippedLines
    case .part: 0
    case .rest(let place): place.frame.rootLine - 1
    }
  }

  /// Where the document goes on behind the frame, as long as that is in the parser's buffer.
  private var origin: TagText.Origin? {
    guard case .rest(let place) = role, let input = unsafe document,
      unsafe input.pointee.consumed == 0
    else { return nil }
    return TagText.Origin(bytes: place.frame.head.count, column: place.location.column)
  }

  /// Begins the root element that stands around a part.
  ///
  /// - Returns: whether that is all there is to it.
  @unsafe private mutating func startFrame() -> Bool {
    awaitsFrame = false
    // libxml2 goes on behind the tag's end.
    switch role {
    case .document: return false
    case .part:
      unsafe moveInput(to: SourceLocation(line: 1, column: 0))
      return false
    case .rest(let place):
      unsafe moveInput(
        to: SourceLocation(line: place.location.line, column: place.location.column - 1))
      position = place.location
      return true
    }
  }

  @unsafe private func moveInput(to place: SourceLocation) {
    guard let input = unsafe document else { return }
    unsafe input.pointee.line = Int32(clamping: place.line)
    unsafe input.pointee.col = Int32(clamping: place.column)
  }

  /// Leaves a part with many names to a parser that counts those of the whole document.
  @unsafe mutating func countNames(_ context: xmlParserCtxtPtr) {
    if unsafe check_loans_name_count(context) > Self.mostNamesOfPart {
      builder.log?.isUsable = false
    }
  }

  /// Keeps how the root element begins, by which parts of the document get one too.
  @unsafe private mutating func noteRoot(_ context: xmlParserCtxtPtr) {
    guard splitOffset != .max else { return }
    rootTag = unsafe TagText(endingAt: document).bytes
    rootLine = unsafe tagStart(context).line
  }

  /// Stops at a record's start if the rest can be read in parts.
  @unsafe private mutating func stopsHere(
    _ name: ElementName, _ context: xmlParserCtxtPtr
  ) -> Bool {
    guard splitOffset != .max, builder.isFlatRecord(name) else { return false }
    let tag = unsafe TagText(endingAt: document).bytes
    let offset = bytesRead - tag.count
    guard offset >= splitOffset else { return false }
    // How many names there are is only known where one parser reads all.
    guard unsafe check_loans_name_count(context) < Self.mostNamesOfPart,
      let frame = unsafe frame(context, recordTag: tag)
    else {
      splitOffset = .max
      return false
    }
    splitPoint = SplitPoint(offset: offset, location: position, frame: frame)
    stop()
    unsafe xmlStopParser(context)
    return true
  }

  /// How far in the file the parser has come, where its bytes are read as they are.
  @inline(__always)
  private var bytesRead: Int {
    guard let input = unsafe document, let cursor = unsafe input.pointee.cur,
      let base = unsafe input.pointee.base
    else { return 0 }
    return unsafe inputStart &+ Int(input.pointee.consumed) &+ (cursor - base)
  }

  /// What parts of the document need around them; `nil` if there can be none.
  @unsafe private func frame(_ context: xmlParserCtxtPtr, recordTag: [UInt8]) -> PartFrame? {
    if case .rest(let place) = role { return place.frame }
    let version = unsafe context.pointee.version.map { unsafe String(cString: $0) }
    guard let rootTag, !hasDoctype, unsafe check_loans_reads_plainly(context) != 0,
      version ?? "1.0" == "1.0", rootTag.count < 4_096, rootTag.last != UInt8(ascii: "/")
    else { return nil }
    let isDeclared = unsafe check_loans_declared_encoding(context) != nil
    let declaration = isDeclared ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" : ""
    return PartFrame(
      head: Array(declaration.utf8) + rootTag + [UInt8(ascii: ">")],
      tail: [UInt8(ascii: "<"), UInt8(ascii: "/")] + Self.name(in: rootTag) + [UInt8(ascii: ">")],
      recordStart: [UInt8(ascii: "<")] + Self.name(in: recordTag), rootLine: rootLine)
  }

  /// The name in a tag, as it is written.
  private static func name(in tag: [UInt8]) -> ArraySlice<UInt8> {
    tag.dropFirst().prefix { !$0.isXMLWhiteSpace && $0 != UInt8(ascii: "/") }
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
    if builder.isCapturing || isSpecial { return unsafe takeCharacters(context, text) }
    notePlace()
  }

  @inline(never)
  @unsafe private mutating func takeCharacters(
    _ context: xmlParserCtxtPtr, _ text: UnsafeBufferPointer<xmlChar>
  ) {
    if isSpecial { return unsafe takeSpecialCharacters(context, text) }
    if builder.goesToFieldOnly {
      if unsafe !builder.appendToField(text.span) { endAtLongText(at: position) }
    } else {
      unsafe take(text, from: position, isVerbatim: true)
    }
    notePlace()
  }

  @inline(never)
  @unsafe private mutating func takeSpecialCharacters(
    _ context: xmlParserCtxtPtr, _ text: UnsafeBufferPointer<xmlChar>
  ) {
    guard !isStopped else { return }
    unsafe settlePosition(context)
    unsafe countExpansion(context, by: text.count)
    unsafe take(text, from: position, isVerbatim: !isInsideEntity(context))
    unsafe notePosition(context)
  }

  /// - SeeAlso: `cdataBlockSAXFunc`.
  @unsafe mutating func cdata(_ context: xmlParserCtxtPtr, _ text: UnsafeBufferPointer<xmlChar>) {
    guard !isStopped else { return }
    unsafe settlePosition(context)
    unsafe countExpansion(context, by: text.count)
    var start = position
    if unsafe !isInsideEntity(context) { start.column += "<![CDATA[".utf8.count }
    unsafe take(text, from: start, isVerbatim: !isInsideEntity(context), isSection: true)
    unsafe notePosition(context)
  }

  @inline(__always)
  @unsafe private mutating func take(
    _ text: UnsafeBufferPointer<xmlChar>, from start: SourceLocation, isVerbatim: Bool,
    isSection: Bool = false
  ) {
    guard builder.isCapturing else { return }
    if builder.wantsPlace {
      let extent = unsafe ValueScan.extent(
        of: text, from: start, end: currentPosition(), isVerbatim: isVerbatim,
        isSection: isSection)
      if let extent { builder.extendValue(from: extent.start, to: extent.end) }
    }
    if unsafe !builder.append(text.span) { endAtLongText(at: start) }
  }

  @inline(never)
  private mutating func endAtLongText(at start: SourceLocation) {
    endEarly(.malformedXML, at: start, "a text is longer than 10,000,000 bytes")
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
        // Its place can only be told where the whole line can be seen.
        if builder.isOutsideRoot { builder.log?.isUsable = false }
        builder.take(comment, at: unsafe commentStart(context))
      }
    }
    unsafe skipped(context, text)
  }

  /// Where the comment begins that the parser has just read: where the last event ended, except
  /// where something may stand between that raises no event.
  @unsafe private func commentStart(_ context: xmlParserCtxtPtr) -> SourceLocation {
    guard hasDoctype || builder.isOutsideRoot else { return position }
    return unsafe TagText(commentEndingAt: check_loans_document_input(context), origin: origin)?
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
    if linesBefore > 0, let input = unsafe document {
      unsafe input.pointee.line += Int32(linesBefore)
      position.line += linesBefore
    }
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
    case Int32(XML_ERR_DOCUMENT_EMPTY.rawValue)
    where unsafe context?.pointee.input?.pointee.cur?.pointee ?? 0 != 0:
      endEarly(
        .malformedXML, at: unsafe place(of: error, context),
        "not well-formed XML: it does not begin with <; remove what stands before the XML")
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
    let isBefore = unsafe document == nil
    return unsafe SourceLocation(
      line: Int(error.line) + (isBefore ? linesBefore : 0), column: max(1, Int(error.int2)))
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
    if unsafe !isInsideEntity(context) { notePlace() }
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

extension SourceLocation {
  @inline(__always)
  fileprivate init(_ place: ParserState.Place) {
    self.init(line: Int(place.line), column: Int(place.column))
  }
}

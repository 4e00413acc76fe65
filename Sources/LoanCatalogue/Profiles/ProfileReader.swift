import CLibXML2
import Loans

/// Reads a document of another program's form, as a profile describes it.
///
/// libxml2 builds its own tree, of which elements are freed as soon as nothing can look at them any
/// longer: a record's when it has been read, others when they have ended and no expression has
/// their name. A record of which something may come after it waits in the tree; where the
/// document declares entities, all of it does.
@safe struct ProfileReader: ~Copyable {
  private let session: UnsafeMutablePointer<ParserSession>
  private var fields: FieldReader
  private let profile: CatalogueProfile
  private let output: ((RecordBatch) -> Bool)?
  fileprivate var matcher: ElementMatcher
  private var root: RootElement?
  /// For each open element, the outermost first.
  private var open: [OpenElement] = []
  /// The depth of the element that may be a record, with everything inside; 0 outside of any.
  private var candidateDepth = 0
  /// Records that wait, each for the end of the element at a depth.
  private var pending: [(node: xmlNodePtr, record: Int?, depth: Int)] = unsafe []
  /// Comments that wait for the records before them.
  private var comments: [(comment: IgnoreComment, place: SourceLocation)] = []
  /// For records that wait and have comments inside, where the last of them is.
  private var lastComments: [xmlNodePtr: SourceLocation] = unsafe [:]
  /// Bytes of the text at hand.
  private var textLength = 0
  /// How many elements have begun.
  private var number = 0
  /// Whether the whole tree is kept.
  private var isWhole = false
  private static let longestText = 10_000_000

  private struct OpenElement {
    /// Which of the profile's paths lead to it or through it, a bit for each.
    var paths: UInt64
    /// How many records waited when it began.
    var pending: Int
  }

  @unsafe private init(
    _ session: UnsafeMutablePointer<ParserSession>, _ document: DocumentReading.Document,
    _ output: ((RecordBatch) -> Bool)?
  ) {
    unsafe self.session = session
    self.output = output
    profile = document.profile
    fields = FieldReader(document.reader, document.profile)
    matcher = ElementMatcher(document.profile)
  }

  /// Reads a document, in batches where it is long.
  ///
  /// - Throws: ``CatalogueError``, and what the reader's time zone throws.
  /// - Returns: the last batch.
  static func read(
    _ document: DocumentReading.Document, _ output: ((RecordBatch) -> Bool)?
  ) throws -> RecordBatch {
    let start = document.catalogue.documentStart
    let parser = unsafe XMLParser<ProfileReader>(
      path: document.path, linesBefore: document.linesBefore, bytesBefore: start,
      setHandlers: setHandlers)
    unsafe parser.reader.initialize(to: ProfileReader(parser.session, document, output))
    unsafe parser.session.pointee.input.open(document.catalogue, at: start)
    parser.parse()
    return unsafe try parser.reader.pointee.finish()
  }

  private mutating func finish() throws -> RecordBatch {
    do {
      unsafe try session.pointee.finish()
    } catch {
      if let output { _ = output(takeBatch()) }
      throw error
    }
    if let failure = fields.builder.failure { throw failure }
    var batch = takeBatch()
    batch.root = root
    batch.ending = fields.ending ?? DocumentEnding()
    batch.ending?.fault = unsafe session.pointee.fault
    return batch
  }

  private mutating func takeBatch() -> RecordBatch {
    fields.builder.takeLastBatch(end: unsafe session.pointee.bytesRead)
  }
}

// MARK: - Elements

extension ProfileReader {
  /// Takes an element that libxml2 has just put into the tree.
  @unsafe fileprivate mutating func startElement(_ context: xmlParserCtxtPtr) {
    guard unsafe !session.pointee.isStopped, let node = unsafe context.pointee.node else { return }
    unsafe session.pointee.checkNameCount()
    let isInEntity = unsafe session.pointee.isInsideEntity(context)
    textLength = 0
    number += 1
    // What XPath knows the order of elements by: else it would look for it among all siblings.
    unsafe node.pointee.content = UnsafeMutablePointer(bitPattern: -number)
    if !isInEntity {
      let place = unsafe TagText.start(ofTagEndingAt: session.pointee.document)
      unsafe node.pointee._private = place.noted
      unsafe session.pointee.notePlace()
      unsafe session.pointee.place.column += 1
    }
    // What is in an entity has no place in the tree yet.
    if isWhole { return }
    if open.isEmpty { unsafe startRoot(context, node) }
    if open.count == 1 && root?.isKnown == false && root?.firstChild == nil {
      root?.firstChild = unsafe String(cString: node.pointee.name)
    }
    let paths = unsafe matcher.paths(to: node, depth: open.count, from: open.last?.paths)
    open.append(OpenElement(paths: paths, pending: unsafe pending.count))
    if candidateDepth == 0 && matcher.isComplete(paths, depth: open.count) {
      candidateDepth = open.count
    }
  }

  @unsafe private mutating func startRoot(_ context: xmlParserCtxtPtr, _ node: xmlNodePtr) {
    let document = unsafe context.pointee.myDoc
    isWhole = unsafe document?.pointee.intSubset?.pointee.children != nil
    unsafe matcher.begin(context)
    root = unsafe RootElement(
      name: String(cString: node.pointee.name), namespace: matcher.rootNamespace,
      location: SourceLocation(of: node) ?? SourceLocation(line: 1, column: 1),
      isKnown: matcher.isKnownRoot(node))
    unsafe fields.begin(document, root: root?.name ?? "")
  }

  /// A mistake of the profile's that shows only now.
  private mutating func fail(_ failure: XPathFailure) {
    unsafe session.pointee.fail(
      "the profile \(profile.name) cannot be applied here: \(failure.message)",
      at: fields.place ?? session.pointee.position)
  }

  /// Takes an element that has ended.
  @unsafe fileprivate mutating func endElement(_ context: xmlParserCtxtPtr, _ node: xmlNodePtr) {
    guard unsafe !session.pointee.isStopped else { return }
    textLength = 0
    if unsafe !session.pointee.isInsideEntity(context) { unsafe session.pointee.notePlace() }
    if isWhole { unsafe noteComments(in: node) }
    guard !isWhole, let element = open.popLast() else { return }
    let depth = open.count + 1
    do throws(XPathFailure) {
      if depth == candidateDepth {
        candidateDepth = 0
        unsafe try endCandidate(node, element.paths, depth: depth)
      }
      if unsafe !pending.isEmpty, unsafe pending.allSatisfy({ unsafe $0.depth >= depth }) {
        try readPending()
      }
    } catch {
      return fail(error)
    }
    let isWaiting = unsafe pending.count > element.pending
    if depth > 1, candidateDepth == 0, !isWaiting, unsafe !matcher.isKept(node) {
      unsafe free(node)
      // Where libxml2 adds to a text, it takes that to be the last one that it made.
      unsafe context.pointee.nodemem = 0
    }
    if depth == 2 { fields.builder.endChild() }
    if fields.builder.failure != nil { unsafe session.pointee.stop() }
    let isFull = unsafe fields.builder.isFull(at: session.pointee.bytesRead)
    if unsafe isFull && pending.isEmpty && candidateDepth == 0, let output, !output(takeBatch()) {
      unsafe session.pointee.stop()
    }
  }

  @unsafe private func free(_ node: xmlNodePtr) {
    unsafe xmlUnlinkNode(node)
    unsafe xmlFreeNode(node)
  }

  /// Takes an element that may be a record, or what records refer to.
  @unsafe private mutating func endCandidate(
    _ node: xmlNodePtr, _ paths: UInt64, depth: Int
  ) throws(XPathFailure) {
    fields.bytesRead = unsafe session.pointee.bytesRead
    let complete = matcher.complete(paths, depth: depth)
    for lookup in complete.lookups { unsafe try fields.keep(node, lookup: lookup) }
    guard let kind = unsafe try fields.kind(of: node, complete.records) else { return }
    let record = kind.isLent ? kind.record : nil
    var reach = 0
    if let record { reach = unsafe try fields.wait(for: node, record) }
    if unsafe reach == 0 && pending.isEmpty { return unsafe try fields.read(node, record) }
    unsafe noteComments(in: node)
    unsafe pending.append((node, record, reach == 0 ? .max : max(1, depth - reach)))
  }

  /// Reads the records that wait, all of which is known now.
  private mutating func readPending() throws(XPathFailure) {
    let waiting = unsafe pending
    unsafe pending.removeAll()
    for index in unsafe waiting.indices {
      unsafe try read(waiting[index].node, waiting[index].record)
    }
    // Later ones may look at those before them.
    for index in unsafe waiting.indices where unsafe !matcher.isKept(waiting[index].node) {
      unsafe free(waiting[index].node)
    }
    takeComments { _ in true }
  }

  /// Reads a record that has waited, after the comments before it and in it.
  @unsafe private mutating func read(_ node: xmlNodePtr, _ record: Int?) throws(XPathFailure) {
    if !comments.isEmpty, let start = unsafe SourceLocation(of: node) {
      takeComments { $0 < start }
      if let last = unsafe lastComments[node] { takeComments(isInRecord: true) { $0 <= last } }
    }
    unsafe try fields.read(node, record)
  }

  /// Reads what is below an element, where the whole tree has been kept.
  ///
  /// - Parameter lookups: whether only what records refer to is wanted.
  @unsafe private mutating func readTree(
    _ node: xmlNodePtr, _ depth: Int, _ above: UInt64?, lookups: Bool
  ) throws(XPathFailure) {
    let paths = unsafe matcher.paths(to: node, depth: depth, from: above)
    let complete = matcher.complete(paths, depth: depth + 1)
    if lookups {
      for lookup in complete.lookups { unsafe try fields.keep(node, lookup: lookup) }
    } else if let kind = unsafe try fields.kind(of: node, complete.records) {
      unsafe try read(node, kind.isLent ? kind.record : nil)
    }
    guard paths != 0 else { return }
    var child = unsafe node.pointee.children
    while let next = unsafe child {
      if unsafe next.pointee.type == XML_ELEMENT_NODE {
        unsafe try readTree(next, depth + 1, paths, lookups: lookups)
      }
      unsafe child = next.pointee.next
    }
  }

  /// The document has ended, and its tree is still there.
  @unsafe fileprivate mutating func endDocument(_ context: xmlParserCtxtPtr) {
    let document = unsafe context.pointee.myDoc
    guard let root = unsafe xmlDocGetRootElement(document), self.root != nil else { return }
    fields.bytesRead = unsafe session.pointee.bytesRead
    // The text of what has not been closed may be a part of it.
    if let text = unsafe context.pointee.node?.pointee.last,
      unsafe text.pointee.type == XML_TEXT_NODE
    {
      unsafe free(text)
    }
    do throws(XPathFailure) {
      if isWhole {
        // What is in entities was numbered before it was put into the tree.
        unsafe _ = xmlXPathOrderDocElems(document)
        for lookups in [true, false] { unsafe try readTree(root, 0, nil, lookups: lookups) }
        takeComments { _ in true }
      }
      if unsafe !pending.isEmpty { try readPending() }
      if unsafe session.pointee.fault == nil { try fields.endDocument() }
    } catch {
      fail(error)
    }
    fields.endTree()
  }
}

// MARK: - Texts

extension ProfileReader {
  /// Whether a text is put into the tree.
  @unsafe fileprivate mutating func keeps(
    _ context: xmlParserCtxtPtr, _ text: UnsafeBufferPointer<xmlChar>
  ) -> Bool {
    guard unsafe !session.pointee.isStopped else { return false }
    let isInEntity = unsafe session.pointee.isInsideEntity(context)
    textLength += text.count
    if textLength > Self.longestText {
      unsafe session.pointee.endEarly(
        .malformedXML, at: session.pointee.position, "a text is longer than 10,000,000 bytes")
    }
    if !isInEntity { unsafe session.pointee.notePlace() }
    if isWhole || candidateDepth > 0 { return true }
    // Between records there is nothing but white space that would stay for ever.
    guard let node = unsafe context.pointee.node else { return false }
    let isBlank = unsafe text.allSatisfy(\.isXMLWhiteSpace)
    return unsafe !isBlank && matcher.isKept(node)
  }

  @unsafe fileprivate mutating func comment(
    _ context: xmlParserCtxtPtr, _ text: UnsafePointer<xmlChar>?
  ) {
    guard unsafe !session.pointee.isStopped else { return }
    if fields.builder.reader.rules.heedsComments, let text = unsafe text,
      unsafe !session.pointee.isInsideEntity(context)
    {
      let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(xmlStrlen(text)))
      if let comment = unsafe IgnoreComment(bytes) {
        let (end, last) = unsafe (session.pointee.currentPosition, session.pointee.position)
        let start = unsafe TagText(commentEndingAt: session.pointee.document, origin: nil)?
          .start(ofTagEndingAt: end)
        comments.append((comment, start ?? last))
        if unsafe !isWhole && pending.isEmpty {
          takeComments(isInRecord: candidateDepth > 0) { _ in true }
        }
      }
    }
    unsafe session.pointee.notePlace(context)
  }

  /// Takes the first of the comments that wait, as long as their places are of a kind.
  private mutating func takeComments(
    isInRecord: Bool = false, where isWanted: (SourceLocation) -> Bool
  ) {
    let taken = comments.prefix { isWanted($0.place) }
    for (comment, place) in taken {
      fields.builder.take(comment, at: place, isInRecord: isInRecord)
    }
    comments.removeFirst(taken.count)
  }

  /// Notes where the last comment is in an element that ends.
  @unsafe private mutating func noteComments(in node: xmlNodePtr) {
    guard let last = comments.last?.place, let start = unsafe SourceLocation(of: node),
      last > start
    else { return }
    unsafe lastComments[node] = last
  }
}

// MARK: - Handlers

@inline(__always)
@unsafe private func reader(
  of parser: xmlParserCtxtPtr
) -> UnsafeMutablePointer<ProfileReader> {
  unsafe session(of: parser).pointee.reader.assumingMemoryBound(to: ProfileReader.self)
}

private let startElementHandler: startElementNsSAX2Func = {
  context, name, prefix, namespace, namespaceCount, namespaces, attributeCount, defaultCount,
  attributes in
  let parser = unsafe parserContext(context)
  let tag = unsafe ElementMatcher.StartTag(
    name: name, prefix: prefix, namespace: namespace, namespaceCount: namespaceCount,
    namespaces: namespaces, attributeCount: attributeCount, defaultCount: defaultCount,
    attributes: attributes)
  if defaultCount > 0 { unsafe session(of: parser).pointee.countDefaults(Int(defaultCount)) }
  unsafe reader(of: parser).pointee.matcher.build(tag, parser)
  unsafe reader(of: parser).pointee.startElement(parser)
}

private let endElementHandler: endElementNsSAX2Func = { context, name, prefix, namespace in
  let parser = unsafe parserContext(context)
  let node = unsafe parser.pointee.node
  unsafe xmlSAX2EndElementNs(context, name, prefix, namespace)
  if let node = unsafe node { unsafe reader(of: parser).pointee.endElement(parser, node) }
}

private let textHandler: charactersSAXFunc = { context, text, length in
  let parser = unsafe parserContext(context)
  let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(length))
  guard unsafe reader(of: parser).pointee.keeps(parser, bytes) else { return }
  unsafe xmlSAX2Characters(context, text, length)
}

private let commentHandler: commentSAXFunc = { context, text in
  let parser = unsafe parserContext(context)
  unsafe reader(of: parser).pointee.comment(parser, text)
}

private let endDocumentHandler: endDocumentSAXFunc = { context in
  let parser = unsafe parserContext(context)
  unsafe reader(of: parser).pointee.endDocument(parser)
  unsafe xmlSAX2EndDocument(context)
}

extension ProfileReader {
  /// Sets the handlers that forward to the reader of the parser's session.
  @unsafe fileprivate static func setHandlers(_ handlers: UnsafeMutablePointer<xmlSAXHandler>) {
    unsafe handlers.pointee.startElementNs = startElementHandler
    unsafe handlers.pointee.endElementNs = endElementHandler
    unsafe handlers.pointee.characters = textHandler
    unsafe handlers.pointee.ignorableWhitespace = textHandler
    unsafe handlers.pointee.cdataBlock = textHandler
    unsafe handlers.pointee.comment = commentHandler
    unsafe handlers.pointee.processingInstruction = nil
    unsafe handlers.pointee.endDocument = endDocumentHandler
  }
}

import CLibXML2
import Loans

/// Reads a document of another program's form, as a profile describes it.
///
/// libxml2 builds its own tree. If all that the profile asks of a record is inside the record's
/// element, the record is read when that ends, and freed. Otherwise, and if the document declares
/// entities, the whole tree is kept, and all records are read at the end of the document.
@safe struct ProfileReader: ~Copyable {
  private let session: UnsafeMutablePointer<ParserSession>
  private var fields: FieldReader
  private let output: ((RecordBatch) -> Bool)?
  private var namespaces: OwnNamespaces
  private var root: RootElement?
  /// The elements that are open, the outermost first.
  private var open: [xmlNodePtr] = unsafe []
  /// The open element that may be a record.
  private var candidate: xmlNodePtr?
  /// Comments that have not been read, each with the element around it that may be a record.
  private var comments: ArraySlice<WaitingComment> = unsafe []
  /// Bytes of the text at hand.
  private var textLength = 0
  /// The number of elements that have begun.
  private var number = 0
  /// Whether the whole tree is kept.
  private var isWhole: Bool
  /// The attribute that has a column's name, ended by a zero; `nil` if none has.
  private let columnName: [xmlChar]?
  /// Whether nothing more is wanted.
  private var isOver = false
  private static let longestText = 10_000_000

  private typealias WaitingComment = (
    place: SourceLocation, candidate: xmlNodePtr?
  )

  @unsafe private init(
    _ session: UnsafeMutablePointer<ParserSession>, _ document: CatalogueDocument,
    _ output: ((RecordBatch) -> Bool)?
  ) {
    unsafe self.session = session
    self.output = output
    fields = FieldReader(document.reader, document.profile, document.pool)
    namespaces = OwnNamespaces(document.profile)
    isWhole = document.profile.looksOutside
    columnName = document.profile.columns.flatMap { name in
      name.hasPrefix("@") ? name.utf8.dropFirst() + [0] : nil
    }
  }

  /// Reads a document, in batches where it is long.
  ///
  /// - Throws: ``CatalogueError``, and what the reader's time zone throws.
  /// - Returns: the last batch.
  static func read(
    _ document: CatalogueDocument, _ output: ((RecordBatch) -> Bool)?
  ) throws(CatalogueError) -> RecordBatch {
    let parser = unsafe XMLParser(path: document.path, setHandlers: setHandlers) { session in
      unsafe ProfileReader(session, document, output)
    }
    parser.parse(document.catalogue, from: .ofFile)
    return unsafe try parser.reader.pointee.finish()
  }

  private mutating func finish() throws(CatalogueError) -> RecordBatch {
    do throws(CatalogueError) {
      unsafe try session.pointee.finish()
    } catch {
      if let output { _ = output(removeBatch()) }
      throw error
    }
    let batch = removeBatch()
    batch.root = root
    batch.ending = fields.ending
    batch.ending?.malformation = unsafe session.pointee.malformation
    return batch
  }

  private mutating func removeBatch() -> RecordBatch {
    fields.builder.removeBatch(end: unsafe session.pointee.bytesRead)
  }
}

// MARK: - Elements

extension ProfileReader {
  /// Takes an element that has been put into the tree.
  @unsafe fileprivate mutating func startElement(
    _ context: xmlParserCtxtPtr, _ node: xmlNodePtr, prefix: UnsafePointer<xmlChar>?,
    namespace: UnsafePointer<xmlChar>?
  ) {
    unsafe namespaces.remove(from: node, prefix: prefix, namespace: namespace)
    if unsafe columnName != nil && node.pointee.parent == candidate { unsafe nameColumn(node) }
    unsafe session.pointee.checkNameCount()
    textLength = 0
    number += 1
    // What XPath knows the order of elements by: else it would look for it among all siblings.
    unsafe node.pointee.content = UnsafeMutablePointer(bitPattern: -number)
    if true {
      let place = unsafe TagText.start(endingAt: session.pointee.document)
      unsafe node.pointee._private = place?.noted
      unsafe session.pointee.notePlace()
      
    }
    if root == nil { unsafe startRoot(context, node) }
    if unsafe open.count == 1 && root?.isKnown == false && root?.firstChild == nil {
      root?.firstChild = unsafe String(cString: node.pointee.name)
    }
    unsafe open.append(node)
    if unsafe candidate == nil && !fields.kinds(of: node, depth: open.count).isEmpty {
      unsafe candidate = node
    }
  }

  /// Gives a column the name that its attribute has.
  @unsafe private func nameColumn(_ node: xmlNodePtr) {
    guard let name = unsafe xmlGetNoNsProp(node, columnName) else { return }
    defer { unsafe check_loans_free(name) }
    guard let known = unsafe xmlDictLookup(node.pointee.doc?.pointee.dict, name, -1) else { return }
    unsafe node.pointee.name = known
  }

  @unsafe private mutating func startRoot(_ context: xmlParserCtxtPtr, _ node: xmlNodePtr) {
    let document = unsafe context.pointee.myDoc
    if unsafe document?.pointee.intSubset?.pointee.children != nil { isWhole = true }
    let element = unsafe XMLNode(node)
    let place = element.place ?? SourceLocation(line: 1, column: 1)
    root = RootElement(
      name: element.name, namespace: namespaces.root, location: place,
      isKnown: fields.profile.knows(element))
    unsafe fields.begin(document, at: place)
  }

  /// Ends the reading, since the profile cannot be applied.
  private mutating func fail(_ failure: XPathFailure) {
    unsafe session.pointee.fail(
      "the profile \(fields.profile.name) cannot be applied here: \(failure.message)",
      at: fields.place)
  }

  /// Takes an element that has ended.
  @unsafe fileprivate mutating func endElement(_ context: xmlParserCtxtPtr, _ node: xmlNodePtr) {
    guard unsafe !session.pointee.isStopped else { return }
    textLength = 0
    if true { unsafe session.pointee.notePlace() }
    let depth = unsafe open.count
    _ = unsafe open.popLast()
    guard unsafe node == candidate else { return }
    unsafe candidate = nil
    if isWhole { return }
    do throws(XPathFailure) {
      fields.bytesRead = unsafe session.pointee.bytesRead
      if unsafe try !read(node, depth: depth) { fields.hasOthers = true }
      addComments()
    } catch {
      return fail(error)
    }
    guard depth > 1 else { return }
    unsafe free(node)
    // Where libxml2 adds to a text, it takes that to be the last one that it made.
    unsafe context.pointee.nodemem = 0
  }

  @unsafe private func free(_ node: xmlNodePtr) {
    unsafe xmlUnlinkNode(node)
    unsafe xmlFreeNode(node)
  }

  /// Reads an element if it is a record, after the comments before it and in it.
  ///
  /// - Returns: whether it is one.
  @unsafe private mutating func read(
    _ node: xmlNodePtr, depth: Int
  ) throws(XPathFailure) -> Bool {
    guard let kind = unsafe try fields.kind(of: node, depth: depth) else { return false }
    if unsafe !comments.isEmpty {
      addComments(before: fields.place)
      while let comment = unsafe comments.first, unsafe comment.candidate == node {
        unsafe comments.removeFirst()
      }
    }
    unsafe try fields.read(node, kind.isLent ? kind.record : nil)
    let end = unsafe session.pointee.bytesRead
    if let output, !isOver, fields.builder.isFull(at: end) {
      isOver = !output(fields.builder.removeBatch(end: end))
    }
    if isOver { unsafe session.pointee.stop() }
    return true
  }

  /// Adds comments that are not inside a record.
  private mutating func addComments(before place: SourceLocation? = nil) {
    while let next = unsafe comments.first, place.map({ unsafe next.place < $0 }) ?? true {
      unsafe comments.removeFirst()
    }
  }
}

// MARK: - The end

extension ProfileReader {
  /// The document has ended, and its tree is still there.
  @unsafe fileprivate mutating func endDocument(_ context: xmlParserCtxtPtr) {
    guard unsafe !session.pointee.isStopped || session.pointee.malformation != nil,
      let root = unsafe xmlDocGetRootElement(context.pointee.myDoc), self.root != nil
    else { return }
    fields.bytesRead = unsafe session.pointee.bytesRead
    // The text of what has not been closed may be a part of it.
    if let text = unsafe open.last?.pointee.last, unsafe text.pointee.type == XML_TEXT_NODE {
      unsafe free(text)
    }
    do throws(XPathFailure) {
      if isWhole {
        // What is in entities was numbered before it was put into the tree.
        unsafe _ = xmlXPathOrderDocElems(context.pointee.myDoc)
        let open = unsafe Set(open)
        unsafe try fields.readLookups(open)
        unsafe try readAll(in: root, depth: 1, open)
        addComments()
      }
      if unsafe session.pointee.malformation == nil { try fields.endDocument() }
    } catch {
      fail(error)
    }
  }

  /// Reads the records in a tree, but for those that have not ended.
  @unsafe private mutating func readAll(
    in node: xmlNodePtr, depth: Int, _ open: Set<xmlNodePtr>
  ) throws(XPathFailure) {
    guard fields.profile.records.contains(where: { $0.path.steps.count >= depth }) else { return }
    if unsafe !open.contains(node), unsafe try read(node, depth: depth) { return }
    var child = unsafe node.pointee.children
    while let next = unsafe child, !isOver {
      if unsafe next.pointee.type == XML_ELEMENT_NODE {
        unsafe try readAll(in: next, depth: depth + 1, open)
      }
      unsafe child = next.pointee.next
    }
  }
}

// MARK: - Texts

extension ProfileReader {
  /// Whether a text is put into the tree.
  @unsafe fileprivate mutating func keeps(
    _ context: xmlParserCtxtPtr, _ text: UnsafeBufferPointer<xmlChar>
  ) -> Bool {
    guard unsafe !session.pointee.isStopped else { return false }
    let isInEntity = false
    textLength += text.count
    if textLength > Self.longestText {
      unsafe session.pointee.endEarly(
        .malformedXML, at: session.pointee.position, "a text is longer than 10,000,000 bytes")
    }
    if !isInEntity { unsafe session.pointee.notePlace() }
    // Between columns there is only white space, over which each expression would go.
    let isInRecord = unsafe candidate != nil
    if unsafe isInRecord && context.pointee.node == candidate && fields.profile.columns != nil {
      return false
    }
    if isInEntity || isInRecord { return true }
    // Most texts between records are white space.
    return unsafe !text.allSatisfy(\.isXMLWhiteSpace)
  }

  @unsafe fileprivate mutating func comment(
    _ context: xmlParserCtxtPtr, _ text: UnsafePointer<xmlChar>?
  ) {
    guard unsafe !session.pointee.isStopped else { return }
    unsafe session.pointee.notePlace()
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
  if unsafe session(of: parser).pointee.isStopped { return }
  // An undeclared prefix would become a part of the name.
  unsafe xmlSAX2StartElementNs(
    context, name, namespace == nil ? nil : prefix, namespace, namespaceCount, namespaces,
    attributeCount, defaultCount, attributes)
  if let node = unsafe parser.pointee.node {
    unsafe reader(of: parser).pointee.startElement(
      parser, node, prefix: prefix, namespace: namespace)
  }
}

private let endElementHandler: endElementNsSAX2Func = { context, name, prefix, namespace in
  let parser = unsafe parserContext(context)
  if unsafe session(of: parser).pointee.isStopped { return }
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

private let endHandler: endDocumentSAXFunc = { context in
  let parser = unsafe parserContext(context)
  unsafe reader(of: parser).pointee.endDocument(parser)
  unsafe endDocumentHandler(context)
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
    unsafe handlers.pointee.endDocument = endHandler
  }
}

import CLibXML2
import Loans

/// The elements of a small document, with the places where they and their attributes stand.
///
/// - SeeAlso: `xmlCtxtReadMemory`.
@safe struct SmallDocument {
  /// An element with what is in its start tag.
  struct Element {
    var name: String
    /// How many elements are around it.
    var depth: Int
    var location: SourceLocation
    var attributes: [Attribute] = []
    /// The namespaces that it gives prefixes; the empty prefix is that of names without one.
    var namespaces: [(prefix: String, namespace: String)] = []
    /// Whether there is text directly inside it.
    var hasText = false
  }

  struct Attribute {
    var name: String
    var value: String
    /// Where the value stands.
    var location: SourceLocation
  }

  /// Why there are no elements.
  struct Fault: Error {
    var location: SourceLocation
    var message: String
  }

  /// One more is kept, to tell where there are too many.
  static let mostElements = 500
  private(set) var elements: [Element] = []
  private var depth = 0
  private var fault: Fault?

  /// - Throws: ``Fault`` if the document is not well-formed, or has a document type.
  init(_ bytes: [UInt8]) throws(Fault) {
    refuseExternalEntities
    var document = SmallDocument()
    let isWellFormed = unsafe withUnsafeMutablePointer(to: &document) { document in
      guard let context = unsafe xmlNewParserCtxt() else { return false }
      defer { unsafe xmlFreeParserCtxt(context) }
      unsafe prepare(context, document)
      return unsafe bytes.withUnsafeBytes { bytes in
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        let options = Int32(XML_PARSE_NONET.rawValue | XML_PARSE_BIG_LINES.rawValue)
        // What a converter has to say is said by the parser, too.
        unsafe check_loans_set_thread_error_handler(nil, { _, _ in })
        defer { check_loans_set_thread_error_handler(nil, nil) }
        unsafe xmlFreeDoc(
          xmlCtxtReadMemory(context, start, Int32(clamping: bytes.count), nil, nil, options))
        return unsafe context.pointee.wellFormed != 0
      }
    }
    if let fault = document.fault { throw fault }
    if !isWellFormed {
      let beginning = SourceLocation(line: 1, column: 1)
      throw Fault(location: beginning, message: "not well-formed XML: the document is empty")
    }
    self = document
  }

  private init() {}
}

extension SmallDocument {
  @unsafe fileprivate mutating func startElement(
    _ context: xmlParserCtxtPtr, _ name: String,
    _ namespaces: UnsafeBufferPointer<UnsafePointer<xmlChar>?>,
    _ attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
  ) {
    // The rest would be looked at for nothing.
    guard elements.count <= Self.mostElements else { return unsafe xmlStopParser(context) }
    let input = unsafe check_loans_document_input(context)
    let end = unsafe input.map { input in
      unsafe SourceLocation(line: Int(input.pointee.line), column: Int(input.pointee.col))
    }
    let tag = unsafe TagText(endingAt: input)
    let start = tag.start(ofTagEndingAt: end ?? SourceLocation(line: 1, column: 1))
    var element = Element(name: name, depth: depth, location: start)
    for index in stride(from: 0, to: namespaces.count - 1, by: 2) {
      guard let address = unsafe namespaces[index + 1] else { continue }
      let prefix = unsafe namespaces[index].map { unsafe String(cString: $0) } ?? ""
      unsafe element.namespaces.append((prefix, String(cString: address)))
    }
    for index in stride(from: 0, to: attributes.count - 4, by: 5) {
      guard let local = unsafe attributes[index], let value = unsafe attributes[index + 3],
        let end = unsafe attributes[index + 4]
      else { continue }
      let prefix = unsafe attributes[index + 1].map { unsafe String(cString: $0) + ":" } ?? ""
      let name = unsafe prefix + String(cString: local)
      let bytes = unsafe UnsafeBufferPointer(start: value, count: end - value)
      element.attributes.append(
        Attribute(
          name: name, value: unsafe String(decoding: bytes, as: UTF8.self),
          location: tag.extent(ofValueOf: name, tagStart: start).start))
    }
    elements.append(element)
    depth += 1
  }

  fileprivate mutating func endElement() { depth -= 1 }

  @unsafe fileprivate mutating func characters(_ text: UnsafeBufferPointer<xmlChar>) {
    guard unsafe !text.allSatisfy(\.isXMLWhiteSpace) else { return }
    let open = elements.lastIndex { $0.depth == depth - 1 }
    if let open { elements[open].hasText = true }
  }

  @unsafe fileprivate mutating func foundDoctype(_ context: xmlParserCtxtPtr) {
    let line = unsafe Int(context.pointee.input?.pointee.line ?? 1)
    note(
      Fault(
        location: SourceLocation(line: line, column: 1),
        message: "a profile has no document type; remove the <!DOCTYPE"))
    unsafe xmlStopParser(context)
  }

  @unsafe fileprivate mutating func fault(_ error: xmlError) {
    guard unsafe error.level == XML_ERR_FATAL else { return }
    let place = unsafe SourceLocation(
      line: max(1, Int(error.line)), column: max(1, Int(error.int2)))
    note(Fault(location: place, message: unsafe "not well-formed XML: \(FaultText.of(error))"))
  }

  private mutating func note(_ fault: Fault) { if self.fault == nil { self.fault = fault } }
}

// The handlers forward at once to the document that the context carries (`_private`).

@unsafe private func parser(_ context: UnsafeMutableRawPointer?) -> xmlParserCtxtPtr {
  unsafe context.unsafelyUnwrapped.assumingMemoryBound(to: xmlParserCtxt.self)
}

@unsafe private func document(
  _ parser: xmlParserCtxtPtr
) -> UnsafeMutablePointer<SmallDocument> {
  unsafe parser.pointee._private.unsafelyUnwrapped.assumingMemoryBound(to: SmallDocument.self)
}

private let elementStartHandler: startElementNsSAX2Func = {
  context, name, _, _, namespaceCount, namespaces, attributeCount, _, attributes in
  guard let name = unsafe name else { return }
  let parser = unsafe parser(context)
  unsafe document(parser).pointee.startElement(
    parser, String(cString: name),
    UnsafeBufferPointer(start: namespaces, count: Int(namespaceCount) * 2),
    UnsafeBufferPointer(start: attributes, count: Int(attributeCount) * 5))
}

private let elementEndHandler: endElementNsSAX2Func = { context, _, _, _ in
  unsafe document(parser(context)).pointee.endElement()
}

private let textHandler: charactersSAXFunc = { context, text, length in
  unsafe document(parser(context)).pointee.characters(
    UnsafeBufferPointer(start: text, count: Int(length)))
}

private let doctypeHandler: internalSubsetSAXFunc = { context, _, _, _ in
  let parser = unsafe parser(context)
  unsafe document(parser).pointee.foundDoctype(parser)
}

private let faultHandler: check_loans_error_handler = { context, error in
  guard let error = unsafe error else { return }
  unsafe document(parser(context)).pointee.fault(error.pointee)
}

@unsafe private func prepare(
  _ context: xmlParserCtxtPtr, _ document: UnsafeMutablePointer<SmallDocument>
) {
  unsafe context.pointee._private = UnsafeMutableRawPointer(document)
  guard let handlers = unsafe context.pointee.sax else { return }
  unsafe handlers.pointee.startElementNs = elementStartHandler
  unsafe handlers.pointee.endElementNs = elementEndHandler
  unsafe handlers.pointee.characters = textHandler
  unsafe handlers.pointee.ignorableWhitespace = textHandler
  unsafe handlers.pointee.cdataBlock = textHandler
  unsafe handlers.pointee.comment = nil
  unsafe handlers.pointee.processingInstruction = nil
  unsafe handlers.pointee.internalSubset = doctypeHandler
  unsafe check_loans_set_error_handler(handlers, faultHandler)
}

import CLibXML2
import Loans

/// The elements of a small document, with the places where they and their attributes are.
@safe struct DocumentElements: ~Copyable {
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

    subscript(name: String) -> Attribute? { attributes.first { $0.name == name } }
  }

  struct Attribute {
    var name: String
    var value: String
    /// Where the value is.
    var location: SourceLocation
  }

  /// One more is kept, to say where there are too many.
  static let mostElements = 500
  private let session: UnsafeMutablePointer<ParserSession>
  private var elements: [Element] = []
  private var depth = 0

  @unsafe private init(_ session: UnsafeMutablePointer<ParserSession>) {
    unsafe self.session = session
  }

  /// - Throws: `CatalogueProfile.Fault` if the document is not well-formed, or has a document type.
  static func of(_ bytes: [UInt8]) throws(CatalogueProfile.Fault) -> [Element] {
    let reader = UnsafeMutablePointer<DocumentElements>.allocate(capacity: 1)
    let session = UnsafeMutablePointer<ParserSession>.allocate(capacity: 1)
    unsafe session.initialize(to: ParserSession(UnsafeMutableRawPointer(reader), path: ""))
    unsafe reader.initialize(to: DocumentElements(session))
    defer {
      unsafe reader.deinitialize(count: 1).deallocate()
      unsafe session.deinitialize(count: 1).deallocate()
    }
    do throws(CatalogueError) {
      let parser = unsafe XMLParser(session) { unsafe setHandlers($0) }
      parser.parse(bytes[...])
      unsafe try session.pointee.finish()
    } catch {
      let beginning = SourceLocation(line: 1, column: 1)
      throw CatalogueProfile.Fault(location: beginning, message: error.message)
    }
    if let fault = unsafe session.pointee.fault {
      throw CatalogueProfile.Fault(location: fault.location, message: fault.message)
    }
    return unsafe reader.pointee.elements
  }

  @unsafe fileprivate mutating func startElement(
    _ name: String, _ namespaces: UnsafeBufferPointer<UnsafePointer<xmlChar>?>,
    _ attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
  ) {
    // The rest would be looked at for nothing.
    guard elements.count <= Self.mostElements else { return unsafe session.pointee.stop() }
    if unsafe session.pointee.hasDoctype {
      return unsafe session.pointee.endEarly(
        .malformedXML, at: SourceLocation(line: 1, column: 1),
        "a profile has no document type; remove the <!DOCTYPE")
    }
    let start = unsafe TagText.start(ofTagEndingAt: session.pointee.document)
    let tag = unsafe TagText(endingAt: session.pointee.document)
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
    if let open = elements.lastIndex(where: { $0.depth == depth - 1 }) {
      elements[open].hasText = true
    }
  }
}

// MARK: - Handlers

@unsafe private func reader(
  of context: UnsafeMutableRawPointer?
) -> UnsafeMutablePointer<DocumentElements> {
  unsafe session(of: parserContext(context)).pointee.reader
    .assumingMemoryBound(to: DocumentElements.self)
}

private let startElementHandler: startElementNsSAX2Func = {
  context, name, _, _, namespaceCount, namespaces, attributeCount, _, attributes in
  guard let name = unsafe name else { return }
  unsafe reader(of: context).pointee.startElement(
    String(cString: name),
    UnsafeBufferPointer(start: namespaces, count: Int(namespaceCount) * 2),
    UnsafeBufferPointer(start: attributes, count: Int(attributeCount) * 5))
}

private let endElementHandler: endElementNsSAX2Func = { context, _, _, _ in
  unsafe reader(of: context).pointee.endElement()
}

private let textHandler: charactersSAXFunc = { context, text, length in
  unsafe reader(of: context).pointee.characters(
    UnsafeBufferPointer(start: text, count: Int(length)))
}

@unsafe private func setHandlers(_ handlers: UnsafeMutablePointer<xmlSAXHandler>) {
  unsafe handlers.pointee.startElementNs = startElementHandler
  unsafe handlers.pointee.endElementNs = endElementHandler
  unsafe handlers.pointee.characters = textHandler
  unsafe handlers.pointee.ignorableWhitespace = textHandler
  unsafe handlers.pointee.cdataBlock = textHandler
  unsafe handlers.pointee.comment = nil
  unsafe handlers.pointee.processingInstruction = nil
}

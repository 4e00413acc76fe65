import CLibXML2
import Loans

extension XMLTree {
  /// The most elements of a profile; one more is read, to say where there are too many.
  static let mostProfileElements = 500

  /// Reads a profile's document, with the places of its elements and of the values of attributes.
  ///
  /// - Throws: `CatalogueProfile.Fault` if it is not well-formed, or has a document type.
  static func profile(_ bytes: [UInt8]) throws(CatalogueProfile.Fault) -> XMLTree {
    // The reader counts elements.
    let parser = unsafe XMLParser<Int> { handlers in
      unsafe handlers.pointee.startElementNs = startElementHandler
      unsafe handlers.pointee.comment = nil
      unsafe handlers.pointee.processingInstruction = nil
    }
    unsafe parser.reader.initialize(to: 0)
    let tree = parser.parse(bytes[...])
    do throws(CatalogueError) {
      unsafe try parser.session.pointee.finish()
    } catch {
      let beginning = SourceLocation(line: 1, column: 1)
      throw CatalogueProfile.Fault(location: beginning, message: error.message)
    }
    if let fault = unsafe parser.session.pointee.fault {
      throw CatalogueProfile.Fault(location: fault.location, message: fault.message)
    }
    return tree
  }
}

private let startElementHandler: startElementNsSAX2Func = {
  context, name, _, _, namespaceCount, namespaces, attributeCount, defaultCount, attributes in
  let parser = unsafe parserContext(context)
  let session = unsafe session(of: parser)
  let count = unsafe session.pointee.reader.assumingMemoryBound(to: Int.self)
  // The rest would be looked at for nothing.
  if unsafe count.pointee > XMLTree.mostProfileElements { unsafe session.pointee.stop() }
  if unsafe session.pointee.hasDoctype {
    unsafe session.pointee.endEarly(
      .malformedXML, at: SourceLocation(line: 1, column: 1),
      "a profile has no document type; remove the <!DOCTYPE")
  }
  guard unsafe !session.pointee.isStopped else { return }
  unsafe count.pointee += 1
  unsafe xmlSAX2StartElementNs(
    context, name, nil, nil, namespaceCount, namespaces, attributeCount, defaultCount, attributes)
  guard let node = unsafe parser.pointee.node else { return }
  let start = unsafe TagText.start(ofTagEndingAt: session.pointee.document)
  let tag = unsafe TagText(endingAt: session.pointee.document)
  let element = unsafe XMLNode(node)
  element.place = start
  for attribute in element.attributes {
    attribute.place = tag.extent(ofValueOf: attribute.qualifiedName, tagStart: start).start
  }
}

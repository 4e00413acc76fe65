import CLibXML2
import Loans

extension XMLTree {
  /// Reads a profile's document, with the places of its elements and of the values of attributes.
  ///
  /// - Throws: `CatalogueProfile.Fault` if it is not well-formed, or has a document type.
  static func profile(_ bytes: [UInt8]) throws(CatalogueProfile.Fault) -> XMLTree {
    let parser = unsafe XMLParser<Void>(setHandlers: { handlers in
      unsafe handlers.pointee.startElementNs = startElementHandler
      unsafe handlers.pointee.comment = nil
      unsafe handlers.pointee.processingInstruction = nil
    }) { _ in () }
    let tree = parser.parse(bytes[...])
    // What is in memory can be read.
    unsafe try? parser.session.pointee.finish()
    if let fault = unsafe parser.session.pointee.malformation {
      throw CatalogueProfile.Fault(location: fault.location, message: fault.message)
    }
    return tree
  }
}

private let startElementHandler: startElementNsSAX2Func = {
  context, name, _, _, namespaceCount, namespaces, attributeCount, defaultCount, attributes in
  let parser = unsafe parserContext(context)
  let session = unsafe session(of: parser)
  if unsafe session.pointee.hasDoctype {
    unsafe session.pointee.endEarly(
      .malformedXML, at: SourceLocation(line: 1, column: 1),
      "a profile has no document type; remove the <!DOCTYPE")
  }
  guard unsafe !session.pointee.isStopped else { return }
  unsafe xmlSAX2StartElementNs(
    context, name, nil, nil, namespaceCount, namespaces, attributeCount, defaultCount, attributes)
  guard let node = unsafe parser.pointee.node else { return }
  let start =
    unsafe TagText.start(endingAt: session.pointee.document) ?? session.pointee.position
  let tag = unsafe TagText(endingAt: session.pointee.document)
  let element = unsafe XMLNode(node)
  element.place = start
  for attribute in element.attributes {
    attribute.place = tag.place(ofValueOf: attribute.qualifiedName, tagStart: start)
  }
}

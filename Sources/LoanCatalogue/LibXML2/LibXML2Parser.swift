import CLibXML2
import Glibc
import Loans

/// libxml2's SAX2 parser over one catalogue: the owner of the parser context.
///
/// libxml2's own handlers keep the document type and its entities; ours take elements and texts.
/// Nothing but the document itself is ever opened.
@safe struct LibXML2Parser: ~Copyable {
  private let state: UnsafeMutablePointer<ParserState>

  /// - Parameter skippedLines: lines of the file before the document.
  init(builder: consuming RecordBuilder, skippedLines: Int) {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: ParserState(builder: builder, skippedLines: skippedLines))
    refuseExternalEntities
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Reads the catalogue to its end or to its first fault, or until enough is known.
  ///
  /// - Throws: ``CatalogueError``, or what the builder's closures threw.
  /// - SeeAlso: `xmlCtxtReadIO`.
  consuming func parse(_ catalogue: OpenCatalogue) throws -> ParserOutcome {
    guard let context = unsafe xmlNewParserCtxt() else {
      throw catalogue.inputOutputError(ENOMEM)
    }
    defer { unsafe xmlFreeParserCtxt(context) }
    unsafe prepare(context)
    unsafe state.pointee.beginReading(catalogue)
    unsafe check_loans_set_thread_error_handler(state, threadErrorHandler)
    let document = unsafe xmlCtxtReadIO(
      context, readHandler, nil, state, nil, nil,
      Int32(XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_BIG_LINES.rawValue))
    check_loans_set_thread_error_handler(nil, nil)
    unsafe xmlFreeDoc(document)
    return try unsafe state.pointee.endReading(isWellFormed: context.pointee.wellFormed != 0)
  }

  private func prepare(_ context: xmlParserCtxtPtr) {
    unsafe context.pointee._private = UnsafeMutableRawPointer(state)
    unsafe state.pointee.attach(to: context)
    guard let handlers = unsafe context.pointee.sax else { return }
    unsafe handlers.pointee.startDocument = startDocumentHandler
    unsafe handlers.pointee.internalSubset = internalSubsetHandler
    unsafe handlers.pointee.startElementNs = startElementHandler
    unsafe handlers.pointee.endElementNs = endElementHandler
    unsafe handlers.pointee.characters = charactersHandler
    unsafe handlers.pointee.ignorableWhitespace = charactersHandler
    unsafe handlers.pointee.cdataBlock = cdataHandler
    unsafe handlers.pointee.comment = commentHandler
    unsafe handlers.pointee.processingInstruction = processingInstructionHandler
    unsafe handlers.pointee.reference = referenceHandler
    unsafe check_loans_set_error_handler(handlers, errorHandler)
  }
}

import CLibXML2
import Glibc
import Loans

/// libxml2's SAX2 parser over one catalogue, or a part of one.
///
/// libxml2's own handlers keep the document type and its entities; ours take elements and texts.
/// Nothing but the document itself is ever opened.
struct LibXML2Parser: ~Copyable {
  private let state: StateOwner

  /// - Parameter role: what of the document is read.
  init(builder: consuming RecordBuilder, role: ParserState.Role) {
    state = StateOwner(ParserState(builder: builder, role: role))
    refuseExternalEntities
  }

  /// Reads the catalogue to its end or to its first fault, or until enough is known.
  ///
  /// - Parameter splitOffset: where in the file reading stops at the next record's start, if the
  ///   rest can be read in parts.
  /// - Throws: ``CatalogueError``, or what the builder's closures threw.
  /// - SeeAlso: `xmlCtxtReadIO`.
  consuming func parse(
    _ catalogue: OpenCatalogue, stoppingFrom splitOffset: Int
  ) throws -> ParserOutcome {
    guard let context = unsafe xmlNewParserCtxt() else {
      throw catalogue.inputOutputError(ENOMEM)
    }
    defer { unsafe xmlFreeParserCtxt(context) }
    unsafe prepare(context)
    unsafe state.pointer.pointee.beginReading(catalogue, stoppingFrom: splitOffset)
    unsafe check_loans_set_thread_error_handler(state.pointer, threadErrorHandler)
    let document = unsafe xmlCtxtReadIO(
      context, readHandler, nil, state.pointer, nil, nil, Self.options)
    check_loans_set_thread_error_handler(nil, nil)
    unsafe xmlFreeDoc(document)
    let isWellFormed = unsafe context.pointee.wellFormed != 0
    return try state.release().endReading(isWellFormed: isWellFormed)
  }

  /// Reads a part of the catalogue.
  ///
  /// - Parameter isLast: whether the document ends with it.
  /// - Returns: what it holds; `nil` if it cannot be read on its own.
  /// - SeeAlso: `xmlParseDocument`, `xmlCtxtReadMemory`.
  consuming func parse(_ part: borrowing PartBuffer, isLast: Bool) -> PartReading? {
    guard let context = unsafe xmlNewParserCtxt() else { return nil }
    defer { unsafe xmlFreeParserCtxt(context) }
    unsafe prepare(context)
    unsafe check_loans_set_thread_error_handler(state.pointer, threadErrorHandler)
    let document = unsafe part.withBytes { start, count in
      unsafe check_loans_read_memory(context, start, count, Self.options)
    }
    check_loans_set_thread_error_handler(nil, nil)
    unsafe xmlFreeDoc(document)
    let isWellFormed = unsafe context.pointee.wellFormed != 0
    unsafe state.pointer.pointee.countNames(context)
    return state.release().endPart(
      isWellFormed: isWellFormed, at: isLast ? nil : part.count)
  }

  private static let options = Int32(
    XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_BIG_LINES.rawValue)

  private func prepare(_ context: xmlParserCtxtPtr) {
    unsafe context.pointee._private = UnsafeMutableRawPointer(state.pointer)
    unsafe state.pointer.pointee.attach(to: context)
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

/// The owner of the state that handlers find by its pointer.
@safe private struct StateOwner: ~Copyable {
  let pointer: UnsafeMutablePointer<ParserState>

  init(_ state: consuming ParserState) {
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: state)
  }

  deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  /// The state, which no handler needs any more.
  consuming func release() -> ParserState {
    let pointer = unsafe pointer
    discard self
    defer { unsafe pointer.deallocate() }
    return unsafe pointer.move()
  }
}

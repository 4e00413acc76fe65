import CLibXML2

// Every handler forwards at once to one method of the session that its context carries, or of the
// session's reader. libxml2 calls a handler with the parser context, whose `_private` is set before
// the first call and copied into the contexts that it makes for entities: neither is ever missing.

@inline(__always)
@unsafe func parserContext(_ context: UnsafeMutableRawPointer?) -> xmlParserCtxtPtr {
  unsafe context.unsafelyUnwrapped.assumingMemoryBound(to: xmlParserCtxt.self)
}

@inline(__always)
@unsafe func session(of parser: xmlParserCtxtPtr) -> UnsafeMutablePointer<ParserSession> {
  unsafe parser.pointee._private.unsafelyUnwrapped.assumingMemoryBound(to: ParserSession.self)
}

private let startDocumentHandler: startDocumentSAXFunc = { context in
  unsafe xmlSAX2StartDocument(context)
  let parser = unsafe parserContext(context)
  unsafe session(of: parser).pointee.startDocument(parser)
}

private let internalSubsetHandler: internalSubsetSAXFunc = { context, name, externalID, systemID in
  unsafe xmlSAX2InternalSubset(context, name, externalID, systemID)
  unsafe session(of: parserContext(context)).pointee.foundDoctype()
}

private let referenceHandler: referenceSAXFunc = { context, name in
  guard let name = unsafe name else { return }
  unsafe session(of: parserContext(context)).pointee.unresolvedReference(String(cString: name))
}

private let errorHandler: check_loans_error_handler = { context, error in
  guard let error = unsafe error else { return }
  let parser = unsafe parserContext(context)
  unsafe session(of: parser).pointee.note(error.pointee, in: parser)
}

let threadErrorHandler: check_loans_error_handler = { session, error in
  guard let session = unsafe session?.assumingMemoryBound(to: ParserSession.self),
    let error = unsafe error
  else { return }
  unsafe session.pointee.note(error.pointee)
}

let readHandler: xmlInputReadCallback = { session, buffer, length in
  guard let session = unsafe session?.assumingMemoryBound(to: ParserSession.self) else { return -1 }
  let target = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Int(length))
  return unsafe Int32(session.pointee.input.read(into: target))
}

/// Sets the handlers that all readers have in common.
@unsafe func setCommonHandlers(_ handlers: UnsafeMutablePointer<xmlSAXHandler>) {
  unsafe handlers.pointee.startDocument = startDocumentHandler
  unsafe handlers.pointee.internalSubset = internalSubsetHandler
  unsafe handlers.pointee.reference = referenceHandler
  unsafe check_loans_set_error_handler(handlers, errorHandler)
}

/// Refuses whatever libxml2 wants to open, for the whole process and once for all.
///
/// The library is made ready before, since several threads may read at once.
///
/// - SeeAlso: `xmlInitParser`, `xmlSetExternalEntityLoader`.
let refuseExternalEntities: Void = {
  xmlInitParser()
  unsafe xmlSetExternalEntityLoader { address, _, context in
    guard let parser = unsafe context, unsafe parser.pointee._private != nil else { return nil }
    unsafe session(of: parser).pointee.refuseEntity(
      address.map { unsafe String(cString: $0) } ?? "")
    return nil
  }
}()

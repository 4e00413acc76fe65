import CLibXML2

// Every handler forwards at once to one method of the state that its context carries. libxml2
// calls a handler with the parser context, whose `_private` is set before the first call and
// copied into the contexts that it makes for entities: neither is ever missing.

@inline(__always)
private func parser(_ context: UnsafeMutableRawPointer?) -> xmlParserCtxtPtr {
  unsafe context.unsafelyUnwrapped.assumingMemoryBound(to: xmlParserCtxt.self)
}

@inline(__always)
private func state(of parser: xmlParserCtxtPtr) -> UnsafeMutablePointer<ParserState> {
  unsafe parser.pointee._private.unsafelyUnwrapped.assumingMemoryBound(to: ParserState.self)
}

let startDocumentHandler: startDocumentSAXFunc = { context in
  unsafe xmlSAX2StartDocument(context)
  let parser = unsafe parser(context)
  unsafe state(of: parser).pointee.startDocument(parser)
}

let internalSubsetHandler: internalSubsetSAXFunc = { context, name, externalID, systemID in
  unsafe xmlSAX2InternalSubset(context, name, externalID, systemID)
  let parser = unsafe parser(context)
  unsafe state(of: parser).pointee.foundDoctype()
}

let startElementHandler: startElementNsSAX2Func = {
  context, name, prefix, namespace, _, _, attributeCount, defaultCount, attributes in
  guard let name = unsafe name else { return }
  let parser = unsafe parser(context)
  if defaultCount > 0 { unsafe state(of: parser).pointee.countDefaults(Int(defaultCount)) }
  unsafe state(of: parser).pointee.startElement(
    parser, name, prefix, namespace, attributeCount, attributes)
}

let endElementHandler: endElementNsSAX2Func = { context, name, prefix, _ in
  guard let name = unsafe name else { return }
  let parser = unsafe parser(context)
  unsafe state(of: parser).pointee.endElement(parser, name, prefix)
}

let charactersHandler: charactersSAXFunc = { context, text, length in
  let parser = unsafe parser(context)
  unsafe state(of: parser).pointee.characters(
    parser, UnsafeBufferPointer(start: text, count: Int(length)))
}

let cdataHandler: cdataBlockSAXFunc = { context, text, length in
  let parser = unsafe parser(context)
  unsafe state(of: parser).pointee.cdata(
    parser, UnsafeBufferPointer(start: text, count: Int(length)))
}

let commentHandler: commentSAXFunc = { context, text in
  let parser = unsafe parser(context)
  unsafe state(of: parser).pointee.comment(parser, text)
}

let processingInstructionHandler: processingInstructionSAXFunc = { context, _, text in
  let parser = unsafe parser(context)
  unsafe state(of: parser).pointee.skipped(parser, text)
}

let referenceHandler: referenceSAXFunc = { context, name in
  guard let name = unsafe name else { return }
  let parser = unsafe parser(context)
  unsafe state(of: parser).pointee.unresolvedReference(String(cString: name))
}

let errorHandler: check_loans_error_handler = { context, error in
  guard let error = unsafe error else { return }
  let parser = unsafe parser(context)
  unsafe state(of: parser).pointee.fault(error.pointee, in: parser)
}

let threadErrorHandler: check_loans_error_handler = { state, error in
  guard let state = unsafe state?.assumingMemoryBound(to: ParserState.self),
    let error = unsafe error
  else { return }
  unsafe state.pointee.fault(error.pointee)
}

let readHandler: xmlInputReadCallback = { state, buffer, length in
  guard let state = unsafe state?.assumingMemoryBound(to: ParserState.self) else { return -1 }
  let target = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Int(length))
  return unsafe Int32(state.pointee.read(into: target))
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
    unsafe state(of: parser).pointee.refuseEntity(address.map { unsafe String(cString: $0) } ?? "")
    return nil
  }
}()

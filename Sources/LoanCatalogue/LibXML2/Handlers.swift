import CLibXML2

// Every handler forwards at once to one method of the state that its context carries.

private func state(of context: UnsafeMutableRawPointer?) -> (
  context: xmlParserCtxtPtr, state: UnsafeMutablePointer<ParserState>
)? {
  guard let parser = unsafe context?.assumingMemoryBound(to: xmlParserCtxt.self),
    let state = unsafe parser.pointee._private?.assumingMemoryBound(to: ParserState.self)
  else { return nil }
  return unsafe (parser, state)
}

let startDocumentHandler: startDocumentSAXFunc = { context in
  unsafe xmlSAX2StartDocument(context)
  guard let (parser, state) = unsafe state(of: context) else { return }
  unsafe state.pointee.startDocument(parser)
}

let internalSubsetHandler: internalSubsetSAXFunc = { context, name, externalID, systemID in
  unsafe xmlSAX2InternalSubset(context, name, externalID, systemID)
  guard let (_, state) = unsafe state(of: context) else { return }
  unsafe state.pointee.foundDoctype()
}

let startElementHandler: startElementNsSAX2Func = {
  context, name, prefix, _, _, _, attributeCount, _, attributes in
  guard let (parser, state) = unsafe state(of: context), let name = unsafe name else { return }
  unsafe state.pointee.startElement(
    parser, name, prefix,
    attributes: UnsafeBufferPointer(start: attributes, count: Int(attributeCount) * 5))
}

let endElementHandler: endElementNsSAX2Func = { context, name, prefix, _ in
  guard let (parser, state) = unsafe state(of: context), let name = unsafe name else { return }
  unsafe state.pointee.endElement(parser, name, prefix)
}

let charactersHandler: charactersSAXFunc = { context, text, length in
  guard let (parser, state) = unsafe state(of: context) else { return }
  unsafe state.pointee.characters(parser, UnsafeBufferPointer(start: text, count: Int(length)))
}

let cdataHandler: cdataBlockSAXFunc = { context, text, length in
  guard let (parser, state) = unsafe state(of: context) else { return }
  unsafe state.pointee.cdata(parser, UnsafeBufferPointer(start: text, count: Int(length)))
}

let commentHandler: commentSAXFunc = { context, _ in
  guard let (parser, state) = unsafe state(of: context) else { return }
  unsafe state.pointee.skipped(parser)
}

let processingInstructionHandler: processingInstructionSAXFunc = { context, _, _ in
  guard let (parser, state) = unsafe state(of: context) else { return }
  unsafe state.pointee.skipped(parser)
}

let referenceHandler: referenceSAXFunc = { context, name in
  guard let (_, state) = unsafe state(of: context), let name = unsafe name else { return }
  unsafe state.pointee.unresolvedReference(String(cString: name))
}

let errorHandler: check_loans_error_handler = { context, error in
  guard let (parser, state) = unsafe state(of: context), let error = unsafe error else { return }
  unsafe state.pointee.fault(error.pointee, in: parser)
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
/// - SeeAlso: `xmlSetExternalEntityLoader`.
let refuseExternalEntities: Void = unsafe xmlSetExternalEntityLoader { address, _, context in
  guard let (_, state) = unsafe state(of: context) else { return nil }
  unsafe state.pointee.refuseEntity(address.map { unsafe String(cString: $0) } ?? "")
  return nil
}

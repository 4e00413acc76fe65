import CLibXML2
import Glibc

// Every handler forwards at once to one method of the session that its context carries, or of the
// session's reader. libxml2 calls a handler with the parser context, whose `_private` is set before
// the first call: neither is ever missing.

@inline(__always)
@unsafe func parserContext(_ context: UnsafeMutableRawPointer?) -> xmlParserCtxtPtr {
  unsafe context.unsafelyUnwrapped.assumingMemoryBound(to: xmlParserCtxt.self)
}

@inline(__always)
@unsafe func session(of parser: xmlParserCtxtPtr) -> UnsafeMutablePointer<ParserSession> {
  unsafe parser.pointee._private.unsafelyUnwrapped.assumingMemoryBound(to: ParserSession.self)
}

/// The reader of the session that a parser context carries, which has one of this type.
@inline(__always)
@unsafe func reader<Reader: ~Copyable>(
  of parser: xmlParserCtxtPtr, _: Reader.Type
) -> UnsafeMutablePointer<Reader> {
  unsafe session(of: parser).pointee.reader.assumingMemoryBound(to: Reader.self)
}

private let startDocumentHandler: startDocumentSAXFunc = { context in
  unsafe xmlSAX2StartDocument(context)
  unsafe session(of: parserContext(context)).pointee.startDocument()
}

private let entityDeclarationHandler: entityDeclSAXFunc = { context, name, _, _, address, _ in
  let session = unsafe session(of: parserContext(context))
  if let address = unsafe address {
    unsafe session.pointee.refuseAddress(String(cString: address))
  } else if let name = unsafe name {
    unsafe session.pointee.refuseEntity(declared: String(cString: name))
  }
}

private let attributeDeclarationHandler: attributeDeclSAXFunc = {
  context, element, name, type, use, value, values in
  if unsafe value != nil, let name = unsafe name {
    unsafe session(of: parserContext(context)).pointee
      .refuseValue(ofAttribute: String(cString: name))
  }
  unsafe xmlSAX2AttributeDecl(context, element, name, type, use, value, values)
}

private let commentHandler: commentSAXFunc = { context, _ in
  unsafe session(of: parserContext(context)).pointee.notePlace()
}

private let processingInstructionHandler: processingInstructionSAXFunc = { context, _, _ in
  unsafe session(of: parserContext(context)).pointee.notePlace()
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

let endDocumentHandler: endDocumentSAXFunc = { context in
  unsafe xmlSAX2EndDocument(context)
  unsafe session(of: parserContext(context)).pointee.endDocument()
}

/// Sets the handlers that all readers have in common.
@unsafe func setCommonHandlers(_ handlers: UnsafeMutablePointer<xmlSAXHandler>) {
  unsafe handlers.pointee.startDocument = startDocumentHandler
  unsafe handlers.pointee.endDocument = endDocumentHandler
  // Where there is no text for a reference, that is an error already.
  unsafe handlers.pointee.reference = nil
  unsafe handlers.pointee.entityDecl = entityDeclarationHandler
  unsafe handlers.pointee.attributeDecl = attributeDeclarationHandler
  unsafe handlers.pointee.comment = commentHandler
  unsafe handlers.pointee.processingInstruction = processingInstructionHandler
  unsafe check_loans_set_error_handler(handlers, errorHandler)
}

/// Sets the handler of a reader for whatever is text.
@unsafe func setTextHandler(
  _ handlers: UnsafeMutablePointer<xmlSAXHandler>, _ handler: @escaping charactersSAXFunc
) {
  unsafe handlers.pointee.characters = handler
  unsafe handlers.pointee.ignorableWhitespace = handler
  unsafe handlers.pointee.cdataBlock = handler
}

/// Makes libxml2 ready, for the whole process and once for all, since several threads may read at
/// once; and has it refuse whatever it wants to open.
///
/// - SeeAlso: `xmlMemSetup`, `xmlInitParser`, `xmlSetExternalEntityLoader`.
let prepareLibrary: Void = {
  unsafe xmlMemSetup(
    { unsafe free($0) }, { unsafe allocated(malloc($0), $0) },
    { unsafe allocated(realloc($0, $1), $1) },
    { unsafe allocated($0.flatMap { unsafe strdup($0) }, 1) })
  xmlInitParser()
  unsafe xmlSetExternalEntityLoader { _, _, _ in nil }
}()

private func allocated<Memory>(_ memory: Memory?, _ size: Int) -> Memory? {
  if memory == nil && size > 0 { endWithoutMemory() }
  return memory
}

/// Memory for some bytes, to be given back by `free`.
func allocateBytes(_ count: Int) -> UnsafeMutablePointer<UInt8> {
  guard let memory = unsafe malloc(max(1, count)) else { endWithoutMemory() }
  return unsafe memory.bindMemory(to: UInt8.self, capacity: count)
}

/// Ends the process, as Swift's own runtime does when memory runs out, but with a sentence: libxml2
/// 2.9 would go on with a part of a set of nodes, or take an encoding for unknown.
///
/// - SeeAlso: `EX_OSERR` in sysexits.h, which is 71.
func endWithoutMemory() -> Never {
  let words: StaticString = "check-loans: there is not enough memory to read the catalogue\n"
  _ = unsafe write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
  _exit(71)
}

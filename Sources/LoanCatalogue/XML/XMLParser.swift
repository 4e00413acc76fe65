import CLibXML2
import Glibc

/// libxml2's SAX2 parser over a document, or a part of one.
///
/// libxml2's own handlers keep the document type and its entities; those of a reader take elements
/// and texts. Nothing but the document itself is ever opened.
@safe struct XMLParser: ~Copyable {
  private let context: xmlParserCtxtPtr
  private let session: UnsafeMutablePointer<ParserSession>
  private static let options = Int32(
    XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_BIG_LINES.rawValue)

  /// - Parameters:
  ///   - session: stays where it is until the parser is gone.
  ///   - setHandlers: sets the handlers of the session's reader.
  @unsafe init(
    _ session: UnsafeMutablePointer<ParserSession>,
    setHandlers: (UnsafeMutablePointer<xmlSAXHandler>) -> Void
  ) {
    prepareLibrary
    guard let context = unsafe xmlNewParserCtxt(), let handlers = unsafe context.pointee.sax else {
      endWithoutMemory()
    }
    unsafe self.context = context
    unsafe self.session = session
    unsafe context.pointee._private = UnsafeMutableRawPointer(session)
    unsafe session.pointee.attach(to: context)
    unsafe setCommonHandlers(handlers)
    unsafe setHandlers(handlers)
  }

  deinit { unsafe xmlFreeParserCtxt(context) }

  /// Reads what the session's input gives, to the end or to the first fault.
  ///
  /// - SeeAlso: `xmlCtxtReadIO`.
  func parse() {
    unsafe session.pointee.enter(session.pointee.input.payload)
    unsafe check_loans_set_thread_error_handler(session, threadErrorHandler)
    let document = unsafe xmlCtxtReadIO(context, readHandler, nil, session, nil, nil, Self.options)
    check_loans_set_thread_error_handler(nil, nil)
    unsafe xmlFreeDoc(document)
  }

  /// Reads a small document in memory, or the beginning of one, to the end or to the first fault.
  ///
  /// - SeeAlso: `xmlCtxtReadMemory`.
  func parse(_ bytes: ArraySlice<UInt8>) {
    unsafe check_loans_set_thread_error_handler(session, threadErrorHandler)
    defer { check_loans_set_thread_error_handler(nil, nil) }
    let options = Int32(XML_PARSE_NONET.rawValue | XML_PARSE_BIG_LINES.rawValue)
    unsafe bytes.withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      unsafe xmlFreeDoc(
        xmlCtxtReadMemory(context, start, Int32(clamping: bytes.count), nil, nil, options))
    }
  }

  /// Reads a part of a document in memory, to the end or to the first fault.
  ///
  /// - SeeAlso: `xmlParseDocument`, `xmlCtxtReadMemory`.
  func parse(_ part: borrowing PartBuffer) {
    unsafe check_loans_set_thread_error_handler(session, threadErrorHandler)
    let document = unsafe part.withBytes { start, count in
      unsafe check_loans_read_memory(context, start, count, Self.options)
    }
    check_loans_set_thread_error_handler(nil, nil)
    unsafe xmlFreeDoc(document)
  }
}

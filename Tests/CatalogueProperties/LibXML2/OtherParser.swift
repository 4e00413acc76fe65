import CLibXML2

/// A parser of another part of the program, which knows nothing of this library.
package enum OtherParser {
  /// Reads a document with a parser that carries something of its own.
  ///
  /// - Returns: whether it was well-formed.
  /// - SeeAlso: `xmlCtxtReadMemory`.
  package static func read(_ text: String) -> Bool {
    guard let context = unsafe xmlNewParserCtxt() else { return false }
    defer { unsafe xmlFreeParserCtxt(context) }
    let own = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 16)
    defer { unsafe own.deallocate() }
    unsafe own.initializeMemory(as: UInt8.self, repeating: 0xA5, count: 4_096)
    unsafe context.pointee._private = own
    unsafe check_loans_set_thread_error_handler(nil) { _, _ in }
    defer { check_loans_set_thread_error_handler(nil, nil) }
    let options = XML_PARSE_NOENT.rawValue | XML_PARSE_DTDLOAD.rawValue | XML_PARSE_NONET.rawValue
    let document = unsafe xmlCtxtReadMemory(
      context, text, Int32(text.utf8.count), nil, nil, Int32(options))
    defer { unsafe xmlFreeDoc(document) }
    return unsafe context.pointee.wellFormed == 1
  }
}

import CLibXML2

/// What libxml2 itself makes of a document: a tree, by its own handlers.
enum Tree {
  /// Whether there is a tree, and so the document is well-formed.
  ///
  /// To be asked once the reader has read something: it is what keeps libxml2 from opening files.
  ///
  /// - SeeAlso: `xmlReadMemory`.
  static func canBeMade(of bytes: [UInt8]) -> Bool {
    unsafe check_loans_set_thread_error_handler(nil) { _, _ in }
    defer { check_loans_set_thread_error_handler(nil, nil) }
    let document = unsafe bytes.withUnsafeBytes { bytes in
      unsafe xmlReadMemory(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil, nil,
        Int32(XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_BIG_LINES.rawValue))
    }
    defer { unsafe xmlFreeDoc(document) }
    return unsafe document != nil
  }
}

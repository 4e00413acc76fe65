import CLibXML2

/// What libxml2 itself thinks of a document, when it makes a tree of it.
enum LibXML2 {
  /// - SeeAlso: `xmlReadMemory`.
  static func isWellFormed(_ bytes: [UInt8]) -> Bool {
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

import CLibXML2
import Glibc

/// libxml2's SAX2 parser over a document, or a chunk of one, with the reader whose handlers it calls.
///
/// libxml2's own handlers keep the document type and its entities; those of a reader take elements
/// and texts. Nothing but the document itself is ever opened.
@safe struct XMLParser<Reader: ~Copyable>: ~Copyable {
  let reader: UnsafeMutablePointer<Reader>
  let session: UnsafeMutablePointer<ParserSession>
  private let context: xmlParserCtxtPtr

  /// - Parameters:
  ///   - path: the catalogue's.
  ///   - setHandlers: sets the handlers of the reader.
  ///   - makeReader: makes the reader for a session.
  init(
    path: String = "", setHandlers: (UnsafeMutablePointer<xmlSAXHandler>) -> Void,
    _ makeReader: (UnsafeMutablePointer<ParserSession>) -> Reader
  ) {
    prepareLibrary
    guard let context = unsafe xmlNewParserCtxt(), let handlers = unsafe context.pointee.sax else {
      endWithoutMemory()
    }
    unsafe self.context = context
    unsafe reader = .allocate(capacity: 1)
    unsafe session = .allocate(capacity: 1)
    unsafe session.initialize(
      to: ParserSession(UnsafeMutableRawPointer(reader), context, path: path))
    unsafe reader.initialize(to: makeReader(session))
    unsafe context.pointee._private = UnsafeMutableRawPointer(session)
    unsafe setCommonHandlers(handlers)
    unsafe setHandlers(handlers)
  }

  deinit {
    unsafe xmlFreeParserCtxt(context)
    unsafe reader.deinitialize(count: 1).deallocate()
    unsafe session.deinitialize(count: 1).deallocate()
  }

  /// Reads a catalogue from a place on, to its end or to the first mistake.
  ///
  /// - SeeAlso: `xmlCtxtReadIO`.
  func parse(_ catalogue: CatalogueFile, from start: ChunkStart) {
    unsafe session.pointee.begin(start)
    unsafe session.pointee.input.open(catalogue, at: start.offset, after: start.head)
    let options = options | ignoringDeclaration(if: catalogue.isMarked)
    _ = unsafe tree { unsafe xmlCtxtReadIO(context, readHandler, nil, session, nil, nil, options) }
  }

  /// Reads a small document in memory, or the beginning of one; what is faulty has a tree, too.
  ///
  /// - SeeAlso: `xmlCtxtReadMemory`.
  func parse(_ bytes: ArraySlice<UInt8>) -> XMLTree {
    let options =
      Int32(XML_PARSE_NONET.rawValue | XML_PARSE_BIG_LINES.rawValue | XML_PARSE_RECOVER.rawValue)
      | ignoringDeclaration(if: bytes.isMarked)
    return unsafe tree {
      unsafe bytes.withUnsafeBytes { bytes in
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        let count = Int32(clamping: bytes.count)
        return unsafe xmlCtxtReadMemory(context, start, count, nil, nil, options)
      }
    }
  }

  /// Reads a chunk of a document in memory, to the end or to the first mistake.
  ///
  /// - Parameter start: where in the document it begins.
  /// - SeeAlso: `xmlCtxtReset`, `xmlParseDocument`, `xmlCtxtReadMemory`.
  func parse(_ chunk: borrowing ChunkBuffer, from start: ChunkStart) {
    unsafe session.pointee.begin(start)
    _ = unsafe tree {
      unsafe chunk.withBytes { start, count in
        unsafe check_loans_read_memory(context, start, count, options)
      }
    }
  }

  /// Calls a function of libxml2's, while the session receives the errors that know no parser.
  @unsafe private func tree(_ read: () -> xmlDocPtr?) -> XMLTree {
    unsafe check_loans_set_thread_error_handler(session, threadErrorHandler)
    defer { check_loans_set_thread_error_handler(nil, nil) }
    return unsafe XMLTree(read())
  }
}

/// The options for documents that may be long.
private let options = Int32(
  XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_BIG_LINES.rawValue
    | XML_PARSE_COMPACT.rawValue)

/// The option for a document with a byte order mark, which is UTF-8 whatever it declares: libxml2 goes by the
/// declaration before 2.12.
private func ignoringDeclaration(if isMarked: Bool) -> Int32 {
  isMarked ? Int32(XML_PARSE_IGNORE_ENC.rawValue) : 0
}

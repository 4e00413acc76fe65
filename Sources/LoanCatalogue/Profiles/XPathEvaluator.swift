import CLibXML2
import Loans

/// The reason why an expression cannot be understood, or has no value.
struct XPathFailure: Error, Equatable {
  /// One lower-case sentence.
  var message: String
  /// Bytes of the expression before the mistake.
  var offset = 0
}

/// An expression that libxml2 has compiled, for any document.
///
/// Evaluating it changes nothing in it but what libxml2 remembers of functions, alike in all threads.
@safe final class XPathExpression: @unchecked Sendable {
  fileprivate let compiled: xmlXPathCompExprPtr

  @unsafe fileprivate init(_ compiled: xmlXPathCompExprPtr) { unsafe self.compiled = compiled }

  deinit { unsafe xmlXPathFreeCompExpr(compiled) }
}

/// libxml2's XPath 1.0 over one document, with the expressions of a profile.
///
/// Only the functions of XPath itself are known, none of which opens anything, and how much is
/// looked at is limited by how much of the document has been read.
///
/// - SeeAlso: `xmlXPathNewContext`, `xmlXPathCompiledEval`.
@safe final class XPathEvaluator {
  private let context: xmlXPathContextPtr
  /// Bytes of the document that have been read.
  var bytesRead = 0
  /// The number of steps that have been taken, and of bytes of texts that have been looked at.
  private var steps: UInt = 0
  private var looked = 0

  /// - Parameters:
  ///   - document: must stay as long as the evaluator does.
  ///   - namespaces: by their prefixes.
  @unsafe init(_ document: xmlDocPtr?, namespaces: [String: String]) {
    guard let context = unsafe xmlXPathNewContext(document) else { endWithoutMemory() }
    unsafe self.context = context
    // The context keeps the last error; nothing need be printed.
    unsafe check_loans_set_xpath_error_handler(context, { _, _ in })
    unsafe xmlXPathContextSetCache(context, 1, -1, 0)
    for (prefix, namespace) in namespaces { unsafe xmlXPathRegisterNs(context, prefix, namespace) }
  }

  deinit { unsafe xmlXPathFreeContext(context) }

  /// - SeeAlso: `xmlXPathFunctionLookup`.
  func hasFunction(_ name: String) -> Bool { unsafe xmlXPathFunctionLookup(context, name) != nil }

  /// Compiles an expression.
  ///
  /// - Throws: ``XPathFailure``.
  /// - SeeAlso: `xmlXPathCtxtCompile`.
  func compile(_ xpath: String) throws(XPathFailure) -> XPathExpression {
    if let compiled = unsafe xmlXPathCtxtCompile(context, xpath) {
      return unsafe XPathExpression(compiled)
    }
    let offset = unsafe min(max(0, Int(context.pointee.lastError.int1)), xpath.utf8.count)
    let rest = String(decoding: Array(xpath.utf8)[offset...], as: UTF8.self)
    throw XPathFailure(
      message: rest.isEmpty
        ? "the expression ends too early"
        : "XPath 1.0 does not understand \(rest.quoted(limit: 40))", offset: offset)
  }

  /// The value of an expression.
  ///
  /// - Parameter node: where it begins; `nil` for the document.
  /// - Throws: ``XPathFailure``.
  @unsafe func value(
    of expression: XPathExpression, at node: xmlNodePtr? = nil
  ) throws(XPathFailure) -> XPathValue {
    let most = 20_000_000 + 20 * UInt(max(0, bytesRead))
    guard steps < most else { throw Self.tooLong }
    let document = unsafe UnsafeMutableRawPointer(context.pointee.doc)
    unsafe context.pointee.node = node ?? document?.assumingMemoryBound(to: xmlNode.self)
    unsafe (context.pointee.contextSize, context.pointee.proximityPosition) = (1, 1)
    unsafe context.pointee.opCount = 0
    unsafe context.pointee.opLimit = most - steps
    let value = unsafe xmlXPathCompiledEval(expression.compiled, context)
    steps += UInt(unsafe context.pointee.opCount)
    guard let value = unsafe value else {
      throw steps >= most ? Self.tooLong : XPathFailure(message: reason)
    }
    return unsafe XPathValue(value)
  }

  /// The reason why the last expression has no value, for which libxml2 only has a number.
  private var reason: String {
    switch unsafe UInt32(bitPattern: context.pointee.lastError.code) {
    case XML_XPATH_INVALID_TYPE.rawValue: "a function or an operator gets a value of the wrong kind"
    case XML_XPATH_INVALID_ARITY.rawValue: "a function gets too few or too many values"
    case let code: "XPath's error \(code) comes of it"
    }
  }

  /// Notes that a text is looked at: a long one around thousands of loans would be one in each of them.
  ///
  /// - Throws: ``XPathFailure``.
  func look(at count: Int) throws(XPathFailure) {
    looked += count
    guard looked <= 10_000_000 + 16 * bytesRead else { throw Self.tooLong }
  }

  private static let tooLong = XPathFailure(
    message: "it looks at more than the size of the document allows")
}

/// The value of an XPath expression: nodes of the document, or a text.
///
/// - SeeAlso: `xmlXPathObject`.
@safe struct XPathValue: ~Copyable {
  private let object: xmlXPathObjectPtr

  @unsafe fileprivate init(_ object: xmlXPathObjectPtr) { unsafe self.object = object }

  deinit { unsafe xmlXPathFreeObject(object) }

  /// Whether it is a set of nodes.
  var isNodes: Bool { unsafe object.pointee.type == XPATH_NODESET }

  var isNumber: Bool { unsafe object.pointee.type == XPATH_NUMBER }

  /// The number of nodes; 0 for a text.
  var count: Int { unsafe Int(object.pointee.nodesetval?.pointee.nodeNr ?? 0) }

  /// One of the nodes, in the order of the document; `nil` if there are fewer.
  @unsafe func node(_ index: Int) -> xmlNodePtr? {
    guard index < count else { return nil }
    return unsafe object.pointee.nodesetval?.pointee.nodeTab?[index]
  }

  /// The value as a Boolean (XPath 1.0, 4.3).
  var isTrue: Bool { unsafe xmlXPathCastToBoolean(object) != 0 }

  /// Adds the text of one of the nodes, or the one that it is, to `bytes`.
  func appendText(ofNode index: Int, to bytes: inout [UInt8]) {
    guard let node = unsafe node(index) else {
      return unsafe Self.append(freeing: xmlXPathCastToString(object), to: &bytes)
    }
    // Nearly always an element or an attribute with one text inside.
    let type = unsafe node.pointee.type
    if type == XML_ELEMENT_NODE || type == XML_ATTRIBUTE_NODE,
      let child = unsafe node.pointee.children, unsafe child.pointee.next == nil,
      unsafe child.pointee.type == XML_TEXT_NODE, let text = unsafe child.pointee.content
    {
      return unsafe bytes.append(
        contentsOf: UnsafeBufferPointer(start: text, count: Int(xmlStrlen(text))))
    }
    unsafe Self.append(freeing: xmlXPathCastNodeToString(node), to: &bytes)
  }

  @unsafe private static func append(
    freeing text: UnsafeMutablePointer<xmlChar>?, to bytes: inout [UInt8]
  ) {
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text, count: Int(xmlStrlen(text))))
    unsafe check_loans_free(text)
  }

  /// The beginning of the element of one of the nodes; `nil` for a text.
  func place(ofNode index: Int) -> SourceLocation? {
    unsafe node(index).flatMap { unsafe SourceLocation(of: $0) }
  }
}

extension SourceLocation {
  /// The beginning of the element that a node is or belongs to, as noted in its `_private`; `nil`
  /// if nothing is.
  @unsafe init?(of node: xmlNodePtr) {
    var next: xmlNodePtr? = unsafe node
    // A namespace is another kind of thing with the same pointer type.
    while let node = unsafe next, unsafe node.pointee.type != XML_NAMESPACE_DECL {
      if unsafe node.pointee.type == XML_ELEMENT_NODE,
        let place = unsafe SourceLocation(noted: node.pointee._private)
      {
        self = place
        return
      }
      unsafe next = node.pointee.parent
    }
    return nil
  }

  /// The place that ``noted`` gave; `nil` for nothing.
  @unsafe init?(noted: UnsafeMutableRawPointer?) {
    guard let noted = unsafe noted.map({ UInt(bitPattern: $0) }) else { return nil }
    self.init(line: Int(noted >> 32), column: Int(noted & 0xFFFF_FFFF))
  }

  /// A place as it is noted in a node.
  var noted: UnsafeMutableRawPointer? {
    unsafe UnsafeMutableRawPointer(
      bitPattern: UInt(UInt32(clamping: line)) << 32 | UInt(UInt32(clamping: column)))
  }
}

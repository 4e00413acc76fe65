import CLibXML2
import Loans

/// The element in a SOAP envelope that is read as if it were the root of a document.
struct SOAPPayload: Sendable {
  static let namespaces = [
    "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope",
  ]
  var name: String
  /// How many elements are around it.
  var depth: Int

  /// What may be the payload of a document: the first element in its body, the first in that, and
  /// so on.
  @unsafe static func candidates(in document: xmlDocPtr?) -> [SOAPPayload] {
    guard let root = unsafe xmlDocGetRootElement(document), unsafe name(of: root) == "Envelope",
      let namespace = unsafe root.pointee.ns?.pointee.href,
      unsafe namespaces.contains(String(cString: namespace))
    else { return [] }
    var next = unsafe xmlFirstElementChild(root)
    while let child = unsafe next, unsafe name(of: child) != "Body" {
      unsafe next = xmlNextElementSibling(child)
    }
    var found: [SOAPPayload] = []
    while found.count < 4, let child = unsafe xmlFirstElementChild(next) {
      found.append(SOAPPayload(name: unsafe name(of: child), depth: 2 + found.count))
      unsafe next = child
    }
    return found
  }

  @unsafe private static func name(of node: xmlNodePtr) -> String {
    unsafe String(cString: node.pointee.name)
  }
}

/// Stands between libxml2 and the handlers of a reader, and hides from these what is around the
/// payload of an envelope.
@safe final class SOAPEnvelope {
  private let payload: SOAPPayload
  /// The reader's.
  fileprivate let handlers: xmlSAXHandler
  /// How many elements are open.
  private var depth = 0
  private var isInBody = false
  private var wasRead = false
  fileprivate private(set) var isInPayload = false
  /// Prefixes and namespaces that the elements around have declared, each with its depth.
  private var declared: [(depth: Int, prefix: UnsafePointer<xmlChar>?, UnsafePointer<xmlChar>?)] =
    unsafe []

  @unsafe init(_ payload: SOAPPayload, _ handlers: UnsafeMutablePointer<xmlSAXHandler>) {
    self.payload = payload
    unsafe self.handlers = handlers.pointee
    unsafe handlers.pointee.startElementNs = startElementHandler
    unsafe handlers.pointee.endElementNs = endElementHandler
    unsafe handlers.pointee.characters = textHandler
    unsafe handlers.pointee.ignorableWhitespace = textHandler
    unsafe handlers.pointee.cdataBlock = cdataHandler
  }

  /// Takes a start tag.
  ///
  /// - Returns: the namespaces that it declares for the reader; `nil` if that does not see it.
  @unsafe fileprivate func begin(
    _ name: String, _ namespaces: UnsafeBufferPointer<UnsafePointer<xmlChar>?>,
    _ session: UnsafeMutablePointer<ParserSession>
  ) -> [UnsafePointer<xmlChar>?]? {
    depth += 1
    if isInPayload { return unsafe Array(namespaces) }
    if depth == 2 { isInBody = name == "Body" }
    for index in stride(from: 0, to: namespaces.count, by: 2) {
      unsafe declared.append((depth, namespaces[index], namespaces[index + 1]))
    }
    guard isInBody, depth == payload.depth + 1, name == payload.name else { return nil }
    if wasRead {
      unsafe session.pointee.endEarly(
        .notACatalogue, at: session.pointee.currentPosition,
        "the SOAP envelope holds one more <\(payload.name)>; save each as a file of its own")
      return nil
    }
    (isInPayload, wasRead) = (true, true)
    var all: [UnsafePointer<xmlChar>?] = unsafe []
    // The innermost one of a prefix counts.
    for index in unsafe declared.indices.reversed() {
      let (_, prefix, namespace) = unsafe declared[index]
      let later = unsafe declared[(index + 1)...]
      if unsafe !later.contains(where: { unsafe $0.prefix == prefix }) {
        unsafe all += [prefix, namespace]
      }
    }
    return unsafe all
  }

  /// Takes an end tag.
  ///
  /// - Returns: whether the reader sees it.
  fileprivate func end() -> Bool {
    let wasInPayload = isInPayload
    if depth == payload.depth + 1 { isInPayload = false }
    unsafe declared.removeAll { [depth] in unsafe $0.depth == depth }
    depth -= 1
    return wasInPayload
  }
}

// MARK: - Handlers

private let startElementHandler: startElementNsSAX2Func = {
  context, name, prefix, namespace, namespaceCount, namespaces, attributeCount, defaultCount,
  attributes in
  let session = unsafe session(of: parserContext(context))
  guard let envelope = unsafe session.pointee.envelope, let name = unsafe name else { return }
  let own = unsafe UnsafeBufferPointer(start: namespaces, count: Int(namespaceCount) * 2)
  guard var all = unsafe envelope.begin(String(cString: name), own, session) else {
    return unsafe session.pointee.notePlace()
  }
  unsafe all.withUnsafeMutableBufferPointer { all in
    unsafe envelope.handlers.startElementNs?(
      context, name, prefix, namespace, Int32(all.count / 2), all.baseAddress, attributeCount,
      defaultCount, attributes)
  }
}

private let endElementHandler: endElementNsSAX2Func = { context, name, prefix, namespace in
  let session = unsafe session(of: parserContext(context))
  guard let envelope = unsafe session.pointee.envelope else { return }
  guard envelope.end() else { return unsafe session.pointee.notePlace() }
  unsafe envelope.handlers.endElementNs?(context, name, prefix, namespace)
}

private let textHandler: charactersSAXFunc = { context, text, length in
  let session = unsafe session(of: parserContext(context))
  guard let envelope = unsafe session.pointee.envelope else { return }
  guard envelope.isInPayload else { return unsafe session.pointee.notePlace() }
  unsafe envelope.handlers.characters?(context, text, length)
}

private let cdataHandler: cdataBlockSAXFunc = { context, text, length in
  let session = unsafe session(of: parserContext(context))
  guard let envelope = unsafe session.pointee.envelope else { return }
  guard envelope.isInPayload else { return unsafe session.pointee.notePlace() }
  unsafe envelope.handlers.cdataBlock?(context, text, length)
}

import CLibXML2
import Loans

/// The element in a SOAP envelope that is read as if it were the root of a document.
struct SOAPPayload: Sendable {
  static let namespaces = [
    "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope",
  ]
  var name: String
  /// The number of elements around it.
  var depth: Int

  /// The possible payloads of a document: the first element in its body, the first in that, and
  /// so on.
  static func candidates(in document: borrowing XMLTree) -> [SOAPPayload] {
    guard let root = document.root, root.name == "Envelope",
      let namespace = root.namespace, namespaces.contains(namespace)
    else { return [] }
    var next = root.children.first { $0.name == "Body" }
    var found: [SOAPPayload] = []
    while found.count < 4, let child = next?.children.first {
      found.append(SOAPPayload(name: child.name, depth: 2 + found.count))
      next = child
    }
    return found
  }
}

/// Stands between libxml2 and the handlers of a reader, and hides from these what is around the
/// payload of an envelope.
@safe final class SOAPEnvelope {
  private let payload: SOAPPayload
  /// The reader's.
  fileprivate let handlers: xmlSAXHandler
  /// The handlers that libxml2 calls.
  private let called: UnsafeMutablePointer<xmlSAXHandler>
  /// For each open element around the payload, prefixes and namespaces that it declares; nothing
  /// for those in it.
  private var declared: [[UnsafePointer<xmlChar>?]] = unsafe []
  private var isInBody = false
  private var wasRead = false
  private var isInPayload = false {
    didSet { setTextHandlers() }
  }

  @unsafe init(_ payload: SOAPPayload, _ handlers: UnsafeMutablePointer<xmlSAXHandler>) {
    self.payload = payload
    unsafe self.handlers = handlers.pointee
    unsafe called = handlers
    unsafe handlers.pointee.startElementNs = startElementHandler
    unsafe handlers.pointee.endElementNs = endElementHandler
    setTextHandlers()
  }

  private func setTextHandlers() {
    unsafe called.pointee.characters = isInPayload ? handlers.characters : hiddenTextHandler
    unsafe called.pointee.ignorableWhitespace =
      isInPayload ? handlers.ignorableWhitespace : hiddenTextHandler
    unsafe called.pointee.cdataBlock = isInPayload ? handlers.cdataBlock : hiddenTextHandler
  }

  /// Takes a start tag.
  ///
  /// - Returns: the namespaces that it declares for the reader; `nil` if that does not see it.
  @unsafe fileprivate func begin(
    _ name: String, _ namespaces: [UnsafePointer<xmlChar>?],
    _ session: UnsafeMutablePointer<ParserSession>
  ) -> [UnsafePointer<xmlChar>?]? {
    unsafe declared.append(isInPayload ? [] : namespaces)
    if isInPayload { return unsafe namespaces }
    let depth = unsafe declared.count
    if depth == 2 { isInBody = name == "Body" }
    guard isInBody, depth == payload.depth + 1, name == payload.name else { return nil }
    if wasRead {
      unsafe session.pointee.endEarly(
        .notACatalogue, at: session.pointee.currentPosition,
        "the SOAP envelope holds one more <\(payload.name)>; save each as a file of its own")
      return nil
    }
    (isInPayload, wasRead) = (true, true)
    // The innermost one of a prefix counts.
    return unsafe declared.reversed().reduce([]) { inner, pairs in
      let known = unsafe stride(from: 0, to: inner.count, by: 2).map { unsafe inner[$0] }
      let other = unsafe stride(from: 0, to: pairs.count, by: 2)
        .filter { unsafe !known.contains(pairs[$0]) }
      return unsafe inner + other.flatMap { unsafe [pairs[$0], pairs[$0 + 1]] }
    }
  }

  /// Takes an end tag.
  ///
  /// - Returns: whether the reader sees it.
  fileprivate func end() -> Bool {
    let wasInPayload = isInPayload
    if unsafe declared.count == payload.depth + 1 { isInPayload = false }
    _ = unsafe declared.popLast()
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
  guard var all = unsafe envelope.begin(String(cString: name), Array(own), session) else {
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

private let hiddenTextHandler: charactersSAXFunc = { context, _, _ in
  unsafe session(of: parserContext(context)).pointee.notePlace()
}

import CLibXML2

/// Detects from a document's beginning which of the known forms it is of.
enum FormDetection {
  /// The number of bytes to look at.
  static let reach = 65_536

  /// The form of a document, or of what is in its envelope, which is noted.
  ///
  /// A document that is not in a known form is read as the tool's own.
  ///
  /// - Parameter chosen: the form that somebody has said.
  /// - Throws: ``CatalogueError`` if the catalogue cannot be read.
  static func profile(
    of catalogue: CatalogueFile, chosen: CatalogueProfile?
  ) throws(CatalogueError) -> CatalogueProfile {
    let head = try catalogue.firstBytes(reach)
    if let chosen, chosen.mayBegin(with: "Envelope") { return chosen }
    // So that the tool's own documents need no tree.
    if let root = DocumentOpening.rootName(head), isNative(root) { return chosen ?? .native }
    let plain = tree(head)
    for payload in SOAPPayload.candidates(in: plain) {
      guard let found = chosen ?? form(of: head, tree(head, in: payload), in: payload),
        found.mayBegin(with: payload.name)
      else { continue }
      catalogue.payload = payload
      return found
    }
    return chosen ?? form(of: head, plain) ?? .native
  }

  /// The form of what begins like this; `nil` if that is not known.
  ///
  /// A form with a sign in the document comes before one that only has the right root element.
  ///
  /// - Parameter plain: the tree of what is read, with its namespaces.
  private static func form(
    of head: ArraySlice<UInt8>, _ plain: borrowing XMLTree, in payload: SOAPPayload? = nil
  ) -> CatalogueProfile? {
    guard let name = plain.root?.name, !isNative(name) else { return .native }
    var possible: CatalogueProfile?
    for profile in BuiltInProfiles.foreign where profile.mayBegin(with: name) {
      let own = tree(head, as: profile, in: payload)
      if profile.hasSign(in: own, plain) { return profile }
      if profile.signs.isEmpty, let root = own.root, profile.knows(root) {
        possible = possible ?? profile
      }
    }
    return possible
  }

  private static func isNative(_ root: String) -> Bool { ["books", "Books"].contains(root) }

  /// The tree of a document's beginning.
  ///
  /// - Parameters:
  ///   - profile: gives the tree names as it has them; `nil` to leave them as they are.
  ///   - payload: what is read, if the document is an envelope.
  private static func tree(
    _ head: ArraySlice<UInt8>, as profile: CatalogueProfile? = nil, in payload: SOAPPayload? = nil
  ) -> XMLTree {
    let parser = unsafe XMLParser<OwnNamespaces?>(setHandlers: { handlers in
      unsafe handlers.pointee.startElementNs = startElementHandler
      unsafe handlers.pointee.comment = nil
      unsafe handlers.pointee.processingInstruction = nil
    }) { _ in profile.map { OwnNamespaces($0) } }
    unsafe parser.session.pointee.enter(payload)
    return parser.parse(head)
  }
}

extension CatalogueProfile {
  /// Whether one of the profile's signs is in a document, whose own namespaces are gone in the first
  /// tree.
  fileprivate func hasSign(
    in own: borrowing XMLTree, _ plain: borrowing XMLTree
  ) -> Bool {
    signs.contains { sign in
      let document = unsafe sign.hasOwnPrefixes ? plain.document : own.document
      let evaluator = unsafe XPathEvaluator(document, namespaces: prefixes)
      let value = unsafe try? evaluator.value(of: evaluator.compile(sign.text))
      return value?.isTrue ?? false
    }
  }

  /// Whether its documents may have this first element.
  func mayBegin(with root: String) -> Bool {
    isNative
      ? ["books", "Books"].contains(root) : mayHaveLoans(below: root) || knownRoots.contains(root)
  }
}

private let startElementHandler: startElementNsSAX2Func = {
  context, name, prefix, namespace, namespaceCount, namespaces, attributeCount, defaultCount,
  attributes in
  let parser = unsafe parserContext(context)
  let session = unsafe session(of: parser)
  // After a fault, elements may seem to be where they are not.
  if unsafe session.pointee.isStopped { return }
  // An undeclared prefix would become a part of the name.
  unsafe xmlSAX2StartElementNs(
    context, name, namespace == nil ? nil : prefix, namespace, namespaceCount, namespaces,
    attributeCount, defaultCount, attributes)
  guard let node = unsafe parser.pointee.node else { return }
  let own = unsafe session.pointee.reader.assumingMemoryBound(to: OwnNamespaces?.self)
  unsafe own.pointee?.remove(from: node, prefix: prefix, namespace: namespace)
}

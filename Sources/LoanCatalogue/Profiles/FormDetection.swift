import CLibXML2

/// Detects from a document's beginning which of the known forms it is of.
enum FormDetection {
  /// The number of bytes to look at.
  static let reach = 65_536
  /// The namespaces of SOAP's envelopes.
  static let envelopeNamespaces = [
    "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope",
  ]

  /// The form of a document, or of what is in its envelope.
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
    if let root = DocumentOpening.rootName(head), CatalogueProfile.native.mayBegin(with: root) {
      return chosen ?? .native
    }
    let plain = tree(head)
    // What people write by hand, and slip in, is in no envelope.
    for (root, depth) in payloads(in: plain)
    where !CatalogueProfile.native.mayBegin(with: root.name) {
      let known = chosen == nil ? form(of: head, root, depth: depth) : nil
      if let profile = chosen ?? known, profile.mayBegin(with: root.name) {
        return profile.inEnvelope(depth: depth)
      }
    }
    let known = plain.root.flatMap { form(of: head, $0) }
    return chosen ?? known ?? .native
  }

  /// The form of what begins like this; `nil` if that is not known.
  ///
  /// A form with a sign in the document comes before one that only has the right root element.
  ///
  /// - Parameters:
  ///   - root: the root element, in the envelope if there is one.
  ///   - depth: the number of elements around it.
  private static func form(
    of head: ArraySlice<UInt8>, _ root: XMLNode, depth: Int = 0
  ) -> CatalogueProfile? {
    if CatalogueProfile.native.mayBegin(with: root.name) { return .native }
    var possible: CatalogueProfile?
    for known in BuiltInProfiles.foreign(mayBeginWith: root.name) {
      let profile = depth == 0 ? known : known.inEnvelope(depth: depth)
      if profile.hasSign(in: tree(head, as: profile)) { return known }
      let own = known.namespaces.own
      let namespace = root.namespace.flatMap { own.isEmpty || own.contains($0) ? nil : $0 }
      if known.document.signs.isEmpty, known.knows(root.name, namespace) {
        possible = possible ?? known
      }
    }
    return possible
  }

  /// The elements in an envelope that may be the root of a document: the first in its body, the first in
  /// that, and so on, each with the number of elements around it.
  private static func payloads(in document: borrowing XMLTree) -> [(root: XMLNode, depth: Int)] {
    guard let root = document.root, root.name == "Envelope",
      envelopeNamespaces.contains(root.namespace ?? "")
    else { return [] }
    var next = root.children.first { $0.name == "Body" }?.children.first
    var found: [(XMLNode, Int)] = []
    while found.count < 4, let root = next {
      found.append((root, 2 + found.count))
      next = root.children.first
    }
    return found
  }

  /// The tree of a document's beginning.
  ///
  /// - Parameter profile: gives the tree names as it has them; `nil` to leave them as they are.
  private static func tree(
    _ head: ArraySlice<UInt8>, as profile: CatalogueProfile? = nil
  ) -> XMLTree {
    let parser = unsafe XMLParser<OwnNamespaces?>(setHandlers: { handlers in
      unsafe handlers.pointee.startElementNs = startElementHandler
      unsafe handlers.pointee.comment = nil
      unsafe handlers.pointee.processingInstruction = nil
    }) { _ in profile.map { OwnNamespaces($0) } }
    return parser.parse(head)
  }
}

extension CatalogueProfile {
  /// Whether one of the profile's signs is in a document, whose names are as the profile has them.
  fileprivate func hasSign(in tree: borrowing XMLTree) -> Bool {
    let evaluator = unsafe XPathEvaluator(tree.document, namespaces: namespaces.prefixes)
    return document.signs.contains { unsafe (try? evaluator.value(of: $0.xpath))?.isTrue ?? false }
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
  let own = unsafe reader(of: parser, OwnNamespaces?.self)
  unsafe _ = own.pointee?.remove(from: node, of: parser, prefix: prefix, namespace: namespace)
}

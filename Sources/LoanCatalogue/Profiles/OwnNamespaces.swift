import CLibXML2

/// Takes from the elements of libxml2's tree the namespaces that are a profile's own.
///
/// So names without prefix in the profile's XPath fit them, whatever their prefix in the document.
@safe struct OwnNamespaces {
  private let profile: CatalogueProfile
  /// The profile's own; if it has none, that of the root element.
  private var own: [String]
  /// The root element's namespace in the document.
  private(set) var root: String?
  private var hasRoot = false
  /// The last namespace, as the parser keeps it, and whether it is one of the profile's own.
  private var last: (namespace: UnsafePointer<xmlChar>, isOwn: Bool)?

  init(_ profile: CatalogueProfile) {
    self.profile = profile
    own = profile.namespaces.own
  }

  /// Takes them from an element that has just been put into the tree, and from its attributes.
  ///
  /// A prefix that is not declared may still be what it is in the profile.
  ///
  /// - Parameters:
  ///   - prefix: the element's.
  ///   - namespace: the element's, as the parser keeps it.
  /// - Returns: whether it is the root element, in the envelope if there is one.
  @unsafe mutating func remove(
    from node: xmlNodePtr, of parser: xmlParserCtxtPtr, prefix: UnsafePointer<xmlChar>?,
    namespace: UnsafePointer<xmlChar>?
  ) -> Bool {
    let isRoot = unsafe !hasRoot && isRoot(parser)
    if isRoot {
      hasRoot = true
      unsafe root = namespace.map { unsafe String(cString: $0) }
      if let root, own.isEmpty { own = [root] }
      unsafe last = nil
    }
    if let namespace = unsafe namespace {
      if unsafe isOwn(namespace) { unsafe node.pointee.ns = nil }
    } else if let prefix = unsafe prefix,
      let bound = unsafe profile.namespaces.prefixes[String(cString: prefix)], !own.contains(bound)
    {
      unsafe node.pointee.ns = xmlNewNs(node, bound, prefix)
    }
    var next = unsafe node.pointee.properties
    while let attribute = unsafe next {
      if let namespace = unsafe attribute.pointee.ns?.pointee.href,
        unsafe own.contains(String(cString: namespace))
      {
        unsafe attribute.pointee.ns = nil
      }
      unsafe next = attribute.pointee.next
    }
    return isRoot
  }

  @unsafe private func isRoot(_ parser: xmlParserCtxtPtr) -> Bool {
    let depth = profile.envelopeDepth
    guard unsafe Int(parser.pointee.nodeNr) == depth + 1 else { return false }
    guard depth > 1, let body = unsafe parser.pointee.nodeTab[1] else { return depth == 0 }
    return unsafe String(cString: body.pointee.name) == "Body"
  }

  @unsafe private mutating func isOwn(_ namespace: UnsafePointer<xmlChar>) -> Bool {
    if let last = unsafe last, unsafe last.namespace == namespace { return unsafe last.isOwn }
    let isOwn = unsafe own.contains(String(cString: namespace))
    unsafe last = (namespace, isOwn)
    return isOwn
  }
}

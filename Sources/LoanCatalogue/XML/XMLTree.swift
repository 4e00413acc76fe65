import CLibXML2
import Loans

/// A document in libxml2's tree.
@safe struct XMLTree: ~Copyable {
  let document: xmlDocPtr?

  @unsafe init(_ document: xmlDocPtr?) { unsafe self.document = document }

  deinit { if let document = unsafe document { unsafe xmlFreeDoc(document) } }

  static var ofOneElement: XMLTree {
    let document = unsafe xmlNewDoc(nil)
    unsafe _ = xmlDocSetRootElement(document, xmlNewDocNode(document, nil, "x", nil))
    return unsafe XMLTree(document)
  }

  /// The first element.
  var root: XMLNode? { unsafe xmlDocGetRootElement(document).map { unsafe XMLNode($0) } }
}

/// An element or an attribute in libxml2's tree, which must outlive it.
///
/// - SeeAlso: `xmlNode`, `xmlAttr`.
@safe struct XMLNode {
  let node: xmlNodePtr

  @unsafe init(_ node: xmlNodePtr) { unsafe self.node = node }

  /// The name without its prefix, if that is declared.
  var name: String { unsafe String(cString: node.pointee.name) }

  var namespace: String? {
    unsafe (node.pointee.ns?.pointee.href).map { unsafe String(cString: $0) }
  }

  /// The name with its prefix.
  var qualifiedName: String {
    guard let prefix = unsafe node.pointee.ns?.pointee.prefix else { return name }
    return unsafe "\(String(cString: prefix)):\(name)"
  }

  /// The text in it.
  ///
  /// - SeeAlso: `xmlNodeGetContent`.
  var text: String {
    let text = unsafe xmlNodeGetContent(node)
    defer { unsafe check_loans_free(text) }
    return unsafe text.map { unsafe String(cString: $0) } ?? ""
  }

  /// The elements directly inside.
  var children: [XMLNode] { content.filter { unsafe $0.node.pointee.type == XML_ELEMENT_NODE } }

  /// Whether there is text directly inside.
  var hasText: Bool {
    content.contains { child in
      unsafe [XML_TEXT_NODE, XML_CDATA_SECTION_NODE].contains(child.node.pointee.type)
        && xmlIsBlankNode(child.node) == 0
    }
  }

  private var content: [XMLNode] { unsafe Self.siblings(from: node.pointee.children) }

  var attributes: [XMLNode] {
    // Like libxml2, which itself takes one for the other: they begin alike.
    let first = unsafe UnsafeMutableRawPointer(node.pointee.properties)
    return unsafe Self.siblings(from: first?.assumingMemoryBound(to: xmlNode.self))
  }

  @unsafe private static func siblings(from first: xmlNodePtr?) -> [XMLNode] {
    var siblings: [XMLNode] = []
    var next = unsafe first
    while let node = unsafe next {
      unsafe siblings.append(XMLNode(node))
      unsafe next = node.pointee.next
    }
    return siblings
  }

  /// The namespaces that it gives prefixes.
  var declaredPrefixes: [String: String] {
    var namespaces: [String: String] = [:]
    var next = unsafe node.pointee.nsDef
    while let declared = unsafe next {
      if let prefix = unsafe declared.pointee.prefix, let namespace = unsafe declared.pointee.href {
        unsafe namespaces[String(cString: prefix)] = String(cString: namespace)
      }
      unsafe next = declared.pointee.next
    }
    return namespaces
  }

  /// Gives each element directly inside the name that its attribute has.
  func nameChildren(by attribute: String) {
    for child in children {
      guard let name = unsafe xmlGetNoNsProp(child.node, attribute) else { continue }
      let known = unsafe xmlDictLookup(node.pointee.doc?.pointee.dict, name, -1)
      if let known = unsafe known { unsafe child.node.pointee.name = known }
      unsafe check_loans_free(name)
    }
  }

  /// The place where it begins, as far as that was noted.
  var place: SourceLocation? {
    get { unsafe SourceLocation(noted: node.pointee._private) }
    nonmutating set { unsafe node.pointee._private = newValue?.noted }
  }
}

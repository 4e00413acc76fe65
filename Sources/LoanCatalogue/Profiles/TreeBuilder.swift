import CLibXML2
import Loans

/// Puts a document's elements into libxml2's tree, those of a profile's own namespaces without one.
///
/// So names without prefix in the profile's XPath fit them, whatever their prefix in the document.
@safe struct TreeBuilder {
  /// A start tag as libxml2 gives it.
  @unsafe struct StartTag {
    var name: UnsafePointer<xmlChar>?
    var prefix: UnsafePointer<xmlChar>?
    var namespace: UnsafePointer<xmlChar>?
    var namespaceCount: Int32
    var namespaces: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    var attributeCount: Int32
    var defaultCount: Int32
    /// Five pointers each: name, prefix, namespace, first byte of the value, end.
    var attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
  }

  private let profile: CatalogueProfile
  /// Whether a namespace is one of the profile's own.
  private var own: [(namespace: UnsafePointer<xmlChar>?, isOwn: Bool)] = unsafe []
  /// The namespace and prefix of the root element.
  private var root: (namespace: UnsafePointer<xmlChar>?, prefix: UnsafePointer<xmlChar>?)?

  init(_ profile: CatalogueProfile) { self.profile = profile }

  /// The root element's namespace in the document.
  var rootNamespace: String? {
    unsafe (root?.namespace).map { unsafe String(cString: $0) }
  }

  /// Puts an element into the tree.
  ///
  /// - SeeAlso: `xmlSAX2StartElementNs`.
  @unsafe mutating func build(_ tag: StartTag, _ context: xmlParserCtxtPtr) {
    var tag = unsafe tag
    if unsafe root == nil { unsafe root = (tag.namespace, tag.prefix) }
    for index in stride(from: 0, to: unsafe Int(tag.attributeCount) * 5, by: 5) {
      guard let attributes = unsafe tag.attributes,
        let namespace = unsafe attributes[index + 2], unsafe isOwn(namespace)
      else { continue }
      unsafe attributes[index + 1] = nil
      unsafe attributes[index + 2] = nil
    }
    if let namespace = unsafe tag.namespace {
      if unsafe isOwn(namespace) { unsafe (tag.prefix, tag.namespace) = (nil, nil) }
    } else if let prefix = unsafe tag.prefix {
      return unsafe buildUndeclared(tag, prefix, context)
    }
    unsafe Self.build(tag, context)
  }

  /// Puts an element into the tree whose prefix is not declared: it may still be what it is
  /// everywhere.
  @unsafe private mutating func buildUndeclared(
    _ tag: StartTag, _ prefix: UnsafePointer<xmlChar>, _ context: xmlParserCtxtPtr
  ) {
    var tag = unsafe tag
    let bound = profile.prefixes[unsafe String(cString: prefix)]
    let isLikeRoot = unsafe root?.namespace == nil && root?.prefix == prefix
    guard let bound, !profile.namespaces.contains(bound) else {
      if isLikeRoot || bound != nil { unsafe tag.prefix = nil }
      return unsafe Self.build(tag, context)
    }
    var declared = unsafe [prefix as UnsafePointer<xmlChar>?, check_loans_intern(context, bound)]
    unsafe declared.withUnsafeMutableBufferPointer { declared in
      unsafe (tag.namespaces, tag.namespaceCount) = (declared.baseAddress, 1)
      unsafe tag.namespace = declared[1]
      unsafe Self.build(tag, context)
    }
  }

  @unsafe static func build(_ tag: StartTag, _ context: xmlParserCtxtPtr) {
    unsafe xmlSAX2StartElementNs(
      context, tag.name, tag.prefix, tag.namespace, tag.namespaceCount, tag.namespaces,
      tag.attributeCount, tag.defaultCount, tag.attributes)
  }

  /// Whether a namespace is one of the profile's own; if it has none, that of the root element.
  @unsafe private mutating func isOwn(_ namespace: UnsafePointer<xmlChar>) -> Bool {
    if let known = unsafe own.first(where: { unsafe $0.namespace == namespace }) {
      return unsafe known.isOwn
    }
    let isOwn =
      unsafe profile.namespaces.isEmpty
      ? namespace == root?.namespace : profile.namespaces.contains(String(cString: namespace))
    if unsafe own.count < 64 { unsafe own.append((namespace, isOwn)) }
    return isOwn
  }
}

import CLibXML2

/// Knows by their names which elements of a document a profile asks for, and gives elements of the
/// profile's own namespaces to the tree without one.
@safe struct ElementMatcher {
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
  /// The paths to records, and after them those to what records refer to.
  private let paths: [[ProfileExpression.Step]]
  /// Which of them end at each depth, a bit for each.
  private let ends: [UInt64]
  /// Their names in libxml2's dictionary; `nil` for any.
  private var names: [[UnsafePointer<xmlChar>?]] = unsafe []
  /// The names of elements that an expression may look at later; `nil` for all.
  private var kept: [UnsafePointer<xmlChar>]? = unsafe []
  /// Whether a namespace is one of the profile's own.
  private var own: [(namespace: UnsafePointer<xmlChar>?, isOwn: Bool)] = unsafe []
  /// The namespace and prefix of the root element.
  private var root: (namespace: UnsafePointer<xmlChar>?, prefix: UnsafePointer<xmlChar>?)?

  init(_ profile: CatalogueProfile) {
    self.profile = profile
    let paths = profile.records.map(\.path.steps) + profile.lookups.map(\.path.steps)
    self.paths = paths
    let deepest = paths.map(\.count).max() ?? 0
    ends = (0...deepest).map { depth in
      paths.indices.reduce(0) { paths[$1].count == depth ? $0 | 1 << UInt64($1) : $0 }
    }
  }

  /// Makes names ready for the document that begins.
  ///
  /// - SeeAlso: `xmlDictLookup`.
  @unsafe mutating func begin(_ context: xmlParserCtxtPtr) {
    unsafe names = paths.map { steps in
      unsafe steps.map { step in
        unsafe step.local == "*" ? nil : check_loans_intern(context, step.local)
      }
    }
    unsafe kept = profile.keptNames.map { names in
      unsafe names.compactMap { unsafe check_loans_intern(context, $0) }
    }
  }

  /// The root element's namespace.
  var rootNamespace: String? {
    unsafe (root?.namespace).map { unsafe String(cString: $0) }
  }
}

// MARK: - Which element it is

extension ElementMatcher {
  /// Which paths lead to an element or through it.
  ///
  /// - Parameters:
  ///   - depth: how many elements are around it.
  ///   - above: which lead through the one around it.
  @unsafe func paths(to node: xmlNodePtr, depth: Int, from above: UInt64?) -> UInt64 {
    var found: UInt64 = 0
    var rest = above ?? (1 << UInt64(paths.count)) - 1
    while rest != 0 {
      let path = rest.trailingZeroBitCount
      rest &= rest - 1
      guard depth < paths[path].count else { continue }
      let name = unsafe names[path][depth]
      guard unsafe name == nil || name == node.pointee.name else { continue }
      if unsafe hasNamespace(node, paths[path][depth].namespace) { found |= 1 << UInt64(path) }
    }
    return found
  }

  @unsafe private func hasNamespace(_ node: xmlNodePtr, _ wanted: String?) -> Bool {
    guard let namespace = unsafe node.pointee.ns else { return wanted == nil }
    guard let wanted, let address = unsafe namespace.pointee.href else { return false }
    return unsafe String(cString: address) == wanted
  }

  /// Whether one of these paths ends at a depth.
  func isComplete(_ found: UInt64, depth: Int) -> Bool {
    depth < ends.count && found & ends[depth] != 0
  }

  /// The records and the lookups whose paths are these and end at a depth.
  func complete(_ found: UInt64, depth: Int) -> (records: [Int], lookups: [Int]) {
    guard isComplete(found, depth: depth) else { return ([], []) }
    let complete = paths.indices.filter { found & ends[depth] & 1 << UInt64($0) != 0 }
    let first = profile.records.count
    return (complete.filter { $0 < first }, complete.filter { $0 >= first }.map { $0 - first })
  }

  /// Whether the profile knows documents with a root element.
  @unsafe func isKnownRoot(_ node: xmlNodePtr) -> Bool {
    if unsafe paths(to: node, depth: 0, from: nil) != 0 { return true }
    return unsafe node.pointee.ns == nil
      && profile.knownRoots.contains(String(cString: node.pointee.name))
  }

  /// Whether an element that has ended may be looked at later.
  @unsafe func isKept(_ node: xmlNodePtr) -> Bool {
    guard let kept = unsafe kept else { return true }
    return unsafe kept.contains { unsafe $0 == node.pointee.name }
  }
}

// MARK: - Namespaces

extension ElementMatcher {
  /// Puts an element into libxml2's tree.
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

  /// Whether a namespace is one of the profile's own; where it has none, that of the root element.
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

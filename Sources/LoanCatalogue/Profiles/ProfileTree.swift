import CLibXML2

/// Builds libxml2's tree of a document as a profile has it.
///
/// Elements and attributes lose a namespace that is the profile's own, so that names without prefix in its
/// XPath fit them, whatever their prefix in the document. The elements of an envelope are left out: each
/// element in its body is a root element.
@safe struct ProfileTree: ~Copyable {
  /// The reader of the tree, if it has one; held by a pointer, so that it is never copied.
  let reader: UnsafeMutablePointer<ProfileReader>?
  private let profile: CatalogueProfile
  /// The profile's own namespaces; if it has none, that of the root element.
  private var own: [String]
  /// The last namespace, as the parser keeps it, and whether it is one of the profile's own.
  private var last: (namespace: UnsafePointer<xmlChar>, isOwn: Bool)?
  /// The number of open elements, in the tree or around it.
  private var depth = 0
  private var isInBody = true
  /// The namespaces that are declared at each open element of the envelope, by their prefixes.
  private var declared: [[UnsafePointer<xmlChar>?: UnsafePointer<xmlChar>?]] = unsafe []

  @unsafe fileprivate init(
    _ profile: CatalogueProfile, _ reader: UnsafeMutablePointer<ProfileReader>?
  ) {
    unsafe self.reader = reader
    self.profile = profile
    own = profile.namespaces.own
  }

  deinit { unsafe reader?.deinitialize(count: 1).deallocate() }

  /// A parser that builds the tree.
  static func parser(
    for profile: CatalogueProfile, path: String = "",
    _ makeReader: ((UnsafeMutablePointer<ParserSession>) -> ProfileReader)? = nil
  ) -> XMLParser<ProfileTree> {
    unsafe XMLParser(path: path, setHandlers: setHandlers) { session in
      guard let makeReader = unsafe makeReader else { return unsafe ProfileTree(profile, nil) }
      let reader = UnsafeMutablePointer<ProfileReader>.allocate(capacity: 1)
      unsafe reader.initialize(to: makeReader(session))
      return unsafe ProfileTree(profile, reader)
    }
  }
}

// MARK: - Elements

extension ProfileTree {
  /// Takes a start tag; says whether its element is put into the tree.
  @unsafe fileprivate mutating func begin(
    _ name: UnsafePointer<xmlChar>?, _ namespace: UnsafePointer<xmlChar>?,
    _ declarations: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
  ) -> Bool {
    depth += 1
    if depth > profile.envelopeDepth {
      if isInBody, own.isEmpty, let namespace = unsafe namespace, depth == 1 + profile.envelopeDepth
      {
        own = [unsafe String(cString: namespace)]
      }
      return isInBody
    }
    if depth == 2 { isInBody = unsafe xmlStrEqual(name, "Body") == 1 }
    unsafe declared = declared.prefix(depth - 1) + [scope(declarations)]
    return false
  }

  /// The namespaces that are declared at an element and around it.
  @unsafe private func scope(
    _ declarations: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
  ) -> [UnsafePointer<xmlChar>?: UnsafePointer<xmlChar>?] {
    var scope = unsafe declared.prefix(depth - 1).last ?? [:]
    for index in stride(from: 0, to: declarations.count, by: 2) {
      unsafe scope[declarations[index]] = declarations[index + 1]
    }
    return unsafe scope
  }

  /// The declarations that a root element is in, which the tree has at no other; empty if it has all.
  @unsafe fileprivate func declarations(
    with own: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
  ) -> [UnsafePointer<xmlChar>?] {
    guard depth == 1 + profile.envelopeDepth, depth > 1 else { return unsafe [] }
    return unsafe scope(own).flatMap { unsafe [$0.key, $0.value] }
  }

  /// Takes an end tag; says whether its element is in the tree.
  fileprivate mutating func end() -> Bool {
    depth -= 1
    return depth >= profile.envelopeDepth && isInBody
  }

  /// Whether names in this namespace lose it.
  @unsafe fileprivate mutating func isOwn(_ namespace: UnsafePointer<xmlChar>?) -> Bool {
    guard let namespace = unsafe namespace else { return false }
    if let last = unsafe last, unsafe last.namespace == namespace { return unsafe last.isOwn }
    let isOwn = unsafe own.contains(String(cString: namespace))
    unsafe last = (namespace, isOwn)
    return isOwn
  }

  /// The namespace that a prefix has in the profile, if it is not declared in the document.
  @unsafe fileprivate func namespace(of prefix: UnsafePointer<xmlChar>?) -> String? {
    guard let prefix = unsafe prefix,
      let bound = unsafe profile.namespaces.prefixes[String(cString: prefix)]
    else { return nil }
    return own.contains(bound) ? nil : bound
  }
}

// MARK: - Handlers

private let startElementHandler: startElementNsSAX2Func = {
  context, name, prefix, namespace, declarationCount, declarations, attributeCount, defaultCount,
  attributes in
  let parser = unsafe parserContext(context)
  // After a fault, elements may seem to be where they are not.
  if unsafe session(of: parser).pointee.isStopped { return }
  let tree = unsafe reader(of: parser, ProfileTree.self)
  let declared = unsafe UnsafeBufferPointer(start: declarations, count: 2 * Int(declarationCount))
  guard unsafe tree.pointee.begin(name, namespace, declared) else {
    return unsafe session(of: parser).pointee.noteTagEnd()
  }
  for index in 0..<Int(attributeCount) {
    guard let attribute = unsafe attributes?.advanced(by: 5 * index),
      unsafe tree.pointee.isOwn(attribute[2])
    else { continue }
    unsafe (attribute[1], attribute[2]) = (nil, nil)
  }
  let kept = unsafe tree.pointee.isOwn(namespace) ? nil : namespace
  // An undeclared prefix would become a part of the name.
  let keptPrefix = unsafe kept == nil ? nil : prefix
  func start(_ count: Int32, _ declarations: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) {
    unsafe xmlSAX2StartElementNs(
      context, name, keptPrefix, kept, count, declarations, attributeCount, defaultCount,
      attributes)
  }
  var all = unsafe tree.pointee.declarations(with: declared)
  if unsafe all.isEmpty {
    unsafe start(declarationCount, declarations)
  } else {
    unsafe start(Int32(all.count / 2), &all)
  }
  guard let node = unsafe parser.pointee.node else { return }
  if unsafe namespace == nil, let bound = unsafe tree.pointee.namespace(of: prefix) {
    unsafe node.pointee.ns = xmlNewNs(node, bound, prefix)
  }
  unsafe tree.pointee.reader?.pointee.startElement(parser, node, namespace: namespace)
}

private let endElementHandler: endElementNsSAX2Func = { context, name, prefix, namespace in
  let parser = unsafe parserContext(context)
  if unsafe session(of: parser).pointee.isStopped { return }
  let tree = unsafe reader(of: parser, ProfileTree.self)
  guard unsafe tree.pointee.end() else {
    return unsafe session(of: parser).pointee.notePlace()
  }
  let node = unsafe parser.pointee.node
  unsafe xmlSAX2EndElementNs(context, name, prefix, namespace)
  if let node = unsafe node { unsafe tree.pointee.reader?.pointee.endElement(parser, node) }
}

private let textHandler: charactersSAXFunc = { context, text, length in
  let parser = unsafe parserContext(context)
  let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(length))
  guard unsafe reader(of: parser, ProfileTree.self).pointee.reader?.pointee.keeps(bytes) ?? true
  else {
    return
  }
  unsafe xmlSAX2Characters(context, text, length)
}

private let endHandler: endDocumentSAXFunc = { context in
  let parser = unsafe parserContext(context)
  unsafe reader(of: parser, ProfileTree.self).pointee.reader?.pointee.endDocument()
  unsafe endDocumentHandler(context)
}

extension ProfileTree {
  @unsafe private static func setHandlers(_ handlers: UnsafeMutablePointer<xmlSAXHandler>) {
    unsafe handlers.pointee.startElementNs = startElementHandler
    unsafe handlers.pointee.endElementNs = endElementHandler
    unsafe setTextHandler(handlers, textHandler)
    unsafe handlers.pointee.endDocument = endHandler
  }
}

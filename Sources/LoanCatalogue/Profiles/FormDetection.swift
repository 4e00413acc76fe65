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
    let start = catalogue.documentStart
    let head = try catalogue.firstBytes(start + reach).dropFirst(start)
    if let chosen {
      let mayBeEnvelope = head.prefix(1_024).firstRange(of: Array("Envelope".utf8)) != nil
      if !mayBeEnvelope || chosen.mayBegin(with: "Envelope") { return chosen }
    } else if beginsPlainly(head) {
      return .native
    }
    for payload in SOAPPayload.candidates(in: tree(head)) {
      guard let found = chosen ?? form(of: head, in: payload), found.mayBegin(with: payload.name)
      else { continue }
      catalogue.payload = payload
      return found
    }
    return chosen ?? form(of: head) ?? .native
  }

  /// The form of what begins like this; `nil` if that is not known.
  ///
  /// A form with a mark in the document comes before one that only has the right root element.
  private static func form(
    of head: ArraySlice<UInt8>, in payload: SOAPPayload? = nil
  ) -> CatalogueProfile? {
    let plain = tree(head, in: payload)
    guard let name = plain.root?.name, !["books", "Books"].contains(name) else { return .native }
    var possible: CatalogueProfile?
    for profile in BuiltInProfiles.foreign where profile.mayBegin(with: name) {
      // Marks may ask for a namespace that elements lose when they are read.
      if profile.hasMark(in: plain) { return profile }
      let own = tree(head, as: profile, in: payload)
      if profile.hasMark(in: own, isPlain: false) { return profile }
      if profile.marks.isEmpty, let root = own.root, profile.knows(root) {
        possible = possible ?? profile
      }
    }
    return possible
  }

  /// Whether the first element is plainly that of the tool's own form.
  private static func beginsPlainly(_ head: ArraySlice<UInt8>) -> Bool {
    let root = DocumentOpening.skippingProlog(head)
    guard ["<books", "<Books"].contains(where: { root.starts(with: $0.utf8) }),
      let next = root.dropFirst(6).first
    else { return false }
    return next.isXMLWhiteSpace || next == UInt8(ascii: ">") || next == UInt8(ascii: "/")
  }

  /// The tree of a document's beginning.
  ///
  /// - Parameters:
  ///   - profile: gives the tree names as it has them; `nil` to leave them as they are.
  ///   - payload: what is read, if the document is an envelope.
  private static func tree(
    _ head: ArraySlice<UInt8>, as profile: CatalogueProfile? = nil, in payload: SOAPPayload? = nil
  ) -> XMLTree {
    let parser = unsafe XMLParser<TreeBuilder?> { handlers in
      unsafe handlers.pointee.startElementNs = startElementHandler
      unsafe handlers.pointee.comment = nil
      unsafe handlers.pointee.processingInstruction = nil
    }
    unsafe parser.reader.initialize(to: profile.map { TreeBuilder($0) })
    unsafe parser.session.pointee.enter(payload)
    return parser.parse(head)
  }
}

extension CatalogueProfile {
  /// Whether one of the profile's marks is in a tree.
  ///
  /// - Parameter isPlain: whether elements still have their namespaces; else those marks that ask for
  ///   one mean nothing.
  fileprivate func hasMark(in tree: borrowing XMLTree, isPlain: Bool = true) -> Bool {
    let evaluator = unsafe XPathEvaluator(tree.document, namespaces: prefixes)
    return marks.contains { mark in
      guard isPlain || mark.text == mark.xpath, let mark = try? evaluator.compile(mark.text),
        let value = try? evaluator.value(of: mark)
      else { return false }
      return value.isTrue
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
  var tag = unsafe TreeBuilder.StartTag(
    name: name, prefix: prefix, namespace: namespace, namespaceCount: namespaceCount,
    namespaces: namespaces, attributeCount: attributeCount, defaultCount: defaultCount,
    attributes: attributes)
  let parser = unsafe parserContext(context)
  let session = unsafe session(of: parser)
  // After a fault, elements may seem to be where they are not.
  if unsafe session.pointee.isStopped { return }
  let matcher = unsafe session.pointee.reader.assumingMemoryBound(to: TreeBuilder?.self)
  if unsafe matcher.pointee?.build(tag, parser) == nil {
    // An undeclared prefix would become a part of the name.
    if unsafe tag.namespace == nil { unsafe tag.prefix = nil }
    unsafe TreeBuilder.build(tag, parser)
  }
}

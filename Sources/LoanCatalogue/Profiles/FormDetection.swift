import CLibXML2
import Glibc

/// Finds out from a document's beginning which of the known forms it is of.
enum FormDetection {
  /// How much is looked at, in bytes.
  private static let longestBeginning = 65_536

  /// The form of a document, or of what is in its envelope, which is noted.
  ///
  /// What is of no known form is read as the tool's own.
  ///
  /// - Parameter chosen: the form that somebody has said.
  /// - Throws: ``CatalogueError`` if the catalogue cannot be read.
  static func profile(
    of catalogue: CatalogueFile, chosen: CatalogueProfile?
  ) throws(CatalogueError) -> CatalogueProfile {
    let start = catalogue.documentStart
    let head = try catalogue.firstBytes(start + longestBeginning).dropFirst(start)
    if let chosen {
      let mayBeEnvelope = head.prefix(1_024).firstRange(of: Array("Envelope".utf8)) != nil
      if !mayBeEnvelope || chosen.mayBegin(with: "Envelope") { return chosen }
    } else if beginsPlainly(head) {
      return .native
    }
    let plain = look(at: head, for: BuiltInProfiles.foreign, as: nil)
    for payload in plain.payloads {
      let inside = look(at: head, for: BuiltInProfiles.foreign, as: nil, in: payload)
      var found = chosen
      if chosen == nil { found = form(of: head, inside, in: payload) }
      guard let found, found.mayBegin(with: payload.name) else { continue }
      catalogue.payload = payload
      return found
    }
    if let chosen { return chosen }
    return form(of: head, plain) ?? .native
  }

  /// The form of what begins like this; `nil` if that is not known.
  ///
  /// What has a mark that no other form has goes before what only has the right root element.
  private static func form(
    of head: ArraySlice<UInt8>, _ plain: Look, in payload: SOAPPayload? = nil
  ) -> CatalogueProfile? {
    guard let root = plain.root, !["books", "Books"].contains(root) else { return .native }
    var possible: CatalogueProfile?
    for profile in BuiltInProfiles.foreign where profile.mayBegin(with: root) {
      // Marks may ask for a namespace that elements lose when they are read.
      if plain.marked.contains(profile.name) { return profile }
      let found = look(at: head, for: [profile], as: profile, in: payload)
      if !found.marked.isEmpty { return profile }
      if profile.marks.isEmpty && found.isKnownRoot { possible = possible ?? profile }
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

  /// What a document's beginning tells.
  private struct Look {
    /// The name of the first element.
    var root: String?
    /// Whether the profile knows documents with it.
    var isKnownRoot = false
    /// The profiles of which there is a mark.
    var marked: Set<String> = []
    /// What may be inside, if the document is an envelope.
    var payloads: [SOAPPayload] = []
  }

  /// - Parameter profile: gives the tree names as it has them; `nil` to leave them as they are.
  private static func look(
    at head: ArraySlice<UInt8>, for profiles: [CatalogueProfile], as profile: CatalogueProfile?,
    in payload: SOAPPayload? = nil
  ) -> Look {
    let parser = unsafe XMLParser<TreeBuilder?> { handlers in
      unsafe handlers.pointee.startElementNs = startElementHandler
      unsafe handlers.pointee.comment = nil
      unsafe handlers.pointee.processingInstruction = nil
    }
    unsafe parser.reader.initialize(to: profile.map { TreeBuilder($0) })
    unsafe parser.session.pointee.enter(payload)
    let tree = parser.parse(head)
    guard let root = tree.root else { return Look() }
    var look = Look(root: root.name, payloads: SOAPPayload.candidates(in: tree))
    look.isKnownRoot = profile?.knows(root) ?? false
    for profile in profiles where profile.mayBegin(with: root.name) {
      // What asks for a namespace cannot ask where elements have lost it.
      let marks = profile.marks.filter {
        unsafe parser.reader.pointee == nil || $0.text == $0.xpath
      }
      if !marks.isEmpty, has(marks, profile, tree) { look.marked.insert(profile.name) }
    }
    return look
  }

  /// Whether there is one of a profile's marks.
  private static func has(
    _ marks: [ProfileExpression], _ profile: CatalogueProfile, _ tree: borrowing XMLTree
  ) -> Bool {
    let evaluator = unsafe XPathEvaluator(tree.document, namespaces: profile.prefixes)
    return marks.contains { mark in
      guard let value = try? evaluator.value(of: evaluator.compile(mark.text)) else { return false }
      return value.isTrue
    }
  }
}

extension CatalogueProfile {
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

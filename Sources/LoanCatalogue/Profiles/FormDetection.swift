import CLibXML2
import Glibc

/// Finds out from a document's beginning which of the known forms it is of.
@safe struct FormDetection: ~Copyable {
  /// How much is looked at, in bytes.
  private static let longestBeginning = 65_536
  private let profiles: [CatalogueProfile]
  /// Gives the tree names as one of the profiles has them; `nil` to leave them as they are.
  private var matcher: ElementMatcher?
  /// The name of the first element.
  private var root: String?
  /// The profiles of which there is a mark.
  private var marked: Set<String> = []
  /// What may be inside, if the document is an envelope.
  private var payloads: [SOAPPayload] = []
  private var isKnownRoot = false

  /// The form of a document, or of what is in its envelope, which is noted.
  ///
  /// What is of no known form is read as the tool's own.
  ///
  /// - Parameter chosen: the form that somebody has said.
  /// - Throws: ``CatalogueError`` if the catalogue cannot be read.
  static func profile(
    of catalogue: OpenCatalogue, chosen: CatalogueProfile?
  ) throws(CatalogueError) -> CatalogueProfile {
    let start = catalogue.documentStart
    let head = try catalogue.firstBytes(start + longestBeginning).dropFirst(start)
    if let chosen {
      let mayBeEnvelope = head.prefix(1_024).firstRange(of: Array("Envelope".utf8)) != nil
      if !mayBeEnvelope || chosen.mayBegin(with: "Envelope") { return chosen }
    } else if beginsPlainly(head) {
      return .native
    }
    let plain = try look(at: head, for: BuiltInProfiles.foreign, as: nil)
    for payload in plain.payloads {
      let inside = try look(at: head, for: BuiltInProfiles.foreign, as: nil, in: payload)
      var found = chosen
      if chosen == nil { found = try form(of: head, inside, in: payload) }
      guard let found, found.mayBegin(with: payload.name) else { continue }
      catalogue.payload = payload
      return found
    }
    if let chosen { return chosen }
    return try form(of: head, plain) ?? .native
  }

  /// The form of what begins like this; `nil` if that is not known.
  ///
  /// What has a mark that no other form has goes before what only has the right root element.
  private static func form(
    of head: ArraySlice<UInt8>, _ plain: Look, in payload: SOAPPayload? = nil
  ) throws(CatalogueError) -> CatalogueProfile? {
    guard let root = plain.root, !["books", "Books"].contains(root) else { return .native }
    var possible: CatalogueProfile?
    for profile in BuiltInProfiles.foreign where profile.mayBegin(with: root) {
      // Marks may ask for a namespace that elements lose when they are read.
      if plain.marked.contains(profile.name) { return profile }
      let found = try look(at: head, for: [profile], as: profile, in: payload)
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

  private typealias Look = (
    root: String?, marked: Set<String>, isKnownRoot: Bool, payloads: [SOAPPayload]
  )

  private static func look(
    at head: ArraySlice<UInt8>, for profiles: [CatalogueProfile], as profile: CatalogueProfile?,
    in payload: SOAPPayload? = nil
  ) throws(CatalogueError) -> Look {
    let reader = UnsafeMutablePointer<FormDetection>.allocate(capacity: 1)
    let session = UnsafeMutablePointer<ParserSession>.allocate(capacity: 1)
    unsafe session.initialize(to: ParserSession(UnsafeMutableRawPointer(reader), path: ""))
    unsafe reader.initialize(
      to: FormDetection(profiles: profiles, matcher: profile.map { ElementMatcher($0) }))
    defer {
      unsafe reader.deinitialize(count: 1).deallocate()
      unsafe session.deinitialize(count: 1).deallocate()
    }
    let parser = unsafe XMLParser(session) { unsafe setHandlers($0) }
    unsafe session.pointee.enter(payload)
    parser.parse(head)
    return unsafe (
      reader.pointee.root, reader.pointee.marked, reader.pointee.isKnownRoot,
      reader.pointee.payloads
    )
  }

  private init(profiles: [CatalogueProfile], matcher: ElementMatcher?) {
    self.profiles = profiles
    self.matcher = matcher
  }

  @unsafe fileprivate mutating func startElement(
    _ tag: ElementMatcher.StartTag, _ context: xmlParserCtxtPtr
  ) {
    if unsafe matcher?.build(tag, context) == nil {
      var tag = unsafe tag
      // An undeclared prefix would become a part of the name.
      if unsafe tag.namespace == nil { unsafe tag.prefix = nil }
      unsafe ElementMatcher.build(tag, context)
    }
    guard root == nil, let node = unsafe context.pointee.node else { return }
    root = unsafe String(cString: node.pointee.name)
    unsafe matcher?.begin(context)
    isKnownRoot = unsafe matcher?.isKnownRoot(node) ?? false
  }

  /// The beginning has ended, and its tree is there.
  @unsafe fileprivate mutating func endDocument(_ document: xmlDocPtr?) {
    guard let root else { return }
    payloads = unsafe SOAPPayload.candidates(in: document)
    for profile in profiles where profile.mayBegin(with: root) && !profile.marks.isEmpty {
      if unsafe hasMark(profile, document) { marked.insert(profile.name) }
    }
  }

  @unsafe private func hasMark(_ profile: CatalogueProfile, _ document: xmlDocPtr?) -> Bool {
    guard let evaluator = unsafe try? XPathEvaluator(document, namespaces: profile.prefixes) else {
      return false
    }
    // What asks for a namespace cannot ask where elements have lost it.
    let marks = profile.marks.filter { matcher == nil || $0.text == $0.xpath }
    return marks.contains { mark in
      guard let compiled = try? evaluator.compile(mark.text),
        let value = try? evaluator.value(of: compiled)
      else { return false }
      return value.isTrue
    }
  }
}

extension CatalogueProfile {
  /// Whether its documents may have this first element.
  fileprivate func mayBegin(with root: String) -> Bool {
    isNative
      ? ["books", "Books"].contains(root) : mayHaveLoans(below: root) || knownRoots.contains(root)
  }
}

// MARK: - Handlers

@unsafe private func reader(
  of context: UnsafeMutableRawPointer?
) -> UnsafeMutablePointer<FormDetection> {
  unsafe session(of: parserContext(context)).pointee.reader
    .assumingMemoryBound(to: FormDetection.self)
}

private let startElementHandler: startElementNsSAX2Func = {
  context, name, prefix, namespace, namespaceCount, namespaces, attributeCount, defaultCount,
  attributes in
  let tag = unsafe ElementMatcher.StartTag(
    name: name, prefix: prefix, namespace: namespace, namespaceCount: namespaceCount,
    namespaces: namespaces, attributeCount: attributeCount, defaultCount: defaultCount,
    attributes: attributes)
  unsafe reader(of: context).pointee.startElement(tag, parserContext(context))
}

private let endDocumentHandler: endDocumentSAXFunc = { context in
  unsafe reader(of: context).pointee.endDocument(parserContext(context).pointee.myDoc)
  unsafe xmlSAX2EndDocument(context)
}

@unsafe private func setHandlers(_ handlers: UnsafeMutablePointer<xmlSAXHandler>) {
  unsafe handlers.pointee.startElementNs = startElementHandler
  unsafe handlers.pointee.endDocument = endDocumentHandler
  unsafe handlers.pointee.comment = nil
  unsafe handlers.pointee.processingInstruction = nil
}

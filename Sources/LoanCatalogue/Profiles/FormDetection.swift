import CLibXML2

/// Detects from a document's beginning which of the known forms it is of.
enum FormDetection {
  /// The number of bytes to look at.
  static let reach = 65_536

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
    if let chosen, chosen.isOfEnvelopes { return chosen }
    // So that the tool's own documents need no tree.
    if let root = DocumentOpening.rootName(head), CatalogueProfile.native.mayBegin(with: root) {
      return chosen ?? .native
    }
    // What people write by hand, and slip in, is in no envelope.
    for (root, depth) in roots(in: head) where !CatalogueProfile.native.mayBegin(with: root) {
      let possible = chosen.map { [$0] } ?? BuiltInProfiles.foreign(mayBeginWith: root)
      for var profile in possible where profile.mayBegin(with: root) {
        profile.envelopeDepth = depth
        if chosen != nil || profile.hasSign(in: head) { return profile }
      }
    }
    return chosen ?? .native
  }

  /// The elements that may be the root of a document, each with the number of elements around it: in an
  /// envelope the first in its body, the first in that, and so on; then the root element itself.
  private static func roots(in head: ArraySlice<UInt8>) -> [(name: String, depth: Int)] {
    let tree = unsafe ProfileTree.parser(for: BuiltInProfiles.soap).parse(head)
    guard let root = tree.root else { return [] }
    var found: [(String, Int)] = []
    let isEnvelope = root.name == "Envelope" && root.namespace == nil
    var next = isEnvelope ? root.children.first { $0.name == "Body" }?.children.first : nil
    while found.count < 4, let root = next {
      found.append((root.name, 2 + found.count))
      next = root.children.first
    }
    return found + [(root.name, 0)]
  }
}

extension CatalogueProfile {
  /// Whether its paths begin at an envelope.
  fileprivate var isOfEnvelopes: Bool {
    records.contains { $0.path.withoutConditions.contains("/Envelope/") }
  }

  /// Whether one of the profile's signs is in the beginning of a document.
  fileprivate func hasSign(in head: ArraySlice<UInt8>) -> Bool {
    let tree = unsafe ProfileTree.parser(for: self).parse(head)
    let evaluator = unsafe XPathEvaluator(tree.document, namespaces: namespaces.prefixes)
    return document.signs.contains { unsafe (try? evaluator.value(of: $0.xpath))?.isTrue ?? false }
  }
}

import CLibXML2
import Loans

/// The last texts that each expression of a profile has found.
///
/// Most expressions of a profile find nothing in a document, because it has not even their names, and
/// others find the same for all records in one element: they are evaluated again only where their
/// texts may differ.
@safe struct TextCache {
  /// A text, its white space trimmed and each inner run of it one space.
  struct FoundText {
    var text: [UInt8]
    /// The place of its element, if it is that of a node.
    var place: SourceLocation?
  }

  /// What is known of an expression.
  private struct Entry {
    /// How many elements outward the element is of which the texts are a function.
    var anchor = XPathPaths.document
    /// The number of that element; 0 for the document, and -1 for none yet.
    var key = -1
    var texts: [FoundText] = []
  }

  private let expressions: [ProfileExpression]
  private var entries: [Entry]
  private var names: xmlDictPtr?
  private var nameCount: Int32 = -1

  /// - Parameter expressions: by their numbers.
  init(_ expressions: [ProfileExpression]) {
    self.expressions = expressions
    entries = Array(repeating: Entry(), count: expressions.count)
  }

  @unsafe mutating func begin(_ document: xmlDocPtr?) {
    unsafe names = document?.pointee.dict
  }

  /// Takes account of the names that have come up since it was done last.
  ///
  /// - SeeAlso: `xmlDictSize`, `xmlDictExists`.
  mutating func noteNames() {
    let count = unsafe xmlDictSize(names)
    if count == nameCount { return }
    nameCount = count
    for index in entries.indices {
      let paths = expressions[index].paths
      if entries[index].anchor == paths.anchor() { continue }
      entries[index].anchor = paths.anchor { unsafe xmlDictExists(names, $0, -1) != nil }
    }
  }

  /// The texts of an expression at an element; `nil` if they are not known. Then they are to be noted.
  @unsafe mutating func texts(
    _ expression: ProfileExpression, _ node: xmlNodePtr
  ) -> [FoundText]? {
    let number = expression.number
    var key = 0
    if entries[number].anchor != XPathPaths.document {
      var next: xmlNodePtr? = unsafe node
      for _ in 0..<entries[number].anchor { unsafe next = next?.pointee.parent }
      key = unsafe next?.number ?? 0
    }
    if entries[number].key == key { return entries[number].texts }
    entries[number].key = key
    return nil
  }

  /// Notes the texts that were not known.
  mutating func note(_ texts: [FoundText], of expression: ProfileExpression) {
    entries[expression.number].texts = texts
  }
}

extension xmlNodePtr {
  /// The number of an element in the order of the document; 0 for the document itself.
  var number: Int {
    get {
      unsafe pointee.type == XML_ELEMENT_NODE ? -Int(bitPattern: pointee.content) : 0
    }
    // Where XPath looks for it: else it would count all siblings.
    nonmutating set {
      unsafe pointee.content = UnsafeMutablePointer<xmlChar>(bitPattern: -newValue)
    }
  }
}

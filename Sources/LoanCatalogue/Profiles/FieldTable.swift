import CLibXML2
import Loans

/// The expressions by which a profile's fields are read, with the last texts that each has found.
///
/// Most expressions of a profile find nothing in a document, because it has not even their names, and
/// others find the same for all records in one element: they are evaluated again only where their
/// texts may differ.
@safe struct FieldTable {
  /// A text, its white space trimmed and each inner run of it one space.
  struct FoundText {
    var text: [UInt8]
    /// The place of its element, if it is that of a node.
    var place: SourceLocation?
  }

  /// An expression with its last texts.
  struct Source {
    let expression: ProfileExpression
    /// How many elements outward the element is of which the texts are a function.
    fileprivate(set) var anchor = XPathPaths.document
    /// The number of that element; 0 for the document, and -1 for none yet.
    var key = -1
    var texts: [FoundText] = []
  }

  /// The rule for a field, with its sources.
  struct Rule {
    let rule: CatalogueProfile.FieldRule
    let path: Int
    let time: Int?
  }

  var sources: [Source] = []
  private(set) var rules: [Rule] = []
  /// The rules of each kind of record.
  private(set) var kinds: [Range<Int>] = []
  /// The rules of each lookup, and the sources of its keys.
  private(set) var lookups: [(rules: Range<Int>, key: Int, reference: Int)] = []
  private var names: xmlDictPtr?
  private var nameCount: Int32 = -1

  init(_ profile: CatalogueProfile) {
    for record in profile.records { kinds.append(add(record.fields)) }
    for lookup in profile.lookups {
      lookups.append((add(lookup.fields), source(of: lookup.key), source(of: lookup.reference)))
    }
  }

  private mutating func add(_ added: [CatalogueProfile.FieldRule]) -> Range<Int> {
    let start = rules.count
    for rule in added {
      rules.append(
        Rule(rule: rule, path: source(of: rule.path), time: rule.time.map { source(of: $0) }))
    }
    return start..<rules.count
  }

  private mutating func source(of expression: ProfileExpression) -> Int {
    if let known = sources.firstIndex(where: { $0.expression.text == expression.text }) {
      return known
    }
    sources.append(Source(expression: expression))
    return sources.count - 1
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
    for index in sources.indices {
      let paths = sources[index].expression.paths
      if sources[index].anchor == paths.anchor() { continue }
      sources[index].anchor = paths.anchor { unsafe xmlDictExists(names, $0, -1) != nil }
    }
  }

  /// The number of the element that the texts of a source are a function of.
  @unsafe func key(_ source: Int, _ node: xmlNodePtr) -> Int {
    if sources[source].anchor == XPathPaths.document { return 0 }
    var next: xmlNodePtr? = unsafe node
    for _ in 0..<sources[source].anchor { unsafe next = next?.pointee.parent }
    return unsafe next?.number ?? 0
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

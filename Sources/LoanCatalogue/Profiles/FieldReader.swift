import CLibXML2
import Loans

/// The texts that an expression has found last, trimmed of white space, each inner run of it one space.
private struct FoundTexts {
  /// The number of the element that they depend on; 0 for the document, and -1 before the first.
  var key = -1
  var bytes: [UInt8] = []
  var all: [FoundText] = []

  struct FoundText {
    /// Its bytes among those of all.
    var range: Range<Int>
    /// The place of its element, if it is that of a node.
    var place: SourceLocation?
  }

  /// The first text that `isWanted`.
  @inline(__always)
  func first(where isWanted: (ArraySlice<UInt8>) -> Bool) -> FoundText? {
    all.first { isWanted(bytes[$0.range]) }
  }
}

/// Reads the fields of records out of libxml2's tree, by the expressions of a profile.
@safe struct FieldReader: ~Copyable {
  var builder: RecordBuilder
  /// The place of the element that is looked at.
  private(set) var place = SourceLocation(line: 1, column: 1)
  /// The place of the root element.
  private var beginning = SourceLocation(line: 1, column: 1)
  let profile: CatalogueProfile
  /// What the document says of itself, once it has ended.
  private(set) var ending = DocumentEnding()
  /// Whether there was a record, lent or not.
  private var hasRecords = false
  /// Whether elements on the way to records are no longer in the tree.
  private var hasFreed = false
  private(set) var evaluator: XPathEvaluator?
  /// The last texts of each expression, by its number: many find the same for all records in one element.
  private var last: [FoundTexts]
  /// The document's names, and how many there were when it was last asked for them.
  private var names: (known: xmlDictPtr?, count: Int32) = (nil, -1)
  /// For each kind of record that there may be by these names, the rules that may find something.
  private var rules: [[FieldRule]?] = []
  /// What records may refer to, by its key, for each of the profile's lookups.
  private var referents: [[[UInt8]: XMLNode]] = []

  private typealias FieldRule = CatalogueProfile.FieldRule

  init(_ reader: CatalogueReader, _ profile: CatalogueProfile, _ pool: BatchPool) {
    builder = RecordBuilder(reader, form: profile.name, pool)
    self.profile = profile
    last = Array(repeating: FoundTexts(), count: profile.expressions.count)
  }

  /// Evaluates expressions in a document from now on.
  ///
  /// - Parameter place: the root element's.
  @unsafe mutating func begin(_ document: xmlDocPtr?, at place: SourceLocation) {
    unsafe evaluator = XPathEvaluator(document, namespaces: profile.namespaces.prefixes)
    unsafe names.known = document?.pointee.dict
    (self.place, beginning) = (place, place)
  }

  /// Notes that what goes wrong from now on does so at an element.
  @unsafe private mutating func note(_ node: xmlNodePtr) {
    unsafe place = SourceLocation(of: node) ?? place
  }

  @unsafe private func value(
    _ expression: ProfileExpression, at node: xmlNodePtr?
  ) throws(XPathFailure) -> XPathValue {
    guard let evaluator else { throw XPathFailure(message: "there is no document") }
    return unsafe try evaluator.value(of: expression.xpath, at: node)
  }
}

// MARK: - Records

extension FieldReader {
  /// What may be a record in the tree, in its order, once for each kind that it may be of.
  ///
  /// - Parameter open: elements that have not ended.
  @unsafe mutating func candidates(
    but open: [xmlNodePtr]
  ) throws(XPathFailure) -> [(node: xmlNodePtr, kind: Int)] {
    var found: [(node: xmlNodePtr, kind: Int)] = unsafe []
    noteNames()
    for (kind, record) in profile.records.enumerated() where rules[kind] != nil {
      let nodes = unsafe try value(record.path, at: nil)
      for index in 0..<nodes.count {
        guard let node = unsafe nodes.node(index), unsafe !open.contains(node) else { continue }
        guard unsafe node.pointee.type == XML_ELEMENT_NODE else {
          throw XPathFailure(
            message: "\(record.path.text.quoted()) selects something other than an element")
        }
        unsafe found.append((node, kind))
      }
    }
    unsafe found.sort { unsafe ($0.node.number, $0.kind) < ($1.node.number, $1.kind) }
    return unsafe found
  }

  /// Notes that an element on the way to records is about to be freed.
  @unsafe mutating func noteFreed(_ node: xmlNodePtr) throws(XPathFailure) {
    hasFreed = true
    if !hasRecords && ending.date == nil { unsafe try findDate(in: node) }
  }

  /// Takes an element that is a record of the first kind by which it is lent, or else is not lent.
  @unsafe mutating func read(_ node: xmlNodePtr, ofKinds kinds: [Int]) throws(XPathFailure) {
    unsafe note(node)
    let element = unsafe XMLNode(node)
    if let columns = profile.columns, columns.hasPrefix("@") {
      element.nameChildren(by: String(columns.dropFirst()))
    }
    builder.beginRecord(at: place)
    if !hasRecords { findUnknownColumns(of: element) }
    hasRecords = true
    for kind in kinds where unsafe try isLent(node, kind) {
      unsafe try fill(from: node, kind)
      break
    }
    builder.endRecord()
  }

  @unsafe private func isLent(_ node: xmlNodePtr, _ kind: Int) throws(XPathFailure) -> Bool {
    guard let isLent = profile.records[kind].lent else { return true }
    return unsafe try value(isLent, at: node).isTrue
  }

  @unsafe private mutating func fill(from node: xmlNodePtr, _ kind: Int) throws(XPathFailure) {
    noteNames()
    builder.repetitions.loanedForms = [.dotted]
    let rules = rules[kind] ?? []
    unsafe try fill(rules, from: node)
    for (lookup, known) in zip(profile.lookups, referents) {
      let texts = unsafe try texts(lookup.reference, node)
      guard let key = texts.all.first, let referent = known[Array(texts.bytes[key.range])] else {
        continue
      }
      unsafe try fill(lookup.fields, from: referent.node, at: place)
    }
    if builder.head.isEmpty(.title) && profile.mayGive(.title) {
      builder.findMissingTitle()
    }
    unsafe try readExpiration(node, rules, kind)
  }

  /// Takes account of the names that have come up since it was done last: most expressions of a profile
  /// find nothing in a document, which has not even their names.
  ///
  /// - SeeAlso: `xmlDictSize`, `xmlDictExists`.
  private mutating func noteNames() {
    let known = unsafe names.known
    let count = unsafe xmlDictSize(known)
    if unsafe count == names.count { return }
    unsafe names.count = count
    func mayFind(_ expression: ProfileExpression) -> Bool {
      !expression.isNodes
        || expression.paths.mayFind { unsafe xmlDictExists(known, String($0), -1) != nil }
    }
    rules = profile.records.map { record in
      mayFind(record.path) ? record.fields.filter { mayFind($0.path) } : nil
    }
  }

  /// Finds the columns of the first record that are not read; it has all.
  private mutating func findUnknownColumns(of record: XMLNode) {
    guard profile.columns != nil else { return }
    let known = profile.namesOfFields
    for column in record.children.prefix(100) where !known.contains(column.name) {
      builder.findUnknownColumn(
        named: column.name.replacing("_x0020_", with: " "), at: column.place ?? place, known)
    }
  }

  /// Fills the fields, but for the expiration, that have no text yet.
  ///
  /// - Parameter place: `nil` for where the texts are.
  @unsafe private mutating func fill(
    _ rules: [FieldRule], from node: xmlNodePtr, at place: SourceLocation? = nil
  ) throws(XPathFailure) {
    for rule in rules where rule.field != .expiration && builder.head.isEmpty(rule.field) {
      let texts = unsafe try texts(rule.path, node)
      guard let found = texts.first(where: { rule.isValue($0) }) else { continue }
      unsafe try fill(
        rule, texts.bytes[found.range], node, at: place ?? found.place ?? self.place)
      if rule.field == .loaned { builder.repetitions.loanedForms = rule.forms }
      if rule.field == .id && rule.isShared { builder.head.traits.insert(.sharesID) }
    }
  }

  /// Fills a field with a text, and its time.
  @unsafe private mutating func fill(
    _ rule: FieldRule, _ text: ArraySlice<UInt8>, _ node: xmlNodePtr, at place: SourceLocation
  ) throws(XPathFailure) {
    var time: [UInt8] = []
    if let path = rule.time {
      let texts = unsafe try texts(path, node)
      if let found = texts.first(where: { rule.isValue($0) }) {
        time = [0x20] + texts.bytes[found.range]
      }
    }
    try evaluator?.look(at: text.count + time.count)
    builder.beginField()
    builder.append(text.span)
    builder.append(time.span)
    builder.endField(rule.field, ValueExtent(start: place))
  }

  /// Reads all that records may refer to.
  ///
  /// - Parameter open: elements that have not ended.
  @unsafe mutating func readLookups(but open: [xmlNodePtr]) throws(XPathFailure) {
    for lookup in profile.lookups {
      var found: [[UInt8]: XMLNode] = [:]
      let all = unsafe try value(lookup.path, at: nil)
      for number in 0..<all.count {
        guard let node = unsafe all.node(number), unsafe node.pointee.type == XML_ELEMENT_NODE,
          unsafe !open.contains(node)
        else { continue }
        unsafe note(node)
        let texts = unsafe try texts(lookup.key, node)
        guard let key = texts.all.first.map({ Array(texts.bytes[$0.range]) }),
          !key.isEmpty, found[key] == nil
        else { continue }
        unsafe found[key] = XMLNode(node)
      }
      referents.append(found)
    }
  }
}

// MARK: - Texts

extension FieldReader {
  /// The texts of an expression at an element, evaluated again only where they may be others.
  @unsafe private mutating func texts(
    _ expression: ProfileExpression, _ node: xmlNodePtr
  ) throws(XPathFailure) -> FoundTexts {
    var key = 0
    if expression.anchor != XPathPaths.document {
      var next: xmlNodePtr? = unsafe node
      for _ in 0..<expression.anchor { unsafe next = next?.pointee.parent }
      key = unsafe next?.number ?? 0
    }
    if last[expression.number].key != key {
      // The memory of the last ones serves again.
      var texts = FoundTexts()
      swap(&texts, &last[expression.number])
      unsafe try find(expression, node, &texts)
      texts.key = key
      swap(&texts, &last[expression.number])
    }
    return last[expression.number]
  }

  /// Finds the texts of an expression's nodes, or the one that it is.
  ///
  /// Mutating, as to borrow the reader would be to copy it.
  @unsafe private mutating func find(
    _ expression: ProfileExpression, _ node: xmlNodePtr?, _ texts: inout FoundTexts
  ) throws(XPathFailure) {
    let value = unsafe try value(expression, at: node)
    texts.bytes.removeAll(keepingCapacity: true)
    texts.all.removeAll(keepingCapacity: true)
    for index in 0..<(value.isNodes ? value.count : 1) {
      let start = texts.bytes.count
      value.appendText(ofNode: index, to: &texts.bytes)
      texts.bytes.normalizeSpace(from: start)
      let range = start..<texts.bytes.count
      try evaluator?.look(at: range.count)
      texts.all.append(FoundTexts.FoundText(range: range, place: value.place(ofNode: index)))
    }
  }
}

// MARK: - Expirations

extension FieldReader {
  @unsafe private mutating func readExpiration(
    _ node: xmlNodePtr, _ rules: [FieldRule], _ kind: Int
  ) throws(XPathFailure) {
    /// The place of the day of lending, if the loan period is not known.
    var uncounted: SourceLocation?
    var empty: SourceLocation?
    var isThere = false
    for rule in rules where rule.field == .expiration {
      let texts = unsafe try texts(rule.path, node)
      isThere = isThere || texts.all.contains { $0.place != nil }
      if rule.refusesEmpty { empty = empty ?? texts.first { $0.isEmpty }?.place }
      guard let found = texts.first(where: { rule.isValue($0) }) else { continue }
      let place = found.place ?? place
      if rule.countsFromLoan && builder.reader.loanDays == nil {
        uncounted = uncounted ?? place
        continue
      }
      let text = texts.bytes[found.range]
      unsafe try fill(rule, text, node, at: place)
      if let other = texts.first(where: { rule.isValue($0) && $0 != text }) {
        return builder.findDuplicateExpiration(at: other.place ?? place, firstLine: place.line)
      }
      return builder.readExpiration(rule.forms, isLendingDay: rule.countsFromLoan)
    }
    if let empty { return builder.findEmptyExpiration(at: empty) }
    if let uncounted, profile.records[kind].isDatedByLoan {
      return builder.findMissingLoanDays(at: uncounted)
    }
    builder.head.traits.insert(.isLent)
    if !isThere { builder.head.traits.insert(.isUndated) }
    if uncounted != nil { builder.head.traits.insert(.needsLoanDays) }
    builder.endWithoutExpiration()
  }
}

// MARK: - The end

extension FieldReader {
  /// Reads what the document says of itself.
  mutating func endDocument() throws(XPathFailure) {
    for problem in profile.document.problems {
      guard let (text, place) = unsafe try text(of: problem.path, joined: true) else { continue }
      ending.answers.append((text, place, problem))
    }
    for total in profile.document.totals where ending.total == nil {
      guard let (text, place) = unsafe try text(of: total, joined: false) else { continue }
      ending.total = Int(text).map { ($0, place) }
    }
    for continuation in profile.document.continuations where ending.continuation == nil {
      ending.continuation = unsafe try text(of: continuation, joined: false)?.place
    }
    if hasRecords { ending.date = nil } else if ending.date == nil { unsafe try findDate(in: nil) }
    if ending.date == nil && !hasRecords && !hasFreed { ending.isListEmpty = try isListEmpty() }
    ending.shifted = builder.repetitions.shifted
  }

  /// - Parameter node: an element; `nil` for the whole document.
  @unsafe private mutating func findDate(in node: xmlNodePtr?) throws(XPathFailure) {
    guard let dates = profile.document.dates else { return }
    ending.date = unsafe try text(of: dates, at: node, joined: false)
  }

  /// Whether the elements that loans are in are there, and nothing is in any of them.
  private func isListEmpty() throws(XPathFailure) -> Bool {
    var isThere = false
    for list in profile.document.lists {
      let found = unsafe try value(list, at: nil)
      for index in 0..<found.count {
        guard let element = unsafe found.node(index).map({ unsafe XMLNode($0) }),
          element.children.isEmpty, !element.hasText
        else { return false }
        isThere = true
      }
    }
    return isThere
  }

  /// A text of an element, or of the whole document.
  ///
  /// - Parameter joined: whether the texts of all nodes are wanted.
  @unsafe private mutating func text(
    of expression: ProfileExpression, at node: xmlNodePtr? = nil, joined: Bool
  ) throws(XPathFailure) -> (text: String, place: SourceLocation)? {
    var found = FoundTexts()
    unsafe try find(expression, node, &found)
    let all = found.all.filter { !$0.range.isEmpty }
    guard let first = all.first else { return nil }
    let texts = (joined ? all : [first]).map {
      String(decoding: found.bytes[$0.range], as: UTF8.self)
    }
    return (texts.joined(separator: ": "), first.place ?? beginning)
  }
}

extension CatalogueProfile.FieldRule {
  /// Whether a text says something; a date that is only zeros does not.
  fileprivate func isValue(_ text: ArraySlice<UInt8>) -> Bool {
    if text.isEmpty || absences.contains(where: { $0.utf8.elementsEqual(text) }) { return false }
    if forms.isEmpty { return true }
    let zeros = text.count { $0 == UInt8(ascii: "0") }
    return zeros < 6 || !text.allSatisfy { "0-/.: TZ".utf8.contains($0) }
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

import CLibXML2
import Loans

/// Reads the fields of records out of libxml2's tree, by the expressions of a profile.
struct FieldReader: ~Copyable {
  var builder: RecordBuilder
  /// Bytes of the document that have been read.
  var bytesRead = 0
  /// The place of the element that is looked at.
  private(set) var place = SourceLocation(line: 1, column: 1)
  /// The place of the root element.
  private var beginning = SourceLocation(line: 1, column: 1)
  let profile: CatalogueProfile
  /// What the document says of itself, once it has ended.
  private(set) var ending = DocumentEnding()
  /// Whether an element is gone that was no record, so that a list without any may not be empty.
  var hasOthers = false
  /// Whether there was a record, lent or not.
  private var hasRecords = false
  private var evaluator: XPathEvaluator?
  /// What records may refer to, by its key, for each of the profile's lookups.
  private var referents: [[[UInt8]: XMLNode]] = []
  /// The last texts of expressions that have the same value for all records in one element.
  private var last: [ObjectIdentifier: (parent: UInt, texts: [FoundText])] = [:]
  /// Bytes of the texts that were looked at.
  private var looked = 0

  /// A text, its white space trimmed and each inner run of it one space.
  private struct FoundText {
    var text: [UInt8]
    /// The place of its element, if it is that of a node.
    var place: SourceLocation?
    /// Whether it says something.
    var isValue: Bool
  }

  init(_ reader: CatalogueReader, _ profile: CatalogueProfile, _ pool: BatchPool) {
    builder = RecordBuilder(reader, form: profile.name, pool)
    self.profile = profile
  }

  /// Evaluates expressions in a document from now on.
  ///
  /// - Parameter place: the root element's.
  @unsafe mutating func begin(_ document: xmlDocPtr?, at place: SourceLocation) {
    unsafe evaluator = XPathEvaluator(document, namespaces: profile.prefixes)
    (self.place, beginning) = (place, place)
  }
}

// MARK: - Records

extension FieldReader {
  @unsafe private func value(
    _ expression: XPathExpression, at node: xmlNodePtr?
  ) throws(XPathFailure) -> XPathValue {
    guard let evaluator else { throw XPathFailure(message: "there is no document") }
    return unsafe try evaluator.value(of: expression, at: node, bytesRead: bytesRead)
  }

  /// The kinds of record that an element may be by its name.
  ///
  /// - Parameter depth: how many elements there are from the root element to it.
  @unsafe func kinds(of node: xmlNodePtr, depth: Int) -> [Int] {
    profile.records.indices.filter { kind in
      let steps = profile.records[kind].path.steps
      guard steps.count == depth, let name = steps.last?.local else { return false }
      return unsafe [String(cString: node.pointee.name), "*"].contains(name)
    }
  }

  /// Returns the kind of record that an element is.
  ///
  /// - Returns: the first kind by which it is lent, or else the first by which it is not; `nil` if it
  ///   is not a record.
  @unsafe mutating func kind(
    of node: xmlNodePtr, depth: Int
  ) throws(XPathFailure) -> (record: Int, isLent: Bool)? {
    let kinds = unsafe kinds(of: node, depth: depth)
    if kinds.isEmpty { return nil }
    unsafe note(node)
    var onShelf: Int?
    for kind in kinds {
      let path = profile.records[kind].path
      guard let condition = path.recordCondition, unsafe try value(condition, at: node).isTrue
      else { continue }
      guard let isLent = path.lendingCondition else { return (kind, true) }
      if unsafe try value(isLent, at: node).isTrue { return (kind, true) }
      onShelf = onShelf ?? kind
    }
    return onShelf.map { ($0, false) }
  }

  @unsafe private mutating func note(_ node: xmlNodePtr) {
    unsafe place = SourceLocation(of: node) ?? place
  }

  /// Takes a record.
  ///
  /// - Parameter record: its kind; `nil` if it is not lent.
  @unsafe mutating func read(
    _ node: xmlNodePtr, _ record: Int?
  ) throws(XPathFailure) {
    unsafe note(node)
    builder.beginRecord(at: place)
    let isFirst = !hasRecords
    hasRecords = true
    guard let record else { return builder.endRecord() }
    if isFirst { unsafe readColumns(of: XMLNode(node)) }
    builder.repetitions.loanedForms = [.dotted]
    let rules = profile.records[record].fields
    unsafe try fill(rules, from: node)
    for (lookup, referents) in zip(profile.lookups, referents) {
      guard let key = unsafe try key(lookup.reference, of: node), let referent = referents[key]
      else { continue }
      unsafe try fill(lookup.fields, from: referent.node, at: place)
    }
    if builder.head.isEmpty(.title) && profile.mayGive(.title) {
      builder.findMissingTitle()
    }
    unsafe try readExpiration(node, rules)
    builder.endRecord()
  }

  /// Looks at the columns of the first record, which has them all.
  private mutating func readColumns(of record: XMLNode) {
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
    _ rules: [CatalogueProfile.FieldRule], from node: xmlNodePtr, at place: SourceLocation? = nil
  ) throws(XPathFailure) {
    for rule in rules
    where rule.field != .expiration && builder.head.isEmpty(rule.field) {
      guard let found = unsafe try texts(of: rule, node).first(where: \.isValue) else { continue }
      fill(rule.field, found.text, at: place ?? found.place ?? self.place)
      if rule.field == .loaned { builder.repetitions.loanedForms = rule.forms }
      if rule.field == .id, rule.isShared { builder.head.traits.insert(.sharesID) }
    }
  }

  private mutating func fill(_ field: LoanField, _ text: [UInt8], at place: SourceLocation) {
    builder.beginField()
    builder.append(text.span)
    builder.endField(field, ValueExtent(start: place))
    if field == .id { builder.head.idPlace = PackedPlace(place) }
  }

  /// The texts of a rule's nodes, with the time.
  @unsafe private mutating func texts(
    of rule: CatalogueProfile.FieldRule, _ node: xmlNodePtr
  ) throws(XPathFailure) -> [FoundText] {
    let parent = unsafe UInt(bitPattern: node.pointee.parent)
    let isSame = rule.isSameForSiblings
    if isSame, let last = last[ObjectIdentifier(rule.path)], last.parent == parent {
      try look(at: last.texts)
      return last.texts
    }
    var texts = unsafe try texts(of: rule.path.xpath, node)
    for index in texts.indices where isAbsence(texts[index].text, rule) {
      texts[index].isValue = false
    }
    if let time = rule.time?.xpath,
      let time = unsafe try self.texts(of: time, node).first(where: \.isValue)
    {
      for index in texts.indices { texts[index].text += [0x20] + time.text }
    }
    if isSame { last[ObjectIdentifier(rule.path)] = (parent, texts) }
    return texts
  }

  /// The texts of an expression's nodes, or the one that it is.
  @unsafe private mutating func texts(
    of expression: XPathExpression, _ node: xmlNodePtr?
  ) throws(XPathFailure) -> [FoundText] {
    let value = unsafe try value(expression, at: node)
    let texts = (0..<(value.isNodes ? value.count : 1)).map { index in
      var text = value.text(ofNode: index)
      text.normalizeSpace()
      return FoundText(text: text, place: value.place(ofNode: index), isValue: !text.isEmpty)
    }
    try look(at: texts)
    return texts
  }

  /// A long text around thousands of loans would be a long text in each of them.
  private mutating func look(at texts: [FoundText]) throws(XPathFailure) {
    looked += texts.reduce(0) { $0 + $1.text.count }
    guard looked <= 10_000_000 + 16 * bytesRead else { throw XPathEvaluator.tooLong }
  }

  /// Whether a text means that nothing is there: so does every date that is only zeros.
  private func isAbsence(_ text: [UInt8], _ rule: CatalogueProfile.FieldRule) -> Bool {
    if rule.absences.contains(where: { $0.utf8.elementsEqual(text) }) { return true }
    guard !rule.forms.isEmpty else { return false }
    return text.allSatisfy { "0-/.: TZ".utf8.contains($0) }
      && text.count { $0 == UInt8(ascii: "0") } >= 6
  }

  /// The key that an element has or refers to; `nil` if it has none.
  @unsafe private mutating func key(
    _ expression: ProfileExpression, of node: xmlNodePtr
  ) throws(XPathFailure) -> [UInt8]? {
    unsafe try texts(of: expression.xpath, node).first.flatMap { $0.isValue ? $0.text : nil }
  }

  /// Reads all that records may refer to.
  ///
  /// - Parameter open: elements that have not ended.
  @unsafe mutating func readLookups(_ open: Set<xmlNodePtr>) throws(XPathFailure) {
    for lookup in profile.lookups {
      var found: [[UInt8]: XMLNode] = [:]
      let all = unsafe try value(lookup.path.xpath, at: nil)
      for index in 0..<all.count {
        guard let node = unsafe all.node(index), unsafe !open.contains(node) else { continue }
        unsafe note(node)
        guard let key = unsafe try key(lookup.key, of: node), found[key] == nil else { continue }
        unsafe found[key] = XMLNode(node)
      }
      referents.append(found)
    }
  }
}

// MARK: - Expirations

extension FieldReader {
  @unsafe private mutating func readExpiration(
    _ node: xmlNodePtr, _ rules: [CatalogueProfile.FieldRule]
  ) throws(XPathFailure) {
    /// The place of the day of lending, if the loan period is not known.
    var uncounted: SourceLocation?
    var empty: SourceLocation?
    var isThere = false
    for rule in rules where rule.field == .expiration {
      let texts = unsafe try texts(of: rule, node)
      isThere = isThere || texts.contains { $0.place != nil }
      if rule.refusesEmpty { empty = empty ?? texts.first { $0.text.isEmpty }?.place }
      guard let found = texts.first(where: \.isValue) else { continue }
      let place = found.place ?? place
      if rule.countsFromLoan && builder.reader.loanDays == nil {
        uncounted = uncounted ?? place
        continue
      }
      fill(.expiration, found.text, at: place)
      if let other = texts.first(where: { $0.isValue && $0.text != found.text }) {
        return builder.findDuplicateExpiration(at: other.place ?? place, firstLine: place.line)
      }
      return builder.readExpiration(rule.forms, isLendingDay: rule.countsFromLoan)
    }
    if let empty { return builder.findEmptyExpiration(at: empty) }
    if let uncounted, rules.allSatisfy({ $0.field != .expiration || $0.countsFromLoan }) {
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
    for problem in profile.problems {
      guard let (text, place) = try text(of: problem.path, joined: true) else { continue }
      ending.answers.append((text, place, problem))
    }
    for total in profile.totals where ending.total == nil {
      guard let (text, place) = try text(of: total, joined: false) else { continue }
      ending.total = Int(text).map { ($0, place) }
    }
    for continuation in profile.continuations where ending.continuation == nil {
      ending.continuation = try text(of: continuation, joined: false)?.place
    }
    if !hasRecords, let dates = profile.dates { ending.date = try text(of: dates, joined: false) }
    if ending.date == nil { ending.isListEmpty = try isListEmpty() }
    ending.shifted = builder.repetitions.shifted
  }

  /// Whether the elements that loans are in are there, and nothing is in any of them.
  private func isListEmpty() throws(XPathFailure) -> Bool {
    var isThere = false
    for list in profile.lists {
      let found = unsafe try value(list.xpath, at: nil)
      for index in 0..<found.count {
        guard let element = unsafe found.node(index).map({ unsafe XMLNode($0) }),
          element.children.isEmpty, !element.hasText
        else { return false }
        isThere = true
      }
    }
    return isThere && !hasOthers
  }

  /// A text of the whole document.
  ///
  /// - Parameter joined: whether the texts of all nodes are wanted.
  private mutating func text(
    of expression: ProfileExpression, joined: Bool
  ) throws(XPathFailure) -> (text: String, place: SourceLocation)? {
    let found = unsafe try texts(of: expression.xpath, nil).filter(\.isValue)
    guard let first = found.first else { return nil }
    let texts = (joined ? found : [first]).map { String(decoding: $0.text, as: UTF8.self) }
    return (texts.joined(separator: ": "), first.place ?? beginning)
  }
}

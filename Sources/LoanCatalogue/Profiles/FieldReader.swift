import CLibXML2
import Loans

/// Reads the fields of records out of libxml2's tree, by the expressions of a profile.
struct FieldReader: ~Copyable {
  var builder: RecordBuilder
  /// Bytes of the document that have been read.
  var bytesRead = 0
  /// Where the element is that is looked at.
  private(set) var place: SourceLocation?
  /// What the end of the document says, once it has been reached.
  private(set) var ending: DocumentEnding?
  private let profile: CatalogueProfile
  private var evaluator: XPathEvaluator?
  private var records: [Record] = []
  private var lookups: [Lookup] = []
  /// What records may refer to, by its lookup and its key.
  private var found: [[[UInt8]: [FoundField]]]
  /// Bytes of the texts that were looked at.
  private var looked = 0
  /// The text at hand, its white space trimmed and each inner run of it one space.
  private var text: [UInt8] = []

  private struct Record {
    /// Whether an element of the right name is a record.
    var condition: XPathEvaluator.Expression
    /// Whether the record is lent.
    var isLent: XPathEvaluator.Expression?
    var rules: [Rule]
    /// Whether what comes after a record may belong to it.
    var looksAhead: Bool { rules.contains { $0.reach > 0 } }
  }

  private struct Lookup {
    var key: XPathEvaluator.Expression
    var reference: XPathEvaluator.Expression
    var rules: [Rule]
  }

  private struct Rule {
    let rule: CatalogueProfile.FieldRule
    let reach: Int
    let value: XPathEvaluator.Expression
    let time: XPathEvaluator.Expression?
    let absences: [[UInt8]]
    /// What gives something if nothing that comes later can change the value.
    let paths: [XPathEvaluator.Expression]

    init(_ rule: CatalogueProfile.FieldRule, _ evaluator: XPathEvaluator) {
      self.rule = rule
      reach = rule.reach
      value = evaluator.compile(rule.path.xpath)
      time = rule.time.map { evaluator.compile($0.xpath) }
      absences = rule.absences.map { Array($0.utf8) }
      paths = rule.path.paths.map { evaluator.compile($0.xpath) }
    }
  }

  /// A field of what records refer to.
  private typealias FoundField = (field: LoanField, text: [UInt8], isShared: Bool)

  init(_ reader: CatalogueReader, _ profile: CatalogueProfile) {
    builder = RecordBuilder(reader, form: profile.name)
    self.profile = profile
    found = Array(repeating: [:], count: profile.lookups.count)
  }

  /// Makes the profile's expressions ready for a document.
  ///
  /// - Parameter root: the name of its root element.
  @unsafe mutating func begin(_ document: xmlDocPtr?, root: String) {
    let evaluator = unsafe XPathEvaluator(document, namespaces: profile.prefixes)
    self.evaluator = evaluator
    records = profile.records.map { record in
      let rules = record.fields.filter { $0.path.mayBeBelow(root: root) }
      return Record(
        condition: evaluator.compile(record.path.recordCondition),
        isLent: record.path.lendingCondition.map { evaluator.compile($0) },
        rules: rules.map { Rule($0, evaluator) })
    }
    lookups = profile.lookups.map { lookup in
      Lookup(
        key: evaluator.compile(lookup.key.xpath),
        reference: evaluator.compile(lookup.reference.xpath),
        rules: lookup.fields.map { Rule($0, evaluator) })
    }
  }
}

// MARK: - Records

extension FieldReader {
  @unsafe private func value(
    _ expression: XPathEvaluator.Expression, at node: xmlNodePtr?
  ) throws(XPathFailure) -> XPathValue {
    guard let evaluator else { throw XPathFailure(message: "there is no document") }
    return unsafe try evaluator.value(of: expression, at: node, bytesRead: bytesRead)
  }

  /// Which kind of record an element of the right name is.
  ///
  /// - Parameter kinds: those that its name may be of.
  /// - Returns: the first kind of which it is lent, or else the first of which it is not; `nil` if it
  ///   is none.
  @unsafe mutating func kind(
    of node: xmlNodePtr, _ kinds: [Int]
  ) throws(XPathFailure) -> (record: Int, isLent: Bool)? {
    unsafe place = SourceLocation(of: node) ?? place
    var onShelf: Int?
    for kind in kinds where unsafe try value(records[kind].condition, at: node).isTrue {
      guard let isLent = records[kind].isLent else { return (kind, true) }
      if unsafe try value(isLent, at: node).isTrue { return (kind, true) }
      onShelf = onShelf ?? kind
    }
    return onShelf.map { ($0, false) }
  }

  /// For the end of which element a record has to wait: how many are inside of it; 0 if it need not
  /// wait, `.max` for the whole document.
  @unsafe mutating func wait(
    for node: xmlNodePtr, _ record: Int
  ) throws(XPathFailure) -> Int {
    var reach = 0
    var settled: LoanField?
    for rule in records[record].looksAhead ? records[record].rules : []
    where rule.rule.field != settled {
      if unsafe try isSettled(rule, node) {
        if unsafe try takeText(of: rule, node) != nil { settled = rule.rule.field }
      } else {
        reach = max(reach, rule.reach)
      }
    }
    for (index, lookup) in lookups.enumerated() where reach < .max {
      guard let key = unsafe try text(of: lookup.reference, node) else { continue }
      if found[index][key] == nil { reach = .max }
    }
    return reach
  }

  @unsafe private func isSettled(
    _ rule: Rule, _ node: xmlNodePtr
  ) throws(XPathFailure) -> Bool {
    if rule.reach == 0 { return true }
    for path in rule.paths where unsafe try !value(path, at: node).isTrue { return false }
    return !rule.paths.isEmpty
  }

  /// Takes a record.
  ///
  /// - Parameter record: its kind; `nil` if it is not lent.
  @unsafe mutating func read(
    _ node: xmlNodePtr, _ record: Int?
  ) throws(XPathFailure) {
    let start = unsafe SourceLocation(of: node) ?? SourceLocation(line: 1, column: 1)
    place = start
    builder.beginRecord(at: start)
    guard let record else { return builder.endUnjudgedRecord() }
    builder.loanedForms = [.dotted]
    for rule in records[record].rules
    where rule.rule.field != .expiration && builder.draft.isEmpty(rule.rule.field) {
      guard let found = unsafe try takeText(of: rule, node) else { continue }
      fill(rule.rule.field, text, at: found)
      if rule.rule.field == .loaned { builder.loanedForms = rule.rule.forms }
      if rule.rule.field == .id { builder.draft.facts.isIDShared = rule.rule.isShared }
    }
    unsafe try fillFromLookups(node, at: start)
    if builder.draft.isEmpty(.title) && profile.tells(.title) { builder.findMissingTitle() }
    unsafe try readExpiration(node, records[record].rules.filter { $0.rule.field == .expiration })
    builder.endRecord()
  }

  private mutating func fill(_ field: LoanField, _ text: [UInt8], at place: SourceLocation) {
    builder.draft.beginField()
    builder.draft.append(text.span)
    builder.draft.endField(field)
    builder.places.extend(field, ValueExtent(start: place, end: place))
  }

  /// Puts the first text of a rule that says something into ``text``.
  ///
  /// - Returns: where its element is; `nil` if there is none.
  @unsafe private mutating func takeText(
    of rule: Rule, _ node: xmlNodePtr
  ) throws(XPathFailure) -> SourceLocation? {
    let value = unsafe try value(rule.value, at: node)
    for index in 0..<(value.isNodes ? value.count : 1) where takeText(value, index, rule) {
      looked += text.count
      // A long text around thousands of loans would be a long text in each of them.
      guard looked <= 10_000_000 + 16 * bytesRead else { throw XPathEvaluator.tooLong }
      if let time = rule.time {
        let date = text
        text = unsafe try text(of: time, node).map { date + [0x20] + $0 } ?? date
      }
      let record = unsafe SourceLocation(of: node)
      return value.place(ofNode: index) ?? record ?? SourceLocation(line: 1, column: 1)
    }
    return nil
  }

  /// - Returns: whether the text says something.
  private mutating func takeText(_ value: borrowing XPathValue, _ index: Int, _ rule: Rule) -> Bool
  {
    takeText(value, index)
    return !text.isEmpty && !isAbsence(rule)
  }

  private mutating func takeText(_ value: borrowing XPathValue, _ index: Int) {
    text = value.text(ofNode: index)
    text.removeSubrange(text.foldWhiteSpace(from: 0)...)
  }

  /// Whether the text means that nothing is there: so does every date that is only zeros.
  private func isAbsence(_ rule: Rule) -> Bool {
    if rule.absences.contains(text) { return true }
    guard !rule.rule.forms.isEmpty else { return false }
    return text.allSatisfy { "0-/.: TZ".utf8.contains($0) }
      && text.count { $0 == UInt8(ascii: "0") } >= 6
  }
}

// MARK: - Lookups

extension FieldReader {
  /// The text of an expression: that of its first node; `nil` if it says nothing.
  @unsafe private mutating func text(
    of expression: XPathEvaluator.Expression, _ node: xmlNodePtr
  ) throws(XPathFailure) -> [UInt8]? {
    let value = unsafe try value(expression, at: node)
    takeText(value, 0)
    return text.isEmpty ? nil : text
  }

  /// Keeps an element that records may refer to.
  @unsafe mutating func keep(_ node: xmlNodePtr, lookup: Int) throws(XPathFailure) {
    unsafe place = SourceLocation(of: node) ?? place
    guard let key = unsafe try text(of: lookups[lookup].key, node), found[lookup][key] == nil else {
      return
    }
    var fields: [FoundField] = []
    for rule in lookups[lookup].rules
    where !fields.contains(where: { $0.field == rule.rule.field }) {
      guard unsafe try takeText(of: rule, node) != nil else { continue }
      fields.append((rule.rule.field, text, rule.rule.isShared))
    }
    found[lookup][key] = fields
  }

  @unsafe private mutating func fillFromLookups(
    _ node: xmlNodePtr, at start: SourceLocation
  ) throws(XPathFailure) {
    for (index, lookup) in lookups.enumerated() {
      guard let key = unsafe try text(of: lookup.reference, node) else { continue }
      for entry in found[index][key] ?? [] where builder.draft.isEmpty(entry.field) {
        fill(entry.field, entry.text, at: start)
        if entry.field == .id { builder.draft.facts.isIDShared = entry.isShared }
      }
    }
  }
}

// MARK: - Expirations

extension FieldReader {
  @unsafe private mutating func readExpiration(
    _ node: xmlNodePtr, _ rules: [Rule]
  ) throws(XPathFailure) {
    /// Where the day of lending is, if the days of a loan are not known.
    var uncounted: SourceLocation?
    var empty: SourceLocation?
    var isThere = false
    for rule in rules {
      let value = unsafe try value(rule.value, at: node)
      isThere = isThere || value.count > 0
      if profile.isStrict && !rule.rule.countsFromLoan { empty = empty ?? emptyPlace(value) }
      guard let found = unsafe try takeText(of: rule, node) else { continue }
      if rule.rule.countsFromLoan && builder.reader.loanDays == nil {
        uncounted = uncounted ?? found
        continue
      }
      fill(.expiration, text, at: found)
      if let other = unsafe try contradiction(rule, value, node) {
        return builder.findDuplicateExpiration(at: other, firstLine: found.line)
      }
      return builder.readExpiration(rule.rule.forms, isLendingDay: rule.rule.countsFromLoan)
    }
    if let empty { return builder.findEmptyExpiration(at: empty) }
    if let uncounted, rules.allSatisfy(\.rule.countsFromLoan) {
      return builder.findMissingLoanDays(at: uncounted)
    }
    builder.draft.facts.lack =
      uncounted != nil ? (isThere ? .uncounted : .undatedAndUncounted) : isThere ? .empty : .undated
    builder.endWithoutExpiration()
  }

  /// Where a node without text is.
  private mutating func emptyPlace(_ value: borrowing XPathValue) -> SourceLocation? {
    for index in 0..<value.count {
      takeText(value, index)
      if text.isEmpty { return value.place(ofNode: index) }
    }
    return nil
  }

  /// Where another value is among the nodes of an expiration.
  @unsafe private mutating func contradiction(
    _ rule: Rule, _ value: borrowing XPathValue, _ node: xmlNodePtr
  ) throws(XPathFailure) -> SourceLocation? {
    guard value.isNodes, value.count > 1 else { return nil }
    var first: [UInt8]?
    for index in 0..<value.count where takeText(value, index, rule) {
      if let first, first != text { return value.place(ofNode: index) }
      first = first ?? text
    }
    return nil
  }
}

// MARK: - The end

extension FieldReader {
  /// Looks at what the document says of itself.
  mutating func endDocument() throws(XPathFailure) {
    var ending = DocumentEnding()
    for problem in profile.problems {
      guard let (text, place) = try text(of: problem.path, joined: true) else { continue }
      ending.answers.append((text, place, problem.yieldsToLoans))
    }
    for total in profile.totals where ending.total == nil {
      guard let (text, place) = try text(of: total, joined: false) else { continue }
      ending.total = Int(text).map { ($0, place) }
    }
    for continuation in profile.continuations where ending.continuation == nil {
      ending.continuation = try text(of: continuation, joined: false)?.place
    }
    self.ending = ending
  }

  /// The tree is about to be freed.
  mutating func endTree() { evaluator = nil }

  /// A text of the whole document.
  ///
  /// - Parameter joined: whether the texts of all nodes are wanted.
  private mutating func text(
    of expression: ProfileExpression, joined: Bool
  ) throws(XPathFailure) -> (text: String, place: SourceLocation)? {
    guard let evaluator else { return nil }
    let value = try evaluator.value(
      of: evaluator.compile(expression.xpath), bytesRead: bytesRead)
    var texts: [String] = []
    var place: SourceLocation?
    for index in 0..<(value.isNodes ? value.count : 1) {
      takeText(value, index)
      if text.isEmpty { continue }
      texts.append(String(decoding: text, as: UTF8.self))
      place = place ?? value.place(ofNode: index)
      if !joined { break }
    }
    if texts.isEmpty { return nil }
    let beginning = unsafe evaluator.root.flatMap { unsafe SourceLocation(of: $0) }
    return (
      texts.joined(separator: ": "), place ?? beginning ?? SourceLocation(line: 1, column: 1)
    )
  }
}

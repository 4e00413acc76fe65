import CLibXML2
import Loans

/// Reads the fields of records out of libxml2's tree, by the expressions of a profile.
struct FieldReader: ~Copyable {
  var builder: RecordBuilder
  /// Bytes of the document that have been read.
  var bytesRead = 0
  /// The place of the element that is looked at.
  private(set) var place = SourceLocation(line: 1, column: 1)
  private let profile: CatalogueProfile
  private var evaluator: XPathEvaluator?
  private var records: [Record] = []
  private var lookups: [Lookup] = []
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
  }

  private struct Lookup {
    var reference: XPathEvaluator.Expression
    /// The fields of what records may refer to, by its key.
    var found: [[UInt8]: [FoundField]] = [:]
  }

  private final class Rule {
    let rule: CatalogueProfile.FieldRule
    let value: XPathEvaluator.Expression
    let time: XPathEvaluator.Expression?
    let absences: [[UInt8]]
    /// The last result, if it is the same for all records in one element.
    var last: (parent: UInt, found: FoundText?)?

    init(_ rule: CatalogueProfile.FieldRule, _ evaluator: XPathEvaluator) throws(XPathFailure) {
      self.rule = rule
      value = try evaluator.compile(rule.path.xpath)
      time = if let time = rule.time { try evaluator.compile(time.xpath) } else { nil }
      absences = rule.absences.map { Array($0.utf8) }
    }
  }

  /// A text, and where its element is.
  private typealias FoundText = (text: [UInt8], place: SourceLocation)
  /// A field of what records refer to.
  private typealias FoundField = (field: LoanField, text: [UInt8], isShared: Bool)

  init(_ reader: CatalogueReader, _ profile: CatalogueProfile) {
    builder = RecordBuilder(reader, form: profile.name)
    self.profile = profile
  }

  /// Compiles the profile's expressions for a document.
  @unsafe mutating func begin(_ document: xmlDocPtr?) throws(XPathFailure) {
    let evaluator = unsafe XPathEvaluator(document, namespaces: profile.prefixes)
    self.evaluator = evaluator
    for record in profile.records {
      var isLent: XPathEvaluator.Expression?
      if let condition = record.path.lendingCondition { isLent = try evaluator.compile(condition) }
      records.append(
        Record(
          condition: try evaluator.compile(record.path.recordCondition), isLent: isLent,
          rules: try Self.rules(record.fields, evaluator)))
    }
  }

  private static func rules(
    _ fields: [CatalogueProfile.FieldRule], _ evaluator: XPathEvaluator
  ) throws(XPathFailure) -> [Rule] {
    var rules: [Rule] = []
    for field in fields { rules.append(try Rule(field, evaluator)) }
    return rules
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

  /// Returns the kind of record that an element of the right name is.
  ///
  /// - Parameter kinds: those that its name may be of.
  /// - Returns: the first kind by which it is lent, or else the first by which it is not; `nil` if it
  ///   is not a record.
  @unsafe mutating func kind(
    of node: xmlNodePtr, _ kinds: [Int]
  ) throws(XPathFailure) -> (record: Int, isLent: Bool)? {
    unsafe note(node)
    var onShelf: Int?
    for kind in kinds where unsafe try value(records[kind].condition, at: node).isTrue {
      guard let isLent = records[kind].isLent else { return (kind, true) }
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
    guard let record else { return builder.endRecord(isJudged: false) }
    builder.loanedForms = [.dotted]
    for rule in records[record].rules
    where rule.rule.field != .expiration && builder.draft.record.isEmpty(rule.rule.field) {
      guard let found = unsafe try text(of: rule, node) else { continue }
      fill(rule.rule.field, found.text, at: found.place)
      if rule.rule.field == .loaned { builder.loanedForms = rule.rule.forms }
      if rule.rule.field == .id { builder.draft.record.isIDShared = rule.rule.isShared }
    }
    unsafe try fillFromLookups(node)
    if builder.draft.record.isEmpty(.title) && profile.mayGive(.title) {
      builder.findMissingTitle()
    }
    unsafe try readExpiration(node, records[record].rules.filter { $0.rule.field == .expiration })
    builder.endRecord()
  }

  private mutating func fill(_ field: LoanField, _ text: [UInt8], at place: SourceLocation) {
    builder.draft.beginField()
    builder.draft.append(text.span)
    builder.draft.endField(field)
    builder.places.extend(field, ValueExtent(start: place, end: place))
  }

  /// The first text of a rule that says something; `nil` if there is none.
  @unsafe private mutating func text(
    of rule: Rule, _ node: xmlNodePtr
  ) throws(XPathFailure) -> FoundText? {
    var found: FoundText?
    let parent = unsafe UInt(bitPattern: node.pointee.parent)
    if let last = rule.last, last.parent == parent {
      found = last.found
    } else {
      found = unsafe try firstText(of: rule, node)
      if rule.rule.isSameForSiblings { rule.last = (parent, found) }
    }
    // A long text around thousands of loans would be a long text in each of them.
    looked += found?.text.count ?? 0
    guard looked <= 10_000_000 + 16 * bytesRead else { throw XPathEvaluator.tooLong }
    return found
  }

  @unsafe private mutating func firstText(
    of rule: Rule, _ node: xmlNodePtr
  ) throws(XPathFailure) -> FoundText? {
    let value = unsafe try value(rule.value, at: node)
    for index in 0..<(value.isNodes ? value.count : 1) where readText(value, index, rule) {
      var found = text
      if let time = rule.time, let time = unsafe try text(of: time, node) {
        found += [0x20] + time
      }
      return (found, value.place(ofNode: index) ?? place)
    }
    return nil
  }

  /// - Returns: whether the text says something.
  private mutating func readText(_ value: borrowing XPathValue, _ index: Int, _ rule: Rule) -> Bool
  {
    readText(value, index)
    return !text.isEmpty && !isAbsence(rule)
  }

  private mutating func readText(_ value: borrowing XPathValue, _ index: Int) {
    text = value.text(ofNode: index)
    text.removeSubrange(text.normalizeSpace(from: 0)...)
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
    readText(value, 0)
    return text.isEmpty ? nil : text
  }

  /// Reads all that records may refer to.
  ///
  /// - Parameter open: elements that have not ended.
  @unsafe mutating func readLookups(_ open: Set<xmlNodePtr>) throws(XPathFailure) {
    guard let evaluator else { return }
    for lookup in profile.lookups {
      var read = Lookup(reference: try evaluator.compile(lookup.reference.xpath))
      let key = try evaluator.compile(lookup.key.xpath)
      let rules = try Self.rules(lookup.fields, evaluator)
      let all = try evaluator.value(of: evaluator.compile(lookup.path.xpath), bytesRead: bytesRead)
      for index in 0..<all.count {
        guard let node = unsafe all.node(index), unsafe !open.contains(node) else { continue }
        unsafe note(node)
        guard let key = unsafe try text(of: key, node), read.found[key] == nil else { continue }
        read.found[key] = unsafe try fields(rules, node)
      }
      lookups.append(read)
    }
  }

  @unsafe private mutating func fields(
    _ rules: [Rule], _ node: xmlNodePtr
  ) throws(XPathFailure) -> [FoundField] {
    var fields: [FoundField] = []
    for rule in rules where !fields.contains(where: { $0.field == rule.rule.field }) {
      guard let found = unsafe try text(of: rule, node) else { continue }
      fields.append((rule.rule.field, found.text, rule.rule.isShared))
    }
    return fields
  }

  @unsafe private mutating func fillFromLookups(_ node: xmlNodePtr) throws(XPathFailure) {
    for lookup in lookups {
      guard let key = unsafe try text(of: lookup.reference, node) else { continue }
      for entry in lookup.found[key] ?? [] where builder.draft.record.isEmpty(entry.field) {
        fill(entry.field, entry.text, at: place)
        if entry.field == .id { builder.draft.record.isIDShared = entry.isShared }
      }
    }
  }
}

// MARK: - Expirations

extension FieldReader {
  @unsafe private mutating func readExpiration(
    _ node: xmlNodePtr, _ rules: [Rule]
  ) throws(XPathFailure) {
    /// The place of the day of lending, if the loan period is not known.
    var uncounted: SourceLocation?
    var empty: SourceLocation?
    var isThere = false
    for rule in rules {
      let value = unsafe try value(rule.value, at: node)
      isThere = isThere || value.count > 0
      if profile.isStrict && !rule.rule.countsFromLoan { empty = empty ?? emptyPlace(value) }
      guard let found = unsafe try text(of: rule, node) else { continue }
      if rule.rule.countsFromLoan && builder.reader.loanDays == nil {
        uncounted = uncounted ?? found.place
        continue
      }
      fill(.expiration, found.text, at: found.place)
      if let other = contradiction(rule, value) {
        return builder.findDuplicateExpiration(at: other, firstLine: found.place.line)
      }
      return builder.readExpiration(rule.rule.forms, isLendingDay: rule.rule.countsFromLoan)
    }
    if let empty { return builder.findEmptyExpiration(at: empty) }
    if let uncounted, rules.allSatisfy(\.rule.countsFromLoan) {
      return builder.findMissingLoanDays(at: uncounted)
    }
    builder.draft.record.lack =
      uncounted != nil ? (isThere ? .uncounted : .undatedAndUncounted) : isThere ? .empty : .undated
    builder.endWithoutExpiration()
  }

  /// The place of a node without text.
  private mutating func emptyPlace(_ value: borrowing XPathValue) -> SourceLocation? {
    for index in 0..<value.count {
      readText(value, index)
      if text.isEmpty { return value.place(ofNode: index) }
    }
    return nil
  }

  /// The place of another value among the nodes of an expiration.
  private mutating func contradiction(
    _ rule: Rule, _ value: borrowing XPathValue
  ) -> SourceLocation? {
    guard value.count > 1 else { return nil }
    var first: [UInt8]?
    for index in 0..<value.count where readText(value, index, rule) {
      if let first, first != text { return value.place(ofNode: index) }
      first = first ?? text
    }
    return nil
  }
}

// MARK: - The end

extension FieldReader {
  /// The tree is about to be freed.
  mutating func endTree() { evaluator = nil }

  /// Reads what the document says of itself.
  mutating func endDocument() throws(XPathFailure) -> DocumentEnding {
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
    return ending
  }

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
      readText(value, index)
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

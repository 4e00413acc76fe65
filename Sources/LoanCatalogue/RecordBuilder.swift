import Loans

/// Makes records and diagnostics out of a document's elements and texts.
///
/// It knows the profile but not the parser: the parser tells it names as ``NameRoles``, and the
/// places where things begin.
struct RecordBuilder: ~Copyable {
  private let reader: CatalogueReader
  private let use: (ReadingEvent) throws -> Void

  private(set) var summary = CatalogueSummary()
  /// What a closure threw; nothing more is handed over after it.
  private(set) var failure: (any Error)?

  private var record = LoanRecord()
  private var identities = IdentityTable()
  /// The loans seen so far.
  private var loans = IdentityTable()
  private var findings: FindingList
  /// Findings that are ready to be handed over; before the first record they wait, since that there
  /// is none would be told of the root, before them.
  private var held: [Diagnostic] = []
  private var depth = 0
  private var root: (name: String, location: SourceLocation, isKnown: Bool)?
  private var isInRecord = false
  /// Whether the parser stands in a child of the root that is a record but for its name's case.
  private var isInMisspelt = false
  /// The field that the parser stands in, if its text is wanted.
  private(set) var field: LoanField?
  /// Whether the place of the field's value is wanted.
  private(set) var wantsPlace = false
  private var places = ValuePlaces()
  /// Bytes of text that the field has so far.
  private var fieldLength = 0
  private var expirationElement = ExpirationElement()

  init(reader: CatalogueReader, use: @escaping (ReadingEvent) throws -> Void) {
    self.reader = reader
    self.use = use
    findings = FindingList(rules: reader.rules)
  }

  /// What is known of the expiration elements of the record at hand.
  private struct ExpirationElement {
    var count = 0
    var start = SourceLocation(line: 1, column: 1)
    var hasMarkup = false
  }

  /// Whether no element has begun yet.
  var isBeforeRoot: Bool { root == nil }

  /// Whether the parser stands before the root element or behind it.
  var isOutsideRoot: Bool { depth == 0 }

  /// Whether comments mean anything.
  var heedsComments: Bool { reader.rules.heedsComments }

  /// The longest text of one field, in bytes; libxml2's own limit for a text node.
  private static let longestField = 10_000_000
}

// Elements.
extension RecordBuilder {
  /// What the parser has to do about an element that has just begun.
  enum Element: Equatable {
    case other
    /// A record: its attributes are wanted, then ``endAttributes(idLocation:)``.
    case record
  }

  mutating func startElement(
    _ roles: NameRoles, named name: @autoclosure () -> String, at start: SourceLocation
  ) -> Element {
    depth += 1
    if depth == 1 {
      root = (name(), start, roles.isRoot)
      summary.isKnownForm = roles.isRoot
      return .other
    }
    guard root?.isKnown == true else { return .other }
    if depth == 2 { return startChildOfRoot(roles, name, start) }
    if depth == 3 && isInRecord {
      startChildOfRecord(roles, name, start)
    } else if field == .expiration {
      expirationElement.hasMarkup = true
    } else if roles.field == .expiration && !isInMisspelt {
      findMisplaced(at: start)
    }
    return .other
  }

  private mutating func startChildOfRoot(
    _ roles: NameRoles, _ name: () -> String, _ start: SourceLocation
  ) -> Element {
    if roles.isRecord {
      if !held.isEmpty { handOverHeld() }
      isInRecord = true
      findings.beginBook()
      record.begin(at: start)
      places.removeAll()
      expirationElement = ExpirationElement()
      return .record
    }
    if roles.field == .expiration {
      findMisplaced(at: start)
    } else if roles.isMisspeltRecord {
      isInMisspelt = true
      findWrongCase(name(), intended: reader.profile.intendedRecord(name()), at: start)
    }
    return .other
  }

  private mutating func startChildOfRecord(
    _ roles: NameRoles, _ name: () -> String, _ start: SourceLocation
  ) {
    if let field = roles.field {
      startField(field, start)
    } else if roles.isMisspeltField {
      findWrongCase(name(), intended: reader.profile.intendedField(name()), at: start)
    }
  }

  private mutating func startField(_ field: LoanField, _ start: SourceLocation) {
    if field == .expiration {
      expirationElement.count += 1
      guard expirationElement.count == 1 else {
        if expirationElement.count == 2 { findDuplicateExpiration(at: start) }
        return
      }
      expirationElement.start = start
    }
    self.field = field
    fieldLength = 0
    wantsPlace = reader.rules.judges(field) && record.isEmpty(field)
    record.beginField()
  }

  /// Notes an element that means nothing where it stands, as most do.
  ///
  /// - Returns: false if it may mean something after all.
  @inline(__always)
  mutating func skipElement(_ roles: NameRoles) -> Bool {
    guard roles.isMeaningless, depth > 0, field == nil else { return false }
    depth += 1
    return true
  }

  @inline(__always)
  mutating func endElement() {
    depth -= 1
    if depth == 1 || field != nil { endMeaningfulElement() }
  }

  private mutating func endMeaningfulElement() {
    if depth == 2, let field {
      record.endField(field)
      self.field = nil
    } else if depth == 1 {
      if isInRecord {
        endRecord()
      } else if !findings.isEmpty {
        // Comments before it are about it, not about the next book.
        findings.beginBook()
        if summary.records == 0 { holdFindings() } else { handOverFindings(.document) }
      }
      isInRecord = false
      isInMisspelt = false
    }
  }
}

// Texts.
extension RecordBuilder {
  /// Takes text of the field that the parser stands in.
  ///
  /// - Returns: false if the field has grown beyond what is reasonable.
  mutating func append(_ text: some Collection<UInt8>) -> Bool {
    fieldLength += text.count
    record.append(text)
    return fieldLength <= Self.longestField
  }

  /// Notes where a part of a field's value that is not white space stands.
  mutating func extendValue(
    of field: LoanField, from start: SourceLocation, to end: SourceLocation
  ) {
    places.extend(field, ValueExtent(start: start, end: end))
  }

  /// Takes a comment that speaks to the reader.
  mutating func take(_ comment: IgnoreComment, at start: SourceLocation) {
    switch comment {
    case .mistaken(let message):
      find(.unusedIgnore, at: start, message)
    case .ignore where isInRecord:
      find(
        .unusedIgnore, at: start,
        "this comment stands inside a book, where it silences nothing; move it before the book")
    case .ignore(let codes):
      findings.ignore(codes, at: start)
    }
  }

  mutating func appendAttribute(_ field: LoanField, _ text: some Sequence<UInt8>) {
    record.beginField()
    record.append(text)
    record.endField(field)
  }

  /// Looks whether the id is new, once the record's attributes are known.
  mutating func endAttributes(idLocation: () -> ValueExtent) {
    guard !record.isEmpty(.id),
      let known = identities.note(
        record.baseKey, record.value(of: .id), line: record.location.line)
    else { return }
    record.ordinal = known.ordinal
    let place = idLocation()
    let id = record.text(of: .id) ?? ""
    find(
      .duplicateID, at: place.start, endColumn: place.endColumn,
      """
      id \(id.quoted()) is already used by the book at line \(known.firstLine); \
      give each book an id of its own
      """, value: id)
  }
}

// The end of a record and of the document.
extension RecordBuilder {
  private mutating func endRecord() {
    summary.records += 1
    if record.isEmpty(.title) {
      find(
        .missingTitle, at: record.location,
        "the book has no title, so its notices can only name its id or barcode")
    }
    judgeExpiration()
    judgeTexts()
    if reader.rules.findsDuplicateLoans { findDuplicateLoan() }
    if record.isEmpty(.id) && reader.detail == .loans, record.expiration != .none,
      let known = identities.note(record.baseKey, [], line: record.location.line)
    {
      record.ordinal = known.ordinal
    }
    if !findings.isEmpty { handOverFindings(owner) }
    if reader.detail == .loans && failure == nil { handOver() }
  }

  private mutating func handOver() {
    record.seal()
    do { try use(.record(record)) } catch { failure = error }
  }

  /// Ends the reading at a fault in the document itself.
  mutating func endEarly(_ diagnostic: Diagnostic) {
    summary.isComplete = false
    findings.append(diagnostic)
    handOverFindings(.document, isBookOver: false)
  }

  /// Ends the reading at the document's end.
  mutating func endDocument() {
    findings.endDocument()
    if summary.records == 0, let root {
      let name = root.name.visible
      let found = root.isKnown ? "<\(name)> holds no <book>" : "the root is <\(name)>"
      find(
        .noLoans, at: root.location,
        "no book record was found: \(found); expected <books> with <book> records")
    }
    handOverFindings(.document)
  }

  private mutating func handOverFindings(_ owner: FindingList.Owner, isBookOver: Bool = true) {
    held += findings.drain(owner, isBookOver: isBookOver)
    handOverHeld()
  }

  private mutating func holdFindings() {
    held += findings.drain(.document)
    if held.count >= FindingList.longest { handOverHeld() }
  }

  private mutating func handOverHeld() {
    held.sort { $0.location < $1.location }
    for finding in held where failure == nil {
      switch finding.severity {
      case .error: summary.errors += 1
      case .warning: summary.warnings += 1
      }
      do { try use(.diagnostic(finding)) } catch { failure = error }
    }
    held.removeAll(keepingCapacity: true)
  }
}

// Judging values.
extension RecordBuilder {
  private mutating func judgeExpiration() {
    switch expirationElement.count {
    case 0:
      summary.onShelf += 1
      if reader.rules.requiresExpiration {
        find(
          .missingExpiration, at: record.location,
          "the book has no <expiration>; add one of the form yyyy.MM.dd")
      }
    case 1:
      readExpiration()
    default:
      record.expiration = .unusable
    }
  }

  private mutating func readExpiration() {
    record.expiration = .unusable
    let bytes = record.value(of: .expiration)
    guard !bytes.isEmpty, let place = places[.expiration] else {
      if expirationElement.hasMarkup {
        findMarkup(at: expirationElement.start, text: "")
      } else {
        find(
          .emptyExpiration, at: expirationElement.start,
          "the expiration is empty; write yyyy.MM.dd, or remove it if the book is on the shelf")
      }
      return
    }
    guard !expirationElement.hasMarkup else {
      findMarkup(at: place.start, text: record.text(of: .expiration) ?? "")
      return
    }
    do throws(CivilDate.ParseFailure) {
      let date = try CivilDate(dotted: bytes)
      record.expiration = .date(date)
      summary.loans += 1
      if let finding = reader.rules.expiration(date) { findInValue(of: .expiration, finding) }
    } catch {
      findBadDate(error, .expiration)
    }
  }

  private mutating func judgeLoanDate(_ rule: CatalogueRules.PeriodRule) {
    guard !record.isEmpty(.loaned) else { return }
    do throws(CivilDate.ParseFailure) {
      let loaned = try CivilDate(dotted: record.value(of: .loaned))
      guard case .date(let expiration) = record.expiration else { return }
      if let finding = rule(loaned, expiration) { findInValue(of: .expiration, finding) }
    } catch {
      findBadDate(error, .loaned)
    }
  }

  private mutating func judgeTexts() {
    if let rule = reader.rules.period { judgeLoanDate(rule) }
    if let rule = reader.rules.isbn { judge(.isbn, rule) }
    if let rule = reader.rules.email { judge(.email, rule) }
  }

  private mutating func judge(_ field: LoanField, _ rule: CatalogueRules.TextRule) {
    guard !record.isEmpty(field), let finding = rule(record.value(of: field)) else { return }
    findInValue(of: field, finding)
  }

  /// Looks whether the loan is new; a book whose id is known already has been told of.
  private mutating func findDuplicateLoan() {
    guard case .date = record.expiration, let key = record.loanKey,
      let known = loans.note(key, record.value(of: .barcode), line: record.location.line),
      record.ordinal == 1 || record.isEmpty(.id)
    else { return }
    let barcode = record.text(of: .barcode)
    let same = barcode.map { "with the same barcode \($0.quoted())" } ?? "alike in all it says"
    find(
      .duplicateLoan, at: record.location,
      """
      this is the loan of the book at line \(known.firstLine) once more, \(same); remove the one \
      that is not right
      """, value: barcode)
  }
}

// What there is to find.
extension RecordBuilder {
  private mutating func find(
    _ code: Diagnostic.Code, at location: SourceLocation, endColumn: Int? = nil, _ message: String,
    value: String? = nil
  ) {
    if findings.isLong { handOverFindings(owner, isBookOver: false) }
    findings.append(
      Diagnostic(
        code, at: location, endColumn: endColumn, message: message, value: value,
        loan: isInRecord ? record.name : nil))
  }

  private var owner: FindingList.Owner {
    guard isInRecord else { return .document }
    return record.isEmpty(.id)
      ? .unnamed(key: record.baseKey) : .named(key: record.baseKey, ordinal: record.ordinal)
  }

  private mutating func findInValue(
    of field: LoanField, _ finding: Finding, replacement: CivilDate? = nil
  ) {
    guard let place = places[field] else { return }
    findings.append(
      Diagnostic(
        finding.code, at: place.start, endColumn: place.endColumn, message: finding.message,
        value: record.text(of: field), loan: record.name, replacement: replacement?.dotted))
  }

  private mutating func findBadDate(_ failure: CivilDate.ParseFailure, _ field: LoanField) {
    let fault = DateFault(failure, record.text(of: field) ?? "", in: field)
    findInValue(of: field, fault.finding, replacement: fault.replacement)
  }

  private mutating func findMarkup(at location: SourceLocation, text: String) {
    find(
      .dateFormat, at: location,
      "the expiration holds other elements; write only the date, as yyyy.MM.dd", value: text)
  }

  private mutating func findMisplaced(at location: SourceLocation) {
    find(
      .misplacedExpiration, at: location,
      "this expiration is not directly inside a book, so it is ignored; move it into its book")
  }

  private mutating func findWrongCase(
    _ name: String, intended: String?, at location: SourceLocation
  ) {
    find(
      .unknownCase, at: location,
      "<\(name.visible)> is ignored, since names are case-sensitive; did you mean <\(intended ?? "")>?",
      value: name)
  }

  private mutating func findDuplicateExpiration(at location: SourceLocation) {
    find(
      .duplicateExpiration, at: location,
      """
      a second expiration in one book, after the one at line \(expirationElement.start.line); \
      keep only the right one
      """)
  }
}

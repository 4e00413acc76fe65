import Loans

/// Builds one record after the other from its fields, into batches, and judges each record by itself.
///
/// It knows neither the document's form nor its parser: readers say which field's text comes, and where it
/// is. What it makes is compared with the records before in ``BatchAssembler``.
struct RecordBuilder: ~Copyable {
  let reader: CatalogueReader
  /// The name of the form; `nil` for the tool's own.
  let form: String?
  /// The fields that are judged, so that their places are wanted, a bit for each.
  let judgedFields: UInt32
  private let pool: BatchPool
  private var contents = BatchContents()
  private var notes: [(record: Int, note: RecordBatch.Note)] = []
  /// What is known of the record at hand besides its texts.
  var head = RecordHead()
  private(set) var isInRecord = false
  /// Bytes of texts before those of the field at hand.
  private var fieldStart = 0
  /// The end of the last batch that was handed over.
  private var lastEnd = 0
  var dates = RecordAtHand()
  var repetitions = Repetitions()

  init(_ reader: CatalogueReader, form: String?, _ pool: BatchPool) {
    self.reader = reader
    self.form = form
    self.pool = pool
    let rules = reader.rules
    let judged: [LoanField?] = [
      .expiration, .status, rules.period.map { _ in .loaned }, rules.isbn.map { _ in .isbn },
      rules.email.map { _ in .email },
    ]
    judgedFields = judged.reduce(0) { $0 | ($1?.bit ?? 0) }
  }
}

// MARK: - Batches

extension RecordBuilder {
  /// Whether there is enough to hand over: about as much as a chunk of a document that is read in chunks.
  ///
  /// - Parameter bytes: how far the document has been read.
  @inline(__always)
  func isFull(at bytes: Int) -> Bool {
    contents.heads.count >= 1_024 || notes.count >= 1_024 || bytes - lastEnd > 1 << 18
      || contents.bytes.count > 1 << 20
  }

  /// Removes and returns what has been made so far, but for a record that has not ended.
  ///
  /// - Parameter end: how far the document has been read.
  mutating func removeBatch(end: Int) -> RecordBatch {
    abandonRecord()
    let batch = pool.take()
    swap(&contents, &batch.contents)
    swap(&notes, &batch.notes)
    batch.end = end
    lastEnd = end
    reader.prepare?(batch)
    return batch
  }

  /// Begins with another chunk of the document, or with another document.
  mutating func beginDocument(at bytes: Int) {
    abandonRecord()
    contents.removeAll()
    notes.removeAll(keepingCapacity: true)
    lastEnd = bytes
  }

  /// Forgets the record at hand but what was found in it, since the document ends within it.
  mutating func abandonRecord() {
    guard isInRecord else { return }
    nameFindings()
    isInRecord = false
    contents.texts.removeAll(from: Int(head.firstText))
    let number = contents.heads.count
    for index in notes.indices where notes[index].record == number {
      if case .inRecord(let finding) = notes[index].note { notes[index].note = .between(finding) }
    }
  }

  /// Adds a comment before a record, which silences findings.
  mutating func ignore(_ codes: [Diagnostic.Code]) {
    dates.ignored += 1
    if dates.ignored <= FindingList.mostIgnored {
      notes.append((contents.heads.count, .ignore(codes)))
    }
  }
}

// MARK: - Records

extension RecordBuilder {
  @inline(__always)
  mutating func beginRecord(at start: SourceLocation) {
    isInRecord = true
    head = RecordHead()
    head.place = PackedPlace(start)
    head.firstText = UInt32(truncatingIfNeeded: contents.texts.count)
    dates = RecordAtHand()
  }

  /// Ends a record whose expiration has been judged.
  @inline(__always)
  mutating func endRecord() {
    if !head.isEmpty(.loaned) { readLoanDate() }
    head.key = identityHash
    if reader.rules.findsDuplicateLoans { head.loanKey = loanHash }
    if let last = notes.last, last.record == contents.heads.count { nameFindings() }
    contents.heads.append(head)
    isInRecord = false
  }

  /// Gives the findings of the record its name, one text for all of them.
  @inline(never)
  private mutating func nameFindings() {
    let name = text(of: .id) ?? text(of: .title)
    let number = contents.heads.count
    for index in notes.indices.reversed() {
      guard notes[index].record == number else { return }
      // What is said once of all records is about no loan.
      guard case .inRecord(var finding) = notes[index].note, finding.code != .unknownColumn else {
        continue
      }
      finding.loan = name?.cut(to: Diagnostic.longestText)
      notes[index].note = .inRecord(finding)
    }
  }
}

// MARK: - Fields

extension RecordBuilder {
  @inline(__always)
  mutating func beginField() { fieldStart = contents.bytes.count }

  /// Bytes of the field at hand.
  @inline(__always)
  var fieldLength: Int { contents.bytes.count &- fieldStart }

  /// Adds to the text of the field at hand.
  @inline(__always)
  mutating func append(_ text: Span<UInt8>) { contents.bytes.append(contentsOf: text) }

  /// Calls `body` with the text of the field at hand.
  @inline(__always)
  func withField<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    contents.bytes.withSpan(fieldStart..<contents.bytes.count, body)
  }

  /// Ends the field at hand: its white space is normalized, and the first of several counts.
  ///
  /// - Parameter place: where its text is, if that is wanted.
  @inline(__always)
  mutating func endField(_ field: LoanField, _ place: @autoclosure () -> ValueExtent? = nil) {
    guard head.isEmpty(field) else { return contents.bytes.removeAll(from: fieldStart) }
    if !contents.bytes.isNormalized(from: fieldStart) {
      contents.bytes.normalizeSpace(from: fieldStart)
    }
    if fieldLength == 0 { return }
    addField(field)
    if judgedFields & field.bit != 0 { judge(field, at: place()) }
  }

  @inline(__always)
  private mutating func addField(_ field: LoanField) {
    let end = UInt32(truncatingIfNeeded: contents.bytes.count)
    contents.texts.append(FieldText(end: end, field: field))
    head.filled |= field.bit
  }

  /// Ends what was begun as a field but is none, and removes its text.
  mutating func removeField() -> String {
    contents.bytes.normalizeSpace(from: fieldStart)
    defer { contents.bytes.removeAll(from: fieldStart) }
    return contents.text(fieldStart..<contents.bytes.count)
  }

  /// Ends the status: its own name, by which rules and silences know it, replaces the words of its system.
  private mutating func readStatus() {
    let status = withField { LoanStatus(words: $0) }
    contents.texts.removeAll(from: contents.texts.count - 1)
    contents.bytes.removeAll(from: fieldStart)
    head.filled &= ~LoanField.status.bit
    guard let status else { return }
    append(status.rawValue.utf8.span)
    addField(.status)
  }

  @inline(__always)
  private func range(of field: LoanField) -> Range<Int> {
    contents.range(of: field, in: Int(head.firstText)..<contents.texts.count)
  }

  /// The text of a field of the record at hand.
  func text(of field: LoanField) -> String? {
    head.isEmpty(field) ? nil : contents.text(range(of: field))
  }

  /// Calls `body` with the text of a field of the record at hand.
  @inline(__always)
  func withText<Result, Failure: Error>(
    of field: LoanField, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try contents.bytes.withSpan(range(of: field), body)
  }

  private mutating func judge(_ field: LoanField, at place: ValueExtent?) {
    let start = head.place.location
    let place = place ?? ValueExtent(start: start)
    switch field {
    case .expiration: dates.expiration = place
    case .loaned: dates.loaned = place
    case .status: readStatus()
    case .isbn: judge(field, reader.rules.isbn, at: place)
    case .email: judge(field, reader.rules.email, at: place)
    default: break
    }
  }

  @inline(__always)
  private mutating func judge(
    _ field: LoanField, _ rule: CatalogueRules.TextRule?, at place: ValueExtent
  ) {
    guard let finding = rule.flatMap({ rule in withField { rule($0) } }) else { return }
    findInValue(of: field, finding, at: place)
  }
}

// MARK: - Hashes

extension RecordBuilder {
  private var identityHash: UInt64 {
    if !head.isEmpty(.id) {
      let hash = hash(of: .id)
      guard head.traits.contains(.sharesID) else { return hash }
      var both = ContentHash()
      both.combine(hash)
      both.combine(self.hash(of: .title))
      return both.value
    }
    return head.isEmpty(.barcode) ? bookHash : hash(of: .barcode)
  }

  /// The barcode's hash, or else that of everything that distinguishes one loan from another; 0 if too
  /// little is known of the record.
  private var loanHash: UInt64 {
    guard head.expiration > RecordHead.unusableDay else { return 0 }
    if !head.isEmpty(.barcode) { return hash(of: .barcode) }
    guard !head.isEmpty(.borrower), !head.isEmpty(.title) || !head.isEmpty(.isbn) else { return 0 }
    return ContentHash.of(bookHash, UInt64(truncatingIfNeeded: head.expiration))
  }

  @inline(__always)
  private func hash(of field: LoanField) -> UInt64 {
    withText(of: field) { ContentHash.of(field, $0) }
  }

  /// The hash of a book in somebody's hands, by what else is known of it.
  private var bookHash: UInt64 {
    var hash = ContentHash()
    hash.combine(self.hash(of: .isbn))
    hash.combine(self.hash(of: .title))
    hash.combine(self.hash(of: .author))
    hash.combine(self.hash(of: .borrower))
    return hash.value
  }
}

// MARK: - Findings

extension RecordBuilder {
  /// Findings that a record can have any number of, which are listed up to this many.
  private static let mostRepeated = 1_000

  mutating func find(
    _ code: Diagnostic.Code, at location: SourceLocation, endColumn: Int? = nil, _ message: String,
    value: String? = nil, replacement: CivilDate? = nil, bytes: Range<Int>? = nil
  ) {
    var finding = Diagnostic(
      code, at: location, endColumn: endColumn, message: message, value: value,
      replacement: replacement?.dotted)
    finding.bytes = bytes
    notes.append((contents.heads.count, isInRecord ? .inRecord(finding) : .between(finding)))
  }

  /// Finds something that can be in a record any number of times.
  mutating func findRepeated(
    _ code: Diagnostic.Code, at location: SourceLocation, _ message: String, value: String? = nil
  ) {
    guard isInRecord else { return find(code, at: location, message, value: value) }
    let count = dates.repeated[code, default: 0] + 1
    dates.repeated[code] = count
    if count <= Self.mostRepeated {
      find(code, at: location, message, value: value)
    } else if count == Self.mostRepeated + 1 {
      find(code, at: location, "there are more such problems in this book, which are not listed")
    }
  }

  mutating func findInValue(
    of field: LoanField, _ finding: Finding, at place: ValueExtent, replacement: CivilDate? = nil
  ) {
    guard form == nil || !repetitions.note(finding.code, field, at: place.start) else { return }
    find(
      finding.code, at: place.start, endColumn: place.endColumn, finding.message,
      value: text(of: field), replacement: replacement,
      bytes: replacement.flatMap { _ in place.bytes })
  }
}

/// What is known of the dates of the record at hand, and counts that are limited.
struct RecordAtHand {
  var expiration: ValueExtent?
  var loaned: ValueExtent?
  /// The numbers of findings that a record can have more than once, and of comments after it.
  var repeated: [Diagnostic.Code: Int] = [:]
  var ignored = 0
}

/// The place of a value's first character, and the column after its last one.
struct ValueExtent {
  var start: SourceLocation
  /// `nil` unless the value is on one line.
  var endColumn: Int?
  /// Whether the value is as it is written, without references and comments in it.
  var isVerbatim = true
  /// The bytes of the file around it, if those are wanted and known.
  var bytes: Range<Int>?
}

/// What was said of the records of a document that need not be said again.
struct Repetitions {
  /// The forms in which the day of lending of the record at hand is written.
  var loanedForms: [DateForm] = [.dotted]
  /// The number of expirations that are instants, if all of them are early in the library's morning, but
  /// not at midnight, and still the day before in UTC.
  var shifted: Int? = 0
  var hasReportedLoanDays = false
  /// The last finding about a field's value, and its place; for a few fields at most.
  private var reported: [LoanField: (code: Diagnostic.Code, place: SourceLocation)] = [:]

  /// Notes a finding.
  ///
  /// - Returns: whether it was said of another record, to which the same value around them belongs.
  fileprivate mutating func note(
    _ code: Diagnostic.Code, _ field: LoanField, at place: SourceLocation
  ) -> Bool {
    let last = reported.updateValue((code, place), forKey: field)
    return last.map { $0 == (code, place) } ?? false
  }
}

import Loans

/// Builds one record after the other from its fields, and judges each record by itself.
///
/// It knows neither the document's form nor its parser: readers put texts into ``draft`` and say
/// where they are. What it makes is compared with the records before in ``BatchAssembler``.
struct RecordBuilder: ~Copyable {
  let reader: CatalogueReader
  /// The name of the form; `nil` for the tool's own.
  let form: String?
  /// The fields whose places are wanted, a bit for each.
  let placedFields: UInt32
  /// The records so far.
  private var batch = RecordBatch()
  /// The end of the last batch that was handed over.
  private var lastEnd = 0
  var draft: RecordDraft
  var places = ValuePlaces()
  /// The forms in which the day of lending of the record at hand is written.
  var loanedForms: [DateForm] = [.dotted]
  /// The bytes of the file in which dates are written, as far as they are known.
  private var dateBytes: [(field: LoanField, bytes: Range<Int>)] = []
  private(set) var isInRecord = false
  /// The number of expirations that are instants, if all of them are early in the library's morning, but
  /// not at midnight, and still the day before in UTC.
  private(set) var shifted: Int? = 0
  /// The name of the record at hand, once there is a finding that has it: one text for all of them.
  private var name: String?
  /// The error that the reader's time zone threw; nothing more is wanted then.
  private(set) var failure: (any Error)?
  private var findings: [Diagnostic] = []
  /// The last finding about a field's value, and its place; for a few fields at most.
  private var reported: [(field: LoanField, code: Diagnostic.Code, place: SourceLocation)] = []
  private var hasReportedLoanDays = false
  /// More findings of one record are handed over before it is over, whatever their order.
  private static let mostFindings = 1_000

  /// - Parameters:
  ///   - records: how many records there may be.
  ///   - texts: bytes of their texts, about.
  init(_ reader: CatalogueReader, form: String?, records: Int = 0, texts: Int = 65_536) {
    self.reader = reader
    self.form = form
    placedFields = LoanField.allCases.reduce(0) { fields, field in
      field == .id || reader.rules.judges(field) ? fields | field.bit : fields
    }
    batch.reserveCapacity(records)
    draft = RecordDraft(capacity: texts)
  }

  /// Whether there is enough to hand over: about as much as a part of a document that is read in parts.
  ///
  /// - Parameter bytes: how far the document has been read.
  func isFull(at bytes: Int) -> Bool {
    batch.items.count >= 1_024 || draft.batchLength > 1 << 18
      || bytes - lastEnd > 1 << 18
  }

  /// Removes and returns what has been made so far.
  ///
  /// - Parameter end: how far the document has been read.
  mutating func removeBatch(end: Int) -> RecordBatch {
    var made = RecordBatch()
    swap(&made, &batch)
    draft.beginBatch(isInRecord: isInRecord)
    made.end = end
    lastEnd = end
    return made
  }

  /// Removes and returns the rest at the end of the document.
  ///
  /// - Parameter end: how far the document has been read.
  mutating func removeLastBatch(end: Int) -> RecordBatch {
    flushFindings()
    isInRecord = false
    return removeBatch(end: end)
  }

  /// Adds a comment that speaks to the reader.
  ///
  /// - Parameter isInRecord: whether it is inside a record, where it means nothing.
  mutating func add(_ comment: IgnoreComment, at start: SourceLocation, isInRecord: Bool) {
    switch comment {
    case .mistaken(let message):
      find(.unusedIgnore, at: start, message)
    case .ignore where isInRecord:
      find(
        .unusedIgnore, at: start,
        "this comment is inside a book and has no effect; move it before the book")
    case .ignore(let codes):
      batch.items.append(.ignore(codes, start))
    }
  }
}

// MARK: - Records

extension RecordBuilder {
  @inline(__always)
  mutating func beginRecord(at start: SourceLocation) {
    if !findings.isEmpty { flushFindings() }
    isInRecord = true
    name = nil
    if !dateBytes.isEmpty { dateBytes.removeAll(keepingCapacity: true) }
    draft.record.begin(at: start)
    places = ValuePlaces()
  }

  /// Ends a record whose expiration has been judged.
  ///
  /// - Parameter isJudged: false for a book of another form that is not lent.
  mutating func endRecord(isJudged: Bool = true) {
    if isJudged { judgeTexts() }
    addRecord(isOver: true)
    batch.noteKeys(of: draft.record)
    if !findings.isEmpty { findings.removeAll() }
    isInRecord = false
  }

  private mutating func addRecord(isOver: Bool) {
    draft.record.hash(
      isWanted: reader.detail == .loans, ofLoan: reader.rules.findsDuplicateLoans)
    batch.items.append(.record(draft.record, idPlace: places[.id], findings, isOver: isOver))
  }

  /// Ends an element beside the records.
  mutating func endChild() {
    guard !findings.isEmpty else { return }
    batch.items.append(.childEnd(findings))
    findings.removeAll()
  }

  /// Hands over what was found since the last record.
  mutating func flushFindings() {
    guard !findings.isEmpty else { return }
    if isInRecord {
      addRecord(isOver: false)
    } else {
      batch.items.append(.found(findings))
    }
    findings.removeAll()
  }

  /// Notes where in the file the text of a date is.
  mutating func noteBytes(_ bytes: Range<Int>, of field: LoanField) {
    dateBytes.append((field, bytes))
  }
}

// MARK: - Findings

extension RecordBuilder {
  mutating func find(
    _ code: Diagnostic.Code, at location: SourceLocation, endColumn: Int? = nil, _ message: String,
    value: String? = nil, replacement: CivilDate? = nil
  ) {
    if findings.count >= Self.mostFindings { flushFindings() }
    let finding = Diagnostic(
      code, at: location, endColumn: endColumn, message: message, value: value,
      loan: isInRecord ? name ?? draft.record.name : nil, replacement: replacement?.dotted)
    name = finding.loan
    findings.append(finding)
  }

  private mutating func findInValue(
    of field: LoanField, _ finding: Finding, replacement: CivilDate? = nil
  ) {
    let record = draft.record.location
    let place = places[field] ?? ValueExtent(start: record, end: record)
    guard !isReported(finding.code, field, at: place.start) else { return }
    find(
      finding.code, at: place.start, endColumn: place.endColumn, finding.message,
      value: draft.record.text(of: field), replacement: replacement)
    if replacement != nil {
      findings[findings.count - 1].bytes = dateBytes.first { $0.field == field }?.bytes
    }
  }

  /// Whether it was said of another record, to which the same value around them belongs.
  private mutating func isReported(
    _ code: Diagnostic.Code, _ field: LoanField, at place: SourceLocation
  ) -> Bool {
    guard form != nil else { return false }
    guard let index = reported.firstIndex(where: { $0.field == field }) else {
      reported.append((field, code, place))
      return false
    }
    if reported[index].code == code && reported[index].place == place { return true }
    reported[index] = (field, code, place)
    return false
  }

  mutating func findMissingTitle() {
    find(
      .missingTitle, at: draft.record.location,
      "the book has no title, so its notices can only name its id or barcode")
  }

  /// - Parameter known: the names that are read.
  mutating func findUnknownColumn(
    named name: String, at location: SourceLocation, _ known: Set<String>
  ) {
    // Comparing costs the product of the lengths.
    let short = name.lowercased().prefix(40)
    let nearest = known.sorted().first { $0.editDistance(to: String(short)) <= $0.count / 4 }
    let isDate = ExpirationName.isLikely(name.replacing(" ", with: "_"))
    let meant = isDate && known.contains("expiration") ? "expiration" : nearest
    find(
      .unknownColumn, at: location,
      """
      the column \(name.quoted()) is ignored; \(meant.map { "did you mean \($0)?" }
        ?? "rename it in the query, or leave it out")
      """, value: name)
  }

  mutating func findEmptyExpiration(at location: SourceLocation) {
    draft.record.expiration = .unusable
    find(
      .emptyExpiration, at: location,
      """
      the expiration is empty; write \(form == nil ? "yyyy.MM.dd" : "the date"), or remove it if \
      the book is on the shelf
      """)
  }

  mutating func findDuplicateExpiration(at location: SourceLocation, firstLine: Int) {
    draft.record.expiration = .unusable
    find(
      .duplicateExpiration, at: location,
      form == nil
        ? """
        a second expiration in one book, after the one at line \(firstLine); keep only the right one
        """
        : """
        this loan has another expiration at line \(firstLine), so it is left out; find out which is right
        """)
  }

  /// Finds once in a document that the days of a loan must be given.
  mutating func findMissingLoanDays(at location: SourceLocation) {
    draft.record.expiration = .unusable
    guard !hasReportedLoanDays else { return }
    hasReportedLoanDays = true
    find(
      .missingLoanDays, at: location,
      """
      \(form ?? "") records when a book was lent, but not when it is due; give the loan period, \
      for example --loan-days 28
      """)
  }
}

// MARK: - Judging values

extension RecordBuilder {
  /// Ends a record without expiration.
  mutating func endWithoutExpiration() {
    guard reader.rules.requiresExpiration else { return }
    find(
      .missingExpiration, at: draft.record.location,
      form == nil
        ? "the book has no <expiration>; add one of the form yyyy.MM.dd"
        : "the loan has no expiration; ask for it where the loan is kept")
  }

  /// Reads the expiration of the tool's own form.
  mutating func readExpiration() {
    draft.record.expiration = .unusable
    do throws(CivilDate.ParseFailure) {
      accept(
        try draft.record.withValue(of: .expiration) { value throws(CivilDate.ParseFailure) in
          try CivilDate(dotted: value)
        }, time: nil)
    } catch {
      findBadDate(error, .expiration)
    }
  }

  /// Reads an expiration of one of these forms.
  ///
  /// - Parameter isLendingDay: whether it is the day of lending, to which the loan period is added.
  mutating func readExpiration(_ forms: [DateForm], isLendingDay: Bool) {
    draft.record.expiration = .unusable
    guard let read = readDate(.expiration, forms, isLendingDay: isLendingDay) else { return }
    if isLendingDay {
      draft.record.loanedOn = read.date
      accept(read.date.adding(days: reader.loanDays ?? 0), time: nil)
    } else {
      accept(read.date, time: read.time)
    }
  }

  private mutating func accept(_ date: CivilDate, time: CivilTime?) {
    draft.record.expiration = .date(date)
    draft.record.expirationTime = time
    if let finding = reader.rules.expiration(date) { findInValue(of: .expiration, finding) }
  }

  /// Reads a date of one of these forms, or finds what is wrong with it, unless nobody asks.
  private mutating func readDate(
    _ field: LoanField, _ forms: [DateForm], isLendingDay: Bool = false, isJudged: Bool = true
  ) -> (date: CivilDate, time: CivilTime?)? {
    var fault = CivilDate.ParseFailure.form
    for form in forms {
      do throws(CivilDate.ParseFailure) {
        let text = draft.record.withValue(of: field) { [UInt8](copying: $0) }
        return try civil(form.read(text[...]), field)
      } catch {
        if error == .notADay { fault = error }
      }
    }
    if isJudged { findBadDate(fault, field, forms: forms, isLendingDay: isLendingDay) }
    return nil
  }

  /// The day and the hour in the library of what a date says.
  private mutating func civil(
    _ reading: DateForm.Reading, _ field: LoanField
  ) -> (date: CivilDate, time: CivilTime?) {
    switch reading {
    case .civil(let date, let time): return (date, time?.worthShowing)
    case .instant(let instant):
      do {
        if let time = try reader.civilTime(instant) {
          if field == .expiration {
            let isShifted =
              (1..<10_800).contains(time.time.secondOfDay)
              && instant < time.date.dayNumber * 86_400
            shifted = isShifted ? shifted.map { $0 + 1 } : nil
          }
          return (time.date, time.time.worthShowing)
        }
      } catch {
        failure = error
      }
      // The last second of all years means "never", wherever the library is.
      return (instant < 0 ? .first : .last, nil)
    }
  }

  private mutating func findBadDate(
    _ failure: CivilDate.ParseFailure, _ field: LoanField, forms: [DateForm] = [.dotted],
    isLendingDay: Bool = false
  ) {
    let text = draft.record.text(of: field) ?? ""
    let fault = DateFault(failure, text, in: field, forms: forms, isLendingDay: isLendingDay)
    findInValue(of: field, fault.finding, replacement: fault.replacement)
  }

  private mutating func judgeTexts() {
    if !draft.record.isEmpty(.loaned) { readLoanDate() }
    if !draft.record.isEmpty(.status) { readStatus() }
    if let rule = reader.rules.isbn { judge(.isbn, rule) }
    if let rule = reader.rules.email { judge(.email, rule) }
  }

  private mutating func readLoanDate() {
    let rule = reader.rules.period
    guard let loaned = readDate(.loaned, loanedForms, isJudged: rule != nil)?.date else { return }
    if case .date(let expiration) = draft.record.expiration,
      let finding = rule?(loaned, expiration)
    {
      return findInValue(of: .expiration, finding)
    }
    if let finding = reader.rules.loanDate?(loaned) { return findInValue(of: .loaned, finding) }
    draft.record.loanedOn = loaned
  }

  /// Gives a status in the words of its system its own name, by which rules and silences know it.
  private mutating func readStatus() {
    let status = draft.record.withValue(of: .status) { LoanStatus(words: $0) }
    draft.replace(.status, with: status?.rawValue)
  }

  private mutating func judge(_ field: LoanField, _ rule: CatalogueRules.TextRule) {
    guard !draft.record.isEmpty(field), let finding = draft.record.withValue(of: field, rule) else {
      return
    }
    findInValue(of: field, finding)
  }
}

extension CivilTime {
  /// The time, unless it only means the whole day: its beginning or its end.
  fileprivate var worthShowing: CivilTime? {
    (1..<86_340).contains(secondOfDay) ? self : nil
  }
}

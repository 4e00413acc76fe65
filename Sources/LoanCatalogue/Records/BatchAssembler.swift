import Loans

/// Turns the batches of one document into events, in its order: compares each record with those
/// before it, and drops the findings that comments silence.
struct BatchAssembler: ~Copyable {
  private let reader: CatalogueReader
  private let profile: CatalogueProfile
  private(set) var summary = CatalogueSummary()
  private var events: [CatalogueEvent] = []
  private var findings: FindingList
  /// Findings before the first record, which wait, since that there is none would come before them.
  private var held: [Diagnostic] = []
  private var root: RootElement?
  private var identities = IdentityTable()
  private var loans = IdentityTable()
  /// Bytes of the document; 0 if that is not known.
  private let size: Int
  /// The record at hand.
  private var record = LoanRecord(TextStorage(capacity: 0))
  /// Whether a record without expiration has a borrower or a loan date.
  private var hasLoanWithoutDate = false
  /// Whether the record at hand has been begun by findings that came before its end.
  private var isBegun = false

  /// - Parameter size: bytes of the document; 0 if that is not known.
  init(_ reader: CatalogueReader, _ profile: CatalogueProfile, size: Int) {
    self.reader = reader
    self.size = size
    self.profile = profile
    findings = FindingList(rules: reader.rules)
  }

  /// Turns the next batch into events.
  mutating func events(of batch: RecordBatch) -> [CatalogueEvent] {
    // As many in proportion in what is still to come.
    let records =
      Double(summary.records + batch.keys.count) * Double(size) / Double(max(1, batch.end))
    identities.prepare(for: batch.keys, expecting: records)
    loans.prepare(for: batch.loanKeys, expecting: records)
    if reader.detail == .loans { events.reserveCapacity(batch.items.count) }
    for item in batch.items { add(item) }
    if let root = batch.root { note(root) }
    if let ending = batch.ending { end(ending) }
    defer { events = [] }
    return events
  }

  /// The events of a file that is not a catalogue.
  mutating func events(of refusal: Diagnostic) -> [CatalogueEvent] {
    var batch = RecordBatch()
    batch.ending = DocumentEnding(fault: refusal)
    return events(of: batch)
  }

  private mutating func add(_ item: consuming RecordBatch.Item) {
    switch consume item {
    case .record(let record, let idPlace, let found, let isOver):
      begin(record, idPlace)
      for finding in found { findings.append(finding) }
      if isOver { end() } else { handOver(owner, isBookOver: false) }
    case .ignore(let codes, let place):
      findings.ignore(codes, at: place)
      handOverIfLong()
    case .childEnd(let found):
      for finding in found { findings.append(finding) }
      // Comments before it are about it, not about the next book.
      findings.beginBook()
      if summary.records == 0 { hold() } else { handOver(.document) }
    case .found(let found):
      for finding in found { findings.append(finding) }
      handOverIfLong()
    }
  }
}

// MARK: - Records

extension BatchAssembler {
  @inline(__always)
  private mutating func begin(_ next: consuming LoanRecord, _ idPlace: ValueExtent?) {
    let ordinal = record.ordinal
    record = consume next
    guard !isBegun else { return record.ordinal = ordinal }
    if !held.isEmpty { handOverHeld() }
    findings.beginBook()
    isBegun = true
    guard !record.isEmpty(.id), let known = noteIdentity() else { return }
    record.ordinal = known.ordinal
    findDuplicateID(firstLine: known.firstLine, at: idPlace)
  }

  private mutating func noteIdentity() -> (firstLine: Int, ordinal: Int)? {
    identities.note(record.key, line: record.location.line)
  }

  private mutating func end() {
    isBegun = false
    summary.records += 1
    switch record.expiration {
    case .date: summary.loans += 1
    case .none: countLack()
    case .unusable: break
    }
    if reader.rules.findsDuplicateLoans, case .date = record.expiration,
      let key = record.loanKey
    {
      findDuplicateLoan(key)
    }
    if reader.detail == .loans, record.isEmpty(.id), record.expiration != .none,
      let known = noteIdentity()
    {
      record.ordinal = known.ordinal
    }
    if !findings.isEmpty { handOver(owner) }
    if reader.detail == .loans {
      events.append(.record(record))
    }
  }

  private mutating func countLack() {
    let lack = record.lack
    if !record.isEmpty(.borrower) || !record.isEmpty(.loaned) {
      hasLoanWithoutDate = true
    }
    if case .onShelf = lack {
      summary.onShelf += 1
      return
    }
    summary.withoutExpiration += 1
    if [.undated, .undatedAndUncounted].contains(lack) { summary.undated += 1 }
    if [.uncounted, .undatedAndUncounted].contains(lack) { summary.uncounted += 1 }
  }

  private var owner: FindingList.Owner {
    record.isEmpty(.id)
      ? .unnamed(key: record.key)
      : .named(key: record.key, ordinal: record.ordinal)
  }

  private mutating func findDuplicateID(firstLine: Int, at place: ValueExtent?) {
    let id = record.text(of: .id) ?? ""
    // An id that several loans take from one place is not in either of them.
    let place = place.flatMap { $0.start < record.location ? nil : $0 }
    let advice =
      profile.isNative
      ? "give each book an id of its own" : "both are kept; find out which is right"
    findings.append(
      Diagnostic(
        .duplicateID, at: place?.start ?? record.location, endColumn: place?.endColumn,
        message: "id \(id.quoted()) is already used by the book at line \(firstLine); \(advice)",
        value: id, loan: id))
  }

  /// Looks whether the loan is new; a book whose id is known already has been reported.
  private mutating func findDuplicateLoan(_ key: UInt64) {
    guard let known = loans.note(key, line: record.location.line),
      record.ordinal == 1 || record.isEmpty(.id)
    else { return }
    let barcode = record.text(of: .barcode)
    let same = barcode.map { "same barcode \($0.quoted())" } ?? "identical data"
    findings.append(
      Diagnostic(
        .duplicateLoan, at: record.location,
        message: """
          same loan as the book at line \(known.firstLine) (\(same)); remove one
          """, value: barcode, loan: record.name))
  }
}

// MARK: - Handing over

extension BatchAssembler {
  private mutating func handOver(_ owner: FindingList.Owner, isBookOver: Bool = true) {
    held += findings.drain(owner, isBookOver: isBookOver)
    handOverHeld()
  }

  /// Hands over what was found outside records, if it is a lot.
  private mutating func handOverIfLong() {
    guard findings.isLong else { return }
    summary.records == 0 ? hold() : handOver(.document, isBookOver: false)
  }

  private mutating func hold() {
    held += findings.drain(.document)
    if held.count >= FindingList.longest { handOverHeld() }
  }

  private mutating func handOverHeld() {
    held.sort { $0.location < $1.location }
    for finding in held {
      switch finding.severity {
      case .error: summary.errors += 1
      case .warning: summary.warnings += 1
      }
      events.append(.diagnostic(finding))
    }
    held.removeAll(keepingCapacity: true)
  }
}

// MARK: - The document as a whole

extension BatchAssembler {
  private mutating func end(_ ending: DocumentEnding) {
    if let fault = ending.fault {
      summary.isComplete = false
      findings.append(fault)
      return handOver(.document, isBookOver: false)
    }
    // Comments that no book follows silence nothing.
    findings.beginBook()
    summary.isListEmpty = ending.isListEmpty
    summary.hasOtherDate = ending.date != nil
    findAnswer(ending)
    if summary.isComplete { findContinuation(ending) }
    findLackOfExpirations()
    // A single loan may be due at any time.
    if let count = ending.shifted, count > 1, let root {
      find(
        .shiftedDays, at: root.location,
        """
        all \(count) expirations with a zone are between 00:00 and 03:00 in the library's time zone, a day later \
        than in UTC; if the day in UTC is meant, use a profile with <expiration … day="utc"/>
        """)
    }
    if summary.records == 0, summary.isComplete, !summary.isPart, let root {
      find(
        .noLoans, at: root.location,
        profile.emptiness(of: root, isForced: reader.profile != nil, date: ending.date))
    }
    handOver(.document)
  }

  private mutating func note(_ root: RootElement) {
    self.root = root
    // An envelope or an error's root is known, but says nothing of loans.
    summary.isKnownForm = root.isKnown && profile.mayHaveLoans(below: root.name)
    let isOfLoans = profile.isNative || !profile.records.isEmpty
    summary.profile = root.isKnown && isOfLoans ? profile.name : nil
  }

  private mutating func find(
    _ code: Diagnostic.Code, at place: SourceLocation, _ message: String, value: String? = nil
  ) {
    findings.append(Diagnostic(code, at: place, message: message, value: value))
  }

  private mutating func findAnswer(_ ending: DocumentEnding) {
    let answer = ending.answers.first { !$0.problem.yieldsToLoans || summary.records == 0 }
    guard let answer else { return }
    summary.isComplete = false
    summary.isBorrowerUnknown = answer.problem.isAboutBorrower
    let text = answer.text.quoted(limit: 200)
    guard summary.isBorrowerUnknown else {
      return find(
        .errorAnswer, at: answer.place,
        "the server answered with an error: \(text); correct the request", value: answer.text)
    }
    find(
      .unknownBorrower, at: answer.place,
      """
      the server does not know the borrower: \(text); correct the request, or remove the catalogue of \
      a borrower who has left
      """, value: answer.text)
  }

  /// Finds that there are more loans than the document holds.
  private mutating func findContinuation(_ ending: DocumentEnding) {
    if let total = ending.total, total.count > summary.records {
      findMore("it announces \(total.count) loans but contains \(summary.records)", at: total.place)
    } else if let place = ending.continuation {
      findMore("it continues on another page", at: place)
    }
  }

  private mutating func findMore(_ words: String, at place: SourceLocation) {
    summary.isPart = true
    find(
      .incompleteAnswer, at: place,
      "the list is incomplete: \(words); no reminders for the others, so request all of them")
  }

  private mutating func findLackOfExpirations() {
    guard summary.records > 0, let root else { return }
    if profile.isNative {
      // Where each must have one, that has been said of each.
      guard summary.onShelf == summary.records, !reader.rules.requiresExpiration else { return }
      return findLackOfOwnExpirations(root)
    }
    guard summary.undated == summary.records else { return }
    let loans = summary.records == 1 ? "the only loan" : "none of the \(summary.records) loans"
    let has = summary.records == 1 ? "has no expiration" : "has an expiration"
    find(
      .noExpirations, at: root.location,
      "\(loans) \(has) where \(profile.name) looks for it; has the format changed?")
  }

  private mutating func findLackOfOwnExpirations(_ root: RootElement) {
    let books =
      summary.records == 1 ? "the only book has" : "none of the \(summary.records) books has"
    let an = summary.records == 1 ? "no" : "an"
    var finding = Diagnostic(
      .noExpirations, at: root.location,
      message: hasLoanWithoutDate
        ? "\(books) \(an) <expiration>, though a borrower or a loan date is there; is it written under another name?"
        : "\(books) \(an) <expiration>; if every book is on the shelf, this is correct")
    if hasLoanWithoutDate { finding.severity = .error }
    findings.append(finding)
  }
}

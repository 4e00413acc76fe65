import Loans

/// Reads the batches of one document in its order: compares each record with those before it, numbers those
/// that are alike, and puts together what is to be said.
struct BatchAssembler: ~Copyable {
  private let reader: CatalogueReader
  private let profile: CatalogueProfile
  private(set) var summary = CatalogueSummary()
  private var findings = FindingList()
  private var root: RootElement?
  private var identities = IdentityTable()
  private var loans = IdentityTable()
  /// Bytes of the document; 0 if that is not known.
  private let size: Int
  /// Whether a record without expiration has a borrower or a loan date.
  private var hasLoanWithoutDate = false

  /// - Parameter size: bytes of the document; 0 if that is not known.
  init(_ reader: CatalogueReader, _ profile: CatalogueProfile, size: Int) {
    self.reader = reader
    self.size = size
    self.profile = profile
  }

  /// Gives the next batch its diagnostics, and its records their ordinals.
  mutating func assemble(_ batch: RecordBatch) {
    // Assumes that the rest of the document is as dense.
    let records = Double(summary.records + batch.count) * Double(size) / Double(max(1, batch.end))
    identities.prepare(for: batch, expecting: records) { $0.key }
    if reader.rules.findsDuplicateLoans {
      loans.prepare(for: batch, expecting: records) { $0.loanKey }
    }
    var next = 0
    for index in 0..<batch.count {
      let first = next
      while next < batch.notes.count, batch.notes[next].record == index { next += 1 }
      add(batch, index, batch.notes[first..<next])
    }
    addBetween(batch.notes[next...], batch)
    if let root = batch.root { note(root) }
    if let ending = batch.ending { end(ending, batch) }
  }

  /// A batch that says why a file is not a catalogue.
  mutating func refuse(_ refusal: Diagnostic) -> RecordBatch {
    let batch = RecordBatch()
    batch.ending = DocumentEnding(malformation: refusal)
    assemble(batch)
    return batch
  }
}

// MARK: - Records

extension BatchAssembler {
  /// - Parameter notes: those of the record, and those before it.
  @inline(__always)
  private mutating func add(
    _ batch: RecordBatch, _ index: Int, _ notes: ArraySlice<(record: Int, note: RecordBatch.Note)>
  ) {
    let head = batch.contents.heads[index]
    var found: [Diagnostic] = []
    if !notes.isEmpty { found = addBetween(notes, batch) }
    let hasID = !head.isEmpty(.id)
    if hasID || head.expiration != RecordHead.noDay,
      let known = identities.note(head.key, line: head.place.location.line)
    {
      batch.contents.heads[index].ordinal = UInt32(known.ordinal)
      if hasID { found.append(duplicateID(batch[index], firstLine: known.firstLine)) }
    }
    count(head)
    if head.loanKey != 0, let known = loans.note(head.loanKey, line: head.place.location.line) {
      findDuplicateLoan(batch[index], firstLine: known.firstLine, &found)
    }
    if !found.isEmpty {
      for kept in findings.keep(found, of: batch[index]) { add(kept, index, batch) }
    }
    findings.endRecord()
  }

  private mutating func count(_ head: RecordHead) {
    summary.records += 1
    if head.expiration > RecordHead.unusableDay {
      summary.loans += 1
    } else if head.expiration == RecordHead.noDay {
      countWithoutExpiration(head)
    }
  }

  private mutating func countWithoutExpiration(_ head: RecordHead) {
    if !head.isEmpty(.borrower) || !head.isEmpty(.loaned) { hasLoanWithoutDate = true }
    guard head.traits.contains(.isLent) else {
      summary.onShelf += 1
      return
    }
    summary.withoutExpiration += 1
    if head.traits.contains(.isUndated) { summary.undated += 1 }
    if head.traits.contains(.needsLoanDays) { summary.uncounted += 1 }
  }

  private func duplicateID(_ record: LoanRecord, firstLine: Int) -> Diagnostic {
    let id = record.text(of: .id) ?? ""
    let advice =
      profile.isNative
      ? "give each book an id of its own" : "both are kept; find out which is right"
    return Diagnostic(
      .duplicateID, at: record.location,
      message: "id \(id.quoted()) is already used by the book at line \(firstLine); \(advice)",
      value: id, loan: id)
  }

  /// Finds that the loan is known, unless it has been said that its id is.
  private func findDuplicateLoan(
    _ record: LoanRecord, firstLine: Int, _ found: inout [Diagnostic]
  ) {
    guard record.head.ordinal == 1 || record.head.isEmpty(.id) else { return }
    let barcode = record.text(of: .barcode)
    let same = barcode.map { "same barcode \($0.quoted())" } ?? "identical data"
    found.append(
      Diagnostic(
        .duplicateLoan, at: record.location,
        message: "same loan as the book at line \(firstLine) (\(same)); remove one",
        value: barcode, loan: record.text(of: .id) ?? record.text(of: .title)))
  }
}

// MARK: - Diagnostics

extension BatchAssembler {
  /// Adds what notes have of what is not in records.
  ///
  /// - Returns: what they have of what is.
  @inline(never)
  @discardableResult
  private mutating func addBetween(
    _ notes: ArraySlice<(record: Int, note: RecordBatch.Note)>, _ batch: RecordBatch
  ) -> [Diagnostic] {
    var found: [Diagnostic] = []
    for (record, note) in notes {
      switch note {
      case .inRecord(let finding): found.append(finding)
      case .ignore(let codes): findings.ignore(codes)
      case .between(let finding):
        if let kept = findings.keep(finding) { add(kept, record, batch) }
      }
    }
    return found
  }

  private mutating func add(_ diagnostic: Diagnostic, _ record: Int, _ batch: RecordBatch) {
    switch diagnostic.severity {
    case .error: summary.errors += 1
    case .warning: summary.warnings += 1
    }
    batch.diagnostics.append(diagnostic)
    batch.places.append(record)
  }
}

// MARK: - The document as a whole

extension BatchAssembler {
  private mutating func note(_ root: RootElement) {
    self.root = root
    // An envelope or an error's root is known, but says nothing of loans.
    summary.isKnownForm = root.isKnown && profile.mayHaveLoans(below: root.name)
    let isOfLoans = profile.isNative || !profile.records.isEmpty
    summary.profile = root.isKnown && isOfLoans ? profile.name : nil
  }

  private mutating func end(_ ending: DocumentEnding, _ batch: RecordBatch) {
    var found: [Diagnostic?] = [ending.malformation]
    if ending.malformation != nil {
      summary.isComplete = false
    } else {
      summary.answer.isListEmpty = ending.isListEmpty
      summary.answer.hasOtherDate = ending.date != nil
      found = [
        answer(ending), continuation(ending), lackOfExpirations, shiftedDays(ending),
        emptiness(ending),
      ]
    }
    for finding in found.compactMap(\.self).sorted(by: { $0.location < $1.location }) {
      if let kept = findings.keep(finding) { add(kept, batch.count, batch) }
    }
  }

  private mutating func answer(_ ending: DocumentEnding) -> Diagnostic? {
    let answer = ending.answers.first { !$0.problem.yieldsToLoans || summary.records == 0 }
    guard let answer else { return nil }
    summary.isComplete = false
    summary.answer.isBorrowerUnknown = answer.problem.isAboutBorrower
    let text = answer.text.quoted(limit: 200)
    return summary.answer.isBorrowerUnknown
      ? Diagnostic(
        .unknownBorrower, at: answer.place,
        message: """
          the server does not know the borrower: \(text); correct the request, or remove the catalogue of \
          a borrower who has left
          """, value: answer.text)
      : Diagnostic(
        .errorAnswer, at: answer.place,
        message: "the server reports an error: \(text); correct the request",
        value: answer.text)
  }

  /// The finding that there are more loans than the document holds.
  private mutating func continuation(_ ending: DocumentEnding) -> Diagnostic? {
    let words: String
    let place: SourceLocation
    if let total = ending.total, total.count > summary.records {
      words = "it announces \(total.count) loans but contains \(summary.records)"
      place = total.place
    } else if let continuation = ending.continuation {
      (words, place) = ("it continues on another page", continuation)
    } else {
      return nil
    }
    guard summary.isComplete else { return nil }
    summary.answer.isPart = true
    return Diagnostic(
      .incompleteAnswer, at: place,
      message: """
        the list is incomplete: \(words); no notices for the others, so request all of them
        """)
  }

  private func shiftedDays(_ ending: DocumentEnding) -> Diagnostic? {
    // A single loan may be due at any time.
    guard let count = ending.shifted, count > 1, let root else { return nil }
    return Diagnostic(
      .shiftedDays, at: root.location,
      message: """
        all \(count) expirations with a zone are between 00:00 and 03:00 in the library's time zone, a day later \
        than in UTC; if the day in UTC is meant, use a profile with <expiration … day="utc"/>
        """)
  }

  private func emptiness(_ ending: DocumentEnding) -> Diagnostic? {
    guard summary.records == 0, summary.isComplete, !summary.answer.isPart, let root else {
      return nil
    }
    return Diagnostic(
      .noLoans, at: root.location,
      message: profile.emptiness(of: root, isForced: reader.profile != nil, date: ending.date))
  }

  private var lackOfExpirations: Diagnostic? {
    guard summary.records > 0, let root else { return nil }
    let (one, many) = ("the only", "none of the \(summary.records)")
    guard !profile.isNative else {
      // Where each must have one, that has been said of each.
      guard summary.onShelf == summary.records, !reader.rules.requiresExpiration else { return nil }
      let books = summary.records == 1 ? "\(one) book has no" : "\(many) books has an"
      var finding = Diagnostic(
        .noExpirations, at: root.location,
        message: hasLoanWithoutDate
          ? "\(books) <expiration>, though a borrower or a loan date is there; is it written under another name?"
          : "\(books) <expiration>; if every book is on the shelf, this is correct")
      if hasLoanWithoutDate { finding.severity = .error }
      return finding
    }
    guard summary.undated == summary.records else { return nil }
    let loans = summary.records == 1 ? "\(one) loan has no" : "\(many) loans has an"
    return Diagnostic(
      .noExpirations, at: root.location,
      message:
        "\(loans) expiration where \(profile.name) looks for it; has the format changed?")
  }
}

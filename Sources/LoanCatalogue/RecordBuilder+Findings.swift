import Loans

// What there is to find in a record.
extension RecordBuilder {
  mutating func find(
    _ code: Diagnostic.Code, at location: SourceLocation, endColumn: Int? = nil, _ message: String,
    value: String? = nil
  ) {
    if findings.isLong { handOverLongFindings() }
    findings.append(
      Diagnostic(
        code, at: location, endColumn: endColumn, message: message, value: value,
        loan: isInRecord ? record.name : nil))
  }

  private mutating func handOverLongFindings() {
    guard log == nil else {
      // A part of them must not wait for what comes before.
      log?.isUsable = false
      return
    }
    if isInRecord && tree.isFlat { noteID() }
    handOverFindings(owner, isBookOver: false)
  }

  var owner: FindingList.Owner {
    guard isInRecord else { return .document }
    return record.isEmpty(.id)
      ? .unnamed(key: record.baseKey) : .named(key: record.baseKey, ordinal: record.facts.ordinal)
  }

  mutating func findInValue(
    of field: LoanField, _ finding: Finding, replacement: CivilDate? = nil
  ) {
    let place =
      places[field] ?? ValueExtent(start: record.facts.location, end: record.facts.location)
    guard !isToldAlready(finding.code, field, at: place.start) else { return }
    findings.append(
      Diagnostic(
        finding.code, at: place.start, endColumn: place.endColumn, message: finding.message,
        value: record.text(of: field), loan: record.name, replacement: replacement?.dotted))
  }

  /// Whether it was said of another record, to which the same value of what encloses them belongs.
  private mutating func isToldAlready(
    _ code: Diagnostic.Code, _ field: LoanField, at place: SourceLocation
  ) -> Bool {
    guard !profile.isNative else { return false }
    guard let index = told.firstIndex(where: { $0.field == field }) else {
      told.append((field, code, place))
      return false
    }
    if told[index].code == code && told[index].place == place { return true }
    told[index] = (field, code, place)
    return false
  }

  mutating func findBadDate(
    _ failure: CivilDate.ParseFailure, _ field: LoanField, forms: [DateForm] = [.dotted],
    isLendingDay: Bool = false
  ) {
    let text = record.text(of: field) ?? ""
    let fault =
      forms == [.dotted]
      ? DateFault(failure, text, in: field)
      : DateFault(
        failure, text, in: field, forms: forms, isLendingDay: isLendingDay)
    findInValue(of: field, fault.finding, replacement: fault.replacement)
  }

  mutating func findMissingTitle() {
    find(
      .missingTitle, at: record.facts.location,
      "the book has no title, so its notices can only name its id or barcode")
  }

  mutating func findMissingExpiration() {
    find(
      .missingExpiration, at: record.facts.location,
      profile.isNative
        ? "the book has no <expiration>; add one of the form yyyy.MM.dd"
        : "the loan has no expiration; ask for it where the loan is kept")
  }

  mutating func findEmptyExpiration(at location: SourceLocation) {
    find(
      .emptyExpiration, at: location,
      """
      the expiration is empty; write \(profile.isNative ? "yyyy.MM.dd" : "the date"), or remove it \
      if the book is on the shelf
      """)
  }

  mutating func findMarkup(at location: SourceLocation, text: String) {
    find(
      .dateFormat, at: location,
      "the expiration holds other elements; write only the date, as yyyy.MM.dd", value: text)
  }

  mutating func findMisplaced(at location: SourceLocation) {
    find(
      .misplacedExpiration, at: location,
      "this expiration is not directly inside a book, so it is ignored; move it into its book")
  }

  mutating func findWrongCase(_ name: String, intended: String, at location: SourceLocation) {
    find(
      .unknownCase, at: location,
      "<\(name.visible)> is ignored, since names are case-sensitive; did you mean <\(intended)>?",
      value: name)
  }

  mutating func findDuplicateExpiration(at location: SourceLocation) {
    find(
      .duplicateExpiration, at: location,
      duplicateExpirationWords(firstLine: expirationElement.start.line))
  }

  func duplicateExpirationWords(firstLine: Int) -> String {
    profile.isNative
      ? "a second expiration in one book, after the one at line \(firstLine); keep only the right one"
      : "this loan has another expiration at line \(firstLine), so it is left out; ask which is right"
  }

  mutating func findDuplicateID(firstLine: Int, at place: ValueExtent) {
    let id = record.text(of: .id) ?? ""
    let advice =
      profile.isNative ? "give each book an id of its own" : "both are taken; ask which is right"
    findings.prepend(
      Diagnostic(
        .duplicateID, at: place.start, endColumn: place.endColumn,
        message: "id \(id.quoted()) is already used by the book at line \(firstLine); \(advice)",
        value: id, loan: record.name))
  }

  /// Looks whether the loan is new; a book whose id is known already has been told of.
  mutating func findDuplicateLoan() {
    guard case .date = record.facts.expiration, let known = noteLoan(),
      record.facts.ordinal == 1 || record.isEmpty(.id)
    else { return }
    let barcode = record.text(of: .barcode)
    let same = barcode.map { "with the same barcode \($0.quoted())" } ?? "alike in all it says"
    find(
      .duplicateLoan, at: record.facts.location,
      """
      this is the loan of the book at line \(known.firstLine) once more, \(same); remove the one \
      that is not right
      """, value: barcode)
  }

  private mutating func noteLoan() -> (firstLine: Int, ordinal: Int)? {
    let line = record.facts.location.line
    guard record.isEmpty(.barcode) else {
      return record.withValue(of: .barcode) { barcodes.note(.barcode, $0, line: line) }
    }
    return hashes.loan.flatMap { otherLoans.note($0, line: line) }
  }

  /// Tells once that the days of a loan must be given.
  mutating func findMissingLoanDays(at location: SourceLocation) {
    guard !hasToldLoanDays else { return }
    hasToldLoanDays = true
    find(
      .missingLoanDays, at: location,
      """
      \(profile.name) tells when a book was lent, but not when it is due; say after how many days \
      that is, for example with --loan-days 28
      """)
  }
}

// What there is to find in the document as a whole.
extension RecordBuilder {
  /// Finds what a server says in place of an answer.
  mutating func findAnswer() {
    for (slots, yields) in tree.problems where !yields || summary.records == 0 {
      let texts = slots.compactMap { slot in
        scopes[ProfileTree.document].first(of: slot).map { value in
          (text: scopes[ProfileTree.document].text(of: value), place: value.extent?.start)
        }
      }
      guard let first = texts.first else { continue }
      let text = texts.map { String(decoding: $0.text, as: UTF8.self) }.joined(separator: ": ")
      summary.isComplete = false
      find(
        .errorAnswer, at: first.place ?? root?.location ?? SourceLocation(line: 1, column: 1),
        """
        this is not a list of loans but an error answer: \(text.quoted(limit: 200)); mend the \
        request, and ask again
        """, value: text)
      return
    }
  }

  /// Finds that there are more loans than the document holds.
  mutating func findContinuation() {
    let values = scopes[ProfileTree.document]
    if let value = tree.totals.lazy.compactMap({ values.first(of: $0) }).first,
      let total = Int(String(decoding: values.text(of: value), as: UTF8.self)),
      total > summary.records
    {
      findMore("it tells of \(total) loans and holds \(summary.records)", value)
    } else if let value = tree.continuations.lazy.compactMap({ values.first(of: $0) }).first {
      findMore("it is a part of a longer list", value)
    }
  }

  mutating func findLackOfExpirations() {
    guard let root else { return }
    let loans = summary.records == 1 ? "the only loan" : "none of \(summary.records) loans"
    let has = summary.records == 1 ? "has no expiration" : "has an expiration"
    find(
      .noExpirations, at: root.location,
      "\(loans) \(has) where \(profile.name) looks for it; is it somewhere else now?")
  }

  private mutating func findMore(_ words: String, _ value: ScopeValues.Value) {
    summary.isPart = true
    find(
      .incompleteAnswer, at: value.extent?.start ?? value.start,
      "this is not all: \(words); nobody is reminded of the rest, so ask for all of them at once")
  }

  mutating func findEmptiness(_ root: RootElement) {
    let name = root.name.visible
    guard !profile.isNative || !root.isKnown else {
      find(
        .noLoans, at: root.location,
        """
        no book record was found: <\(name)> holds no <book>; expected <books> with <book> records
        """)
      return
    }
    find(.noLoans, at: root.location, emptinessWords(root, name))
  }

  private func emptinessWords(_ root: RootElement, _ name: String) -> String {
    if root.isKnown && profile.records.isEmpty {
      return """
        no loan was found: this is \(profile.title); save what is inside as a document of its own
        """
    }
    if root.isKnown {
      let here = profile.records.filter { $0.steps.first?.name.local == root.name }
      let records = here.isEmpty ? profile.records : here
      let short = Set(records.map(\.withoutConditions)).sorted().joined(separator: " or ")
      let paths = paths(of: records) ?? short
      return """
        no loan was found: <\(name)>, read as \(profile.name), has no \(paths.visible); if nothing \
        is lent, that is right
        """
    }
    var top = "the root is <\(name)>"
    if let namespace = root.namespace { top += " of the namespace \(namespace.quoted())" }
    if let child = root.firstChild { top += ", with <\(child.visible)> inside" }
    guard reader.profile == nil else {
      let roots = Set(profile.records.compactMap { $0.steps.first?.name.local }).sorted()
      let expected =
        paths(of: profile.records) ?? roots.map { "<\($0)>" }.joined(separator: " or ")
      let namespaces = profile.namespaces.map { $0.quoted() }.joined(separator: " or ")
      return """
        no loan was found: \(top), but the profile \(profile.name) expects \(expected.visible)\
        \(namespaces.isEmpty ? "" : " in the namespace " + namespaces)
        """
    }
    return """
      no book record was found: \(top), and no known form begins like that; check-loans profiles \
      lists what is known, --profile names one, and --profile FILE.xml describes another
      """
  }

  /// The paths of records as they are written, if that is not too much to tell.
  private func paths(of records: [ProfilePath]) -> String? {
    let text = records.map { "\($0)" }.joined(separator: " or ")
    return text.utf8.count <= 120 ? text : nil
  }
}

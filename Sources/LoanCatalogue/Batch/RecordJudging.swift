import Loans

// What is said of records by themselves.

// MARK: - Findings

extension RecordBuilder {
  mutating func findMissingTitle() {
    find(
      .missingTitle, at: head.place.location,
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
    head.expiration = RecordHead.unusableDay
    find(
      .emptyExpiration, at: location,
      """
      the expiration is empty; write \(form == nil ? "yyyy.MM.dd" : "the date"), or remove it if \
      the book is on the shelf
      """)
  }

  mutating func findDuplicateExpiration(at location: SourceLocation, firstLine: Int) {
    head.expiration = RecordHead.unusableDay
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
    head.expiration = RecordHead.unusableDay
    guard !repetitions.hasReportedLoanDays else { return }
    repetitions.hasReportedLoanDays = true
    find(
      .missingLoanDays, at: location,
      """
      \(form ?? "") records when a book was lent, but not when it is due; give the loan period, \
      for example --loan-days 28
      """)
  }
}

// MARK: - Dates

extension RecordBuilder {
  /// Ends a record without expiration.
  mutating func endWithoutExpiration() {
    guard reader.rules.requiresExpiration else { return }
    find(
      .missingExpiration, at: head.place.location,
      form == nil
        ? "the book has no <expiration>; add one of the form yyyy.MM.dd"
        : "the loan has no expiration; ask for it where the loan is kept")
  }

  /// Reads the expiration of the tool's own form.
  mutating func readExpiration() {
    head.expiration = RecordHead.unusableDay
    do throws(CivilDate.ParseFailure) {
      accept(
        try withText(of: .expiration) { value throws(CivilDate.ParseFailure) in
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
    head.expiration = RecordHead.unusableDay
    guard let read = readDate(.expiration, forms, isLendingDay: isLendingDay) else { return }
    if isLendingDay {
      head.loanedOn = Int32(read.date.dayNumber)
      accept(read.date.adding(days: reader.loanDays ?? 0), time: nil)
    } else {
      accept(read.date, time: read.time)
    }
  }

  private mutating func accept(_ date: CivilDate, time: CivilTime?) {
    head.expiration = Int32(truncatingIfNeeded: date.dayNumber)
    if let time { head.second = Int32(time.secondOfDay) }
    if let finding = reader.rules.expiration(date) { findInDate(.expiration, finding) }
  }

  /// Reads a date of one of these forms, or finds what is wrong with it, unless nobody asks.
  private mutating func readDate(
    _ field: LoanField, _ forms: [DateForm], isLendingDay: Bool = false, isJudged: Bool = true
  ) -> (date: CivilDate, time: CivilTime?)? {
    do throws(CivilDate.ParseFailure) {
      let reading = try withText(of: field) { text throws(CivilDate.ParseFailure) in
        try DateForm.read(text, as: forms)
      }
      return civil(reading, field)
    } catch {
      if isJudged { findBadDate(error, field, forms: forms, isLendingDay: isLendingDay) }
      return nil
    }
  }

  /// The day and the hour in the library of what a date says.
  private mutating func civil(
    _ reading: DateForm.Reading, _ field: LoanField
  ) -> (date: CivilDate, time: CivilTime?) {
    switch reading {
    case .civil(let date, let time): return (date, time?.worthShowing)
    case .instant(let instant):
      // The last second of all years means "never", wherever the library is.
      guard let time = reader.civilTime(instant) else { return (instant < 0 ? .first : .last, nil) }
      if field == .expiration {
        let isShifted =
          (1..<10_800).contains(time.time.secondOfDay) && instant < time.date.dayNumber * 86_400
        repetitions.shifted = isShifted ? repetitions.shifted.map { $0 + 1 } : nil
      }
      return (time.date, time.time.worthShowing)
    }
  }

  private mutating func findBadDate(
    _ failure: CivilDate.ParseFailure, _ field: LoanField, forms: [DateForm] = [.dotted],
    isLendingDay: Bool = false
  ) {
    let fault = DateFault(
      failure, text(of: field) ?? "", in: field, forms: forms, isLendingDay: isLendingDay)
    findInDate(field, fault.finding, replacement: fault.replacement)
  }

  private mutating func findInDate(
    _ field: LoanField, _ finding: Finding, replacement: CivilDate? = nil
  ) {
    let known = field == .loaned ? dates.loaned : dates.expiration
    let place = known ?? ValueExtent(start: head.place.location)
    findInValue(
      of: field, finding, at: place, replacement: place.isVerbatim ? replacement : nil)
  }

  mutating func readLoanDate() {
    let rule = reader.rules.period
    guard
      let loaned = readDate(.loaned, repetitions.loanedForms, isJudged: rule != nil)?.date
    else { return }
    if case .date(let expiration) = head.expirationOfRecord, let finding = rule?(loaned, expiration)
    {
      return findInDate(.expiration, finding)
    }
    if let finding = reader.rules.loanDate?(loaned) { return findInDate(.loaned, finding) }
    head.loanedOn = Int32(loaned.dayNumber)
  }
}

extension CivilTime {
  /// The time, unless it only means the whole day: its beginning or its end.
  fileprivate var worthShowing: CivilTime? {
    (1..<86_340).contains(secondOfDay) ? self : nil
  }
}

public import Loans

// MARK: - A loan

extension Loan {
  /// The loan's name in a message: its title in quotation marks, harmless on a terminal, or else its
  /// id or barcode; never empty.
  public func label(in language: Language = .english) -> String {
    var label: [UInt8] = []
    appendLabel(to: &label, in: language)
    return String(decoding: label, as: UTF8.self)
  }

  /// The loan's title as it is, harmless on a terminal, or else its id or barcode; never empty.
  package func shownTitle(in language: Language = .english) -> String {
    var title: [UInt8] = []
    appendTitle(to: &title, in: language)
    return String(decoding: title, as: UTF8.self)
  }

  /// The sentence about when the loan expires or expired, `Abigél expired 7 days ago`, from the dates
  /// alone.
  ///
  /// - Parameter title: what the loan is called in it, as it is to be shown.
  public func dueSentence(
    _ title: String, today: CivilDate, in language: Language = .english
  ) -> String {
    var sentence: [UInt8] = []
    language.append(due: expiration, today: today, to: &sentence) { $0 += title.utf8 }
    return String(decoding: sentence, as: UTF8.self)
  }
}

extension Notice {
  /// One line without line break, harmless on a terminal: label, what happens when, the date,
  /// then its status, author, borrower, library, and whether it can be renewed, where known, and what to
  /// do if the library is closed that day.
  ///
  ///     "Abigél" expires tomorrow (2026.11.22), by Szabó Magda, lent to Anna, at the Library, can be renewed
  ///
  /// - Parameter sentence: the beginning, as it is to be shown, in place of the label and what happens
  ///   when.
  public func line(
    today: CivilDate, in language: Language = .english, sentence: String? = nil
  ) -> String {
    var line: [UInt8] = []
    loan.appendLine(
      to: &line, sentence: sentence, today: today, library: library, openDays: openDays,
      in: language)
    return String(decoding: line, as: UTF8.self)
  }
}

extension LoanStatus {
  /// The word for it in reports.
  package var word: Message {
    switch self {
    case .lost: .lost
    case .claimedReturned: .claimedReturned
    case .recalled: .recalled
    }
  }

  /// The sentence that reports it to a person.
  package var sentence: Message {
    switch self {
    case .lost: .isLost
    case .claimedReturned: .isClaimedReturned
    case .recalled: .isRecalled
    }
  }
}

extension Language {
  /// When a loan expires or expired, for a column: `in 3 days`, `yesterday`.
  package func days(until day: CivilDate, from today: CivilDate) -> String {
    let days = today.days(until: day)
    return switch days {
    case 0: text(.today)
    case 1: text(.tomorrow)
    case -1: text(.yesterday)
    case 2...: text(.daysAhead, count: days)
    default: text(.daysAgo, count: -days)
    }
  }

  /// The day of the week by which something is to be returned, inflected as needed there.
  package func byWeekday(_ day: CivilDate) -> String {
    text(Message.byWeekday[day.weekday.rawValue])
  }

  /// What to do about an expiration on a closed day, as a sentence without its beginning.
  package func closedClause(_ days: OpenDays, today: CivilDate) -> String {
    var clause: [UInt8] = []
    append(days, today: today, to: &clause)
    return String(decoding: clause.drop { "; ".utf8.contains($0) }, as: UTF8.self)
  }

  /// Appends the clause about an expiration on a closed day, with what to do.
  fileprivate func append(_ days: OpenDays, today: CivilDate, to line: inout [UInt8]) {
    let isBefore = today <= days.before
    let day = isBefore ? days.before : days.after
    let message: Message =
      isBefore ? .closedThen : today < days.after ? .opensAgain : .openedAgain
    append(message, to: &line) { name, line in
      if name == "date" { return append(day, to: &line) }
      let weekdays = isBefore ? Message.byWeekday : Message.onWeekday
      append(weekdays[day.weekday.rawValue], to: &line)
    }
  }

  fileprivate func append(
    due day: CivilDate, today: CivilDate, to bytes: inout [UInt8],
    _ appendTitle: (inout [UInt8]) -> Void
  ) {
    let days = today.days(until: day)
    let message: Message =
      switch days {
      case 0: .expiresToday
      case 1: .expiresTomorrow
      case -1: .expiredYesterday
      case 2...: .expiresLater
      default: .expiredEarlier
      }
    append(message, count: abs(days), to: &bytes) { name, bytes in
      if name == "title" { appendTitle(&bytes) }
    }
  }
}

// MARK: - Its parts

extension LoanParts {
  /// Appends the loan's one line in UTF-8: a report may have a million of them, and no text of the loan
  /// becomes a string for it.
  package func appendLine(
    to line: inout [UInt8], sentence: String? = nil, today: CivilDate, library: String? = nil,
    openDays: OpenDays? = nil, in language: Language = .english
  ) {
    language.append(lastTime == nil ? .dated : .datedWithTime, to: &line) { name, line in
      switch name {
      case "sentence":
        if let sentence { return line += sentence.utf8 }
        language.append(due: lastDay, today: today, to: &line) {
          appendLabel(to: &$0, in: language)
        }
      case "date": language.append(lastDay, to: &line)
      default: if let lastTime { line += "\(lastTime)".utf8 }
      }
    }
    if let status { language.append(.status, to: &line) { language.append(status.word, to: &$1) } }
    append(.author, .author, to: &line, in: language)
    append(.borrower, .borrower, to: &line, in: language)
    let end = line.count
    append(.library, .library, to: &line, in: language)
    if line.count == end, let library {
      language.append(.library, to: &line) { $1 += library.visible.utf8 }
    }
    if let mayBeRenewed { language.append(mayBeRenewed ? .renewable : .notRenewable, to: &line) }
    if let openDays { language.append(openDays, today: today, to: &line) }
  }

  /// Appends the loan's title as it is, harmless on a terminal, or else its id or barcode.
  package func appendTitle(to line: inout [UInt8], in language: Language) {
    let start = line.count
    withText(of: .title) { line.append(visible: $0) }
    if line.count == start { appendLabel(to: &line, in: language) }
  }

  fileprivate func appendLabel(to line: inout [UInt8], in language: Language) {
    let start = line.count
    append(.quotedTitle, .title, to: &line, in: language)
    if line.count == start { append(.untitledWithID, .id, to: &line, in: language) }
    if line.count == start { append(.untitledWithBarcode, .barcode, to: &line, in: language) }
    if line.count == start { language.append(.untitled, to: &line) }
  }

  /// Appends a message with a text of the loan, harmless on a terminal, if that is not empty.
  private func append(
    _ message: Message, _ field: LoanField, to line: inout [UInt8], in language: Language
  ) {
    withText(of: field) { text in
      if text.isEmpty { return }
      language.append(message, to: &line) { $1.append(visible: text) }
    }
  }
}

public import Loans

// MARK: - A loan

extension Loan {
  /// The loan's name in a sentence: its title in quotation marks, harmless on a terminal, or else its
  /// id or barcode; never empty.
  public func label(
    for medium: Medium = .report, in language: Language = .english
  ) -> String {
    var label: [UInt8] = []
    appendLabel(to: &label, medium, language, WordFrame(medium.title, language))
    return String(decoding: label, as: UTF8.self)
  }

  /// The loan's title as it is, harmless on a terminal, or else its id or barcode; never empty.
  package func shownTitle(in language: Language = .english) -> String {
    var title: [UInt8] = []
    appendTitle(to: &title, in: language)
    return String(decoding: title, as: UTF8.self)
  }

  /// The sentence about how much time is left, `Abigél is 7 days overdue`, from the dates alone.
  ///
  /// - Parameters:
  ///   - title: what the loan is called in it, as it is to be shown.
  ///   - isDated: whether it has the date as well, and the time if that is known.
  public func sentence(
    _ title: String, for medium: Medium, today: CivilDate, isDated: Bool = false,
    in language: Language = .english
  ) -> String {
    let words = DueWords(expiration, expirationTime, today: today, medium, language)
    var sentence: [UInt8] = []
    let append = isDated ? words.appendDated : words.append
    append(&sentence) { $0 += title.utf8 }
    return String(decoding: sentence, as: UTF8.self)
  }
}

extension Notice {
  /// One line without line break, harmless on a terminal: label, what happens when, the date,
  /// then its status, author, borrower, library, and whether it can be renewed, where known, and what to
  /// do if the library is closed that day.
  ///
  ///     "Abigél" expires tomorrow (2026.11.22), by Szabó Magda, lent to Anna, at the Library, can be renewed
  public func line(
    for medium: Medium = .report, today: CivilDate, in language: Language = .english
  ) -> String {
    let words = LineWords(
      loan.expiration, loan.expirationTime, openDays: openDays, today: today, library: library,
      for: medium, in: language)
    var line: [UInt8] = []
    words.append(loan, to: &line)
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

  /// The sentence that tells it to a person.
  package func sentence(for medium: Medium) -> Message {
    switch self {
    case .lost: .isLost
    case .claimedReturned: medium == .report ? .isClaimedReturned : .isSaidToBeBack
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

  /// The day of the week on which something happens, inflected as needed there.
  package func onWeekday(_ day: CivilDate) -> String {
    text(Message.onWeekday[day.weekday.rawValue])
  }

  /// What to do about an expiration on a closed day, as a sentence without its beginning.
  package func closedClause(_ days: OpenDays, today: CivilDate) -> String {
    var clause: [UInt8] = []
    append(days, today: today, .date, to: &clause)
    return String(decoding: clause.drop { "; ".utf8.contains($0) }, as: UTF8.self)
  }

  /// Appends the clause about an expiration on a closed day, with what to do.
  fileprivate func append(
    _ days: OpenDays, today: CivilDate, _ form: Message, to line: inout [UInt8]
  ) {
    let isBefore = today <= days.before
    let day = isBefore ? days.before : days.after
    let message: Message =
      isBefore ? .closedThen : today < days.after ? .opensAgain : .openedAgain
    append(message, to: &line) { name, line in
      if name == "date" { return append(day, form, to: &line) }
      let weekdays = isBefore ? Message.byWeekday : Message.onWeekday
      append(weekdays[day.weekday.rawValue], to: &line)
    }
  }
}

// MARK: - A title

extension LoanParts {
  /// Appends the loan's title as it is, harmless on a terminal, or else its id or barcode.
  package func appendTitle(to line: inout [UInt8], in language: Language) {
    let start = line.count
    withText(of: .title) { line.append(visible: $0) }
    if line.count == start {
      appendLabel(to: &line, .report, language, WordFrame(.quotedTitle, language))
    }
  }

  fileprivate func appendLabel(
    to line: inout [UInt8], _ medium: Medium, _ language: Language, _ title: WordFrame
  ) {
    let start = line.count
    append(.title, in: title, to: &line)
    if line.count > start { return }
    for number in medium.numbers where line.count == start {
      append(number.field, in: WordFrame(number.name, language), to: &line)
    }
    if line.count == start { language.append(medium.untitled, to: &line) }
  }

  /// Appends a text of the loan, harmless on a terminal, with the words around it, if it is not empty.
  fileprivate func append(_ field: LoanField, in frame: WordFrame, to line: inout [UInt8]) {
    withText(of: field) { text in
      if text.isEmpty { return }
      frame.append(to: &line) { $0.append(visible: text) }
    }
  }
}

// MARK: - Lines

/// The words around a value.
private struct WordFrame: Sendable {
  private let words: [UInt8]
  /// The places among the words where the value is.
  private let places: [Int]

  /// The words that `write` writes, which has the value's place noted by the closure that it is given.
  init(_ write: (_ words: inout [UInt8], _ value: (inout [UInt8]) -> Void) -> Void) {
    var words: [UInt8] = []
    var places: [Int] = []
    write(&words) { places.append($0.count) }
    (self.words, self.places) = (words, places)
  }

  /// The words of a message with one value.
  init(_ message: Message, _ language: Language) {
    self.init { words, value in language.append(message, to: &words) { value(&$1) } }
  }

  @inline(__always)
  func append(to line: inout [UInt8], _ value: (inout [UInt8]) -> Void) {
    var start = 0
    for place in places {
      line += words[start..<place]
      value(&line)
      start = place
    }
    if start < words.count { line += words[start...] }
  }
}

/// The words about when loans with one expiration are due, as of one day.
private struct DueWords {
  private let day: CivilDate
  private let time: CivilTime?
  private let daysLeft: Int
  private let medium: Medium
  private let language: Language

  init(
    _ day: CivilDate, _ time: CivilTime?, today: CivilDate, _ medium: Medium, _ language: Language
  ) {
    (self.day, self.time, self.medium, self.language) = (day, time, medium, language)
    daysLeft = today.days(until: day)
  }

  /// Appends the sentence without the date.
  func append(to bytes: inout [UInt8], _ title: (inout [UInt8]) -> Void) {
    let message = medium.sentence(daysLeft: daysLeft)
    language.append(message, count: abs(daysLeft), to: &bytes) { name, bytes in
      if name == "title" { title(&bytes) }
    }
  }

  /// Appends the sentence with the date.
  func appendDated(to bytes: inout [UInt8], _ title: (inout [UInt8]) -> Void) {
    let message = medium.datedSentence(daysLeft: daysLeft, hasTime: time != nil)
    language.append(message, to: &bytes) { name, bytes in
      switch name {
      case "title": title(&bytes)
      case "sentence": append(to: &bytes, title)
      case "moment" where time != nil: language.append(.moment, to: &bytes, appendPart)
      default: appendPart(name, to: &bytes)
      }
    }
  }

  private func appendPart(_ name: String, to bytes: inout [UInt8]) {
    if name == "time", let time { return bytes += "\(time)".utf8 }
    language.append(day, medium.date, to: &bytes)
  }
}

/// The words of the lines about a catalogue's loans with one expiration, as of one day.
///
/// A report may have a million lines, so what they have in common is put together once, and no text of a
/// loan becomes a string. For `"Abigél" expires tomorrow (2026.11.22), by Szabó Magda` that is all but the
/// title and the name.
package final class LineWords: Sendable {
  /// The time of the last day at which the loans end, if it is known.
  package let time: CivilTime?
  private let medium: Medium
  private let language: Language
  private let sentence: WordFrame
  private let title: WordFrame
  private let author: WordFrame
  private let borrower: WordFrame
  private let library: WordFrame
  /// The words about the library of loans that have none of their own, and what to do if it is closed.
  private let commonLibrary: [UInt8]
  private let clause: [UInt8]

  /// The words in a language.
  ///
  /// - Parameter library: the name of the library of loans that have none of their own.
  package init(
    _ expiration: CivilDate, _ time: CivilTime?, openDays: OpenDays?, today: CivilDate,
    library: String?, for medium: Medium = .report, in language: Language
  ) {
    (self.time, self.medium, self.language) = (time, medium, language)
    let words = DueWords(expiration, time, today: today, medium, language)
    sentence = WordFrame(words.appendDated)
    title = WordFrame(medium.title, language)
    author = WordFrame(medium.author, language)
    borrower = WordFrame(.borrower, language)
    self.library = WordFrame(.library, language)
    var bytes: [UInt8] = []
    if let library { self.library.append(to: &bytes) { $0 += library.visible.utf8 } }
    commonLibrary = bytes
    bytes = []
    if let openDays { language.append(openDays, today: today, medium.date, to: &bytes) }
    clause = bytes
  }

  /// Appends a loan's one line in UTF-8, see ``Loans/Notice/line(for:today:in:)``.
  package func append(_ loan: some LoanParts, to line: inout [UInt8]) {
    sentence.append(to: &line) { line in
      loan.appendLabel(to: &line, medium, language, title)
      if medium != .report { loan.append(.author, in: author, to: &line) }
    }
    if let status = loan.status {
      language.append(.status, to: &line) { language.append(status.word, to: &$1) }
    }
    if medium == .report { loan.append(.author, in: author, to: &line) }
    loan.append(.borrower, in: borrower, to: &line)
    let end = line.count
    loan.append(.library, in: library, to: &line)
    if line.count == end, !commonLibrary.isEmpty { line += commonLibrary }
    if let mayBeRenewed = loan.mayBeRenewed {
      language.append(mayBeRenewed ? .renewable : medium.notRenewable, to: &line)
    }
    if !clause.isEmpty { line += clause }
  }
}

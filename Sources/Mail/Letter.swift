public import Languages
public import Loans

/// The words of a message about one address' loans, or of one to the library about readers who cannot
/// be written to.
///
/// A title is never in the subject. What comes from the catalogue is harmless in every part, and
/// shortened.
///
///     Dear Kovács Anna,
///
///     This book is due soon:
///
///     - “Abigél” is due tomorrow, 22 November 2026
///       Szabó Magda
///       It can be renewed.
///
///     Kind regards,
///     Városi Könyvtár
///
///     You are receiving this message because you have borrowed something from Városi Könyvtár.
public struct Letter: Sendable {
  /// A part of a letter, in words that are not escaped yet.
  enum Block: Sendable {
    /// One or several lines.
    case paragraph(String)
    /// Somebody's name above the books of that person.
    case heading(String)
    /// Books, a row each.
    case books([Row])
    /// Something to follow.
    case link(String, target: String)
  }

  /// A book, or several whose titles are withheld.
  struct Row: Sendable {
    let sentence: String
    var details: [String] = []
  }

  /// The subject.
  public let subject: String
  /// The tag of the language.
  public let language: String
  let blocks: [Block]

  /// A letter to one address.
  ///
  /// - Parameters:
  ///   - notices: what is to be told, of one borrower or several; with as much of the titles as may be
  ///     told.
  ///   - sender: the name at its end, or an address where there is no name.
  ///   - givesReason: whether it says why one gets it, as a message should and a sheet of paper need not.
  ///   - unsubscribe: where the recipient can stop such letters.
  public init(
    about notices: [Notice], in language: Language, today: CivilDate, sender: String,
    givesReason: Bool = false, unsubscribe: String? = nil
  ) {
    let readers = notices.byReader
    let borrower = readers.count == 1 ? readers[0].name : nil
    var writer = LetterWriter(notices, language, today, sender: sender, borrower: borrower)
    subject = writer.subject(.mailSubject, count: notices.count)
    self.language = language.tag
    let greeting = borrower == nil ? Message.mailGreetingAnyone : .mailGreeting
    var blocks = [Block.paragraph(writer.text(greeting))]
    for reader in readers {
      if readers.count > 1 { blocks += writer.heading(reader.name) }
      blocks += writer.books(reader.notices, hasIntroduction: true)
    }
    blocks += writer.rest + [.paragraph(writer.text(.mailClosing))]
    if givesReason { blocks += writer.footer }
    if let unsubscribe { blocks.append(.link(writer.text(.mailUnsubscribe), target: unsubscribe)) }
    self.blocks = blocks
  }

  /// A letter to the library about readers who cannot be written to.
  public init(
    toDeskAbout notices: [Notice], in language: Language, today: CivilDate, sender: String
  ) {
    let readers = notices.byReader
    var writer = LetterWriter(notices, language, today, sender: sender, borrower: nil)
    // Nobody else hears of a reader who is left out.
    writer.mostBooks = .max
    subject = writer.subject(.deskSubject, count: readers.count)
    self.language = language.tag
    var blocks = [Block.paragraph(writer.text(.deskIntro, count: readers.count))]
    for reader in readers {
      blocks += writer.heading(reader.name, reader.phones, writer.reason(for: reader.email))
      blocks += writer.books(reader.notices, hasIntroduction: false)
    }
    self.blocks = blocks
  }

  /// The body as plain text.
  public var text: String {
    blocks.map { block in
      switch block {
      case .paragraph(let text), .heading(let text): text + "\n"
      case .books(let rows):
        rows.map { row in
          "- \(row.sentence)\n" + row.details.map { "  \($0)\n" }.joined()
        }.joined()
      case .link(let text, let target): "\(text):\n\(target)\n"
      }
    }.joined(separator: "\n")
  }
}

/// The notices for one reader.
private struct Reader {
  let name: String?
  let email: String?
  /// The numbers that the catalogue has for one of the name, each once.
  var phones: [String] = []
  var notices: [Notice] = []
}

extension [Notice] {
  /// The notices of each reader, the most urgent first.
  fileprivate var byReader: [Reader] {
    var readers: [Reader] = []
    var places: [[String?]: Int] = [:]
    for notice in sorted(by: { $0.loan.expiration < $1.loan.expiration }) {
      let (name, email) = (notice.loan.borrower, notice.loan.email)
      let address = EmailAddress.key(of: email) ?? email
      let place = places[[name, address]] ?? readers.count
      places[[name, address]] = place
      if place == readers.count {
        readers.append(Reader(name: name?.line(100), email: email))
      }
      readers[place].notices.append(notice)
      if let phone = notice.loan.phone?.line(50), !readers[place].phones.contains(phone) {
        readers[place].phones.append(phone)
      }
    }
    return readers
  }
}

/// Writes the parts of a letter, and counts the books that it has listed.
private struct LetterWriter {
  /// The most books that are listed.
  var mostBooks = 50

  private let language: Language
  private let today: CivilDate
  private let values: [String: String]
  private let first: CivilDate
  private let count: Int
  private var listed = 0

  init(
    _ notices: [Notice], _ language: Language, _ today: CivilDate, sender: String,
    borrower: String?
  ) {
    let libraries = Set(notices.map(\.library))
    let library = libraries.count == 1 ? notices.first?.library : nil
    values = [
      "borrower": borrower ?? "", "library": (library ?? sender).line(100),
      "sender": sender.line(100), "today": language.longDate(today),
      "count": "\(notices.count)",
    ]
    self.language = language
    self.today = today
    first = notices.map(\.loan.expiration).min() ?? today
    count = notices.count
  }

  private var room: Int { mostBooks - listed }

  func text(_ message: Message, _ more: [String: String] = [:], count: Int? = nil) -> String {
    language.text(message, values.merging(more) { $1 }, count: count)
  }

  /// The subject, which may name the first day on which a book is due.
  func subject(_ message: Message, count: Int) -> String {
    text(message, ["date": language.longDate(first)], count: count)
  }

  /// The words above the books of one reader, as long as there is room for books.
  func heading(
    _ name: String?, _ phones: [String] = [], _ reason: String? = nil
  ) -> [Letter.Block] {
    if room == 0 { return [] }
    let heading = [name ?? text(.deskNameless)] + phones
    return [.heading(heading.joined(separator: ", "))] + (reason.map { [.paragraph($0)] } ?? [])
  }

  /// The reason why one gets the letter, unless its wording is empty.
  var footer: [Letter.Block] {
    let isNameless = EmailAddress.key(of: values["library"]) != nil
    let words = text(isNameless ? .mailReasonNameless : .mailReason)
    return words.isEmpty ? [] : [.paragraph(words)]
  }

  /// The reason why a reader cannot be written to.
  func reason(for email: String?) -> String {
    guard let email else { return text(.deskNoAddress) }
    let isValid = EmailAddress.key(of: email) != nil
    return text(
      isValid ? .deskUnusableAddress : .deskInvalidAddress, ["address": email.line(254)])
  }

  /// The number of the books that are not listed, if there are any.
  var rest: [Letter.Block] {
    count > listed ? [.paragraph(text(.mailMore, count: count - listed))] : []
  }

  /// Lists what is overdue, what is due today and what is due later.
  mutating func books(_ notices: [Notice], hasIntroduction: Bool) -> [Letter.Block] {
    let groups = Dictionary(grouping: notices) { $0.loan.daysLeft(today: today).signum() }
    let introductions = [Message.mailIntroOverdue, .mailIntroToday, .mailIntroSoon]
    var blocks: [Letter.Block] = []
    for (sign, introduction) in zip(-1...1, introductions) where room > 0 {
      guard let group = groups[sign] else { continue }
      if hasIntroduction { blocks.append(.paragraph(text(introduction, count: group.count))) }
      let shown = group.prefix(room)
      blocks.append(.books(rows(shown)))
      listed += shown.count
    }
    return blocks
  }

  /// A row for each book, and one for all those whose titles are withheld.
  private func rows(_ notices: ArraySlice<Notice>) -> [Letter.Row] {
    let secret = notices.filter(\.loan.isSecret)
    var rows = notices.filter { !$0.loan.isSecret }.map(row)
    if let first = secret.first {
      let date = language.longDate(first.loan.expiration)
      rows.append(Letter.Row(sentence: text(.mailCount, ["date": date], count: secret.count)))
    }
    return rows
  }

  private func row(_ notice: Notice) -> Letter.Row {
    var details = notice.loan.author.map { [$0.line(100)] } ?? []
    if let library = notice.library {
      details.append(text(.mailPlace, ["library": library.line(100)]))
    }
    if let status = notice.loan.status { details.append(text(status.sentence(for: .message))) }
    if let mayBeRenewed = notice.loan.mayBeRenewed {
      details.append(text(mayBeRenewed ? .mailRenewable : .mailNotRenewable))
    }
    if let days = notice.openDays { details.append(note(about: days)) }
    let sentence = notice.loan.sentence(
      label(of: notice.loan), for: .message, today: today, isDated: true, in: language)
    return Letter.Row(sentence: sentence, details: details)
  }

  private func label(of loan: Loan) -> String {
    var short = loan
    short.title = loan.title?.shortened(to: 200)
    short.barcode = loan.barcode?.shortened(to: 100)
    short.id = loan.id?.shortened(to: 100)
    return short.label(for: .message, in: language)
  }

  /// What to do about a book that is due on a day when the library is closed.
  private func note(about days: OpenDays) -> String {
    func text(_ message: Message, on day: CivilDate, _ weekday: String) -> String {
      self.text(message, ["weekday": weekday, "date": language.longDate(day)])
    }
    let (before, after) = (days.before, days.after)
    if today <= before { return text(.mailClosedNote, on: before, language.byWeekday(before)) }
    let message = today < after ? Message.mailReopens : .mailReopened
    return text(message, on: after, language.onWeekday(after))
  }
}

extension Loan {
  /// Whether nothing of the book may be told, or is known.
  fileprivate var isSecret: Bool {
    title == nil && author == nil && barcode == nil && id == nil
  }
}

extension String {
  /// The text as one harmless line, shortened.
  fileprivate func line(_ limit: Int) -> String { shortened(to: limit).visible }
}

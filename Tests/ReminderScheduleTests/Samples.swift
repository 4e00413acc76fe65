import Loans
import ReminderSchedule

/// A loan as a test says it: identity and expiration, the rest follows.
struct Book: Hashable {
  var identity: String
  var expiration: CivilDate
  var title: String
  /// Days from the reminder to the expiration.
  var lead = 1
  /// The reminder's time of day.
  var time = CivilTime.midnight
  /// Whether the loan has every text that a library knows.
  var isComplete = false

  init(_ identity: String, _ expiration: String, title: String? = nil, lead: Int = 1) {
    self.init(identity, day(expiration), title: title, lead: lead)
  }

  init(_ identity: String, _ expiration: CivilDate, title: String? = nil, lead: Int = 1) {
    self.identity = identity
    self.expiration = expiration
    self.title = title ?? "The \(identity)"
    self.lead = lead
  }

  var loan: Loan {
    var loan = Loan(
      id: identity, title: title, author: "", borrower: "Kovács Anna", expiration: expiration)
    if isComplete {
      loan.author = "Szabó Magda"
      loan.isbn = "97\(fnv(identity) % 100_000_000_000)"
      loan.barcode = identity
      loan.email = "kovacs.anna.\(identity)@example.org"
    }
    return loan
  }

  var reminder: Reminder {
    Reminder(loan: loan, fireAt: CivilDateTime(expiration.adding(days: -lead), time))
  }

  var key: UInt64 { fnv(identity) }

  var fingerprint: UInt64 { fnv("\(identity)|\(title)|\(isComplete)") }
}

/// FNV-1a: the same in every run.
func fnv(_ text: String) -> UInt64 {
  text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}

/// The day of an ISO date, or the first day if the test has a slip.
func day(_ text: String) -> CivilDate {
  moment(text).date
}

/// The moment of an ISO date and time.
func moment(_ text: String) -> CivilDateTime {
  guard let moment = CivilDateTime(iso: text) else { preconditionFailure("no date: \(text)") }
  return moment
}

extension Reload {
  /// Takes a book, under its key or another.
  func add(_ book: Book, key: UInt64? = nil) {
    add(
      key: key ?? book.key, fingerprint: book.fingerprint, expiration: book.expiration,
      fireAt: book.reminder.fireAt
    ) { (book.identity, book.reminder) }
  }
}

extension Schedule {
  /// Reloads a catalogue that has just these books.
  @discardableResult
  func load(
    _ books: [Book], from catalogue: String = "books.xml", at now: String = "2026-11-01",
    records: Int? = nil, allowEmpty: Bool = false, key: (Book) -> UInt64 = { $0.key }
  ) throws -> ReloadOutcome {
    try reload(catalogue: catalogue, now: moment(now), allowEmpty: allowEmpty) { reload in
      for book in books {
        reload.add(book, key: key(book))
      }
      return .replace(records: records ?? books.count)
    }
  }

  /// Reloads, and what that did.
  func summary(
    of books: [Book], from catalogue: String = "books.xml", at now: String = "2026-11-01",
    key: (Book) -> UInt64 = { $0.key }
  ) throws -> ReloadSummary? {
    guard case .replaced(let summary) = try load(books, from: catalogue, at: now, key: key) else {
      return nil
    }
    return summary
  }

  /// What is due, in few words: `expired bk1 2026-11-22`.
  func told(
    at now: String, through channel: String = "stdout", in catalogues: [String]? = nil
  ) throws -> [String] {
    try due(at: moment(now), channel: channel, catalogues: catalogues).map(\.words)
  }

  /// Delivers everything that is due, each notice as a message of its own.
  func deliver(
    at now: String, through channel: String = "stdout", repeatExpired: Int? = nil
  ) throws {
    let due = try due(at: moment(now), channel: channel, repeatExpired: repeatExpired)
    let sending = try beginSending(due.map { [$0] }, channel: channel, at: moment(now))
    for _ in due { try sending.noteSent() }
    try sending.finish()
  }

  /// How a sending ends.
  enum End {
    case delivered
    case failed(String)
    /// It does not: as when the run is killed.
    case none
  }

  /// Sends notices as one message.
  func send(
    _ notices: [DueNotice], through channel: String, at now: CivilDateTime, end: End = .delivered
  ) throws {
    let sending = try beginSending([notices], channel: channel, at: now)
    switch end {
    case .delivered:
      try sending.noteSent()
      try sending.finish()
    case .failed(let error): try sending.fail(error: error)
    case .none: break
    }
  }

  /// How many notices are open.
  func openCount(
    at now: CivilDateTime, catalogues: [String]? = nil
  ) throws -> (reminders: Int, expired: Int) {
    try reader.openCount(at: now, catalogues: catalogues)
  }

  /// All that is known of a loan.
  func history(of id: Int, at now: CivilDateTime) throws -> LoanHistory? {
    try reader.history(of: id, at: now)
  }

  /// Every entry at a moment.
  func list(at now: String) throws -> [ScheduleEntry] {
    try reader.list(at: now)
  }
}

extension ScheduleReader {
  /// Every entry at a moment.
  func list(at now: String) throws -> [ScheduleEntry] {
    var entries = try entries(at: moment(now), catalogues: nil)
    var list: [ScheduleEntry] = []
    while let entry = try entries.next() { list.append(entry) }
    return list
  }
}

extension DueNotice {
  var words: String {
    "\(notice.kind) \(notice.loan.id ?? "-") \(notice.loan.expiration)"
  }
}

extension ScheduleEntry {
  var words: String { "\(fireAt.toTheMinute) \(kind) \(loan.id ?? "-") \(state)" }
}

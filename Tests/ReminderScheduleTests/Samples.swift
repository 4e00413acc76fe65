import Loans
@testable import ReminderSchedule

/// A loan as a test says it: identity and expiration, the rest follows.
///
/// An identity that ends with `#2` is the second of its identity.
struct Book: Hashable {
  var identity: String
  var expiration: CivilDate
  var title: String
  /// Days from the reminder to the expiration.
  var lead = 1
  /// The reminder's time of day.
  var time = CivilTime.midnight
  /// After how many days its expired notice is repeated.
  var period: Int?
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

  /// When its notices fire.
  var plan: LoanPlan {
    LoanPlan(Ladder(leads: [lead], period: period, time: time), expiration: expiration)
  }

  /// When its reminder fires.
  var fireAt: CivilDateTime { plan.fireDate(-lead) }

  /// Which loan it is.
  var key: LoanIdentity {
    let parts = identity.split { $0 == "#" || $0 == "\n" }
    return LoanIdentity(
      hash: fnv(String(parts[0])), ordinal: parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
  }

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

extension Schedule {
  /// Begins to reload a catalogue, with the first books of it.
  func reload(
    _ books: [Book], from catalogue: String = "books.xml", library: String? = nil,
    at now: String = "2026-11-01", key: (Book) -> LoanIdentity = { $0.key }
  ) throws(ScheduleError) -> Reload {
    var reload = try beginReload(of: catalogue, library: library, at: moment(now))
    for book in books {
      try reload.add(
        book.loan, key(book), fingerprint: book.fingerprint, reload.day(of: book.plan))
    }
    return reload
  }

  /// Reloads a catalogue that has just these books.
  @discardableResult
  func load(
    _ books: [Book], from catalogue: String = "books.xml", library: String? = nil,
    at now: String = "2026-11-01", records: Int? = nil, allowEmpty: Bool = false,
    key: (Book) -> LoanIdentity = { $0.key }
  ) throws(ScheduleError) -> ReloadOutcome {
    try reload(books, from: catalogue, library: library, at: now, key: key)
      .commit(records: records ?? books.count, allowEmpty: allowEmpty)
  }

  /// Reloads, and what that did.
  func summary(
    of books: [Book], from catalogue: String = "books.xml", at now: String = "2026-11-01",
    key: (Book) -> LoanIdentity = { $0.key }
  ) throws -> ReloadSummary? {
    guard case .replaced(let summary) = try load(books, from: catalogue, at: now, key: key) else {
      return nil
    }
    return summary
  }

  /// What is due through a channel.
  func due(
    at now: CivilDateTime, channel: String, catalogues: [String]? = nil
  ) throws -> [DueNotice] {
    try reader.due(at: now, channel: channel, catalogues: catalogues)
  }

  /// What is due, in few words: `expired bk1 2026-11-22`.
  func told(
    at now: String, through channel: String = "stdout", in catalogues: [String]? = nil
  ) throws -> [String] {
    try due(at: moment(now), channel: channel, catalogues: catalogues).map(\.words)
  }

  /// Delivers everything that is due, each notice as a message of its own.
  func deliver(at now: String, through channel: String = "stdout") throws {
    let due = try due(at: moment(now), channel: channel)
    var sending = try beginSending(due.map { [$0] }, channel: channel, at: moment(now))
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
    var sending = try beginSending([notices[...]], channel: channel, at: now)
    switch end {
    case .delivered:
      try sending.noteSent()
      try sending.finish()
    case .failed(let error): try sending.fail(error: error)
    case .none: break
    }
  }

  /// How many notices are open.
  func openCount(at now: CivilDateTime) throws -> (reminders: Int, expired: Int) {
    try reader.openCount(at: now)
  }

  /// All that is known of a loan.
  func history(of id: Int, at now: CivilDateTime) throws -> LoanHistory? {
    try reader.history(of: id, at: now)
  }

  /// Every entry at a moment.
  func list(at now: String) throws -> [ScheduleEntry] {
    try reader.list(at: now)
  }

  /// When the first pending reminder fires.
  func nextFireDate(after now: CivilDateTime) throws -> CivilDateTime? {
    try reader.pending(after: now).nextFireAt
  }
}

extension ScheduleReader {
  /// Every entry at a moment.
  func list(at now: String) throws -> [ScheduleEntry] {
    var entries = try entries(in: [(moment(now), nil)])
    return try entries.all()
  }

  /// Every entry of a returned loan at a moment.
  func returned(at now: String) throws -> [ScheduleEntry] {
    var entries = try entries(in: [(moment(now), nil)], .returned)
    return try entries.all()
  }
}

extension EntryFilter {
  /// The loans that have left their catalogues.
  static var returned: EntryFilter {
    var filter = EntryFilter()
    filter.haveLeft = true
    return filter
  }
}

extension DueNotice {
  var words: String {
    "\(notice.kind) \(notice.loan.id ?? "-") \(notice.loan.expiration)"
  }
}

extension ScheduleEntry {
  var words: String { "\(fireAt.toTheMinute) \(kind) \(scheduled.loan.id ?? "-") \(state)" }
}

extension ScheduleEntries {
  /// All that are left.
  fileprivate mutating func all() throws -> [ScheduleEntry] {
    var list: [ScheduleEntry] = []
    while let entry = try next() { list.append(entry) }
    return list
  }
}

extension Outbox {
  /// Notes those sent as delivered, and the next one as failed.
  func fail(error: String, delivered: [Int] = []) throws(ScheduleError) {
    var outbox = self
    outbox.noteFailed(error: error, delivered: delivered)
    try outbox.finish()
  }
}

import Loans
import ReminderSchedule
import TestSupport
import Testing

/// What is silenced, and for how long.
@Suite struct `Silences` {
  let schedule: Schedule

  init() throws { schedule = try Schedule() }

  private let origin = Silence.Origin(
    reason: "on holiday", by: "anna", at: moment("2026-11-01T09:00"))

  /// Snoozes loans, or says that they are returned.
  private func silence(_ ids: Int..., until: String? = nil) throws {
    let end = until.map { day($0) }
    #expect(try schedule.silence(loans: ids, by: origin) { _ in end }.unknown == [])
  }

  private func silence(
    until: String? = nil, _ change: (inout SilenceConditions) -> Void
  ) throws -> (id: Int, loans: Int) {
    var conditions = SilenceConditions()
    change(&conditions)
    return try schedule.silence(conditions, until: until.map { day($0) }, by: origin)
  }

  private func silences(at now: String = "2026-11-20") throws -> [Silence] {
    try schedule.reader.silences(today: day(now))
  }

  // MARK: - One loan

  @Test func `A snoozed loan is due again on the day, once, with the rung that it has then`()
    throws
  {
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk2", "2026-11-22")])
    try silence(1, until: "2026-11-24")
    #expect(try schedule.told(at: "2026-11-21") == ["reminder bk2 2026-11-22"])
    #expect(try schedule.told(at: "2026-11-23T23:59:59") == ["expired bk2 2026-11-22"])
    try schedule.deliver(at: "2026-11-23")
    #expect(try schedule.told(at: "2026-11-24") == ["expired bk1 2026-11-22"])
    try schedule.deliver(at: "2026-11-24")
    #expect(try schedule.told(at: "2026-11-25") == [])
  }

  @Test func `A silence says whose it is, why, and which loan it is about`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    try silence(1, until: "2026-11-24")
    let silence = try #require(try silences().first)
    #expect(silence.until?.description == "2026-11-24")
    #expect(silence.origin.by == "anna")
    #expect(silence.origin.reason == "on holiday")
    #expect(silence.target?.id == 1)
    #expect(silence.target?.loan.id == "bk1")
    #expect(!silence.isReturn)
    #expect(try silences(at: "2026-11-24") == [], "it has ended")
  }

  @Test func `Another snooze of a loan takes the place of the first`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    try silence(1, until: "2026-11-24")
    try silence(1, until: "2026-11-22")
    #expect(try silences().count == 1)
    #expect(try schedule.told(at: "2026-11-22") == ["reminder bk1 2026-11-22"])
  }

  @Test func `A snooze survives a reload, and holds for the loan with its expiration`() throws {
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk2", "2026-11-22")])
    try silence(1, 2, until: "2026-12-24")
    try schedule.load([Book("bk1", "2026-11-22", title: "Corrected"), Book("bk2", "2026-11-22")])
    #expect(try schedule.told(at: "2026-11-22") == [])
    try schedule.load([Book("bk1", "2026-11-23")])
    #expect(try schedule.told(at: "2026-11-22") == ["reminder bk1 2026-11-23"])
    #expect(try silences() == [])
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk2", "2026-11-22")])
    #expect(try schedule.told(at: "2026-11-22") == [], "one bad day ends nothing")
    #expect(try silences().count == 2)
  }

  @Test func `A catalogue that is not usable ends no silence`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    try silence(1, until: "2026-12-24")
    try schedule.load([])
    #expect(try schedule.told(at: "2026-11-22") == [])
  }

  @Test func `What is reported as returned is silent until the catalogue knows it`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    try silence(1)
    #expect(try schedule.told(at: "2027-05-01") == [])
    #expect(try silences().map(\.isReturn) == [true])
    try schedule.load([Book("bk1", "2026-12-20")])
    #expect(try schedule.told(at: "2026-12-20") == ["reminder bk1 2026-12-20"])
  }

  @Test(arguments: [1, 2])
  func `One of two copies alike is not silenced, since nobody could say which is back`(
    said: Int
  ) throws {
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk1#2", "2026-11-22")])
    let result = try schedule.silence(loans: [said], by: origin) { _ in nil }
    #expect(result.alike == [said])
    #expect(result.silenced == [])
    #expect(try schedule.told(at: "2026-11-22").count == 2)
  }

  @Test func `A copy alike that comes later ends the silence of the other`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    try silence(1)
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk1#2", "2026-11-22")])
    #expect(try schedule.told(at: "2026-11-22").count == 2)
  }

  @Test func `Of two copies with other expirations, the silence goes with its expiration`() throws {
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk1#2", "2026-11-25")])
    try silence(2, until: "2026-12-24")
    try schedule.load([Book("bk1", "2026-11-25")])
    #expect(try schedule.told(at: "2026-11-25") == [])
  }

  @Test func `Loans that are not there are named, and the others silenced`() throws {
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk2", "2026-11-22")])
    try schedule.load([Book("bk1", "2026-11-22")])
    let result = try schedule.silence(loans: [1, 2, 7, -1], by: origin) { _ in nil }
    #expect(result.silenced.map(\.loan.id) == ["bk1"])
    #expect(result.unknown == [2, 7, -1])
  }

  @Test func `Forgetting a catalogue forgets the silences of its loans`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    try silence(1)
    #expect(try schedule.forget(catalogue: "books.xml") == 1)
    try schedule.load([Book("bk1", "2026-11-22")])
    #expect(try schedule.told(at: "2026-11-22").count == 1)
  }

  // MARK: - Conditions

  private static let conditions: [(String, @Sendable (inout SilenceConditions) -> Void, Bool)] = [
    ("the borrower", { $0.borrower = "Kovács Anna" }, true),
    ("another case", { $0.borrower = "kovács anna" }, false),
    ("a part of the name", { $0.borrower = "Kovács" }, false),
    ("the address", { $0.email = "kovacs.anna.bk1@example.org" }, true),
    ("the address in another case", { $0.email = "Kovacs.Anna.BK1@Example.org" }, true),
    ("another address", { $0.email = "x@example.org" }, false),
    ("a category that is not known", { $0.category = "CHILD" }, false),
    ("the id", { $0.loan = "bk1" }, true),
    ("a schedule's number", { $0.loan = "1" }, false),
    ("a title", { $0.title = "The bk1" }, true),
    ("a pattern", { $0.title = "The b?[0-9]*" }, true),
    ("a pattern of a part", { $0.title = "bk*" }, false),
    (
      "all of them",
      {
        ($0.borrower, $0.loan, $0.title, $0.kind) = ("Kovács Anna", "bk1", "*", .reminder)
      }, true
    ),
    (
      "all but one",
      { ($0.borrower, $0.loan, $0.title) = ("Kovács Anna", "bk2", "*") }, false
    ),
    (
      "another kind", { ($0.borrower, $0.kind) = ("Kovács Anna", .expired) }, false
    ),
    (
      "the channel", { ($0.borrower, $0.channel) = ("Kovács Anna", "stdout") }, true
    ),
    (
      "another channel", { ($0.borrower, $0.channel) = ("Kovács Anna", "mail") }, false
    ),
  ]

  @Test(arguments: conditions.indices)
  func `All conditions must be met`(index: Int) throws {
    let (name, change, isSilenced) = Self.conditions[index]
    var book = Book("bk1", "2026-11-22")
    book.isComplete = true
    try schedule.load([book])
    _ = try silence(change)
    #expect(try schedule.told(at: "2026-11-21").isEmpty == isSilenced, "\(name)")
    #expect(
      try schedule.reader.dueRungs(at: moment("2026-11-21"), channel: "stdout").silenced
        == (isSilenced ? 1 : 0), "\(name)")
  }

  @Test func `A silence of reminders lets the notice through that the loan has expired`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    _ = try silence { ($0.loan, $0.kind) = ("bk1", .reminder) }
    #expect(try schedule.told(at: "2026-11-22") == [])
    #expect(try schedule.told(at: "2026-11-23") == ["expired bk1 2026-11-22"])
  }

  @Test func `A silence holds for loans that come later, in every catalogue, until it is ended`()
    throws
  {
    let (id, loans) = try silence { $0.borrower = "Kovács Anna" }
    #expect(loans == 0)
    try schedule.load([Book("bk1", "2026-11-22")], from: "a.xml")
    try schedule.load([Book("bk1", "2026-11-22")], from: "b.xml")
    #expect(try schedule.told(at: "2026-11-22") == [])
    #expect(try silence { $0.loan = "bk1" }.loans == 2)
    #expect(try schedule.endSilences([id, 99]).unknown == [99])
    #expect(try schedule.told(at: "2026-11-22") == [], "the other one holds")
    #expect(try schedule.endSilences([id + 1]).ended == 1)
    #expect(try schedule.told(at: "2026-11-22").count == 2)
  }

  @Test func `A number is never given to another silence`() throws {
    let (id, _) = try silence { $0.loan = "bk1" }
    _ = try schedule.endSilences([id])
    #expect(try silence { $0.loan = "bk2" }.id > id)
  }

  // MARK: - Answers

  @Test func `Badges leave silenced loans out, and their number is known`() throws {
    try schedule.load([
      Book("bk1", "2026-11-22"), Book("bk2", "2026-11-10"), Book("bk3", "2026-11-11"),
      Book("far", "2026-12-24"),
    ])
    try silence(1, 2, 4, until: "2026-12-01")
    let now = moment("2026-11-22")
    #expect(try schedule.openCount(at: now) == (0, 1))
    let open = try schedule.reader.openNotices(at: now, limit: 9)
    #expect(open.map(\.loan.id) == ["bk3"])
    #expect(try schedule.reader.silencedCount(at: now).loans == 2, "the last is not due yet")
    #expect(try schedule.openCount(at: moment("2026-12-01")) == (0, 3))
  }

  @Test func `A silence through one channel leaves the badge as it is`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    _ = try silence { ($0.loan, $0.channel) = ("bk1", "mail") }
    #expect(try schedule.openCount(at: moment("2026-11-22")) == (1, 0))
    #expect(try schedule.list(at: "2026-11-22").map(\.state) == [.pending])
  }

  @Test func `An entry is silenced where it would be pending or failed`() throws {
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk2", "2026-11-22")])
    try schedule.deliver(at: "2026-11-21")
    try silence(1, 2, until: "2026-12-01")
    #expect(try schedule.list(at: "2026-11-22").map(\.state) == [.delivered, .delivered])
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk2", "2026-11-22")])
    let late = try schedule.list(at: "2026-11-23")
    #expect(late.map(\.state).filter { $0 == .silenced }.count == 2)
    #expect(Set(late.compactMap(\.silence?.until?.description)) == ["2026-12-01"])
    try schedule.cancelAll()
    #expect(try schedule.list(at: "2026-11-23").allSatisfy { $0.state != .silenced })
  }

  @Test func `Of two silences that overlap, the one that ends last is named`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    try silence(1, until: "2026-12-01")
    _ = try silence(until: "2026-12-24") { $0.loan = "bk1" }
    let entry = try #require(try schedule.list(at: "2026-11-22").first)
    #expect(entry.silence?.until == day("2026-12-24"))
    #expect(try schedule.told(at: "2026-12-01") == [])
    #expect(try schedule.told(at: "2026-12-24").count == 1)
  }

  @Test func `A plan has a silenced notice on the day on which the silence ends`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    try silence(1, until: "2026-11-24")
    let times = ["2026-11-21", "2026-11-22", "2026-11-23", "2026-11-24"].map { moment($0) }
    let planned = try schedule.reader.planned(at: times, channel: "stdout")
    #expect(planned.map(\.time) == [moment("2026-11-24")])
    #expect(planned.map(\.notice.words) == ["expired bk1 2026-11-22"])
  }

  @Test func `A book that is reported as returned is to be looked for after seven days`() throws {
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk2", "2026-11-22")])
    try silence(1)
    try silence(2, until: "2026-12-24")
    for (now, count) in [("2026-11-07", 0), ("2026-11-08", 1)] {
      #expect(try silences(at: now).count { $0.isOverdueReturn(today: day(now)) } == count)
      #expect(
        try schedule.reader.silencedCount(at: moment(now), catalogues: ["books.xml"])
          .overdueReturns == count)
    }
    #expect(
      try schedule.reader.silencedCount(at: moment("2026-12-01"), catalogues: ["x.xml"])
        == (0, 0))
  }

  // MARK: - Time

  @Test func `A clock that is set back silences again, and one that is ahead ends nothing`() throws
  {
    try schedule.load([Book("bk1", "2026-11-22")])
    try silence(1, until: "2026-11-24")
    try schedule.load([Book("bk1", "2026-11-22", title: "x")], at: "2036-01-01")
    #expect(try schedule.told(at: "2026-11-25").count == 1)
    #expect(try schedule.told(at: "2026-11-22") == [])
  }

  @Test func `A silence is forgotten four hundred days after its end`() throws {
    let books = [Book("far", "2099-01-01")]
    try schedule.load(books)
    _ = try silence(until: "2026-11-24") { $0.loan = "bk1" }
    var today = day("2026-11-01")
    while today < day("2027-12-20") {
      today = today.adding(days: 20)
      try schedule.load(books, at: "\(today)")
      let isKept = try silences(at: "2026-11-23").count == 1
      #expect(isKept == (today.adding(days: -400) <= day("2026-11-24")), "\(today)")
    }
  }

  @Test func `Two thousand silenced loans among twenty thousand take a moment`() throws {
    try schedule.load((1...20_000).map { Book("bk\($0)", "2026-11-22") })
    let start = ContinuousClock.now
    let result = try schedule.silence(loans: Array(1...2_000), by: origin) { _ in nil }
    #expect(result.silenced.count == 2_000)
    #expect(try schedule.reader.openCount(at: moment("2026-11-22")).reminders == 18_000)
    #expect(try schedule.reader.dueRungs(at: moment("2026-11-22"), channel: "x").silenced == 2_000)
    try schedule.load((1...20_000).map { Book("bk\($0)", "2026-11-22", title: "x") })
    #expect(try silences().count == 2_000)
    #expect(ContinuousClock.now - start < .seconds(20))
  }
}

// MARK: - A model

/// What is silenced, in the plainest way: a list.
private struct SilenceModel {
  struct Entry {
    /// The loan that it is about, or else all whose title this is.
    var loan: Book?
    var title: String?
    var kind: Notice.Kind?
    var until: CivilDate?

    func isAbout(_ other: Book) -> Bool {
      loan.map { $0.identity == other.identity && $0.expiration == other.expiration } ?? false
    }
  }

  var loans: [Book] = []
  var entries: [Entry] = []
  var told: Set<String> = []

  mutating func reload(_ books: [Book]) {
    loans = books
  }

  mutating func snooze(_ loan: Book, until: CivilDate?) {
    let isReturned = entries.contains { $0.isAbout(loan) && $0.until == nil }
    if isReturned, until != nil { return }
    entries.removeAll { $0.isAbout(loan) }
    entries.append(Entry(loan: loan, until: until))
  }

  func due(at now: CivilDateTime) -> Set<String> {
    Set(
      loans.compactMap { loan in
        let kind: Notice.Kind = loan.expiration < now.date ? .expired : .reminder
        if kind == .reminder, loan.fireAt > now { return nil }
        let isSilenced = entries.contains { entry in
          (entry.until ?? .last) > now.date && (entry.kind ?? kind) == kind
            && (entry.isAbout(loan) || entry.loan == nil && entry.title == loan.title)
        }
        let words = "\(kind) \(loan.identity) \(loan.expiration)"
        let isDone = told.contains(words) || told.contains("expired \(words.dropFirst(9))")
        return isSilenced || isDone ? nil : words
      })
  }
}

@Suite struct `Any order of reloads and silences` {
  @Test(arguments: Effort.seeds(1..<61))
  func `Exactly what a plain list leaves is due`(seed: UInt64) throws {
    var dice = Dice(state: seed)
    var model = SilenceModel()
    let schedule = try Schedule()
    var now = moment("2026-11-01T07:00")
    for _ in 0..<80 {
      let origin = Silence.Origin(reason: "x", by: "y", at: now)
      let until =
        Bool.random(using: &dice)
        ? now.date.adding(days: Int.random(in: 1...9, using: &dice)) : nil
      switch Int.random(in: 0..<9, using: &dice) {
      case 0...2:
        // Loans are returned, lent again, renewed and corrected.
        let books = (1...8).compactMap { number -> Book? in
          if Int.random(in: 0..<5, using: &dice) == 0 { return nil }
          let known = model.loans.first { $0.identity == "bk\(number)" }
          let isKept = known != nil && Int.random(in: 0..<4, using: &dice) > 0
          let later = now.date.adding(days: Int.random(in: -3...9, using: &dice))
          let title = "T\(Int.random(in: 1...3, using: &dice))"
          var book = Book("bk\(number)", (isKept ? known?.expiration : nil) ?? later, title: title)
          // Its ISBN distinguishes it from others of that title.
          book.isComplete = true
          return book
        }
        if books.isEmpty { continue }
        try schedule.load(books, at: "\(now)")
        model.reload(books)
      case 3...4:
        guard let loan = model.loans.randomElement(using: &dice) else { continue }
        let entries = try schedule.list(at: "\(now)")
        let id = try #require(entries.first { $0.loan.id == loan.identity }?.id)
        _ = try schedule.silence(loans: [id], by: origin) { _ in until }
        model.snooze(loan, until: until)
      case 5:
        var conditions = SilenceConditions()
        conditions.title = "T\(Int.random(in: 1...3, using: &dice))"
        conditions.kind = [nil, .reminder, .expired].randomElement(using: &dice) ?? nil
        _ = try schedule.silence(conditions, until: until, by: origin)
        model.entries.append(
          .init(title: conditions.title, kind: conditions.kind, until: until))
      case 6:
        let silences = try schedule.reader.silences(today: now.date)
        guard let silence = silences.filter({ $0.target == nil }).first else { continue }
        _ = try schedule.endSilences([silence.id])
        let first = model.entries.firstIndex { $0.loan == nil && ($0.until ?? .last) > now.date }
        model.entries.remove(at: try #require(first))
      case 7:
        try schedule.deliver(at: "\(now)")
        model.told.formUnion(model.due(at: now))
      default:
        now = CivilDateTime(now.date.adding(days: 1), now.time)
      }
      #expect(Set(try schedule.told(at: "\(now)")) == model.due(at: now), "seed \(seed), \(now)")
    }
  }
}

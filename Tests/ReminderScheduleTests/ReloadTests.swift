import Loans
@testable import ReminderSchedule
import Testing

@Suite struct `Reloading a catalogue` {
  let scratch: Scratch
  let schedule: Schedule
  let books = [
    Book("bk1", "2026-11-22"), Book("bk2", "2026-11-25"), Book("bk3", "2026-11-28"),
    Book("bk4", "2026-12-01"),
  ]

  init() throws {
    scratch = try Scratch()
    schedule = try Schedule(opening: scratch.file)
  }

  private func ids() throws -> [String: Int] {
    try schedule.list(at: "2026-11-01").reduce(into: [:]) { $0[$1.loan.id ?? "-"] = $1.id }
  }

  @Test func `The first reload schedules a reminder for each loan`() throws {
    let summary = try #require(try schedule.summary(of: books))
    #expect(summary.loans == 4)
    #expect(summary.scheduled == 4)
    #expect(summary.added == 4)
    #expect(summary.nextFireAt == moment("2026-11-21"))
    #expect(
      try schedule.list(at: "2026-11-01").map(\.words).first
        == "2026-11-21T00:00 reminder bk1 pending")
  }

  @Test(arguments: [nil, false, true], [false, true])
  func `A loan comes back from the schedule as it was stored, whoever encoded it`(
    renewable: Bool?, isEncoded: Bool
  ) throws {
    let loan = Loan(
      id: "bk1", title: "A Pál utcai fiúk", author: "", isbn: "9789631193619", barcode: "3001",
      borrower: "Kovács Anna", email: "anna@example.org", language: "hu", category: "student",
      type: "DVD", library: "the Branch", renewable: renewable, status: .recalled,
      phone: "+36 1 555 0123", expiration: day("2026-11-22"))
    var reload = try schedule.beginReload(
      of: "b.xml", library: "the Library", at: moment("2026-11-21T07:00"))
    let day = try reload.day(
      of: LoanPlan(
        Ladder(leads: [2], time: moment("2026-11-20T18:30").time), expiration: loan.expiration))
    let loans = EncodedLoans(2) { $0 == 1 ? loan : nil }
    try reload.add(
      loan, LoanIdentity(hash: 1), fingerprint: 2, day, encoded: isEncoded ? (loans, 1) : nil)
    _ = try reload.commit(records: 1)
    let entry = try #require(try schedule.list(at: "2026-11-01").first)
    #expect(entry.loan == loan)
    #expect(entry.catalogue == "b.xml")
    #expect(entry.scheduled.library == "the Branch")
    #expect(entry.fireAt == moment("2026-11-20T18:30"))
    let due = try #require(try schedule.due(at: moment("2026-11-21"), channel: "stdout").first)
    #expect(due.reminderID == entry.id)
    var notice = Notice(rung: -2, loan: loan, catalogue: "b.xml")
    notice.number = entry.id
    #expect(due.notice == notice)
  }

  @Test func `A reload without changes writes nothing`() throws {
    try schedule.load(books)
    let before = (try scratch.bytes(scratch.file), try scratch.modified(scratch.file))
    let summary = try #require(try schedule.summary(of: books, at: "2026-11-01T00:09:59"))
    #expect(summary.unchanged == 4)
    #expect(summary.scheduled == 4)
    #expect(try scratch.bytes(scratch.file) == before.0)
    #expect(try scratch.modified(scratch.file) == before.1)
  }

  @Test func `A library has the name that its catalogue was last read with`() throws {
    for name in ["the Central Library", "the New Library", nil] {
      try schedule.load(books, library: name)
      let reader = try ScheduleReader(opening: scratch.file)
      #expect(try reader.list(at: "2026-11-01").map(\.library) == [name, name, name, name])
      let before = try scratch.modified(scratch.file)
      try schedule.load(books, library: name)
      #expect(try scratch.modified(scratch.file) == before)
    }
    try schedule.load([], library: "the Last Library", allowEmpty: true)
    let returned = try schedule.reader.returned(at: "2026-11-01")
    #expect(returned.map(\.library) == Array(repeating: "the Last Library", count: 4))
  }

  @Test func `A name of a catalogue that is refused is not kept`() throws {
    try schedule.load(books, library: "the Central Library")
    #expect(try schedule.load([], library: "another") == .refusedEmpty(stored: 4))
    #expect(try schedule.list(at: "2026-11-01").first?.library == "the Central Library")
  }

  @Test func `A renewed loan keeps its number and moves its reminder`() throws {
    try schedule.load(books)
    let before = try ids()
    var renewed = books
    renewed[1] = Book("bk2", "2026-12-25")
    let summary = try #require(try schedule.summary(of: renewed))
    #expect(summary.changed == 1)
    #expect(summary.unchanged == 3)
    #expect(try ids() == before)
    #expect(try schedule.told(at: "2026-11-24").contains("reminder bk2 2026-11-25") == false)
    #expect(try schedule.told(at: "2026-12-24").contains("reminder bk2 2026-12-25"))
  }

  @Test func `A corrected title reaches the notice`() throws {
    try schedule.load(books)
    try schedule.load([Book("bk1", "2026-11-22", title: "Abigél")] + books.dropFirst())
    let due = try schedule.due(at: moment("2026-11-21"), channel: "stdout")
    #expect(due.map(\.notice.loan.title) == ["Abigél"])
  }

  @Test func `A returned book has no reminder`() throws {
    try schedule.load(books)
    let summary = try #require(try schedule.summary(of: Array(books.dropFirst())))
    #expect(summary.removed == 1)
    #expect(try ids().keys.sorted() == ["bk2", "bk3", "bk4"])
    #expect(try schedule.told(at: "2026-11-22") == [])
  }

  @Test func `A loan inserted in the middle disturbs no other`() throws {
    try schedule.load(books)
    let before = try ids()
    var more = books
    more.insert(Book("new", "2026-11-23"), at: 2)
    for _ in 0..<2 { try schedule.load(more) }
    let summary = try #require(try schedule.summary(of: more))
    #expect(summary.unchanged == 5)
    #expect(try ids().filter { $0.key != "new" } == before)
  }

  @Test func `The order of a catalogue means nothing`() throws {
    try schedule.load(books)
    let before = try ids()
    let summary = try #require(try schedule.summary(of: books.reversed()))
    #expect(summary.unchanged == 4)
    #expect(try ids() == before)
  }

  @Test func `A number is never given to another loan`() throws {
    try schedule.load(books)
    let last = try ids()["bk4"] ?? 0
    try schedule.load(Array(books.dropLast()))
    try schedule.load(books.dropLast() + [Book("other", "2026-12-01")])
    #expect(try ids()["other"] ?? 0 > last)
  }

  @Test func `Loans of one identity are told apart by their ordinal`() throws {
    let twins = [Book("x#1", "2026-11-22"), Book("x#2", "2026-11-22")]
    try schedule.load(twins)
    try schedule.deliver(at: "2026-11-21")
    try schedule.load([twins[0], Book("x#2", "2026-12-22")])
    #expect(
      try schedule.told(at: "2026-12-21") == ["expired x#1 2026-11-22", "reminder x#2 2026-12-22"])
  }

  @Test func `One identity twice is two loans`() throws {
    let twins = [Book("x", "2026-11-22"), Book("x", "2026-11-22")]
    #expect(try schedule.summary(of: twins)?.added == 2)
    #expect(try schedule.summary(of: twins)?.unchanged == 2)
    let summary = try #require(try schedule.summary(of: [twins[0], Book("x", "2026-12-22")]))
    #expect(summary.unchanged == 1)
    #expect(summary.changed == 1)
    #expect(try schedule.summary(of: [twins[0]])?.removed == 1)
  }

  @Test func `A cancelled reminder is scheduled again by the next reload`() throws {
    try schedule.load(books)
    #expect(try schedule.cancelAll() == 4)
    #expect(try schedule.told(at: "2026-12-31") == [])
    let summary = try #require(try schedule.summary(of: books))
    #expect(summary.changed == 4)
    #expect(summary.scheduled == 4)
    #expect(try schedule.told(at: "2026-12-31").count == 4)
  }

  @Test func `Two catalogues do not touch each other`() throws {
    try schedule.load(books, from: "a.xml")
    try schedule.load(books, from: "b.xml")
    try schedule.load([Book("bk9", "2026-11-22")], from: "b.xml")
    #expect(try schedule.told(at: "2026-12-31", in: ["a.xml"]).count == 4)
    #expect(try schedule.told(at: "2026-12-31", in: ["b.xml"]) == ["expired bk9 2026-11-22"])
    #expect(try schedule.told(at: "2026-12-31", in: []) == [])
    #expect(try schedule.told(at: "2026-12-31").count == 5)
  }

  @Test func `Reloads are kept together, but for one that goes away before its end`() throws {
    let transaction = try schedule.begin()
    try schedule.load(books, from: "a.xml")
    do { _ = try schedule.reload([Book("lost", "2026-11-22")], from: "b.xml") }
    try schedule.load([Book("bk9", "2026-11-22")], from: "c.xml")
    #expect(try schedule.list(at: "2026-11-01").count == 5)
    #expect(try ScheduleReader(opening: scratch.file).list(at: "2026-11-01") == [])
    try transaction.commit()
    let kept = try ScheduleReader(opening: scratch.file).list(at: "2026-11-01")
    #expect(kept.compactMap(\.loan.id).sorted() == ["bk1", "bk2", "bk3", "bk4", "bk9"])
    try schedule.load([Book("lost", "2026-11-22")], from: "b.xml")
    #expect(try schedule.list(at: "2026-11-01").count == 6)
  }

  @Test func `Reloads are undone together`() throws {
    try schedule.load(books)
    let before = try scratch.bytes(scratch.file)
    let transaction = try schedule.begin()
    try schedule.load([Book("bk9", "2026-11-22")], from: "c.xml")
    try schedule.load([], allowEmpty: true)
    #expect(try schedule.list(at: "2026-11-01").map(\.loan.id) == ["bk9"])
    _ = consume transaction
    #expect(try scratch.bytes(scratch.file) == before)
    #expect(try schedule.list(at: "2026-11-01").count == 4)
  }

  @Test func `After an error nothing that belongs together is kept`() throws {
    let transaction = try schedule.begin()
    try schedule.load(books)
    try schedule.write { try $0.execute("PRAGMA max_page_count = 40") }
    let many = (0..<20_000).map { Book("other\($0)", "2026-12-01") }
    #expect(throws: ScheduleError.self) { try schedule.load(many, from: "b.xml") }
    #expect(throws: ScheduleError.self) { try schedule.load(books, from: "c.xml") }
    do throws(ScheduleError) {
      try transaction.commit()
      Issue.record("what was undone was committed")
    } catch {
      #expect(error.code == .inputOutput)
    }
    try schedule.write { try $0.execute("PRAGMA max_page_count = 100000") }
    #expect(try schedule.list(at: "2026-11-01") == [])
    try schedule.load(books, from: "c.xml")
    #expect(try Schedule(rehearsing: scratch.file).list(at: "2026-11-01").count == 4)
  }

  @Test func `A reload that goes away before its end changes no byte`() throws {
    try schedule.load(books)
    let before = try scratch.bytes(scratch.file)
    let many = (0..<50_000).map { Book("other\($0)", "2026-12-01") }
    do { _ = try schedule.reload(many, at: "2026-11-02") }
    #expect(try scratch.bytes(scratch.file) == before)
  }

  @Test func `A list of returned loans passes over those that came back, and shows none twice`()
    throws
  {
    let many = (0..<600).map { Book("b\($0)", "2026-12-01") }
    try schedule.load(many)
    try schedule.load([], allowEmpty: true)
    var entries = try schedule.reader.entries(in: [(moment("2026-11-01"), nil)], .returned)
    var ids = [try entries.next()?.id]
    try schedule.load(many)
    try schedule.load(Array(many.dropFirst(5)), at: "2026-11-02")
    while let entry = try entries.next() { ids.append(entry.id) }
    // Those read together with the first, and those that have left again since.
    #expect(ids == (101...600).reversed() + (1...5).reversed())
  }

  @Test func `A reload keeps its schedule, and the lock, until its end`() throws {
    let file = scratch.path("another.sqlite")
    do {
      let reload = try Schedule(opening: file).reload(books)
      let error = #expect(throws: ScheduleError.self) {
        try Schedule(opening: file, timeout: .milliseconds(10))
      }
      #expect(error?.code == .locked)
      _ = try reload.commit(records: 4)
    }
    #expect(try Schedule(opening: file).list(at: "2026-11-01").count == 4)
  }

  @Test func `A catalogue without a record replaces nothing unless that is allowed`() throws {
    try schedule.load(books)
    #expect(try schedule.load([]) == .refusedEmpty(stored: 4))
    #expect(try ids().count == 4)
    guard case .replaced(let summary) = try schedule.load([], allowEmpty: true) else {
      throw TestFailure()
    }
    #expect(summary.removed == 4)
    #expect(try ids().isEmpty)
    guard case .replaced = try schedule.load([]) else { throw TestFailure() }
  }

  @Test func `A catalogue whose books are all on the shelf replaces the loans`() throws {
    try schedule.load(books)
    guard case .replaced(let summary) = try schedule.load([], records: 4) else {
      throw TestFailure()
    }
    #expect(summary.removed == 4)
  }

  @Test func `Scheduled are the loans that have not expired`() throws {
    let summary = try #require(try schedule.summary(of: books, at: "2026-11-25T12:00"))
    #expect(summary.loans == 4)
    #expect(summary.scheduled == 3)
    #expect(summary.nextFireAt == moment("2026-11-27"))
    #expect(try schedule.nextFireDate(after: moment("2026-11-27")) == moment("2026-11-30"))
    #expect(try schedule.nextFireDate(after: moment("2026-11-30")) == nil)
    #expect(try schedule.reader.pending(after: moment("2026-11-28")).count == 2)
    let midnight = try schedule.reader.nextCheck(after: moment("2026-11-30T12:00"))
    #expect(midnight == moment("2026-12-01"))
  }

  @Test func `A full disk undoes the reload and is said`() throws {
    try schedule.load(books)
    let before = try scratch.bytes(scratch.file)
    try schedule.write { try $0.execute("PRAGMA max_page_count = 40") }
    let cause = #expect(throws: ScheduleError.self) {
      try schedule.load((0..<20_000).map { Book("n\($0)", "2026-12-01") })
    }
    #expect(cause?.code == .inputOutput)
    #expect(try scratch.bytes(scratch.file) == before)
    #expect(try schedule.told(at: "2026-11-21") == ["reminder bk1 2026-11-22"])
  }

  @Test func `A rehearsal does everything and keeps nothing`() throws {
    try schedule.load(books)
    let before = try scratch.bytes(scratch.file)
    let rehearsal = try Schedule(rehearsing: scratch.file)
    #expect(try rehearsal.summary(of: [books[0]])?.removed == 3)
    try rehearsal.deliver(at: "2026-11-21")
    #expect(try rehearsal.told(at: "2026-11-21") == [])
    #expect(try scratch.bytes(scratch.file) == before)
    let empty = try Schedule(rehearsing: scratch.path("none/none.sqlite"))
    #expect(try empty.summary(of: books)?.added == 4)
    #expect(try scratch.names() == ["schedule.sqlite", "schedule.sqlite.lock"])
  }
}

/// What a test throws when something is not of the form it needs.
struct TestFailure: Error {}

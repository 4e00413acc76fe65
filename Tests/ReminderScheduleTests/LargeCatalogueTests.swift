import Foundation
import Loans
import ReminderSchedule
import TestSupport
import Testing

/// A catalogue of more loans than are read at a time.
@Suite struct `A large catalogue` {
  let scratch: Scratch
  let schedule: Schedule
  let books: [Book]

  init() throws {
    scratch = try Scratch()
    schedule = try Schedule(opening: scratch.file)
    books = (0..<5_000).map { number in
      var book = Book("bk\(number)", day("2026-11-02").adding(days: number % 60))
      book.isComplete = true
      return book
    }
    try schedule.load(books)
  }

  private func ids() throws -> [String: Int] {
    try schedule.list(at: "2026-11-01").reduce(into: [:]) { $0[$1.loan.id ?? "-"] = $1.id }
  }

  /// How many places of 4,096 bytes are others than before, or new.
  private func changedPlaces(since before: Data) throws -> Int {
    let after = try scratch.bytes(scratch.file)
    return stride(from: 0, to: after.count, by: 4_096).count { start in
      start >= before.count || before[start..<start + 4_096] != after[start..<start + 4_096]
    }
  }

  private func renewed(everyNth step: Int) -> [Book] {
    var renewed = books
    for index in stride(from: 0, to: books.count, by: step) {
      renewed[index].expiration = day("2027-01-01")
    }
    return renewed
  }

  @Test func `Every loan is as it was stored`() throws {
    let list = try schedule.list(at: "2026-11-01")
    let expected = books.sorted { $0.expiration < $1.expiration }
    #expect(list.map(\.loan) == expected.map(\.loan))
    #expect(list.map(\.fireAt) == expected.map(\.fireAt))
  }

  @Test func `A reload without changes writes nothing`() throws {
    let before = (try scratch.bytes(scratch.file), try scratch.modified(scratch.file))
    let summary = try #require(try schedule.summary(of: books))
    #expect(summary.unchanged == 5_000)
    #expect(summary.scheduled == 5_000)
    #expect(summary.nextFireAt == moment("2026-11-02"))
    #expect(try scratch.bytes(scratch.file) == before.0)
    #expect(try scratch.modified(scratch.file) == before.1)
  }

  @Test func `A reload writes about what has changed`() throws {
    let before = try scratch.bytes(scratch.file)
    let summary = try #require(try schedule.summary(of: renewed(everyNth: 50)))
    #expect(summary.changed == 100)
    #expect(summary.unchanged == 4_900)
    let changed = try changedPlaces(since: before)
    #expect(changed > 0)
    // The place of each, and those that say how large the file is and when the last run was.
    #expect(changed <= 100 + 3)
    let list = try schedule.list(at: "2026-11-01")
    #expect(list.count { $0.loan.expiration == day("2027-01-01") } == 100)
    #expect(list.suffix(100).allSatisfy { $0.loan.email != nil })
  }

  @Test func `After many changes it is as small as before`() throws {
    let (before, first) = (try ids(), try scratch.bytes(scratch.file).count)
    var books = books
    for round in 1...12 {
      for index in stride(from: round % 10, to: books.count, by: 10) {
        books[index].title = "The \(round) of \(books[index].identity)"
        books[index].expiration = day("2026-12-01").adding(days: round)
      }
      let summary = try #require(try schedule.summary(of: books))
      #expect(summary.changed == 500)
      #expect(try schedule.summary(of: books)?.unchanged == 5_000)
    }
    #expect(try ids() == before)
    let list = try schedule.list(at: "2026-11-01")
    #expect(Set(list.map(\.loan)) == Set(books.map(\.loan)))
    #expect(try scratch.bytes(scratch.file).count < 2 * first)
  }

  @Test(arguments: [1, 999, 1_001, 3_000])
  func `Loans that were returned disturb no other, however many`(count: Int) throws {
    let before = try ids()
    let fewer = Array(books[..<100] + books[(100 + count)...])
    let summary = try #require(try schedule.summary(of: fewer))
    #expect(summary.removed == count)
    #expect(summary.unchanged == 5_000 - count)
    let after = try ids()
    #expect(after.count == 5_000 - count)
    #expect(after.allSatisfy { before[$0.key] == $0.value })
    #expect(try schedule.summary(of: fewer)?.unchanged == 5_000 - count)
  }

  @Test(arguments: [0, 2_500, 5_000])
  func `Loans inserted anywhere disturb no other`(place: Int) throws {
    let before = try ids()
    var more = books
    more.insert(
      contentsOf: (0..<300).map { Book("new\($0)", "2026-11-23") }, at: place)
    let summary = try #require(try schedule.summary(of: more))
    #expect(summary.added == 300)
    #expect(summary.unchanged == 5_000)
    let after = try ids()
    #expect(before.allSatisfy { after[$0.key] == $0.value })
    #expect(after.values.max() == 5_300)
    #expect(try schedule.summary(of: more)?.unchanged == 5_300)
  }

  @Test func `The order of a catalogue means nothing, and renewals are still found`() throws {
    let before = try ids()
    var dice = Dice(state: 3)
    let shuffled = renewed(everyNth: 7).shuffled(using: &dice)
    let summary = try #require(try schedule.summary(of: shuffled))
    #expect(summary.changed == 715)
    #expect(summary.unchanged == 4_285)
    #expect(try ids() == before)
  }

  @Test func `Loans at another place are known, with an unusable expiration too`() throws {
    let before = try ids()
    var reload = try schedule.reload([books[4_999]])
    try reload.keep(books[4_500].loan, books[4_500].key)
    for book in books[..<4_999] where book != books[4_500] {
      try reload.add(
        book.loan, book.key, fingerprint: book.fingerprint, reload.day(of: book.plan))
    }
    guard case .replaced(let summary) = try reload.commit(records: 5_000) else {
      throw TestFailure()
    }
    #expect(summary.unchanged == 5_000)
    #expect(summary.removed == 0)
    #expect(try ids() == before)
  }

  @Test func `One that returns within days has its number, and is not told again`() throws {
    let some = Array(books[..<200] + books[300...])
    try schedule.deliver(at: "2026-11-05")
    let before = try ids()
    try schedule.load(some, at: "2026-11-05")
    let summary = try #require(try schedule.summary(of: books, at: "2026-11-06"))
    #expect(summary.added == 100)
    let after = try ids()
    for book in books[200..<300] where book.expiration <= day("2026-11-06") {
      #expect(after[book.identity] == before[book.identity])
    }
    #expect(try schedule.told(at: "2026-11-05").isEmpty)
  }

  @Test func `All are cancelled, and scheduled again`() throws {
    #expect(try schedule.cancelAll() == 5_000)
    #expect(try schedule.cancelAll() == 0)
    #expect(try schedule.told(at: "2026-12-31").isEmpty)
    #expect(try schedule.reader.pending(after: moment("2026-11-01")).count == 0)
    let summary = try #require(try schedule.summary(of: books))
    #expect(summary.changed == 5_000)
    #expect(try schedule.told(at: "2026-12-31").count == 5_000)
  }

  @Test func `Another catalogue's numbers lie between its own, and each finds its loans`() throws {
    let others = (0..<2_000).map { Book("other\($0)", "2026-11-30") }
    try schedule.load(others, from: "other.xml")
    let more = books + (0..<1_000).map { Book("more\($0)", "2026-12-30") }
    try schedule.load(more)
    let changed = more.map { Book($0.identity, $0.expiration, title: "Another") }
    #expect(try schedule.summary(of: changed)?.changed == 6_000)
    let otherChanged = others.map { Book($0.identity, $0.expiration, title: "Yet another") }
    #expect(try schedule.summary(of: otherChanged, from: "other.xml")?.changed == 2_000)
    let list = try schedule.list(at: "2026-11-01")
    #expect(Set(list.map(\.id)).count == 8_000)
    for entry in list {
      #expect(entry.loan.title == (entry.catalogue == "books.xml" ? "Another" : "Yet another"))
    }
    let last = try #require(list.last)
    #expect(try schedule.history(of: last.id, at: moment("2026-11-01"))?.loan == last.loan)
    #expect(try schedule.cancel(ids: [last.id, 8_001]).unknown == [8_001])
  }

  @Test func `A catalogue is read for the first time as long as it has no loans`() throws {
    #expect(try schedule.reload([], from: "other.xml").isFirst)
    #expect(try !schedule.reload([]).isFirst)
  }

  @Test func `A text of any length comes back`() throws {
    var long = Array(books[..<300])
    for (index, count) in [0, 1, 127, 128, 3_900, 4_030, 4_100, 20_000, 3_000_000].enumerated() {
      long[index * 20].title = String(repeating: "é", count: count)
    }
    try schedule.load(long, from: "long.xml")
    let list = try schedule.list(at: "2026-11-01").filter { $0.catalogue == "long.xml" }
    #expect(Set(list.map(\.loan)) == Set(long.map(\.loan)))
  }
}

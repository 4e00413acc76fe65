import Loans
import ReminderSchedule
import Testing

@Suite struct `Listing and cancelling` {
  let scratch: Scratch
  let schedule: Schedule

  init() throws {
    scratch = try Scratch()
    schedule = try Schedule(opening: scratch.file)
  }

  @Test func `Entries come in fire order`() throws {
    try schedule.load([
      Book("bk1", "2026-11-25"), Book("bk2", "2026-11-22"), Book("bk3", "2026-10-01"),
    ])
    #expect(
      try schedule.list(at: "2026-11-01").map(\.words) == [
        "2026-10-02T00:00 expired bk3 pending", "2026-11-21T00:00 reminder bk2 pending",
        "2026-11-24T00:00 reminder bk1 pending",
      ])
  }

  @Test func `An expired loan has its reminder listed only if one was attempted`() throws {
    try schedule.load([Book("told", "2026-11-22"), Book("untold", "2026-11-23")])
    try schedule.deliver(at: "2026-11-21")
    #expect(
      try schedule.list(at: "2026-11-24").map(\.words) == [
        "2026-11-21T00:00 reminder told delivered", "2026-11-23T00:00 expired told pending",
        "2026-11-24T00:00 expired untold pending",
      ])
  }

  @Test func `One failed channel makes an entry failed, one delivered alone delivered`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    let due = try schedule.due(at: moment("2026-11-21"), channel: "a")
    let now = moment("2026-11-21T07:00")
    try schedule.send(due, through: "b", at: now, end: .none)
    #expect(try schedule.list(at: "2026-11-21").map(\.state) == [.pending])
    try schedule.send(due, through: "b", at: now)
    #expect(try schedule.list(at: "2026-11-21").map(\.state) == [.delivered])
    try schedule.send(due, through: "a", at: now, end: .failed("gone"))
    let entry = try #require(try schedule.list(at: "2026-11-21").first)
    #expect(entry.state == .failed)
    #expect(entry.deliveries.map(\.channel) == ["a", "b"])
    #expect(entry.deliveries.map(\.state) == [.failed, .delivered])
  }

  @Test func `Deliveries of an earlier expiration are not listed`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    try schedule.deliver(at: "2026-11-21")
    try schedule.load([Book("bk1", "2026-12-22")])
    #expect(
      try schedule.list(at: "2026-11-22").map(\.words) == ["2026-12-21T00:00 reminder bk1 pending"])
  }

  @Test func `A long list comes whole and in order`() throws {
    let books = (0..<1_700).map { Book("bk\($0)", day("2027-01-01").adding(days: $0 * 7 % 1_700)) }
    try schedule.load(books)
    let list = try schedule.list(at: "2026-11-01")
    #expect(list.count == 1_700)
    #expect(list.map(\.fireAt) == list.map(\.fireAt).sorted())
    #expect(Set(list.map(\.id)).count == 1_700)
  }

  @Test func `A list that is being read blocks no reload, and passes over what has gone`() throws {
    let books = (0..<1_200).map { Book("bk\($0)", day("2027-01-01").adding(days: $0)) }
    try schedule.load(books)
    var entries = try ScheduleReader(opening: scratch.file)
      .entries(in: [(moment("2026-11-01"), nil)])
    var count = 0
    while let entry = try entries.next() {
      count += 1
      if count == 1 { try schedule.load(Array(books.prefix(600))) }
      #expect(entry.loan.id == "bk\(count - 1)")
    }
    #expect(count == 600)
  }

  @Test func `Cancelling takes the numbers listed and gives back the unknown`() throws {
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk2", "2026-11-22")])
    let id = try #require(try schedule.list(at: "2026-11-01").first).id
    let result = try schedule.cancel(ids: [id, 999, -1])
    #expect(result.cancelled.map(\.id) == ["bk1"])
    #expect(result.unknown == [999, -1])
    #expect(try schedule.cancel(ids: [id]) == ([], []))
    #expect(try schedule.told(at: "2026-11-21") == ["reminder bk2 2026-11-22"])
    #expect(try schedule.told(at: "2026-11-23") == ["expired bk2 2026-11-22"])
    #expect(try schedule.list(at: "2026-11-01").map(\.state) == [.cancelled, .pending])
    #expect(try schedule.cancelAll() == 1)
    #expect(try schedule.cancelAll() == 0)
    #expect(try schedule.nextFireDate(after: moment("2026-11-01")) == nil)
  }

  @Test func `A loan that has left cannot be cancelled`() throws {
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk2", "2027-11-22")])
    try schedule.deliver(at: "2026-11-21")
    let id = try #require(try schedule.list(at: "2026-11-21").first).id
    try schedule.load([Book("bk2", "2027-11-22")])
    #expect(try schedule.cancel(ids: [id]) == ([], [id]))
  }

  @Test func `A catalogue is forgotten with all that was told of it`() throws {
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk2", "2026-11-25")], from: "a.xml")
    try schedule.load([Book("bk1", "2026-11-22")], from: "b.xml")
    try schedule.deliver(at: "2026-11-21")
    try schedule.load([Book("bk1", "2026-11-22")], from: "a.xml", at: "2026-11-21")
    #expect(try schedule.forget(catalogue: "c.xml") == nil)
    #expect(try schedule.forget(catalogue: "a.xml") == 1)
    #expect(try schedule.forget(catalogue: "a.xml") == nil)
    #expect(try schedule.list(at: "2026-11-21").map(\.catalogue) == ["b.xml"])
    #expect(try schedule.reader.returned(at: "2026-11-21").isEmpty)
    try schedule.load([Book("bk1", "2026-11-22")], from: "a.xml")
    #expect(try schedule.told(at: "2026-11-21") == ["reminder bk1 2026-11-22"])
  }

  @Test func `A channel is forgotten with what was told through it`() throws {
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk2", "2026-11-22")])
    try schedule.deliver(at: "2026-11-21")
    let due = try schedule.due(at: moment("2026-11-21"), channel: "typo")
    try schedule.send(due, through: "typo", at: moment("2026-11-21"), end: .failed("not found"))
    #expect(try schedule.list(at: "2026-11-21").map(\.state) == [.failed, .failed])
    #expect(try schedule.forget(channel: "another") == nil)
    #expect(try schedule.forget(channel: "typo") == 2)
    #expect(try schedule.list(at: "2026-11-21").map(\.state) == [.delivered, .delivered])
    #expect(try schedule.forget(channel: "stdout") == 2)
    #expect(try schedule.told(at: "2026-11-21").count == 2)
  }

  @Test(arguments: [
    ("mail: no route", "mail", "no route"),
    ("exec:tell was not found", "exec:tell", "it was not found"),
    ("mailbox full", "mail", "mailbox full"), ("mail", "mail", "mail"), ("x", "mail", "x"),
  ])
  func `A failure is said without its channel`(error: String, channel: String, words: String) {
    #expect(Delivery.failure(error, of: channel) == words)
  }
}

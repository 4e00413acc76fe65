import Foundation
import Loans
@testable import ReminderSchedule
import Testing

@Suite struct `Sending messages` {
  let scratch: Scratch
  let now = moment("2026-11-21T07:00")
  let books = (1...5).map { Book("bk\($0)", "2026-11-22") }

  init() throws {
    scratch = try Scratch()
    try Schedule(opening: scratch.file).load(books)
  }

  private func ids(_ due: [DueNotice]) -> [String] { due.map { $0.notice.loan.id ?? "-" } }

  private func due(_ schedule: Schedule, _ channel: String = "stdout") throws -> [DueNotice] {
    try schedule.due(at: now, channel: channel)
  }

  private func attempts(_ schedule: Schedule) throws -> [Int] {
    try schedule.list(at: "2026-11-21").map { $0.deliveries.reduce(0) { $0 + $1.attempts } }
  }

  /// Begins to send, notes some as sent, and leaves behind what kill -9 would: nothing is closed.
  private func kill(after sent: Int, messages: Int = 5) throws {
    let copy = scratch.path("killed.sqlite")
    do {
      let schedule = try Schedule(opening: scratch.file)
      let size = 5 / messages
      let due = try due(schedule)
      let parts = (0..<messages).map { due[$0 * size..<($0 + 1) * size] }
      var sending = try schedule.beginSending(parts, channel: "stdout", at: now)
      for _ in 0..<sent { try sending.noteSent() }
      try scratch.copy(scratch.file, to: copy)
      try scratch.copy(scratch.file + ".lock", to: copy + ".lock")
    }
    for end in ["", ".lock"] {
      try scratch.write(try scratch.bytes(copy + end), to: scratch.file + end)
    }
  }

  @Test func `What was sent is delivered, the rest as it was`() throws {
    let schedule = try Schedule(opening: scratch.file)
    let due = try due(schedule)
    let first = try schedule.beginSending([[due[0]]], channel: "stdout", at: now)
    try first.fail(error: "no")
    let before = try schedule.list(at: "2026-11-21")
    var sending = try schedule.beginSending(
      [[due[1], due[2]], [due[0]], [due[3]]],
      channel: "stdout", at: moment("2026-11-21T08:00"))
    try sending.noteSent()
    try sending.finish()
    let after = try schedule.list(at: "2026-11-21")
    #expect(ids(try self.due(schedule)) == ["bk1", "bk4", "bk5"])
    #expect(after[0] == before[0])
    #expect(after[3] == before[3])
    #expect(after[1].deliveries.map(\.at) == [moment("2026-11-21T08:00")])
    #expect(after[2].state == .delivered)
  }

  @Test func `What is on its way is shown as that, with its attempt`() throws {
    let schedule = try Schedule(opening: scratch.file)
    let due = try due(schedule)
    try schedule.beginSending([[due[0]]], channel: "stdout", at: now).fail(error: "no")
    let later = moment("2026-11-21T08:00")
    var sending = try schedule.beginSending([[due[0]], [due[1]]], channel: "stdout", at: later)
    let list = try schedule.list(at: "2026-11-21")
    #expect(list.map(\.state) == Array(repeating: .pending, count: 5))
    #expect(
      list[0].deliveries == [
        Delivery(
          channel: "stdout", state: .sending, at: later, attempts: 2, sentTo: "Kovács Anna",
          rung: -1)
      ])
    #expect(list[1].deliveries.map(\.attempts) == [1])
    #expect(list[2].deliveries.isEmpty)
    // Its reminder was tried, so it is told of even after the loan has expired.
    let expired = try schedule.list(at: "2026-11-23").filter { $0.kind == .reminder }
    #expect(expired.map(\.loan.id) == ["bk1", "bk2"])
    try schedule.load(Array(books.dropFirst()), at: "2026-11-22")
    #expect(try schedule.history(of: list[0].id, at: now)?.leftOn == day("2026-11-22"))
    try sending.noteSent()
    try sending.finish()
    #expect(
      try schedule.history(of: list[0].id, at: now)?.notices.first?.deliveries == [
        Delivery(
          channel: "stdout", state: .delivered, at: later, attempts: 2, sentTo: "Kovács Anna",
          deliveredAt: later,
          rung: -1, deliveredRung: -1)
      ])
  }

  @Test func `What failed has its error, what came after it is as it was`() throws {
    let schedule = try Schedule(opening: scratch.file)
    var sending = try schedule.beginSending(
      try due(schedule).map { [$0] }, channel: "mail", at: now)
    try sending.noteSent()
    try sending.fail(error: "no route")
    let list = try schedule.list(at: "2026-11-21")
    #expect(list.map(\.state) == [.delivered, .failed, .pending, .pending, .pending])
    #expect(list[1].deliveries.first?.error == "no route")
    #expect(try attempts(schedule) == [1, 1, 0, 0, 0])
    #expect(ids(try due(schedule, "mail")) == ["bk2", "bk3", "bk4", "bk5"])
  }

  @Test func `What was not tried is failed without an attempt, and leaves no trace`() throws {
    let schedule = try Schedule(opening: scratch.file)
    let due = try due(schedule)
    try schedule.note(
      due.map(\.due), as: .failed, channel: "stdout", at: now, error: "no bus")
    #expect(try self.due(schedule) == due)
    var list = try schedule.list(at: "2026-11-21")
    #expect(list.map(\.state) == Array(repeating: .failed, count: 5))
    #expect(list.flatMap(\.deliveries).map(\.error) == Array(repeating: "no bus", count: 5))
    #expect(try attempts(schedule) == [0, 0, 0, 0, 0])
    try schedule.beginSending([[due[0]]], channel: "stdout", at: now).fail(error: "no")
    #expect(try attempts(schedule) == [1, 0, 0, 0, 0])
    let expired = try schedule.list(at: "2026-11-23")
    #expect(expired.filter { $0.kind == .reminder }.map(\.loan.id) == ["bk1"])
    try schedule.load([], at: "2026-11-23", allowEmpty: true)
    #expect(try schedule.history(of: list[0].id, at: now) != nil)
    #expect(try schedule.history(of: list[1].id, at: now)?.notices.map(\.kind) == [.reminder])
    try schedule.load(books)
    list = try schedule.list(at: "2026-11-21")
    #expect(list.map(\.state) == Array(repeating: .failed, count: 5))
  }

  @Test(arguments: 0...5)
  func `A killed run repeats the notice in flight alone`(sent: Int) throws {
    try kill(after: sent)
    let rehearsal = try Schedule(rehearsing: scratch.file)
    let schedule = try Schedule(opening: scratch.file)
    let left = Array(books.dropFirst(sent).map(\.identity))
    #expect(ids(try due(schedule)) == left)
    #expect(ids(try due(rehearsal)) == left)
    #expect(try attempts(schedule) == (0..<5).map { $0 <= sent ? 1 : 0 })
  }

  @Test func `A message of several notices is delivered whole or not`() throws {
    try kill(after: 1, messages: 1)
    #expect(try due(Schedule(opening: scratch.file)) == [])
  }

  @Test(arguments: [0, 8, 16, 24, 31])
  func `A count that is damaged counts nothing, and nothing is lost`(offset: Int) throws {
    try kill(after: 3)
    var bytes = try scratch.bytes(scratch.file + ".lock")
    bytes[offset] ^= 0x10
    try scratch.write(bytes, to: scratch.file + ".lock")
    #expect(try due(Schedule(opening: scratch.file)).count == 5)
  }

  @Test(arguments: [0, 1, 31, 32, 5_000])
  func `A lock that was cut or filled with anything counts nothing`(length: Int) throws {
    try kill(after: 3)
    try scratch.write(
      Data((0..<length).map { _ in UInt8.random(in: 0...255) }), to: scratch.file + ".lock")
    #expect(try due(Schedule(opening: scratch.file)).count == 5)
  }

  @Test func `A count of another batch counts nothing`() throws {
    try kill(after: 3)
    let other = try Schedule(opening: scratch.path("other.sqlite"))
    try other.load(books)
    try other.deliver(at: "2026-11-21")
    try scratch.write(
      try scratch.bytes(scratch.path("other.sqlite.lock")), to: scratch.file + ".lock")
    #expect(try due(Schedule(opening: scratch.file)).count == 5)
  }

  @Test func `A sending that goes away without its end repeats the notice in flight alone`() throws
  {
    let schedule = try Schedule(opening: scratch.file)
    let due = try due(schedule)
    do {
      var sending = try schedule.beginSending(due.map { [$0] }, channel: "stdout", at: now)
      for _ in 0..<2 { try sending.noteSent() }
    }
    #expect(ids(try self.due(schedule)) == ["bk1", "bk2", "bk3", "bk4", "bk5"])
    var next = try schedule.beginSending([[due[4]]], channel: "stdout", at: now)
    #expect(ids(try self.due(schedule)) == ["bk3", "bk4", "bk5"])
    try next.noteSent()
    try next.finish()
    #expect(ids(try self.due(schedule)) == ["bk3", "bk4"])
  }

  @Test func `Channels send one after the other, and leave each other's ledger alone`() throws {
    do {
      let schedule = try Schedule(opening: scratch.file)
      for (number, channel) in ["a", "b", "c"].enumerated() {
        var sending = try schedule.beginSending(
          try due(schedule, channel).map { [$0] }, channel: channel, at: now)
        for _ in 0...number { try sending.noteSent() }
        switch number {
        case 0: try sending.finish()
        case 1: try sending.fail(error: "no")
        default: break
        }
      }
      #expect(ids(try due(schedule, "a")) == ["bk2", "bk3", "bk4", "bk5"])
    }
    let schedule = try Schedule(opening: scratch.file)
    #expect(ids(try due(schedule, "b")) == ["bk3", "bk4", "bk5"])
    #expect(ids(try due(schedule, "c")) == ["bk4", "bk5"])
  }

  @Test func `A delivery keeps the offset of its clock`() throws {
    let schedule = try Schedule(opening: scratch.file)
    let due = try due(schedule)
    var sending = try schedule.beginSending(
      [due[0...0], due[1...1]], channel: "stdout", at: now, utcOffset: 32_400)
    try sending.noteSent()
    try sending.fail(error: "no")
    try schedule.note(
      [due[2]].map(\.due), as: .failed, channel: "stdout", at: now, utcOffset: -12_600,
      error: "gone")
    #expect("\(ClockTime(now, utcOffset: 88_200))" == "2026-11-21T07:00:00+24:30")
    #expect("\(ClockTime(now, utcOffset: -86_400))" == "2026-11-21T07:00:00-24:00")
    let list = try schedule.list(at: "2026-11-21")
    #expect(
      list.prefix(3).map { $0.deliveries.first?.clockTime?.description } == [
        "2026-11-21T07:00:00+09:00", "2026-11-21T07:00:00+09:00", "2026-11-21T07:00:00-03:30",
      ])
  }

  @Test func `A failure counts for seven days after its channel was last named`() throws {
    let schedule = try Schedule(opening: scratch.file)
    try schedule.load([Book("bk1", "2026-12-31", lead: 60)])
    let due = try due(schedule)
    try schedule.note(
      due.map(\.due), as: .failed, channel: "exec:/nowhere", at: now, error: "no such program")
    func state(at now: String) throws -> ScheduleEntry.State? {
      try schedule.list(at: now).first?.state
    }
    try schedule.beginDelivery(through: "stdout", at: moment("2026-11-28"))
    #expect(try state(at: "2026-11-28") == .failed)
    #expect(try state(at: "2026-11-29") == .pending)
    try schedule.beginDelivery(through: "exec:/nowhere", at: moment("2026-11-29"))
    #expect(try state(at: "2026-11-29") == .failed)
  }

  @Test func `What was sent is known although its end could not be noted`() throws {
    let schedule = try Schedule(opening: scratch.file)
    do {
      var sending = try schedule.beginSending(
        try due(schedule).map { [$0] }, channel: "stdout", at: now)
      for _ in 0..<3 { try sending.noteSent() }
    }
    try schedule.beginDelivery(through: "stdout", at: now)
    #expect(ids(try due(schedule)) == ["bk4", "bk5"])
  }

  @Test func `Counting what was sent writes nothing into the schedule`() throws {
    let schedule = try Schedule(opening: scratch.file)
    var sending = try schedule.beginSending(
      try due(schedule).map { [$0] }, channel: "stdout", at: now)
    let before = try scratch.bytes(scratch.file)
    for _ in 0..<5 { try sending.noteSent() }
    #expect(try scratch.bytes(scratch.file) == before)
    try sending.finish()
    #expect(try due(schedule) == [])
  }

  @Test func `Sending nothing writes nothing`() throws {
    let schedule = try Schedule(opening: scratch.file)
    let before = try scratch.modified(scratch.file)
    try schedule.beginSending([], channel: "stdout", at: now).finish()
    try schedule.beginSending([], channel: "stdout", at: now).fail(error: "no")
    try schedule.note(
      [], as: .failed, channel: "stdout", at: now, error: "no")
    #expect(try scratch.modified(scratch.file) == before)
  }

  @Test func `A full disk ends the sending before anything is sent`() throws {
    let schedule = try Schedule(opening: scratch.file)
    let many = (0..<400).map { Book("more\($0)", "2026-11-22") }
    try schedule.load(books + many)
    let due = try due(schedule)
    try schedule.write { try $0.execute("PRAGMA max_page_count = 1") }
    let error = #expect(throws: ScheduleError.self) {
      _ = try schedule.beginSending(due.map { [$0] }, channel: "stdout", at: now)
    }
    #expect(error?.code == .inputOutput)
    #expect(try self.due(schedule) == due)
  }

  @Test func `A rehearsal sends in memory`() throws {
    let rehearsal = try Schedule(rehearsing: scratch.file)
    try rehearsal.deliver(at: "2026-11-21")
    #expect(try due(rehearsal) == [])
    #expect(try due(Schedule(opening: scratch.file)).count == 5)
  }

  @Test func `A loan that is renewed on the way was told of its old expiration`() throws {
    let schedule = try Schedule(opening: scratch.file)
    var sending = try schedule.beginSending([try due(schedule)[...]], channel: "stdout", at: now)
    try sending.noteSent()
    try schedule.load([Book("bk1", "2026-12-22")] + books.dropFirst(), at: "2026-11-21")
    try sending.finish()
    try schedule.load(books, at: "2026-11-21")
    #expect(try due(schedule) == [])
  }
}

@Suite struct `The history of a loan` {
  @Test func `It tells what was delivered, failed and told of earlier expirations`() throws {
    let scratch = try Scratch()
    let schedule = try Schedule(opening: scratch.file)
    try schedule.load([Book("bk1", "2026-11-22"), Book("bk2", "2027-11-22")])
    let id = try #require(try schedule.list(at: "2026-11-01").first).id
    try schedule.deliver(at: "2026-11-21T07:00")
    try schedule.load([Book("bk1", "2026-12-22"), Book("bk2", "2027-11-22")], at: "2026-11-22")
    let now = moment("2026-12-21T08:00")
    let due = try schedule.due(at: now, channel: "mail")
    try schedule.beginSending([due[...]], channel: "mail", at: now).fail(error: "no route")
    _ = try schedule.cancel(ids: [id])
    let history = try #require(try schedule.history(of: id, at: now))
    #expect(history.loan.expiration == day("2026-12-22"))
    #expect(history.plan.firstFireAt == moment("2026-12-21"))
    #expect(history.catalogue == "books.xml")
    #expect(history.isCancelled)
    #expect(history.leftOn == nil)
    #expect(history.notices.map(\.expiration) == [day("2026-11-22"), day("2026-12-22")])
    let told = moment("2026-11-21T07:00")
    #expect(
      history.notices.map(\.deliveries) == [
        [
          Delivery(
            channel: "stdout", isInUse: false, state: .delivered, at: told, attempts: 1,
            sentTo: "Kovács Anna", deliveredAt: told, rung: -1, deliveredRung: -1)
        ],
        [
          Delivery(
            channel: "mail", state: .failed, at: now, attempts: 1, sentTo: "Kovács Anna",
            error: "no route",
            rung: -1)
        ],
      ])
    try schedule.load([Book("bk2", "2027-11-22")], at: "2026-12-23")
    #expect(try schedule.history(of: id, at: now)?.leftOn == day("2026-12-23"))
    #expect(try schedule.history(of: 99, at: now) == nil)
  }

  @Test func `Open are fired reminders and expired loans, told of or not`() throws {
    let scratch = try Scratch()
    let schedule = try Schedule(opening: scratch.file)
    try schedule.load([
      Book("bk1", "2026-11-22"), Book("bk2", "2026-11-20"), Book("bk3", "2026-11-19"),
      Book("bk4", "2026-12-22"),
    ])
    try schedule.deliver(at: "2026-11-21")
    let open = try schedule.openCount(at: moment("2026-11-21"))
    #expect(open == (1, 2))
    try schedule.cancelAll()
    #expect(try schedule.openCount(at: moment("2026-11-21")) == (0, 0))
  }
}

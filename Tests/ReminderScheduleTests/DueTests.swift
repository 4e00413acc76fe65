import Loans
import ReminderSchedule
import Testing

@Suite struct `What is due` {
  let scratch: Scratch
  let schedule: Schedule

  init() throws {
    scratch = try Scratch()
    schedule = try Schedule(opening: scratch.file)
  }

  @Test(arguments: [
    ("2026-11-20T23:59:59", []),
    ("2026-11-21T00:00:00", ["reminder bk1 2026-11-22"]),
    ("2026-11-22T23:59:59", ["reminder bk1 2026-11-22"]),
    ("2026-11-23T00:00:00", ["expired bk1 2026-11-22"]),
    ("2026-12-23T00:00:00", ["expired bk1 2026-11-22"]),
  ])
  func `A reminder is due through the expiration, then the expired notice is`(
    now: String, expected: [String]
  ) throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    #expect(try schedule.told(at: now) == expected)
  }

  @Test func `A loan that expires today is reminded of, not expired`() throws {
    try schedule.load([Book("bk1", "2026-11-22", lead: 0)])
    #expect(try schedule.told(at: "2026-11-21T23:59:59") == [])
    #expect(try schedule.told(at: "2026-11-22") == ["reminder bk1 2026-11-22"])
  }

  @Test func `The longest expired comes first, then what expires soonest`() throws {
    try schedule.load([
      Book("soon", "2026-11-22", lead: 7), Book("old", "2026-10-01"),
      Book("late", "2026-11-25", lead: 7),
      Book("new", "2026-11-20"), Book("soon2", "2026-11-22", lead: 7),
    ])
    #expect(
      try schedule.told(at: "2026-11-21") == [
        "expired old 2026-10-01", "expired new 2026-11-20", "reminder soon 2026-11-22",
        "reminder soon2 2026-11-22", "reminder late 2026-11-25",
      ])
  }

  @Test func `A run after thirty days catches up with one notice for each loan`() throws {
    try schedule.load([Book("bk1", "2026-11-05"), Book("bk2", "2026-12-02")])
    try schedule.deliver(at: "2026-11-01")
    #expect(
      try schedule.told(at: "2026-12-01") == ["expired bk1 2026-11-05", "reminder bk2 2026-12-02"])
    try schedule.deliver(at: "2026-12-01")
    #expect(try schedule.told(at: "2026-12-01") == [])
  }

  @Test func `What was delivered is due again only when the expiration changes`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    try schedule.deliver(at: "2026-11-21")
    #expect(try schedule.told(at: "2026-11-22") == [])
    try schedule.load([Book("bk1", "2026-11-22", title: "Corrected")])
    #expect(try schedule.told(at: "2026-11-22") == [])
    try schedule.load([Book("bk1", "2026-11-29")])
    #expect(try schedule.told(at: "2026-11-28") == ["reminder bk1 2026-11-29"])
    try schedule.load([Book("bk1", "2026-11-22")])
    #expect(try schedule.told(at: "2026-11-22") == [])
    #expect(try schedule.told(at: "2026-11-23") == ["expired bk1 2026-11-22"])
  }

  @Test func `The reminder and the expired notice are delivered once each`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    try schedule.deliver(at: "2026-11-21")
    try schedule.deliver(at: "2026-11-23")
    #expect(try schedule.told(at: "2026-11-24") == [])
  }

  @Test func `Each channel has its own memory`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    try schedule.deliver(at: "2026-11-21", through: "stdout")
    #expect(try schedule.told(at: "2026-11-21", through: "stdout") == [])
    #expect(
      try schedule.told(at: "2026-11-21", through: "notify-send") == ["reminder bk1 2026-11-22"])
  }

  @Test func `A notice left in sending by a killed run is due again`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    let due = try schedule.due(at: moment("2026-11-21"), channel: "stdout")
    try schedule.send(due, through: "stdout", at: moment("2026-11-21"), end: .none)
    #expect(
      try schedule.due(at: moment("2026-11-21"), channel: "stdout").map(\.words) == due.map(\.words)
    )
    try schedule.deliver(at: "2026-11-22")
    let entry = try #require(try schedule.list(at: "2026-11-22").first)
    #expect(entry.deliveries.map(\.attempts) == [2])
  }

  @Test func `A failed notice stays due, with its attempts and error`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    let due = try schedule.due(at: moment("2026-11-21"), channel: "mail")
    for _ in 0..<2 {
      try schedule.send(
        due, through: "mail", at: moment("2026-11-21T07:00:01"), end: .failed("no route"))
    }
    #expect(
      try schedule.due(at: moment("2026-11-21"), channel: "mail").map(\.words) == due.map(\.words))
    var entry = try #require(try schedule.list(at: "2026-11-21").first)
    #expect(entry.state == .failed)
    let failed = try #require(entry.deliveries.first)
    #expect(failed.channel == "mail")
    #expect(failed.state == .failed)
    #expect(failed.at == moment("2026-11-21T07:00:01"))
    #expect(failed.attempts == 2)
    #expect(failed.error == "no route")
    try schedule.send(due, through: "mail", at: moment("2026-11-22"))
    entry = try #require(try schedule.list(at: "2026-11-21").first)
    #expect(entry.state == .delivered)
    #expect(entry.deliveries.map(\.attempts) == [3])
    #expect(entry.deliveries.map(\.error) == [nil])
  }

  @Test func `What was told of a loan that is gone meanwhile is known when it returns`() throws {
    try schedule.load([Book("bk1", "2026-11-22")])
    let due = try schedule.due(at: moment("2026-11-21"), channel: "stdout")
    try schedule.load([], allowEmpty: true)
    try schedule.send(due, through: "stdout", at: moment("2026-11-21"))
    try schedule.load([Book("bk1", "2026-11-22")])
    #expect(try schedule.told(at: "2026-11-21") == [])
  }
}

@Suite struct `The ledger` {
  let scratch: Scratch
  let schedule: Schedule
  let book = Book("bk1", "2026-11-22")
  let other = Book("bk2", "2029-01-01")

  init() throws {
    scratch = try Scratch()
    schedule = try Schedule(opening: scratch.file)
    try schedule.load([book, other])
    try schedule.deliver(at: "2026-11-21")
  }

  @Test func `A loan that returns is not told of twice`() throws {
    try schedule.load([other], at: "2026-11-21")
    #expect(try schedule.list(at: "2026-11-21").map(\.loan.id) == ["bk2"])
    #expect(try schedule.told(at: "2026-11-23") == [])
    #expect(try schedule.summary(of: [book, other], at: "2026-11-21")?.added == 1)
    #expect(try schedule.told(at: "2026-11-22") == [])
    #expect(try schedule.told(at: "2026-11-23") == ["expired bk1 2026-11-22"])
  }

  @Test func `A loan that returns renewed keeps its number and is reminded of`() throws {
    let number = try schedule.list(at: "2026-11-21").first?.id
    try schedule.load([other], at: "2026-11-21")
    try schedule.load([Book("bk1", "2026-12-22"), other], at: "2026-11-21")
    let due = try schedule.due(at: moment("2026-12-21"), channel: "stdout")
    #expect(due.map(\.words) == ["reminder bk1 2026-12-22"])
    #expect(due.first?.reminderID == number)
  }

  /// A run on each day, without changes.
  private func run(from first: Int, through last: Int) throws {
    let left = day("2026-11-21")
    for days in first...last {
      try schedule.load([other], at: left.adding(days: days).description)
    }
  }

  @Test(arguments: [(400, false), (402, true)])
  func `It is forgotten when a loan has been away for more than 400 days`(
    days: Int, isForgotten: Bool
  ) throws {
    try run(from: 0, through: days)
    try schedule.load([book, other], at: "2026-11-21")
    #expect(try schedule.told(at: "2026-11-22").isEmpty == !isForgotten)
  }

  @Test(arguments: [20, 399])
  func `A loan that was returned can be explained for 400 days, and is known when it is back`(
    days: Int
  ) throws {
    let id = try #require(try schedule.list(at: "2026-11-21").first).id
    try schedule.deliver(at: "2026-11-23", through: "mail")
    try run(from: 2, through: days)
    let today = day("2026-11-21").adding(days: days).description
    let history = try #require(try schedule.history(of: id, at: moment(today)))
    #expect(history.leftOn == day("2026-11-23"))
    #expect(history.notices.map(\.kind) == [.reminder, .expired])
    let returned = try #require(try schedule.reader.returned(at: today).first)
    #expect(returned.id == id)
    #expect(returned.leftOn == day("2026-11-23"))
    #expect(returned.words == "2026-11-23T00:00 expired bk1 delivered")
    try schedule.load([other, book], at: today)
    #expect(try schedule.reader.returned(at: today).isEmpty)
    #expect(try schedule.told(at: "2026-11-21") == [])
    #expect(try schedule.told(at: today) == ["expired bk1 2026-11-22"])
    #expect(try schedule.told(at: today, through: "mail") == [])
    let entry = try #require(try schedule.list(at: today).first)
    #expect(entry.id == id)
    #expect(entry.deliveries.map(\.deliveredAt) == [moment("2026-11-21")])
  }

  @Test func `A book that is lent again after weeks is another loan, and each has its history`()
    throws
  {
    let id = try #require(try schedule.list(at: "2026-11-21").first).id
    try run(from: 1, through: 9)
    try schedule.load([Book("bk1", "2026-12-22"), other], at: "2026-11-30")
    let entry = try #require(try schedule.list(at: "2026-11-30").first)
    #expect(entry.id > id)
    #expect(entry.deliveries.isEmpty)
    #expect(try schedule.reader.returned(at: "2026-11-30").map(\.id) == [id])
  }

  @Test func `What was delivered of an earlier expiration is remembered`() throws {
    try schedule.load([Book("bk1", "2026-12-22"), other], at: "2026-11-22")
    try schedule.deliver(at: "2026-12-21")
    try schedule.load([Book("bk1", "2027-01-22"), other], at: "2026-12-22")
    try schedule.load([book, other], at: "2026-12-22")
    #expect(try schedule.told(at: "2026-11-22") == [])
    try schedule.load([Book("bk1", "2026-12-22"), other], at: "2026-12-22")
    #expect(try schedule.told(at: "2026-12-22") == [])
  }

  @Test(arguments: [1, 12])
  func `A loan that becomes the second of its identity is remembered`(days: Int) throws {
    // The first one's expiration cannot be read.
    let second = Book("bk1\n#2", "2026-11-22")
    try schedule.load([second, other], at: "2026-11-21")
    #expect(try schedule.told(at: "2026-11-22") == [])
    try run(from: 1, through: days)
    let today = day("2026-11-21").adding(days: days).description
    try schedule.load([book, other], at: today)
    #expect(try schedule.told(at: "2026-11-22") == [])
    try schedule.load([other], at: today)
    try schedule.load([second, other], at: today)
    #expect(try schedule.told(at: "2026-11-22") == [])
  }

  @Test func `A loan that takes the place of one that left is remembered`() throws {
    let second = Book("bk1\n#2", "2026-11-22")
    try schedule.load([book, second, other], at: "2026-11-21")
    try schedule.load([second, other], at: "2026-11-22")
    try schedule.deliver(at: "2026-11-23")
    try schedule.load([book, other], at: "2026-11-23")
    #expect(try schedule.told(at: "2026-11-23") == [])
  }

  @Test func `Loans alike that change places find what each was told of last`() throws {
    // The first was reminded of, the second was not: it was renewed when it had expired.
    try schedule.load([book, Book("bk1\n#2", "2026-11-20"), other], at: "2026-11-21")
    try schedule.deliver(at: "2026-11-21")
    try schedule.load([book, Book("bk1\n#2", "2026-11-22"), other], at: "2026-11-23")
    try schedule.deliver(at: "2026-11-23")
    let moved = [
      Book("bk1", "2026-12-22"), Book("bk1\n#2", "2026-11-22", title: "Another"),
      Book("bk1\n#3", "2026-11-22"),
    ]
    try schedule.load(moved, at: "2026-11-24")
    #expect(try schedule.told(at: "2026-11-24") == [])
  }

  @Test func `What a killed run was sending is no memory beside that of its loan`() throws {
    try schedule.deliver(at: "2026-11-23")
    let two = { (book: Book) in
      var book = book
      book.period = 2
      return book
    }
    try schedule.load([two(book), other], at: "2026-11-23")
    let due = try schedule.due(at: moment("2026-11-25"), channel: "stdout")
    try schedule.send(due, through: "stdout", at: moment("2026-11-25"), end: .none)
    let renewed = Book("bk1", "2026-12-22")
    try schedule.load([renewed, two(Book("bk1\n#2", "2026-11-22")), other], at: "2026-11-25")
    try schedule.deliver(at: "2026-11-25")
    try schedule.load([two(book), Book("bk1\n#2", "2026-12-22"), other], at: "2026-11-26")
    #expect(try schedule.due(at: moment("2026-11-26"), channel: "stdout") == [])
  }

  @Test func `What was told of a loan once is not taken for what was told of its like`() throws {
    for _ in 0..<2 {
      try schedule.load([Book("bk1", "2026-12-22"), other], at: "2026-11-21")
      try schedule.load([book, other], at: "2026-11-21")
      #expect(try schedule.told(at: "2026-11-22") == [])
    }
    try schedule.load([Book("bk1", "2026-12-22"), other], at: "2026-11-21")
    let like = Book("bk1\n#2", "2026-11-22")
    try schedule.load([book, like, other], at: "2026-11-21")
    #expect(try schedule.told(at: "2026-11-22").count == 1)
    try schedule.deliver(at: "2026-11-22")
    try schedule.load([other], at: "2026-11-22")
    try run(from: 2, through: 20)
    try schedule.load([like, other, book], at: "2026-12-22")
    #expect(try schedule.told(at: "2026-11-22") == [])
    // The first goes, the second takes its place, and later there is one more again.
    let second = Book("bk1", "2026-11-22", title: "The second")
    try schedule.load([second, other], at: "2026-12-22")
    try schedule.load([book, like, other], at: "2026-12-22")
    #expect(try schedule.told(at: "2026-11-22") == [])
  }

  @Test(arguments: [["2036-11-21"], ["1970-01-01"], ["2036-11-21", "1970-01-01"]])
  func `A clock that is years off for a run makes nothing forgotten`(days: [String]) throws {
    try schedule.load([other], at: "2026-11-22")
    try run(from: 2, through: 12)
    for day in days { try schedule.load([other], at: day) }
    try run(from: 13, through: 14)
    try schedule.load([book, other], at: "2026-12-06")
    #expect(try schedule.told(at: "2026-11-22") == [])
  }

  @Test func `A clock that is years ahead for ten days makes nothing forgotten`() throws {
    try run(from: 1, through: 12)
    for number in 0..<10 {
      let day = day("2036-11-21").adding(days: number).description
      for _ in 0..<3 { try schedule.load([other], at: day) }
    }
    try schedule.load([book, other], at: "2026-12-06")
    #expect(try schedule.told(at: "2026-11-22") == [])
  }

  @Test(arguments: ["1970-01-01", "2036-01-01"])
  func `A loan may leave while the clock is years off`(day: String) throws {
    try schedule.load([other], at: day)
    try run(from: 1, through: 30)
    try schedule.load([book, other], at: "2026-12-22")
    #expect(try schedule.told(at: "2026-11-22") == [])
  }

  @Test(arguments: [
    ("2026-11-20", nil), ("2026-11-21", nil), ("2026-12-21", nil), ("2026-11-19", nil),
    ("2026-11-18", 3), ("1970-01-01", 20_778),
  ])
  func `A clock set back by more than two days is noticed`(now: String, days: Int?) throws {
    #expect(try schedule.daysSetBack(at: moment(now)) == days)
    try schedule.load([book, other], at: now)
    #expect(try schedule.daysSetBack(at: moment(now)) == nil)
  }

  @Test func `Libraries whose dates are two days apart repeat nothing`() throws {
    try schedule.load([Book("bk1", "2026-11-21")], at: "2026-11-22")
    try schedule.deliver(at: "2026-11-22")
    try schedule.load([Book("bk2", "2026-11-21")], from: "west.xml", at: "2026-11-20")
    #expect(try schedule.told(at: "2026-11-22").filter { $0.contains("bk1") } == [])
  }

  @Test func `A rehearsal or a reader sees no day of a run that never was`() throws {
    let empty = try Schedule(rehearsing: scratch.path("none"))
    #expect(try empty.daysSetBack(at: moment("1970-01-01")) == nil)
  }

  @Test func `Only a good reload of the same catalogue forgets`() throws {
    try schedule.load([other], at: "2026-11-21")
    do { _ = try schedule.reload([other], at: "2028-11-21") }
    #expect(try schedule.load([], at: "2028-11-21") == .refusedEmpty(stored: 1))
    try schedule.load([other], from: "another.xml", at: "2028-11-21")
    try schedule.load([book, other], at: "2026-11-21")
    #expect(try schedule.told(at: "2026-11-22") == [])
  }

  @Test func `A loan that returns in the very reload that would forget it is remembered`() throws {
    try schedule.load([other], at: "2026-11-21")
    try schedule.load([book, other], at: "2028-11-21")
    #expect(try schedule.told(at: "2026-11-22") == [])
    #expect(try schedule.told(at: "2026-11-23") == ["expired bk1 2026-11-22"])
  }

  @Test func `The day of leaving is that of the first reload without the loan`() throws {
    try schedule.load([other], at: "2026-11-21")
    try run(from: 365, through: 402 + 12)
    try schedule.load([book, other], at: "2026-11-21")
    #expect(try schedule.told(at: "2026-11-22") == ["reminder bk1 2026-11-22"])
  }
}

@Suite struct `Expired notices that are repeated` {
  let scratch: Scratch
  let schedule: Schedule

  init() throws {
    scratch = try Scratch()
    schedule = try Schedule(opening: scratch.file)
    try schedule.load([Book("bk1", "2026-11-22")])
  }

  /// Has the notice repeated every so many days.
  private func repeats(every days: Int?, at now: String = "2026-11-22") throws {
    var book = Book("bk1", "2026-11-22")
    book.period = days
    try schedule.load([book], at: now)
  }

  private func isDue(on day: String) throws -> Bool {
    try !schedule.due(at: moment(day), channel: "stdout").isEmpty
  }

  @Test func `They are due on days that count from the first one, whenever they were delivered`()
    throws
  {
    try repeats(every: 7)
    try schedule.deliver(at: "2026-11-28T23:00")
    #expect(try !isDue(on: "2026-11-29T23:59:59"))
    #expect(try isDue(on: "2026-11-30"))
    try schedule.deliver(at: "2026-12-20")
    #expect(try !isDue(on: "2026-12-20"))
    #expect(try isDue(on: "2026-12-21"))
    try repeats(every: nil, at: "2026-12-21")
    #expect(try !isDue(on: "2026-12-21"))
  }

  @Test func `Every day is once a day`() throws {
    try repeats(every: 1)
    for day in 23...27 {
      #expect(try isDue(on: "2026-11-\(day)"))
      try schedule.deliver(at: "2026-11-\(day)T12:00")
      #expect(try !isDue(on: "2026-11-\(day)T23:59"))
    }
  }

  @Test func `A reminder is not repeated`() throws {
    try repeats(every: 1)
    try schedule.deliver(at: "2026-11-21")
    #expect(try !isDue(on: "2026-11-22"))
    #expect(try isDue(on: "2026-11-23"))
  }

  @Test func `A repetition that fails does not undo what was delivered`() throws {
    try repeats(every: 7)
    try schedule.deliver(at: "2026-11-23")
    let now = moment("2026-11-30")
    let due = try schedule.due(at: now, channel: "stdout")
    try schedule.beginSending([due[...]], channel: "stdout", at: now).fail(error: "no")
    #expect(try isDue(on: "2026-11-30"))
    let entry = try #require(try schedule.list(at: "2026-11-30").last)
    #expect(entry.state == .failed)
    #expect(entry.deliveries.map(\.deliveredAt) == [moment("2026-11-23")])
    try repeats(every: nil)
    #expect(try !isDue(on: "2026-11-30"))
  }

  @Test func `A delivery by a clock years ahead does not stop them`() throws {
    try schedule.deliver(at: "2036-11-23")
    try repeats(every: 7)
    #expect(try isDue(on: "2026-12-01"))
    try schedule.deliver(at: "2026-12-01")
    #expect(try !isDue(on: "2026-12-01"))
  }

  @Test func `A delivery by a clock ahead repeats nothing that was told before it`() throws {
    try repeats(every: 7)
    try schedule.deliver(at: "2026-11-24")
    try schedule.deliver(at: "2026-12-14")
    #expect(try !isDue(on: "2026-11-25"))
    #expect(try !isDue(on: "2026-11-29"))
    let delivery = try #require(try schedule.list(at: "2026-11-25").last?.deliveries.first)
    #expect(delivery.deliveredRung == 1)
    #expect(try isDue(on: "2026-11-30"))
  }

  @Test(arguments: ["2026-11-20", "2026-11-22"])
  func `A loan that a clock ahead took for expired is told when it really has`(
    right: String
  ) throws {
    try schedule.deliver(at: "2027-01-20")
    try schedule.load([Book("bk1", "2026-11-22")], at: right)
    #expect(try schedule.told(at: "2026-11-23") == ["expired bk1 2026-11-22"])
  }

  @Test func `So is one of which only deliveries know that the clock is right again`() throws {
    try schedule.deliver(at: "2027-01-20")
    try schedule.beginDelivery(through: "stdout", at: moment("2026-11-20"))
    #expect(try schedule.told(at: "2026-11-23") == ["expired bk1 2026-11-22"])
  }

  @Test func `So is one whose clock had no battery in between`() throws {
    try schedule.deliver(at: "2027-01-20")
    for day in ["1970-01-01", "2026-11-20"] {
      try schedule.load([Book("bk1", "2026-11-22")], at: day)
    }
    #expect(try schedule.told(at: "2026-11-23") == ["expired bk1 2026-11-22"])
  }

  @Test func `What a clock told that was ahead by more than zones differ is told again`() throws {
    try schedule.deliver(at: "2026-11-24T09:00")
    #expect(try schedule.told(at: "2026-11-23T07:00") == [])
    #expect(try schedule.told(at: "2026-11-23T06:59") == ["expired bk1 2026-11-22"])
    try schedule.deliver(at: "2026-11-23T06:59")
    #expect(try schedule.told(at: "2026-11-24T09:00") == [])
  }

  @Test func `A look by a clock that is behind forgets nothing`() throws {
    try schedule.deliver(at: "2026-11-23")
    for day in ["2026-11-15", "2025-01-01", "1970-01-01"] {
      try schedule.load([Book("bk1", "2026-11-22")], at: day)
      try schedule.beginDelivery(through: "stdout", at: moment(day))
      #expect(try schedule.told(at: day) == [])
    }
    #expect(try schedule.told(at: "2026-11-25") == [])
  }

  @Test func `A journey over a day's border tells nothing twice`() throws {
    try schedule.deliver(at: "2026-11-23T00:30")
    try schedule.load([Book("bk1", "2026-11-22")], at: "2026-11-22T10:30")
    #expect(try schedule.told(at: "2026-11-23T01:00") == [])
  }

  @Test func `What a clock that was ahead has sent can be marked as delivered`() throws {
    let schedule = try Schedule()
    try schedule.load([Book("bk1", "2026-11-01")])
    try schedule.deliver(at: "2027-11-01")
    let now = moment("2026-11-20")
    let due = try schedule.reader.dueRungs(at: now, channel: "stdout")
    #expect(due.rungs.count == 1)
    try schedule.note(due.rungs, as: .delivered, channel: "stdout", at: now)
    #expect(try schedule.told(at: "2026-11-20") == [])
  }

  @Test func `A backlog that a clock that was ahead has made can be sent`() throws {
    let schedule = try Schedule()
    try schedule.load([Book("bk1", "2026-11-01")], at: "2027-11-01")
    let now = moment("2026-11-20")
    let due = try schedule.reader.dueRungs(at: now, channel: "stdout").rungs
    #expect(due[0].backlog != nil)
    try schedule.note(due, as: .sending, channel: "stdout", at: now)
    #expect(try schedule.reader.dueRungs(at: now, channel: "stdout").rungs[0].backlog == nil)
    // What is ordered for these is not for others.
    try schedule.load([Book("bk1", "2026-11-01"), Book("bk2", "2026-11-01")], at: "2026-11-20")
    let next = try schedule.reader.dueRungs(at: now, channel: "stdout").rungs
    #expect(next.map { $0.backlog == nil } == [true, false])
  }
}

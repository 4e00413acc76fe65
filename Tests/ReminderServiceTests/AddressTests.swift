import LoanRules
import Loans
import Notifiers
import ReminderSchedule
import ReminderService
import Synchronization
import TestSupport
import Testing

/// Takes messages for addresses, as a mail program does.
private final class Post: Notifier {
  struct Letter: Equatable {
    var address: String?
    var titles: [String]
  }

  let channel = "post"
  let grouping: Grouping
  private let failures: [String: NotifierError.Code]
  private let sent = Mutex<[Letter]>([])
  private let tried = Mutex<Int>(0)

  init(
    hasFallback: Bool = false, limit: Int = 1_000, failures: [String: NotifierError.Code] = [:]
  ) {
    grouping = .byAddress(hasFallback: hasFallback, limit: limit, mostBorrowers: 6)
    self.failures = failures
  }

  var letters: [Letter] { sent.withLock { $0 } }
  var attempts: Int { tried.withLock { $0 } }

  func messages(for notices: [Notice]) -> [ArraySlice<Notice>] { [notices[...]] }

  func send(_ message: ArraySlice<Notice>, in context: DeliveryContext) throws(NotifierError) {
    tried.withLock { $0 += 1 }
    if let code = failures[context.address ?? ""] {
      throw NotifierError(code, channel: channel, message: "not today")
    }
    let letter = Letter(address: context.address, titles: message.compactMap(\.loan.title))
    sent.withLock { $0.append(letter) }
  }
}

@Suite struct AddressTests {
  private let library: Library
  private let scratch: ScratchFolder
  private let noon: CivilDateTime

  init() throws {
    library = try Library()
    scratch = try ScratchFolder()
    noon = try moment("2026-11-20T12:00")
    try lend([
      ("1", "2026.11.19", "bea@example.org"), ("2", "2026.11.01", "ada@example.org"),
      ("3", "2026.11.20", nil), ("4", "2026.11.21", "ada@EXAMPLE.org"),
      ("5", "2026.11.21", "not an address"), ("6", "2026.12.21", "ada@example.org"),
    ])
  }

  private func lend(_ loans: [(id: String, expiration: String, email: String?)]) throws {
    let books = loans.map { id, expiration, email in
      let email = email.map { "<email>\($0)</email>" } ?? ""
      return """
        <book id="\(id)"><title>T\(id)</title>\(email)<expiration>\(expiration)</expiration></book>
        """
    }
    try library.write("<books>\(books.joined())</books>")
    try center().reload(library.catalogue, at: noon)
  }

  /// What a process has: it opens the schedule anew.
  private func center() throws -> ReminderCenter {
    ReminderCenter(schedule: try Schedule(opening: "\(scratch.path)/schedule.sqlite"))
  }

  @discardableResult
  private func run(_ post: Post, at now: CivilDateTime? = nil) throws -> DeliveryReport {
    try center().deliver(through: post, at: now ?? noon)
  }

  private func history(of number: Int) throws -> LoanHistory {
    let center = try center()
    return try withExtendedLifetime(center) {
      try #require(try center.schedule?.reader.history(of: number, at: noon))
    }
  }

  private func forget(_ address: String) throws -> Bool? {
    let center = try center()
    return try withExtendedLifetime(center) { try center.schedule?.forget(address: address) }
  }

  private func state(of number: Int) throws -> Delivery.State? {
    try history(of: number).current(at: noon).first?.state
  }

  @Test func `Each address gets one message, the one with the most urgent notice first`() throws {
    let post = Post()
    let report = try run(post)
    #expect(
      post.letters == [
        .init(address: "ada@example.org", titles: ["T2", "T4"]),
        .init(address: "bea@example.org", titles: ["T1"]),
      ])
    #expect(report.messages == 2)
    #expect(report.delivered == 3)
  }

  @Test(arguments: [false, true])
  func `What is due for one address beyond 10,000 notices waits for the next day`(
    isLibrary: Bool
  ) throws {
    let address = isLibrary ? nil : "ada@example.org"
    try lend((0..<12_000).map { ("\($0)", "2026.11.19", address) })
    let post = Post(hasFallback: isLibrary)
    let report = try run(post)
    #expect(report.delivered == 10_000)
    #expect(report.heldForTomorrow == 2_000)
    let next = try run(post, at: moment("2026-11-21T12:00"))
    #expect(next.delivered == 2_000)
    #expect(post.letters.map(\.titles.count) == [10_000, 2_000])
    #expect(Set(post.letters.flatMap(\.titles)).count == 12_000)
  }

  @Test func `Two copies that are given ids keep what was told of each`() throws {
    func document(_ ids: [String]) -> String {
      let books = zip(ids, ["2026.11.01", "2026.11.19"]).map { id, day in
        "<book\(id)><title>T</title><expiration>\(day)</expiration></book>"
      }
      return "<books>\(books.joined())</books>"
    }
    try library.write(document(["", ""]))
    try center().reload(library.catalogue, at: noon)
    let post = Recorder()
    #expect(try center().deliver(through: post, at: noon).delivered == 2)
    try library.write(document([" id=\"a\"", " id=\"b\""]))
    try center().reload(library.catalogue, at: noon)
    #expect(try center().deliver(through: post, at: noon).delivered == 0)
  }

  /// Loans of "BOOK/READER" with ids, the same on each day, and what is told of them.
  private func told(_ days: [[(id: String, loan: String)]]) throws -> [[String]] {
    try days.enumerated().map { index, loans in
      let books = loans.map { id, loan in
        let parts = loan.split(separator: "/")
        return """
          <book id="\(id)"><title>\(parts[0])</title><borrower>\(parts[1])</borrower>
          <email>\(parts[1])@example.org</email><expiration>2026.11.22</expiration></book>
          """
      }
      try library.write("<books>\(books.joined())</books>")
      let now = try moment("2026-11-21T1\(index):00")
      let center = try center()
      try center.reload(library.catalogue, at: now)
      let recorder = Recorder()
      try center.deliver(through: recorder, at: now)
      return recorder.notices.map { "\($0.loan.title ?? "")/\($0.loan.borrower ?? "")" }
    }
  }

  @Test func `Ids that move among loans tell nobody again`() throws {
    let rows = (1...20).map { ("\($0)", "T\($0)/R\($0)") }
    let moved = zip(1..., rows.dropFirst()).map { ("\($0)", $1.1) }
    #expect(try told([rows, moved, rows, moved]).map(\.count) == [20, 0, 0, 0])
    let copies = [("b1", "Abigél/Anna"), ("b2", "Abigél/Béla")]
    #expect(try told([copies, [("b2", "Abigél/Anna"), ("b1", "Abigél/Béla")]])[1] == [])
    let chain = [("1", "A/Anna"), ("2", "B/Anna"), ("3", "C/Anna")]
    #expect(
      try told([[chain[0], chain[2]], [("1", "C/Anna"), ("3", "B/Anna")]])[1] == ["B/Anna"])
  }

  @Test func `A book that gets the id of one that is back is told as itself`() throws {
    let days = try told([
      [("1", "A/Anna"), ("2", "B/Béla")], [("2", "B/Béla")], [("1", "B/Béla")],
      [("1", "C/Béla"), ("2", "B/Béla")],
    ])
    #expect(days == [["A/Anna", "B/Béla"], [], [], ["C/Béla"]])
  }

  @Test func `The next reader of a copy is told, and the one before is not told again`() throws {
    let days = try told([[("1", "A/Anna")], [("1", "A/Béla")], [("1", "A/Anna")]])
    #expect(days == [["A/Anna"], ["A/Béla"], []])
  }

  @Test func `A loan that is away for a reading is not told again, though ids are numbers of rows`()
    throws
  {
    let all = [("1", "A/Anna"), ("2", "B/Anna"), ("3", "C/Anna")]
    let some = [("1", "B/Anna"), ("2", "C/Anna")]
    #expect(try told([all, some, all]).dropFirst() == [[], []])
    let copies = [("1", "A/Anna"), ("2", "A/Béla"), ("3", "A/Cili")]
    let moved = [("1", "New/Dóra"), ("2", "A/Anna"), ("3", "A/Béla")]
    #expect(try told([copies, Array(copies.prefix(2)), moved])[2] == ["New/Dóra"])
  }

  @Test func `A book with the id of one that is back is told, to the same reader too`() throws {
    #expect(try told([[("1", "A/Anna")], [], [("1", "B/Anna")]])[2] == ["B/Anna"])
  }

  @Test func `A silence goes with its loan, and to no other with its id`() throws {
    _ = try told([[("1", "A/Anna"), ("2", "B/Anna")]])
    let next = try moment("2026-11-23T08:00")
    let schedule = try #require(try center().schedule)
    let origin = Silence.Origin(reason: "returned", by: "desk", at: noon)
    #expect(try schedule.silence(loans: [1], by: origin) { _ in nil }.silenced.count == 1)
    try library.write(
      """
      <books><book id="1"><title>B</title><borrower>Anna</borrower><email>Anna@example.org</email>
      <expiration>2026.11.22</expiration></book></books>
      """)
    let center = ReminderCenter(schedule: schedule)
    try center.reload(library.catalogue, at: next)
    #expect(try schedule.reader.silences(today: next.date).isEmpty)
    let recorder = Recorder()
    try center.deliver(through: recorder, at: next)
    #expect(recorder.notices.map(\.loan.title) == ["B"])
  }

  @Test func `An address that many borrowers had for a while was never refused`() throws {
    try lend([("1", "2026.11.19", "ada@example.org")])
    #expect(try run(Post(failures: ["ada@example.org": .temporary])).failures.count == 1)
    let books = (1...7).map {
      """
      <book id="\($0)"><title>T\($0)</title><borrower>B\($0)</borrower>\
      <email>ada@example.org</email><expiration>2026.11.19</expiration></book>
      """
    }
    try library.write("<books>\(books.joined())</books>")
    try center().reload(library.catalogue, at: noon)
    #expect(try run(Post()).unreachableNotices == 7)
    try lend([("1", "2026.11.19", "ada@example.org")])
    let post = Post()
    try run(post)
    #expect(post.letters == [.init(address: "ada@example.org", titles: ["T1"])])
  }

  @Test func `An address stays refused though its notice is marked as delivered`() throws {
    let refusing = Post(failures: ["bea@example.org": .undeliverable])
    try run(refusing)
    let center = try center()
    try withExtendedLifetime(center) {
      let schedule = try #require(center.schedule)
      let due = try schedule.reader.dueRungs(at: noon, channel: "post")
      try schedule.note(due.rungs, as: .delivered, channel: "post", at: noon)
      #expect(try schedule.reader.dueRungs(at: noon, channel: "post").rungs.isEmpty)
      let unusable = try schedule.reader.unusableAddresses(for: "post", mostBorrowers: 6)
      #expect(unusable["bea@example.org"] != nil)
    }
  }

  @Test
  func `An address stays refused though the library's message fails by a clock that was ahead`()
    throws
  {
    try lend([("1", "2026.11.19", "bea@example.org"), ("2", "2026.11.19", "ada@example.org")])
    let later = try moment("2026-11-24T12:00")
    try run(Post(hasFallback: true, failures: ["bea@example.org": .undeliverable]), at: later)
    // The library's message fails.
    try run(Post(hasFallback: true, failures: ["": .temporary]))
    let post = Post(hasFallback: true)
    try run(post)
    #expect(post.letters.allSatisfy { $0.address != "bea@example.org" })
    #expect(post.letters.last == .init(address: nil, titles: ["T1"]))
  }

  @Test func `An address in another case is the same, today, once refused, and as it is written`()
    throws
  {
    try lend([
      ("1", "2026.11.19", "Bea@Example.org"), ("2", "2026.11.20", "bea@example.org"),
      ("3", "2026.11.20", "somebody@example.org"),
    ])
    let refusing = Post(failures: ["Bea@Example.org": .undeliverable])
    #expect(try run(refusing).failures.map(\.notices) == [2])
    #expect(try run(Post()).unreachableNotices == 2)
    #expect(try forget("BEA@example.org") == true)
    let post = Post()
    try run(post)
    #expect(post.letters == [.init(address: "Bea@Example.org", titles: ["T1", "T2"])])
    try lend([("3", "2026.11.19", "beA@example.org")])
    #expect(try run(post).heldForTomorrow == 1)
  }

  @Test func `Who cannot be written to is counted, and each notice says so`() throws {
    let report = try run(Post())
    #expect(report.unreachable == 2)
    #expect(report.unreachableNotices == 2)
    #expect(try state(of: 3) == .undeliverable)
    #expect(try state(of: 5) == .undeliverable)
    #expect(try state(of: 4) == .delivered)
    #expect(try history(of: 3).reason == .undeliverable)
    try lend([("3", "2026.11.20", "cleo@example.org")])
    let post = Post()
    try run(post)
    #expect(post.letters == [.init(address: "cleo@example.org", titles: ["T3"])])
  }

  @Test func `The library gets what is for nobody who can be written to, last`() throws {
    let post = Post(hasFallback: true)
    let report = try run(post)
    #expect(post.letters.last == .init(address: nil, titles: ["T3", "T5"]))
    #expect(post.letters.count == 3)
    #expect(report.unreachable == 0)
    #expect(try run(post).delivered == 0)
  }

  @Test func `What becomes due later on the day waits for the next, also for the library`() throws {
    let post = Post(hasFallback: true)
    try run(post)
    try lend([
      ("7", "2026.11.21", "ada@example.org"), ("8", "2026.11.21", nil),
      ("9", "2026.11.21", "cleo@example.org"),
    ])
    let report = try run(post)
    #expect(post.letters.dropFirst(3) == [.init(address: "cleo@example.org", titles: ["T9"])])
    #expect(report.heldForTomorrow == 2)
    try run(post, at: moment("2026-11-21T00:00"))
    #expect(
      post.letters.dropFirst(4) == [
        .init(address: "ada@example.org", titles: ["T7"]), .init(address: nil, titles: ["T8"]),
      ])
  }

  @Test(arguments: [false, true])
  func `What always comes after another message waits for a day, and not for ever`(
    isLibrary: Bool
  ) throws {
    let address = isLibrary ? nil : "ada@example.org"
    var other = library.catalogue
    other.name = "other"
    let daily = ReloadSettings(policy: ReminderPolicy(Ladder(delays: [1], period: 1)))
    let text = { (title: String, day: String) in
      let email = address.map { "<email>\($0)</email>" } ?? ""
      return
        "<books><book><title>\(title)</title>\(email)<expiration>\(day)</expiration></book></books>"
    }
    let post = Post(hasFallback: isLibrary)
    for day in 20...23 {
      let center = try center()
      let now = try moment("2026-11-\(day)T07:30")
      try library.write(text("Old", "2026.11.10"))
      try center.reload(library.catalogue, at: now, settings: daily)
      try library.write(text("Soon", "2026.11.22"))
      try center.reload(other, at: now)
      for name in ["books", "other"] {
        try center.deliver(through: post, in: [center.zone(at: now, catalogues: [name])])
      }
    }
    // Its reminder is due on the 21st, and the expired notice on the 23rd.
    #expect(post.letters.map(\.titles) == [["Old"], ["Old"], ["Old"], ["Soon"], ["Old"]])
    // What is new, or sent once more, has not waited; and there is no third message.
    let center = try center()
    let now = try moment("2026-11-23T09:00")
    try library.write(text("Lately", "2026.11.01"))
    other.name = "third"
    try center.reload(other, at: now)
    #expect(try center.schedule?.sendAgain(7) { _ in now } != nil)
    #expect(try center.deliver(through: post, at: now).delivered == 0)
    let tomorrow = try moment("2026-11-24T09:00")
    try center.deliver(through: post, at: tomorrow)
    #expect(post.letters.last?.titles.sorted() == ["Lately", "Old", "Soon"])
  }

  @Test func `Those who failed before leave the messages of a limit to others`() throws {
    try lend((1...4).map { ("\($0)", "2026.11.20", "reader\($0)@example.org") })
    let failing = ["reader1", "reader2"].map { ("\($0)@example.org", NotifierError.Code.temporary) }
    let failures = Dictionary(uniqueKeysWithValues: failing)
    try run(Post(limit: 2, failures: failures))
    let next = Post(limit: 2, failures: failures)
    try run(next)
    #expect(next.letters.map(\.titles) == [["T3"], ["T4"]])
  }

  @Test func `What is no address is nobody's, and the next reader is told`() throws {
    let post = Post(hasFallback: true)
    for (day, reader) in [("20", "Anna"), ("21", "Bela")] {
      let now = try moment("2026-11-\(day)T12:00")
      try library.write(
        """
        <books><book id="1"><title>\(reader)'s</title><borrower>\(reader)</borrower>
        <email>unbekannt@</email><expiration>2026.11.21</expiration></book></books>
        """)
      try center().reload(library.catalogue, at: now)
      try run(post, at: now)
    }
    #expect(post.letters.map(\.titles) == [["Anna's"], ["Bela's"]])
  }

  @Test func `Libraries on both sides of the date line write once a day each`() throws {
    let schedule = try #require(try center().schedule)
    let east = ReminderCenter(schedule: schedule) { CivilDateTime(ordinal: $0 + 14 * 3_600) }
    let west = ReminderCenter(schedule: schedule) { CivilDateTime(ordinal: $0 - 11 * 3_600) }
    let post = Post()
    var other = library.catalogue
    other.name = "other"
    // 10:45 UTC on three days.
    for day in 20...22 {
      try library.write(
        """
        <books><book id="\(day)"><title>T\(day)</title><email>a@x.org</email><expiration>2026.11.23</expiration>
        </book></books>
        """)
      let times = (
        try moment("2026-11-\(day + 1)T00:45"), try moment("2026-11-\(day - 1)T23:45")
      )
      let settings = ReloadSettings(policy: ReminderPolicy(Ladder(leads: [9])))
      try east.reload(library.catalogue, at: times.0, settings: settings)
      try west.reload(other, at: times.1, settings: settings)
      for _ in 0..<2 {
        try west.deliver(
          through: post,
          in: [
            east.zone(at: times.0, catalogues: ["books"]),
            west.zone(at: times.1, catalogues: ["other"]),
          ])
      }
      #expect(post.letters.count == 2 * (day - 19))
    }
  }

  @Test func `On the day on which the clocks change, an address gets one message`() throws {
    let schedule = try #require(try center().schedule)
    // Until 01:00 UTC of 2026-10-25 two hours ahead, then one.
    let change = try moment("2026-10-25T01:00").ordinal
    let center = ReminderCenter(schedule: schedule) { instant in
      CivilDateTime(ordinal: instant + (instant < change ? 7_200 : 3_600))
    }
    let post = Post()
    for (number, now) in ["2026-10-25T01:30", "2026-10-25T07:30"].enumerated() {
      try library.write(
        """
        <books><book id="n\(number)"><title>T\(number)</title><email>a@x.org</email>
        <expiration>2026.10.26</expiration></book></books>
        """)
      try center.reload(library.catalogue, at: moment(now))
      try center.deliver(through: post, at: moment(now))
    }
    #expect(post.letters.count == 1)
  }

  @Test func `An address that was refused is left alone until it changes or is forgotten`() throws {
    let refusing = Post(failures: ["ada@example.org": .undeliverable])
    let report = try run(refusing)
    #expect(report.delivered == 1)
    #expect(report.failures.map(\.notices) == [2])
    #expect(report.failures.map(\.isHandedOn) == [false])
    #expect(try state(of: 2) == .undeliverable)
    let tomorrow = try moment("2026-11-21T12:00")
    let post = Post()
    let next = try run(post, at: tomorrow)
    #expect(post.letters == [])
    #expect(next.unreachableNotices == 4)
    #expect(try history(of: 2).current(at: tomorrow).map(\.error) == ["not today"])
    #expect(try forget("ada@example.org") == true)
    #expect(try forget("ada@example.org") == false)
    try run(post, at: tomorrow)
    #expect(post.letters == [.init(address: "ada@example.org", titles: ["T2", "T4"])])
  }

  @Test func `The library gets in the same run what was refused`() throws {
    let post = Post(hasFallback: true, failures: ["ada@example.org": .undeliverable])
    let report = try run(post)
    #expect(
      post.letters == [
        .init(address: "bea@example.org", titles: ["T1"]),
        .init(address: nil, titles: ["T3", "T5", "T2", "T4"]),
      ])
    #expect(report.failures.map(\.isHandedOn) == [true])
    #expect(try state(of: 2) == .delivered)
    #expect(try run(post).delivered == 0)
  }

  @Test func `A library whose own address is refused is tried once in a run`() throws {
    let post = Post(hasFallback: true, failures: ["": .undeliverable])
    let report = try run(post)
    #expect(post.attempts == 3)
    #expect(report.failures.map(\.notices) == [2])
    #expect(report.failures.map(\.isHandedOn) == [false])
    let next = Post(hasFallback: true)
    try run(next)
    #expect(next.letters == [.init(address: nil, titles: ["T3", "T5"])])
  }

  @Test func `A run sends no more messages than it may, and counts the rest`() throws {
    let post = Post(limit: 1)
    let report = try run(post)
    #expect(post.letters == [.init(address: "ada@example.org", titles: ["T2", "T4"])])
    #expect(report.overLimit == 1)
    #expect(try run(post).messages == 1)
    #expect(post.letters.count == 2)
  }

  @Test func `The limit is that of the run, whatever the time zones`() throws {
    let center = try center()
    let post = Post(limit: 1)
    let report = try center.deliver(
      through: post,
      in: [
        center.zone(at: noon, catalogues: ["books"]),
        center.zone(at: moment("2026-11-21T00:30"), catalogues: ["books"]),
      ])
    #expect(report.messages == 1)
    #expect(report.overLimit > 0)
  }

  @Test func `With a limit, reminders come first, then the newest that has expired`() throws {
    try lend([
      ("1", "2026.01.01", "a@example.org"), ("2", "2026.11.18", "b@example.org"),
      ("3", "2026.11.21", "c@example.org"), ("4", "2026.11.20", "d@example.org"),
    ])
    for titles in [["T4"], ["T3"], ["T2"], ["T1"]] {
      let post = Post(limit: 1)
      try run(post)
      #expect(post.letters.map(\.titles) == [titles])
    }
  }

  @Test func `An address of more than six borrowers is nobody's`() throws {
    func lend(_ borrowers: Int) throws {
      let books = (1...borrowers).map { number in
        """
        <book id="\(number)"><title>T\(number)</title><borrower>B\(number)</borrower>
        <email>none@example.org</email><expiration>2026.11.\(number == 1 ? 21 : 29)</expiration></book>
        """
      }
      try library.write("<books>\(books.joined())</books>")
      try center().reload(library.catalogue, at: noon)
    }
    try lend(7)
    let post = Post()
    #expect(try run(post).unreachableNotices == 1)
    #expect(
      try history(of: 1).current(at: noon).first?.error
        == "7 borrowers have the same address, so it is probably a placeholder; correct the catalogue, or "
        + "raise mail-max-borrowers")
    try lend(6)
    #expect(try run(post).messages == 1)
  }

  @Test func `Three failures in a row that may pass end the channel for this run`() throws {
    let addresses = (1...9).map { "reader\($0)@example.org" }
    try lend(addresses.enumerated().map { ("x\($0.offset)", "2026.11.21", $0.element) })
    func failing(_ numbers: [Int]) -> Post {
      let failures = numbers.map { ("reader\($0)@example.org", NotifierError.Code.temporary) }
      return Post(failures: Dictionary(uniqueKeysWithValues: failures))
    }
    let busy = failing([2, 3, 5, 6, 7])
    let report = try run(busy)
    #expect(busy.attempts == 7)
    #expect(busy.letters.map(\.titles) == [["Tx0"], ["Tx3"]])
    #expect(report.failures.map(\.notices) == [7])
    let idle = failing([])
    try run(idle)
    #expect(idle.letters.count == 7)
  }

  @Test(arguments: [1, 2, 5])
  func `Where nobody is accepted, the channel is at fault and not the addresses`(
    readers: Int
  ) throws {
    try lend((1...readers).map { ("\($0)", "2026.11.21", "reader\($0)@example.org") })
    let addresses = (0...readers).map {
      ($0 == 0 ? "" : "reader\($0)@example.org", NotifierError.Code.undeliverable)
    }
    let wrong = Post(hasFallback: true, failures: Dictionary(uniqueKeysWithValues: addresses))
    let report = try run(wrong)
    #expect(wrong.attempts == (readers == 5 ? 3 : readers + 1))
    #expect(wrong.letters == [])
    #expect(report.failures.contains { $0.error.code == .temporary && !$0.isHandedOn })
    #expect(try state(of: 1) == .failed)
    let right = Post(hasFallback: true)
    try run(right)
    #expect(right.letters.count == readers)
  }

  @Test func `Once somebody was accepted, each refusal is about its address`() throws {
    try lend((1...5).map { ("\($0)", "2026.11.21", "reader\($0)@example.org") })
    let addresses = (2...5).map { ("reader\($0)@example.org", NotifierError.Code.undeliverable) }
    let post = Post(hasFallback: true, failures: Dictionary(uniqueKeysWithValues: addresses))
    let report = try run(post)
    #expect(post.letters.map(\.titles) == [["T1"], ["T2", "T3", "T4", "T5"]])
    #expect(report.failures.map(\.isHandedOn) == [true])
  }

  @Test func `Whoever failed before comes last, and keeps nobody from being written to`() throws {
    try lend((1...6).map { ("\($0)", "2026.11.21", "reader\($0)@example.org") })
    let addresses = (1...3).map { ("reader\($0)@example.org", NotifierError.Code.temporary) }
    let failures = Dictionary(uniqueKeysWithValues: addresses)
    #expect(try run(Post(failures: failures)).delivered == 0)
    let next = Post(failures: failures)
    let report = try run(next)
    #expect(next.letters.map(\.titles) == [["T4"], ["T5"], ["T6"]])
    #expect(report.failures.map(\.notices) == [3])
  }

  @Test func `What is refused after the library was written to waits for its next message`() throws
  {
    try run(Post(hasFallback: true))
    try lend([("7", "2026.11.21", "cleo@example.org")])
    let post = Post(hasFallback: true, failures: ["cleo@example.org": .undeliverable])
    let report = try run(post)
    #expect(post.letters == [])
    #expect(report.failures.map(\.isHandedOn) == [false])
    try run(post, at: moment("2026-11-21T12:00"))
    #expect(post.letters == [.init(address: nil, titles: ["T7"])])
  }

  @Test func `Libraries whose clocks show another time write to an address together`() throws {
    try library.write(
      """
      <books><book id="1"><title>A</title><email>a@x.org</email><expiration>2026.11.21</expiration>
      </book></books>
      """)
    let center = try center()
    var other = library.catalogue
    other.name = "other"
    try center.reload(library.catalogue, at: noon)
    try center.reload(other, at: noon)
    let post = Post()
    let report = try center.deliver(
      through: post,
      in: [
        center.zone(at: noon, catalogues: ["books"]),
        center.zone(at: moment("2026-11-20T13:00"), catalogues: ["other"]),
      ])
    #expect(post.letters == [.init(address: "a@x.org", titles: ["A", "A"])])
    #expect(report.delivered == 2)
  }

  @Test func `A part of a message that was delivered is not sent again`() throws {
    struct Halves: Notifier {
      let channel = "halves"
      func messages(for notices: [Notice]) -> [ArraySlice<Notice>] { [notices[...]] }
      func send(_ message: ArraySlice<Notice>, in context: DeliveryContext) throws(NotifierError) {
        let places = (0..<message.count).filter { $0 % 2 == 0 } + [-1, 99]
        throw NotifierError(.failed, channel: channel, message: "half", delivered: places)
      }
    }
    let center = try center()
    let report = try center.deliver(through: Halves(), at: noon)
    #expect(report.delivered == 3)
    #expect(report.failures.map(\.notices) == [2])
    let due = try #require(try center.schedule?.reader.due(at: noon, channel: "halves"))
    #expect(due.map(\.notice.loan.title) == ["T1", "T4"])
    #expect(try center.deliver(through: Halves(), at: noon).delivered == 1)
    #expect(try center.deliver(through: Halves(), at: noon).delivered == 1)
  }

  @Test func `A channel's new name keeps what was delivered through either`() throws {
    try run(Post())
    let schedule = try #require(try center().schedule)
    #expect(try schedule.rename(channel: "nothing", to: "other") == nil)
    #expect(try schedule.rename(channel: "post", to: "other") == 5)
    #expect(try schedule.reader.due(at: noon, channel: "other").count == 2)
    #expect(try schedule.reader.due(at: noon, channel: "post").count == 5)
    let due = try schedule.reader.dueRungs(at: noon, channel: "third").rungs
    // The one that was delivered through the other comes to be failed through this one.
    try schedule.note(due.prefix(1), as: .failed, channel: "third", at: noon, error: "no")
    try schedule.note(due.suffix(1), as: .delivered, channel: "third", at: noon)
    let before = try schedule.reader.due(at: noon, channel: "other").count
    #expect(try schedule.rename(channel: "other", to: "third") == 5)
    let left = try schedule.reader.dueRungs(at: noon, channel: "third").rungs
    #expect(left.count == before - 1)
    #expect(!left.contains { $0 == due.first || $0 == due.last })
    #expect(try schedule.rename(channel: "third", to: "third") == nil)
  }

  @Test func `What was marked counts as delivered, and says that it was not sent`() throws {
    let schedule = try #require(try center().schedule)
    let due = try schedule.reader.dueRungs(at: noon, channel: "post")
    #expect(due.rungs.map(\.backlog) == [.newChannel, nil, nil, nil, nil])
    try schedule.note(due.rungs, as: .delivered, channel: "post", at: noon)
    #expect(try schedule.reader.due(at: noon, channel: "post") == [])
    let history = try #require(try schedule.reader.history(of: 3, at: noon))
    #expect(
      Explanation(history, now: noon).sentences.contains(
        "The reminder was marked as delivered through post on 2026-11-20 at 12:00, and not sent."))
  }
}

import Foundation
import LoanRules
import Loans
import ReminderSchedule
import ReminderService
import TestSupport
import Testing

/// A library over 120 days: its catalogue changes, runs come, fail to come or are killed, and
/// channels fail.
struct LibraryYear {
  static let channels = [
    FickleChannel.Kind(
      name: "stdout", noticesPerMessage: 1, messagesPerCommit: 500, refusals: 0),
    FickleChannel.Kind(
      name: "notify-send", noticesPerMessage: 1, messagesPerCommit: 1, refusals: 25),
    FickleChannel.Kind(
      name: "exec:/bin/mail", noticesPerMessage: 4, messagesPerCommit: 3, refusals: 25),
  ]

  private let seed: Int
  private var dice: Dice
  /// Where the catalogue is.
  private let library: Library
  private var schedule: Schedule
  /// Where the schedule is; `nil` in memory, where no run is killed.
  private var home: ScratchFolder?
  private var owed = OwedNotices()
  private var steps = OwedNotices.Steps()
  /// The catalogue, in document order; a book may be there twice.
  private var books: [Book] = []
  private var returned: [Book] = []
  /// The notices that were sent, in their order.
  private var sent: [OwedNotices.Told] = []
  /// How often each notice may have been sent once more, since it was in flight when a run was
  /// killed.
  private var repeatable: [OwedNotices.Told: Int] = [:]
  /// How many loans alike there were at most.
  private var alike: [OwedNotices.Lent: Int] = [:]

  init(seed: Int) throws {
    self.seed = seed
    dice = Dice(state: UInt64(seed))
    library = try Library()
    home = seed.isMultiple(of: 20) ? try ScratchFolder() : nil
    schedule = try Self.open(home)
    chooseSteps()
  }

  /// Chooses one reminder and one notice, as often as a whole ladder.
  private mutating func chooseSteps() {
    let second = Int.random(in: 0..<86_400, using: &dice)
    steps = OwedNotices.Steps(
      leads: [Int.random(in: 0...7, using: &dice)],
      time: happens(50) ? .midnight : CivilTime(secondOfDay: second) ?? .midnight)
    if isPlain { return }
    steps.leads = (0..<Int.random(in: 0...4, using: &dice)).map { _ in
      Int.random(in: 0...12, using: &dice)
    }
    steps.delays = (0..<Int.random(in: 0...4, using: &dice)).map { _ in
      Int.random(in: 1...12, using: &dice)
    }
    if happens(50) { steps.period = Int.random(in: 1...10, using: &dice) }
    if happens(20) { steps.limit = Int.random(in: 1...40, using: &dice) }
  }

  /// Whether the library never has more than one reminder and one notice afterwards; then it may have
  /// loans alike.
  private var isPlain: Bool { seed.isMultiple(of: 2) }

  private static func open(_ home: ScratchFolder?) throws -> Schedule {
    guard let home else { return try Schedule() }
    return try Schedule(opening: "\(home.path)/schedule.sqlite")
  }

  private mutating func happens(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &dice) < percent
  }

  /// Lives through the days.
  mutating func live() async throws {
    let start = try moment("2026-01-01T00:00:00").date
      .adding(days: Int.random(in: 0..<366, using: &dice))
    var pause = 0
    for number in 0..<120 {
      let today = start.adding(days: number)
      if happens(60) { edit(on: today) }
      if happens(3) { pause = Int.random(in: 2...40, using: &dice) }
      pause -= 1
      if pause >= 0 { continue }
      let runs = [0, 1, 1, 1, 1, 2, 3].randomElement(using: &dice) ?? 1
      let seconds = (0..<runs).map { _ in Int.random(in: 0..<86_400, using: &dice) }.sorted()
      for second in seconds {
        try await run(at: CivilDateTime(today, CivilTime(secondOfDay: second) ?? .midnight))
        if happens(20) { edit(on: today) }
      }
    }
    checkWhatWasSent()
  }
}

// What happens in the library.
extension LibraryYear {
  private mutating func edit(on today: CivilDate) {
    for _ in 0..<Int.random(in: 1...3, using: &dice) {
      switch Int.random(in: 0..<12, using: &dice) {
      case 0...3 where books.count < 12: add(someBook(on: today))
      case 4...5: giveBack()
      case 6: lendAgain(on: today)
      case 7...8:
        change { $0.expiration = $0.expiration.adding(days: [-4, -1, 1, 7, 14].pick(&$1)) }
      case 9: change { $0.title = "Title \(Int.random(in: 0..<9, using: &$1)) <&>" }
      case 10: change { book, _ in book.isReadable.toggle() }
      default: if happens(50) { books.shuffle(using: &dice) }
      }
    }
    if happens(isPlain ? 1 : 8) { chooseSteps() }
    if !isPlain { tellApart() }
  }

  /// Leaves no two books alike: if they were told of on different days and one is returned,
  /// nobody can say which one it was, and so when the other is to be told of again.
  private mutating func tellApart() {
    for index in books.indices {
      while books[..<index].contains(where: { $0.lent == books[index].lent }) {
        books[index].expiration = books[index].expiration.adding(days: 1)
      }
    }
  }

  /// One with an id or without one, at times with that of another.
  private mutating func someBook(on today: CivilDate) -> Book {
    let number = Int.random(in: 0..<20, using: &dice)
    let expiration = today.adding(days: Int.random(in: -3...15, using: &dice))
    let id = happens(8) && !books.isEmpty ? books.pick(&dice).id : "bk\(number)"
    return Book(id: happens(10) ? nil : id, title: "Title \(number) <&>", expiration: expiration)
  }

  private mutating func add(_ book: Book) {
    books.insert(book, at: Int.random(in: 0...books.count, using: &dice))
  }

  private mutating func giveBack() {
    guard let index = books.indices.randomElement(using: &dice) else { return }
    returned.append(books.remove(at: index))
  }

  private mutating func lendAgain(on today: CivilDate) {
    guard books.count < 12, let index = returned.indices.randomElement(using: &dice) else { return }
    var book = returned.remove(at: index)
    if happens(40) {
      book.expiration = today.adding(days: Int.random(in: 0...15, using: &dice))
    }
    add(book)
  }

  private mutating func change(_ body: (inout Book, inout Dice) -> Void) {
    guard let index = books.indices.randomElement(using: &dice) else { return }
    body(&books[index], &dice)
  }

  /// The catalogue's text.
  private var document: String {
    let records = books.map { book in
      let id = book.id.map { " id=\"\($0)\"" } ?? ""
      let title = book.title.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      let expiration = book.isReadable ? book.expiration.dotted : "2026.13.41"
      return "<book\(id)><title>\(title)</title><expiration>\(expiration)</expiration></book>\n"
    }
    return "<books>\n\(records.joined())</books>\n"
  }
}

// What a run does.
extension LibraryYear {
  private mutating func run(at now: CivilDateTime) async throws {
    if home != nil, happens(30) { try reopen() }
    if happens(80) { try reload(at: now) }
    if happens(5) { try cancel(at: now) }
    for channel in Self.channels where happens(90) { try deliver(at: now, channel) }
  }

  /// Goes on with the files in another place, or where they are.
  private mutating func reopen(_ copy: ScratchFolder? = nil) throws {
    schedule = try Schedule()
    if let copy { home = copy }
    schedule = try Self.open(home)
  }

  private mutating func reload(at now: CivilDateTime) throws {
    let isBroken = happens(5)
    let text = document
    try library.write(isBroken ? String(text.prefix(text.count / 2)) : text)
    let killedAt = home != nil && happens(5) ? Int.random(in: 0..<12, using: &dice) : nil
    let copy = killedAt == nil ? nil : try ScratchFolder()
    let kill = Self.killing(home, copy)
    var isKilled = false
    var number = 0
    let settings = ReloadSettings(
      policy: ReminderPolicy(steps.ladder), allowsEmpty: true)
    let report = try ReminderCenter(schedule: schedule).reload(
      library.catalogue, at: now, settings: settings
    ) { _ in
      if number == killedAt, let kill { isKilled = (try? kill()) != nil }
      number += 1
    }
    if isKilled { return try reopen(copy) }
    #expect(report.isUsable == !isBroken, "seed \(seed), \(now)")
    if isBroken { return }
    owed.loans = books.filter(\.isReadable)
    owed.steps = steps
    owed.cancelled = []
    alike.merge(owed.alike) { max($0, $1) }
  }

  /// Cancels some loans, with all that are like them.
  private mutating func cancel(at now: CivilDateTime) throws {
    var entries = try schedule.reader.entries(at: now)
    var numbers: [String: [Int]] = [:]
    while let entry = try entries.next() {
      let identity = entry.loan.id ?? entry.loan.title ?? ""
      numbers[identity, default: []].append(entry.id)
    }
    for (identity, ids) in numbers.sorted(by: { $0.key < $1.key }) where happens(20) {
      try schedule.cancel(ids: ids)
      owed.cancelled.insert(identity)
    }
  }

  private mutating func deliver(at now: CivilDateTime, _ kind: FickleChannel.Kind) throws {
    let expected = owed.owed(at: now, channel: kind.name)
    let copy = home == nil ? nil : try ScratchFolder()
    let dice = Dice(state: dice.next())
    let channel = FickleChannel(kind, dice: dice, kill: Self.killing(home, copy))
    let report = try ReminderCenter(schedule: schedule).deliver(
      through: channel, at: now,
      isStopRequested: { channel.isStopRequested() })
    let record = channel.record
    let offered = record.offered.reduce(into: [:]) { counts, notice in
      counts[told(notice, kind), default: 0] += 1
    }
    for notice in Set(offered.keys).union(expected.keys) {
      let count = offered[notice] ?? 0
      let least = expected[notice] ?? 0
      // Where one of two loans alike is returned, nobody can say which one; then the other may
      // be told of as well, if it was not.
      let isSure =
        alike[notice.lent, default: 0] <= 1 || owed.cancelled.contains(notice.lent.identity)
      let most = isSure ? least : owed.alike[notice.lent] ?? 0
      #expect(least <= count && count <= most, "seed \(seed), \(now): \(notice)")
    }
    for notice in record.taken.joined() {
      note(notice, at: now, kind)
      owed.told.append(told(notice, kind))
    }
    if record.isKilled {
      for notice in record.inFlight {
        note(notice, at: now, kind)
        repeatable[told(notice, kind), default: 0] += 1
      }
      return try reopen(copy)
    }
    #expect(report.delivered == record.taken.joined().count, "seed \(seed), \(now)")
    let rest = report.failures.map(\.notices).reduce(report.leftByStop, +)
    #expect(report.delivered + rest == record.offered.count, "seed \(seed), \(now)")
  }

  /// What copies the files of the schedule as a kill would leave them.
  private static func killing(
    _ home: ScratchFolder?, _ copy: ScratchFolder?
  ) -> (@Sendable () throws -> Void)? {
    guard let from = home?.path, let to = copy?.path else { return nil }
    return { try File.copyAll(in: from, to: to) }
  }

  /// Notes that a notice was sent, which must be true.
  private mutating func note(
    _ notice: Notice, at now: CivilDateTime, _ kind: FickleChannel.Kind
  ) {
    let told = self.told(notice, kind)
    sent.append(told)
    let isTrue = owed.loans.contains {
      $0.lent == told.lent && $0.title == notice.loan.title
    }
    #expect(isTrue, "seed \(seed), \(now): told of a loan that is not there")
    #expect(
      (told.rung > 0) == (told.lent.expiration < now.date),
      "seed \(seed), \(now): wrong kind")
  }

  private func told(_ notice: Notice, _ kind: FickleChannel.Kind) -> OwedNotices.Told {
    OwedNotices.Told(
      lent: OwedNotices.Lent(
        identity: notice.loan.id ?? notice.loan.title ?? "", expiration: notice.loan.expiration),
      rung: notice.rung, channel: kind.name)
  }

  /// What must hold however the notices came about: each is further than the one before, as often as
  /// there are loans alike.
  private func checkWhatWasSent() {
    struct Way: Hashable {
      var lent: OwedNotices.Lent
      var channel: String
    }
    for (way, told) in Dictionary(grouping: sent, by: { Way(lent: $0.lent, channel: $0.channel) }) {
      let counts = told.reduce(into: [:]) { counts, told in counts[told, default: 0] += 1 }
      for (told, count) in counts {
        let most = alike[told.lent, default: 0] + repeatable[told, default: 0]
        #expect(count <= most, "seed \(seed): \(told) \(count) times")
      }
      if alike[way.lent, default: 0] > 1 { continue }
      let rungs = told.map(\.rung)
      #expect(
        zip(rungs, rungs.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed): \(way) \(rungs)")
    }
  }
}

extension Array {
  fileprivate func pick(_ dice: inout Dice) -> Element {
    self[Int.random(in: indices, using: &dice)]
  }
}

/// Seeds from the environment: `CHECK_LOANS_HISTORIES` says how many, `CHECK_LOANS_HISTORY` which
/// one alone.
private let seeds: ClosedRange<Int> = {
  let environment = ProcessInfo.processInfo.environment
  if let one = environment["CHECK_LOANS_HISTORY"].flatMap({ Int($0) }) { return one...one }
  return 1...(environment["CHECK_LOANS_HISTORIES"].flatMap { Int($0) } ?? 100)
}()

@Test(arguments: seeds)
func `Any history of a library tells what a plain model of it owes`(seed: Int) async throws {
  var year = try LibraryYear(seed: seed)
  try await year.live()
}

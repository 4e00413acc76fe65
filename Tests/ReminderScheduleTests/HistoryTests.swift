import Foundation
import Loans
import ReminderSchedule
import Testing

/// Which notices a library's borrowers are owed, in the plainest way: what was told is a list.
struct OwedNotices {
  /// A notice that was told.
  struct Told: Hashable {
    var identity: String
    var expiration: CivilDate
    var kind: Notice.Kind
    var channel: String
  }

  /// The loans of the catalogue when it was last read.
  var loans: [Book] = []
  /// Those among them that the user has cancelled since.
  var cancelled: Set<String> = []
  /// The day on which each notice was last told.
  var told: [Told: CivilDate] = [:]
  /// After how many days an expired notice is told again.
  var period: Int?

  func owed(at now: CivilDateTime, channel: String) -> [Told] {
    loans.filter { !cancelled.contains($0.identity) }.compactMap { loan in
      let isExpired = loan.expiration < now.date
      let notice = Told(
        identity: loan.identity, expiration: loan.expiration,
        kind: isExpired ? .expired : .reminder, channel: channel)
      if isExpired {
        return isOwed(expired: notice, on: now.date) ? notice : nil
      }
      let firesOn = loan.expiration.adding(days: -loan.lead)
      if now.date < firesOn { return nil }
      if now.date == firesOn && now.time.secondOfDay < loan.time.secondOfDay { return nil }
      return told[notice] == nil ? notice : nil
    }
  }

  private func isOwed(expired notice: Told, on today: CivilDate) -> Bool {
    guard let last = told[notice] else { return true }
    guard let period else { return false }
    return last.adding(days: period) <= today
  }
}

/// A library over 120 days: its catalogue changes, runs come or fail to come, channels fail.
struct LibraryYear {
  /// How a channel takes notices, and whether it fails at times.
  struct Channel {
    var name: String
    var noticesPerMessage: Int
    var messagesPerMark: Int
    var fails: Bool
  }

  static let channels = [
    Channel(name: "stdout", noticesPerMessage: 1, messagesPerMark: 500, fails: false),
    Channel(name: "notify-send", noticesPerMessage: 1, messagesPerMark: 1, fails: true),
    Channel(name: "exec:/bin/mail", noticesPerMessage: 4, messagesPerMark: 3, fails: true),
  ]

  private var dice: Dice
  private let seed: Int
  private var schedule: Schedule
  /// The place of the schedule; `nil` in memory.
  private let scratch: Scratch?
  private var owed = OwedNotices()
  private var lead: Int
  private var time: CivilTime
  /// The catalogue, in document order; a book may be there twice.
  private var books: [Book] = []
  private var returned: [Book] = []
  /// Every notice that was ever sent, by what it told.
  private var sent: [OwedNotices.Told: [CivilDate]] = [:]

  init(seed: Int) throws {
    self.seed = seed
    dice = Dice(state: UInt64(seed))
    scratch = seed.isMultiple(of: 25) ? try Scratch() : nil
    schedule = try Self.open(scratch)
    lead = Int.random(in: 0...7, using: &dice)
    time =
      [.midnight, CivilTime(secondOfDay: Int.random(in: 0..<86_400, using: &dice))]
      .randomElement(using: &dice)?.flatMap { $0 } ?? .midnight
    owed.period = Bool.random(using: &dice) ? nil : Int.random(in: 1...10, using: &dice)
  }

  private static func open(_ scratch: Scratch?) throws -> Schedule {
    guard let scratch else { return try Schedule(rehearsing: "/nonexistent/schedule") }
    return try Schedule(opening: scratch.file)
  }

  private mutating func happens(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &dice) < percent
  }

  /// Lives through the days.
  mutating func live() throws {
    let start = day("2026-01-01").adding(days: Int.random(in: 0..<366, using: &dice))
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
        try run(at: CivilDateTime(today, CivilTime(secondOfDay: second) ?? .midnight))
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
      switch Int.random(in: 0..<11, using: &dice) {
      case 0...3 where books.count < 12: add(someBook(on: today))
      case 4...5: giveBack()
      case 6: lendAgain(on: today)
      case 7...8:
        change { $0.expiration = $0.expiration.adding(days: [-4, -1, 1, 7, 14].pick(&$1)) }
      case 9: change { $0.title = "Title \(Int.random(in: 0..<9, using: &$1))" }
      default: if happens(50) { books.shuffle(using: &dice) }
      }
    }
    if happens(1) { lead = Int.random(in: 0...7, using: &dice) }
  }

  private mutating func someBook(on today: CivilDate) -> Book {
    let number =
      happens(8) && !books.isEmpty ? nil : Int.random(in: 0..<20, using: &dice)
    let identity = number.map { "bk\($0)" } ?? books.pick(&dice).identity
    return Book(identity, today.adding(days: Int.random(in: -3...15, using: &dice)))
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
}

// What a run does.
extension LibraryYear {
  private mutating func run(at now: CivilDateTime) throws {
    if scratch != nil, happens(30) { try reopen() }
    if happens(80) { try reload(at: now) }
    if happens(5) { try cancel(at: now) }
    for channel in Self.channels where happens(90) { try deliver(at: now, channel) }
  }

  /// Ends the run, or has it killed, and opens the schedule again.
  private mutating func reopen() throws {
    schedule = try Schedule(rehearsing: "/nonexistent/schedule")
    schedule = try Self.open(scratch)
  }

  private mutating func reload(at now: CivilDateTime) throws {
    let broken = happens(5)
    var ordinals: [String: Int] = [:]
    let loans = books.map { book in
      var loan = book
      let ordinal = ordinals[book.identity, default: 0] + 1
      ordinals[book.identity] = ordinal
      // The second record of an id is another loan.
      if ordinal > 1 { loan.identity += "#\(ordinal)" }
      loan.lead = lead
      loan.time = time
      return loan
    }
    _ = try schedule.reload(catalogue: "books.xml", now: now, allowEmpty: true) { reload in
      for loan in loans.prefix(broken ? loans.count / 2 : loans.count) { reload.add(loan) }
      return broken ? .keep : .replace(records: loans.count)
    }
    if broken { return }
    owed.loans = loans
    owed.cancelled = []
  }

  private mutating func cancel(at now: CivilDateTime) throws {
    for entry in try schedule.list(at: "\(now)") where happens(20) {
      _ = try schedule.cancel(ids: [entry.id])
      owed.cancelled.insert(entry.loan.id ?? "-")
    }
  }

  private mutating func deliver(at now: CivilDateTime, _ channel: Channel) throws {
    let due = try schedule.due(
      at: now, channel: channel.name, repeatExpired: owed.period)
    let told = due.map { self.told($0, channel) }
    let expected = owed.owed(at: now, channel: channel.name)
    #expect(
      told.count == expected.count && Set(told) == Set(expected),
      "seed \(seed), \(now), \(channel.name)")
    let messages = stride(from: 0, to: due.count, by: channel.noticesPerMessage).map {
      Array(due[$0..<min($0 + channel.noticesPerMessage, due.count)])
    }
    for start in stride(from: 0, to: messages.count, by: channel.messagesPerMark) {
      let part = messages[start..<min(start + channel.messagesPerMark, messages.count)]
      switch try send(Array(part), at: now, channel) {
      case .goesOn: continue
      case .stops: return
      case .isKilled: return try reopen()
      }
    }
  }

  private enum Outcome {
    case goesOn
    case stops
    /// As by kill -9: neither the end of the sending nor anything after it.
    case isKilled
  }

  private mutating func send(
    _ messages: [[DueNotice]], at now: CivilDateTime, _ channel: Channel
  ) throws -> Outcome {
    let sending = try schedule.beginSending(messages, channel: channel.name, at: now)
    for message in messages {
      if channel.fails, happens(25) {
        try sending.fail(error: "no route")
        return happens(50) ? .goesOn : .stops
      }
      try sending.noteSent()
      for notice in message { note(notice, at: now, channel) }
      if scratch != nil, happens(4) { return .isKilled }
    }
    try sending.finish()
    return .goesOn
  }

  private mutating func note(_ notice: DueNotice, at now: CivilDateTime, _ channel: Channel) {
    let told = self.told(notice, channel)
    sent[told, default: []].append(now.date)
    owed.told[told] = now.date
    let isTrue = owed.loans.contains {
      $0.identity == told.identity && $0.expiration == told.expiration
        && $0.title == notice.notice.loan.title
    }
    #expect(isTrue, "seed \(seed), \(now): told of a loan that is not there")
    #expect(
      (told.kind == .expired) == (told.expiration < now.date), "seed \(seed), \(now): wrong kind")
  }

  private func told(_ due: DueNotice, _ channel: Channel) -> OwedNotices.Told {
    OwedNotices.Told(
      identity: due.notice.loan.id ?? "-", expiration: due.notice.loan.expiration,
      kind: due.notice.kind, channel: channel.name)
  }

  /// What must hold however the notices came about.
  private func checkWhatWasSent() {
    for (told, days) in sent {
      if told.kind == .reminder || owed.period == nil {
        #expect(days.count == 1, "seed \(seed): \(told) on \(days)")
      } else if let period = owed.period {
        let pauses = zip(days, days.dropFirst()).map { $0.days(until: $1) }
        #expect(pauses.allSatisfy { $0 >= period }, "seed \(seed): \(told) on \(days)")
      }
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
func `Any history of a library tells what a plain model of it owes`(seed: Int) throws {
  var year = try LibraryYear(seed: seed)
  try year.live()
}

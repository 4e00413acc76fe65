import Foundation
import LoanRules
import Loans
import Notifiers
import ReminderSchedule
import ReminderService
import TestSupport
import Testing

/// A library over 120 days: its catalogue, its ladder and its closed days change, people silence
/// loans, runs come, fail to come or are killed, and channels fail or have hours.
struct LibraryYear {
  static let channels = [
    FickleChannel.Kind(
      name: "stdout", noticesPerMessage: 1, messagesPerCommit: 500, refusals: 0),
    FickleChannel.Kind(
      name: "notify-send", noticesPerMessage: 1, messagesPerCommit: 1, refusals: 25),
    FickleChannel.Kind(
      name: "exec:/bin/mail", noticesPerMessage: 4, messagesPerCommit: 3, refusals: 25),
    FickleChannel.Kind(
      name: "mail", noticesPerMessage: 0, messagesPerCommit: 2, refusals: 25,
      grouping: .byAddress(hasFallback: true, limit: 1_000, mostBorrowers: 6)),
  ]

  private let seed: Int
  private var dice: Dice
  /// Where the catalogue is.
  private var library: Library
  private var schedule: Schedule
  /// Where the schedule is; `nil` in memory, where no run is killed.
  private var home: ScratchFolder?
  private var owed = OwedNotices()
  private var postbox = Postbox()
  private var steps = OwedNotices.Steps()
  private var closed = ClosedWeeks()
  private var hours = SendingHours()
  /// The catalogue, in document order; a book may be there twice.
  private var books: [Book] = []
  private var returned: [Book] = []
  /// The notices that were sent, in their order.
  private var sent: [OwedNotices.Told] = []
  /// How often each notice may have been sent once more, since it was in flight when a run was
  /// killed.
  private var repeatable: [OwedNotices.Told: Int] = [:]
  /// The loans of which a notice may be sent after a further one.
  private var beginAgain: Set<OwedNotices.Lent> = []
  /// How often the catalogue was moved.
  private var moves = 0
  /// Whether some run had a wrong clock.
  private var hasJumped = false
  /// How many loans alike there were at most.
  private var alike: [OwedNotices.Lent: Int] = [:]
  /// Loans of which nobody can say what was told of them, since they, or some that have left, were among
  /// several alike when some of these came to be known by something else.
  private var blurred: Set<OwedNotices.Lent> = []

  init(seed: Int) throws {
    self.seed = seed
    dice = Dice(state: UInt64(seed))
    library = try Library()
    home = seed.isMultiple(of: 20) ? try ScratchFolder() : nil
    schedule = try Self.open(home)
    chooseSteps()
    if happens(30) { hours.minutes = dice.someHours() }
  }

  /// Chooses one reminder and one notice, as often as a whole ladder.
  private mutating func chooseSteps() {
    steps = dice.someSteps()
    if isPlain {
      steps.leads = [steps.leads.first ?? 1]
      (steps.delays, steps.period, steps.limit) = ([1], nil, nil)
    }
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

  /// A second of the day, at times the one from which something holds, or the one before it.
  private mutating func someSecond() -> Int {
    let second = Int.random(in: 0..<86_400, using: &dice)
    if happens(80) { return second }
    let minutes = hours.minutes.map { [$0.start, $0.end] } ?? []
    let edge = (minutes.map { $0 * 60 } + [steps.time.secondOfDay]).pick(&dice)
    return max(0, edge - Int.random(in: 0...1, using: &dice))
  }

  /// Lives through the days.
  mutating func live() async throws {
    let start = try moment("2026-01-01T00:00:00").date
      .adding(days: Int.random(in: 0..<366, using: &dice))
    if happens(50) { closed = dice.someClosedWeeks(from: start) }
    if happens(30) { hours.closed = closed }
    var pause = 0
    for number in 0..<120 {
      let today = start.adding(days: number)
      if happens(60) { edit(on: today) }
      if happens(3) { pause = Int.random(in: 2...40, using: &dice) }
      pause -= 1
      if pause >= 0 { continue }
      let runs = [0, 1, 1, 1, 1, 2, 3].randomElement(using: &dice) ?? 1
      let seconds = (0..<runs).map { _ in someSecond() }.sorted()
      for second in seconds {
        let time = CivilTime(secondOfDay: second) ?? .midnight
        if happens(4) {
          // A run by a clock that is wrong.
          let days = [-365, -40, -3, -2, -1, 1, 2, 3, 40, 365].pick(&dice)
          hasJumped = true
          try await run(at: CivilDateTime(today.adding(days: days), time))
        }
        try await run(at: CivilDateTime(today, time))
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
      switch Int.random(in: 0..<16, using: &dice) {
      case 0...3 where books.count < 12: add(someBook(on: today))
      case 4...5: giveBack()
      case 6: lendAgain(on: today)
      case 7...8:
        change { $0.renew(until: $0.expiration.adding(days: [-4, -1, 1, 7, 14].pick(&$1))) }
      case 9 where happens(30):
        change { $0.email = ["new@example.org", "Ada@example.org", nil].pick(&$1) }
      case 9: change { $0.title = "Title \(Int.random(in: 0..<9, using: &$1)) <&>" }
      case 10: change { book, _ in book.isReadable.toggle() }
      case 11: change { $0.borrower = ["Ada", "ADA", "Bea", "Cleo"].pick(&$1) }
      case 12:
        change { book, _ in book.email = book.borrower.map { "\($0)@example.com" } }
      case 13:
        // The next reader has it until the same day.
        change { book, _ in
          book.borrower = book.borrower == "Dora" ? "Ede" : "Dora"
          book.email = book.email.map { _ in "\(book.borrower ?? "")@example.org" }
        }
      case 14:
        // It is known by an id from now on.
        change { book, dice in
          if book.id == nil { book.id = "given\(Int.random(in: 0..<10_000, using: &dice))" }
        }
      case 15 where happens(20):
        // Ids move from one book to the next, as the numbers of rows do; of books alike, or with the same
        // id, nobody could say which is which.
        let contents = Set(books.map { [$0.title, $0.person, "\($0.expiration)"] })
        guard contents.count == books.count, Set(books.map(\.identity)).count == books.count else {
          break
        }
        let ids = books.map(\.id)
        for (index, id) in zip(books.indices.dropFirst(), ids) { books[index].id = id }
        if let id = ids.last { books[0].id = id }
      default: if happens(50) { books.shuffle(using: &dice) }
      }
    }
    if happens(isPlain ? 1 : 8) { chooseSteps() }
    if happens(3) { closed = dice.someClosedWeeks(from: today) }
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
    let borrower = [nil, "Ada", "Bea"].pick(&dice)
    let addresses = [
      "\(borrower ?? "")@example.org", "\(borrower ?? "")@EXAMPLE.org", "nobody", nil,
    ]
    return Book(
      id: happens(10) ? nil : id, title: "Title \(number) <&>", expiration: expiration,
      borrower: borrower, email: borrower == nil ? nil : addresses.pick(&dice),
      loaned: happens(50) ? expiration.adding(days: Int.random(in: -14...0, using: &dice)) : nil)
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
      book.renew(until: today.adding(days: Int.random(in: 0...15, using: &dice)))
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
  private mutating func run(at now: CivilDateTime) async throws {
    if home != nil, happens(30) { try reopen() }
    if happens(80) { try reload(at: now) }
    if happens(5) { try cancel(at: now) }
    if happens(8) { try sendAgain(at: now) }
    if happens(2) { try move() }
    if happens(8) { try silence(at: now) }
    if happens(4) { try silenceAll(at: now) }
    if happens(5) { try endSilences(at: now) }
    if happens(10) { try checkSilences(at: now) }
    if happens(10) { try checkPlan(from: now) }
    for channel in Self.channels where happens(90) { try deliver(at: now, channel) }
    if happens(15) { try checkAnswers(at: now) }
  }

  /// Goes on with the files in another place, or where they are.
  private mutating func reopen(_ copy: ScratchFolder? = nil) throws {
    schedule = try Schedule()
    if let copy { home = copy }
    schedule = try Self.open(home)
  }

  private mutating func reload(at now: CivilDateTime) throws {
    let isBroken = happens(5)
    let text = books.document
    try library.write(isBroken ? String(text.prefix(text.count / 2)) : text)
    let killedAt = home != nil && happens(5) ? Int.random(in: 0..<12, using: &dice) : nil
    let copy = killedAt == nil ? nil : try ScratchFolder()
    let kill = Self.killing(home, copy)
    var isKilled = false
    var number = 0
    let policy = ReminderPolicy(steps.ladder, closedDays: try closed.closedDays())
    var settings = ReloadSettings(policy: policy)
    settings.allowsEmpty = true
    let report = try ReminderCenter(schedule: schedule).reload(
      library.catalogue, at: now, settings: settings
    ) { _ in
      if number == killedAt, let kill { isKilled = (try? kill()) != nil }
      number += 1
    }
    if isKilled { return try reopen(copy) }
    #expect(report.isUsable == !isBroken, "seed \(seed), \(now)")
    if isBroken { return }
    owed.read(books, steps, closed, on: now.date)
    note(owed.successions)
    alike.merge(owed.alike) { max($0, $1) }
    // One whose date cannot be read, among several with its id in another order, may be any of them.
    blurred.formUnion(owed.loans.filter { $0.isKept && (alike[$0.lent] ?? 0) > 1 }.map(\.lent))
  }

  /// Loans are known by something else; others may be known by what they were, and be told anew.
  private mutating func note(_ successions: [OwedNotices.Succession]) {
    postbox.note(successions)
    let new = Set(successions.map(\.new))
    for succession in successions {
      let isShared = successions.count { $0.old == succession.old } > 1
      if isShared || !isSure(succession.old) {
        blurred.formUnion([succession.old, succession.new])
      }
    }
    for told in sent {
      var lent = told.lent
      lent.succeed(successions)
      if lent == told.lent, !new.contains(lent) { continue }
      repeatable[told, default: 0] += 1
      beginAgain.insert(told.lent)
    }
  }

  /// Whether it is known of a loan what was told of it: of two loans alike that were told of on different
  /// days, one of which is returned, nobody can say which one it was.
  private func isSure(_ lent: OwedNotices.Lent) -> Bool {
    alike[lent, default: 0] <= 1 && !blurred.contains(lent)
  }

  /// Cancels some loans, with all that are like them.
  private mutating func cancel(at now: CivilDateTime) throws {
    var numbers: [String: Set<Int>] = [:]
    for (lent, ids) in try numbersOfLoans(at: now) {
      numbers[lent.identity, default: []].formUnion(ids)
    }
    for (identity, ids) in numbers.sorted(by: { $0.key < $1.key }) where happens(20) {
      try schedule.cancel(ids: ids.sorted())
      owed.cancelled.insert(identity)
    }
  }

  /// Has the notices of some loans sent again, of none that others are like.
  private mutating func sendAgain(at now: CivilDateTime) throws {
    let numbers = try numbersOfLoans(at: now).sorted { "\($0.key)" < "\($1.key)" }
    for (lent, ids) in numbers where happens(20) {
      let loans = owed.loans.filter { $0.lent == lent }
      guard let id = ids.first, ids.count == 1, isSure(lent), loans.count == 1 else { continue }
      let again = owed.sendAgain(loans[0], at: now)
      let result = try schedule.sendAgain(id) { _ in now }
      #expect(result?.isSentAgain == !again.isEmpty, "seed \(seed), \(now): again \(lent)")
      postbox.again.formUnion(again)
      // A try by a wrong clock may have been the last.
      if hasJumped { postbox.unsure.formUnion(again) }
      beginAgain.insert(lent)
      for told in again { repeatable[told, default: 0] += 1 }
    }
  }

  /// Moves the catalogue, and its part of the schedule with it.
  private mutating func move() throws {
    let old = library.name
    moves += 1
    library.move(to: "books\(moves)")
    let count = try schedule.rename(catalogue: old, to: library.name)
    #expect(count ?? 0 == owed.loans.count, "seed \(seed): moved to \(library.name)")
  }

  /// The numbers of loans in the schedule, of those alike together.
  private func numbersOfLoans(at now: CivilDateTime) throws -> [OwedNotices.Lent: Set<Int>] {
    var entries = try schedule.reader.entries(in: [(now, nil)])
    var numbers: [OwedNotices.Lent: Set<Int>] = [:]
    while let entry = try entries.next() { numbers[lent(entry.loan), default: []].insert(entry.id) }
    return numbers
  }

  private func lent(_ loan: Loan) -> OwedNotices.Lent {
    let book = Book(
      id: loan.id, title: loan.title ?? "", expiration: loan.expiration, borrower: loan.borrower,
      email: loan.email)
    return book.lent
  }

  private mutating func deliver(at now: CivilDateTime, _ kind: FickleChannel.Kind) throws {
    let isHeld = try hours.deliveryHours().holds(at: now) != nil
    #expect(isHeld == !hours.contain(now), "seed \(seed), \(now): held")
    if isHeld { return }
    let isMail = kind.grouping != .together
    let expected = owed.owed(at: now, channel: kind.name)
    let copy = home == nil ? nil : try ScratchFolder()
    let dice = Dice(state: dice.next())
    let channel = FickleChannel(kind, dice: dice, kill: Self.killing(home, copy))
    owed.note(run: now.date)
    let report = try ReminderCenter(schedule: schedule).deliver(
      through: channel, at: now,
      isStopRequested: { channel.isStopRequested() })
    let record = channel.record
    let offered = record.offered.reduce(into: [:]) { counts, notice in
      counts[told(notice, kind), default: 0] += 1
    }
    let open = owed.open(on: now.date)
    let before = postbox
    // Where nobody is accepted, the channel is at fault, and a run that is killed decides nothing.
    let isTheirs = !record.taken.isEmpty && !record.isKilled
    if isTheirs { postbox.refused.formUnion(record.refused) }
    for (address, message) in zip(record.addresses, record.taken) where isMail {
      #expect(!before.refused.contains(address), "seed \(seed), \(now): \(address) has refused")
      let isHeld = message.allSatisfy {
        before.holds(address, dueSince: owed.day(of: $0.rung, book($0)), on: now.date)
      }
      #expect(!isHeld, "seed \(seed), \(now): again to \(address)")
      let earlier = before.written.filter { $0.address == address && $0.at.date == now.date }
      let isSecond = Set(earlier.map(\.at)).count < 2
      #expect(isSecond || hasJumped, "seed \(seed), \(now): a third time to \(address)")
      for notice in message { postbox.send(told(notice, kind), to: address, at: now) }
    }
    #expect(
      !isMail || Set(record.addresses).count == record.addresses.count, "seed \(seed), \(now)")
    for message in record.taken where isMail {
      #expect(
        Set(message.map { postbox.address(of: book($0)) }).count == 1, "seed \(seed), \(now)")
    }
    for notice in Set(offered.keys).union(expected.keys) {
      let count = offered[notice] ?? 0
      var least = expected[notice] ?? 0
      if isMail {
        // What waits for tomorrow, or was not read any more before a stop or the end.
        let isHeld = open.contains { book in
          let address = before.address(of: book)
          // What is refused is for the library, which may have been written to.
          return book.lent == notice.lent
            && (before.isDone(address, on: now.date)
              || record.refused.contains(address) && (before.isDone("", on: now.date) || !isTheirs))
        }
        if isHeld || report.leftByStop > 0 || record.isKilled { least = min(least, count) }
      }
      // Of two loans alike, one of which is returned, the other may be told of as well, if it was not.
      let most = isSure(notice.lent) ? least : open.count { $0.lent == notice.lent }
      if blurred.contains(notice.lent) { least = 0 }
      #expect(least <= count, "seed \(seed), \(now): lost \(notice)")
      #expect(count <= most, "seed \(seed), \(now): not owed \(notice)")
    }
    for (lent, notices) in Dictionary(grouping: record.offered, by: { self.lent($0.loan) }) {
      let most = owed.alike[lent] ?? 0
      #expect(notices.count <= most, "seed \(seed), \(now): more than one notice of \(lent)")
    }
    let taken = Set(record.taken.joined().map { told($0, kind) })
    if isMail {
      for told in offered.keys where postbox.again.contains(told) && !taken.contains(told) {
        postbox.unsure.insert(told)
      }
    }
    for notice in record.taken.joined() {
      note(notice, at: now, kind)
      if owed.tell(told(notice, kind), at: now) { repeatable[told(notice, kind), default: 0] += 1 }
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
    #expect(
      report.delivered + rest == record.offered.count || isMail && report.leftByStop > 0
        || !record.refused.isEmpty, "seed \(seed), \(now)")
  }

  private func book(_ notice: Notice) -> Book {
    Book(title: "", expiration: notice.loan.expiration, email: notice.loan.email)
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
    OwedNotices.Told(lent: lent(notice.loan), rung: notice.rung, channel: kind.name)
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
      if hasJumped || !isSure(way.lent) || beginAgain.contains(way.lent) { continue }
      let rungs = told.map(\.rung)
      #expect(
        zip(rungs, rungs.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed): \(way) \(rungs)")
    }
  }
}

// What people silence, and what they are told of it.
extension LibraryYear {
  private func origin(at now: CivilDateTime) -> Silence.Origin {
    Silence.Origin(reason: "asked for it", by: "ada", at: now)
  }

  /// Snoozes some loans, or says that they are returned, with all that are like them.
  private mutating func silence(at now: CivilDateTime) throws {
    let until = happens(70) ? now.date.adding(days: Int.random(in: 0...20, using: &dice)) : nil
    let numbers = try numbersOfLoans(at: now).sorted { "\($0.key)" < "\($1.key)" }
    for (lent, ids) in numbers where happens(20) {
      guard owed.alike[lent] == 1, ids.count == 1 else { continue }
      let result = try schedule.silence(loans: ids.sorted(), by: origin(at: now)) { _ in until }
      let subject = OwedNotices.Silence.Subject.lent(lent)
      // What is reported as returned is silenced for longer.
      let isReturned = owed.silences.contains { $0.subject == subject && $0.until == nil }
      let isKept = isReturned && until != nil
      #expect(result.silenced.count == (isKept ? 0 : 1), "seed \(seed), \(now): \(lent)")
      #expect(result.returned.count == (isKept ? 1 : 0), "seed \(seed), \(now): \(lent)")
      if isKept { continue }
      owed.silences.removeAll { $0.subject == subject }
      owed.silences.append(OwedNotices.Silence(subject: subject, until: until))
    }
  }

  /// Silences all loans of a title, of a borrower, or both.
  private mutating func silenceAll(at now: CivilDateTime) throws {
    var conditions = SilenceConditions()
    let isTitle = happens(50)
    if isTitle { conditions.title = "Title \(Int.random(in: 0..<20, using: &dice)) <&>" }
    if !isTitle || happens(30) { conditions.borrower = ["Ada", "Bea"].pick(&dice) }
    let until = happens(80) ? now.date.adding(days: Int.random(in: 0...20, using: &dice)) : nil
    let result = try schedule.silence(conditions, until: until, by: origin(at: now))
    let silence = OwedNotices.Silence(
      subject: .all(title: conditions.title, borrower: conditions.borrower, id: result.id),
      until: until)
    owed.silences.append(silence)
    let count = owed.loans.count(where: silence.isAbout)
    #expect(result.loans == count, "seed \(seed), \(now): \(silence)")
  }

  /// Ends some silences, of loans alike together.
  private mutating func endSilences(at now: CivilDateTime) throws {
    for silence in owed.silences where silence.holds(on: now.date) && happens(40) {
      if case .lent(let lent) = silence.subject, owed.alike[lent] != 1 { continue }
      let ids = try schedule.reader.silences(today: now.date).filter { found in
        switch silence.subject {
        case .lent(let lent): found.target.map { self.lent($0.loan) } == lent
        case .all(_, _, let id): found.id == id
        }
      }.map(\.id)
      #expect(try schedule.endSilences(ids).unknown == [], "seed \(seed), \(now)")
      owed.silences.removeAll { $0 == silence }
    }
  }

  /// Checks that the silences that are listed are those that hold.
  private func checkSilences(at now: CivilDateTime) throws {
    let listed = try schedule.reader.silences(today: now.date)
    var loans = Dictionary(grouping: listed.compactMap(\.target)) { lent($0.loan) }
      .mapValues(\.count)
    var others = Set(listed.filter { $0.target == nil }.map(\.id))
    for silence in owed.silences where silence.holds(on: now.date) {
      switch silence.subject {
      case .lent(let lent):
        // It has no effect while the loan is away.
        let isThere = owed.alike[lent] == 1
        #expect(
          loans.removeValue(forKey: lent) == (isThere ? 1 : nil), "seed \(seed), \(now): \(lent)")
      case .all(_, _, let id):
        #expect(others.remove(id) != nil, "seed \(seed), \(now): \(silence)")
      }
    }
    #expect(loans.isEmpty && others.isEmpty, "seed \(seed), \(now): \(loans) \(others)")
  }

  /// Checks that all answers of how each loan stands agree, now and at the end of the day.
  private func checkAnswers(at now: CivilDateTime) throws {
    for time in [now] + now.date.ends(of: 1) {
      // Nor can they say what was delivered before a failure, as happens where a clock was wrong.
      try Answers(schedule, at: time, "seed \(seed), \(time)").check {
        [hasJumped] loan in !hasJumped && isSure(lent(loan))
      }
    }
  }

  /// Checks that the plan of the next days is what runs at their ends owe if nothing else happens.
  private mutating func checkPlan(from now: CivilDateTime) throws {
    let ends = now.date.ends(of: Int.random(in: 1...30, using: &dice))
    for kind in Self.channels {
      var planned = ends.map { _ in [OwedNotices.Told: Int]() }
      for (time, notice) in try schedule.reader.planned(at: ends, channel: kind.name) {
        let day = try #require(ends.firstIndex(of: time))
        planned[day][told(notice.notice, kind), default: 0] += 1
      }
      for (index, forecast) in owed.forecast(at: ends, channel: kind.name).enumerated() {
        #expect(
          planned[index].filter { isSure($0.key.lent) }
            == forecast.filter { isSure($0.key.lent) },
          "seed \(seed), \(now): the plan of \(ends[index]) for \(kind.name)")
      }
    }
  }
}

extension Book {
  /// Lends the book until another day, which is never before the loan.
  fileprivate mutating func renew(until day: CivilDate) {
    expiration = day
    if let loaned, loaned > day { self.loaned = nil }
  }
}

extension CivilDate {
  /// The ends of this day and the next ones.
  func ends(of days: Int) -> [CivilDateTime] {
    let last = CivilTime(secondOfDay: 86_399) ?? .midnight
    return (0..<days).map { CivilDateTime(adding(days: $0), last) }
  }
}

extension Dice {
  /// Any ladder, with a time to the minute, as settings have it.
  mutating func someSteps() -> OwedNotices.Steps {
    func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
    func days(_ range: ClosedRange<Int>) -> [Int] {
      (0..<Int.random(in: 0...4, using: &self)).map { _ in Int.random(in: range, using: &self) }
    }
    var steps = OwedNotices.Steps(leads: days(0...12), delays: days(1...12))
    let minute = Int.random(in: 0..<1_440, using: &self)
    if happens(50) { steps.time = CivilTime(secondOfDay: minute * 60) ?? .midnight }
    if happens(50) { steps.period = Int.random(in: 1...10, using: &self) }
    if happens(20) { steps.limit = Int.random(in: 1...40, using: &self) }
    return steps
  }

  /// Some days of the week, and some ranges in the days to come, one of which may be so long that it is
  /// a mistake.
  mutating func someClosedWeeks(from day: CivilDate) -> ClosedWeeks {
    var weeks = ClosedWeeks()
    for _ in 0..<Int.random(in: 0...3, using: &self) {
      weeks.weekdays.insert(Int.random(in: 0..<7, using: &self))
    }
    for _ in 0..<Int.random(in: 0...3, using: &self) {
      let first = day.adding(days: Int.random(in: -10...100, using: &self))
      let length = [0, 1, 4, 9, 19, 99].pick(&self)
      weeks.ranges.append(first...first.adding(days: length))
    }
    return weeks
  }

  /// Hours of the day to the minute, over midnight too.
  mutating func someHours() -> (start: Int, end: Int) {
    let start = Int.random(in: 0..<1_440, using: &self)
    return (start, (start + Int.random(in: 60..<1_440, using: &self)) % 1_440)
  }
}

extension Array {
  func pick(_ dice: inout Dice) -> Element {
    self[Int.random(in: indices, using: &dice)]
  }
}

/// Seeds from the environment: `CHECK_LOANS_HISTORIES` says how many, `CHECK_LOANS_HISTORY` which
/// one alone.
private let seeds: ClosedRange<Int> = {
  let environment = ProcessInfo.processInfo.environment
  if let one = environment["CHECK_LOANS_HISTORY"].flatMap({ Int($0) }) { return one...one }
  return 1...(environment["CHECK_LOANS_HISTORIES"].flatMap { Int($0) } ?? 25)
}()

@Test(arguments: seeds)
func `Any history of a library tells what a plain model of it owes`(seed: Int) async throws {
  var year = try LibraryYear(seed: seed)
  try await year.live()
}

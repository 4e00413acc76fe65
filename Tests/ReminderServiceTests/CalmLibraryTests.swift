import LoanRules
import Loans
import ReminderSchedule
import ReminderService
import TestSupport
import Testing

/// A library in which nothing fails, with a run at the end of each day.
private struct CalmLibrary {
  /// A notice, and the day on which it is sent.
  struct Sent: Hashable {
    var day: CivilDate
    var identity: String
    var rung: Int
  }

  private static let kind = FickleChannel.Kind(
    name: "stdout", noticesPerMessage: 1, messagesPerCommit: 500, refusals: 0)

  let books: [Book]
  let start: CivilDate
  var steps: OwedNotices.Steps
  private let closed: ClosedWeeks
  private var dice: Dice
  private let library: Library
  let schedule: Schedule

  init(seed: Int) throws {
    var dice = Dice(state: UInt64(seed))
    let start = try moment("2026-01-01T00:00").date
      .adding(days: Int.random(in: 0..<366, using: &dice))
    books = (0..<8).map { number in
      let expiration = start.adding(days: Int.random(in: -30...40, using: &dice))
      let loaned = min(start, expiration.adding(days: Int.random(in: -14...0, using: &dice)))
      return Book(
        id: "bk\(number)", title: "T", expiration: expiration,
        loaned: Bool.random(using: &dice) ? loaned : nil)
    }
    steps = dice.someSteps()
    closed = dice.someClosedWeeks(from: start)
    self.start = start
    self.dice = dice
    library = try Library()
    schedule = try Schedule()
    try library.write(books.document)
  }

  mutating func chooseSteps() { steps = dice.someSteps() }

  func reload(on day: CivilDate) throws {
    let policy = ReminderPolicy(steps.ladder, closedDays: try closed.closedDays())
    try ReminderCenter(schedule: schedule).reload(
      library.catalogue, at: day.ends(of: 1)[0], settings: ReloadSettings(policy: policy))
  }

  func deliver(on day: CivilDate) throws -> [Sent] {
    let channel = FickleChannel(Self.kind, dice: dice, kill: nil)
    try ReminderCenter(schedule: schedule).deliver(through: channel, at: day.ends(of: 1)[0])
    return channel.record.taken.joined().map {
      Sent(day: day, identity: $0.loan.id ?? "", rung: $0.rung)
    }
  }

  /// The notices of a loan over some days, rung by rung.
  func ladder(of book: Book, days: Int) -> [Sent] {
    let (before, after) = closed.openDays(around: book.expiration)
    var rungs: [(rung: Int, day: CivilDate)] = steps.leads.map { (-$0, before.adding(days: -$0)) }
      .filter { _, day in book.loaned.map { $0 < day } ?? true }
    rungs += steps.rungs(upTo: 200).map { ($0, after.adding(days: $0)) }
      .filter { rung, _ in rung <= steps.limit ?? .max }
    var sent: [CivilDate: Int] = [:]
    for (rung, day) in rungs.sorted(by: { $0.rung < $1.rung }) where day >= start {
      if start.days(until: day) < days { sent[day] = rung }
    }
    // What was missed before the first run is its furthest rung, if it still says what is true.
    let late = book.expiration.days(until: start)
    let missed = rungs.filter { $0.day < start && ($0.rung > 0) == (late > 0) }.map(\.rung).max()
    if let missed, after.days(until: start) <= steps.limit ?? .max, sent[start] == nil {
      sent[start] = missed
    }
    return sent.map { Sent(day: $0, identity: book.identity, rung: $1) }
  }
}

struct CalmLibraryTests {
  @Test(arguments: 1...50)
  func `Without faults and edits, what is planned on the first day is the ladder, and is sent`(
    seed: Int
  ) throws {
    let library = try CalmLibrary(seed: seed)
    let ends = library.start.ends(of: 60)
    try library.reload(on: library.start)
    let planned = try library.schedule.reader.planned(at: ends, channel: "stdout").map {
      CalmLibrary.Sent(
        day: $0.time.date, identity: $0.notice.notice.loan.id ?? "", rung: $0.notice.notice.rung)
    }
    var sent: [CalmLibrary.Sent] = []
    for end in ends {
      try library.reload(on: end.date)
      sent += try library.deliver(on: end.date)
    }
    let ladders = library.books.flatMap { library.ladder(of: $0, days: ends.count) }
    #expect(Set(sent) == Set(ladders), "the ladder")
    #expect(Set(planned) == Set(sent), "the plan")
    #expect(sent.count == Set(sent).count && planned.count == sent.count)
  }

  @Test(arguments: 1...50)
  func `An edit of the ladder sends at most one notice about a loan, and only a further one`(
    seed: Int
  ) throws {
    var library = try CalmLibrary(seed: seed)
    var furthest: [String: Int] = [:]
    for end in library.start.ends(of: 40) {
      library.chooseSteps()
      try library.reload(on: end.date)
      for sent in try library.deliver(on: end.date) {
        #expect(sent.rung > furthest[sent.identity] ?? .min, "\(sent)")
        furthest[sent.identity] = sent.rung
      }
      #expect(try library.deliver(on: end.date) == [], "once more on \(end)")
    }
  }
}

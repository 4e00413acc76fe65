import Loans
import ReminderSchedule
import TestSupport
import Testing

/// Says what the schedule should do, in the plainest way: dictionaries, no numbers, no file.
struct StepModel {
  struct Key: Hashable {
    var catalogue: String
    var identity: String
  }

  struct Mark: Hashable {
    var rung: Int
    var expiration: CivilDate
    var channel: String
  }

  var present: [Key: Book] = [:]
  var cancelled: Set<Key> = []
  var attempted: [Key: Set<Mark>] = [:]
  var delivered: [Key: Set<Mark>] = [:]

  mutating func reload(_ catalogue: String, _ books: [Book], today: CivilDate) {
    let before = present.keys.filter { $0.catalogue == catalogue }
    for key in before { present[key] = nil }
    for book in books { present[Key(catalogue: catalogue, identity: book.identity)] = book }
    for key in before where present[key] == nil {
      cancelled.remove(key)
    }
    for book in books {
      let key = Key(catalogue: catalogue, identity: book.identity)
      cancelled.remove(key)
    }
  }

  func due(at now: CivilDateTime, channel: String) -> Set<String> {
    var due: Set<String> = []
    for (key, book) in present where !cancelled.contains(key) {
      let kind: Notice.Kind = book.expiration < now.date ? .expired : .reminder
      if kind == .reminder, book.fireAt > now { continue }
      let rung = kind == .expired ? 1 : -book.lead
      let isDone = delivered[key]?.contains {
        $0.expiration == book.expiration && $0.channel == channel && $0.rung >= rung
      }
      if isDone == true { continue }
      due.insert("\(key.catalogue) \(kind) \(book.identity) \(book.title) \(book.expiration)")
    }
    return due
  }

  mutating func mark(_ due: DueNotice, channel: String, isDelivered: Bool) {
    let key = Key(catalogue: due.notice.catalogue, identity: due.notice.loan.id ?? "-")
    let mark = Mark(
      rung: due.notice.rung, expiration: due.notice.loan.expiration, channel: channel)
    attempted[key, default: []].insert(mark)
    if isDelivered { delivered[key, default: []].insert(mark) }
  }

  func entryCount(today: CivilDate) -> Int {
    present.reduce(0) { count, loan in
      let isExpired = loan.value.expiration < today
      let isAttempted =
        attempted[loan.key]?.contains {
          $0.rung <= 0 && $0.expiration == loan.value.expiration
        } ?? false
      return count + (isExpired ? 1 : 0) + (!isExpired || isAttempted ? 1 : 0)
    }
  }
}

/// A schedule and its model, going through the same history.
struct Steps {
  static let catalogues = ["a.xml", "b.xml"]
  static let channels = ["stdout", "mail"]

  var dice: Dice
  var now = moment("2026-11-01T07:00:00")
  var model = StepModel()
  /// How many loans there are that a catalogue may have.
  let loans: Int
  let scratch: Scratch
  var schedule: Schedule

  init(seed: UInt64, loans: Int) throws {
    dice = Dice(state: seed)
    self.loans = loans
    scratch = try Scratch()
    schedule = try Schedule(opening: scratch.file)
  }

  mutating func step() throws {
    switch Int.random(in: 0..<12, using: &dice) {
    case 0..<4: try reload()
    case 4: try reloadInVain()
    case 5..<8: try deliver()
    case 8: try cancel()
    case 9: try reopen()
    case 10: pass(days: Int.random(in: 0...3, using: &dice))
    default: pass(days: 20)
    }
  }

  mutating func pass(days: Int) {
    let time = [CivilTime.midnight, CivilTime(secondOfDay: 86_399)].randomElement(using: &dice)
    now = CivilDateTime(now.date.adding(days: days), (time ?? .midnight) ?? .midnight)
  }

  private mutating func someBooks(_ catalogue: String) -> [Book] {
    let before = model.present.filter { $0.key.catalogue == catalogue }
      .map(\.value).sorted { $0.identity < $1.identity }
    var books = before.filter { _ in Int.random(in: 0..<6, using: &dice) > 0 }
    for index in books.indices where Int.random(in: 0..<5, using: &dice) == 0 {
      books[index] = someBook(books[index].identity)
    }
    for number in 0..<loans where Int.random(in: 0..<4, using: &dice) == 0 {
      let identity = "bk\(number)"
      if !books.contains(where: { $0.identity == identity }) { books.append(someBook(identity)) }
    }
    if Bool.random(using: &dice) { books.shuffle(using: &dice) }
    return books
  }

  private mutating func someBook(_ identity: String) -> Book {
    Book(
      identity, now.date.adding(days: Int.random(in: -5...10, using: &dice)),
      title: "Title \(Int.random(in: 0..<3, using: &dice)) of \(identity)",
      lead: Int.random(in: 0...3, using: &dice))
  }

  private mutating func reload() throws {
    let catalogue = Self.catalogues.randomElement(using: &dice) ?? ""
    let books = someBooks(catalogue)
    let outcome = try schedule.load(
      books, from: catalogue, at: now.description, allowEmpty: true)
    model.reload(catalogue, books, today: now.date)
    guard case .replaced(let summary) = outcome else { throw TestFailure() }
    let scheduled = books.filter { $0.expiration >= now.date }
    #expect(summary.loans == books.count)
    #expect(summary.scheduled == scheduled.count)
    #expect(summary.nextFireAt == scheduled.map(\.fireAt).filter { $0 > now }.min())
  }

  private mutating func reloadInVain() throws {
    let catalogue = Self.catalogues.randomElement(using: &dice) ?? ""
    let books = someBooks(catalogue)
    _ = try schedule.reload(books, from: catalogue, at: now.description)
  }

  private mutating func deliver() throws {
    let channel = Self.channels.randomElement(using: &dice) ?? ""
    let due = try schedule.due(at: now, channel: channel)
    for notice in due where Bool.random(using: &dice) {
      let end = Int.random(in: 0..<4, using: &dice)
      try schedule.send(
        [notice], through: channel, at: now,
        end: end == 0 ? .none : end == 1 ? .failed("no") : .delivered)
      model.mark(notice, channel: channel, isDelivered: end >= 2)
    }
  }

  private mutating func cancel() throws {
    var ids: [Int] = []
    for entry in try schedule.list(at: now.description)
    where Int.random(in: 0..<3, using: &dice) == 0 {
      ids.append(entry.id)
      model.cancelled.insert(
        StepModel.Key(catalogue: entry.catalogue, identity: entry.loan.id ?? "-"))
    }
    #expect(try schedule.cancel(ids: ids + [-7]).unknown == [-7])
  }

  private mutating func reopen() throws {
    let file = scratch.file
    schedule = try Schedule(rehearsing: scratch.path("none"))
    schedule = try Schedule(opening: file)
  }

  func check() throws {
    for channel in Self.channels {
      let due = try schedule.due(at: now, channel: channel)
      let words = due.map { due in
        let (notice, loan) = (due.notice, due.notice.loan)
        return "\(notice.catalogue) \(notice.kind) \(loan.id ?? "-") \(loan.title ?? "-") "
          + "\(loan.expiration)"
      }
      #expect(Set(words) == model.due(at: now, channel: channel))
      #expect(words.count == Set(words).count)
      let expirations = due.map(\.notice.loan.expiration)
      #expect(expirations == expirations.sorted())
    }
    #expect(try schedule.list(at: now.description).count == model.entryCount(today: now.date))
  }
}

@Test(arguments: Effort.seeds(1..<41))
func `Any steps in any order end as the plain model says`(seed: Int) throws {
  var steps = try Steps(seed: UInt64(seed), loans: 12)
  for _ in 0..<25 {
    try steps.step()
    try steps.check()
  }
}

@Test(arguments: Effort.seeds(1..<9))
func `So do steps of many loans`(
  seed: Int
) throws {
  var steps = try Steps(seed: UInt64(seed), loans: 500)
  for _ in 0..<25 {
    try steps.step()
    try steps.check()
  }
}

import LoanRules
import Loans

/// A book as the catalogue of a history has it.
struct Book: Hashable {
  var id: String?
  var title: String
  var expiration: CivilDate
  var borrower: String?
  var email: String?
  /// The day of lending, if it is known; never after the expiration.
  var loaned: CivilDate?
  /// Whether its expiration can be read; a book whose cannot is no loan.
  var isReadable = true
  /// Whether it is as it was known, since its expiration can no longer be read.
  var isKept = false

  /// What makes it the same loan from one day to the next: without an id, also who has it.
  var identity: String { id ?? "\(title), \(borrower ?? "nobody")" }

  /// Whom it is told: the address in lower case, or else the name without regard to case and space.
  var person: String {
    if let email, email.contains("@") { return email.lowercased() }
    return (borrower ?? "").lowercased().split(separator: " ").joined(separator: " ")
  }

  /// Whether it is the same book, and lent to the same person.
  func isAlike(_ other: Book) -> Bool { title == other.title && person == other.person }

  var lent: OwedNotices.Lent {
    OwedNotices.Lent(identity: identity, expiration: expiration, person: person)
  }
}

extension [Book] {
  /// The text of a catalogue.
  var document: String {
    let records = map { book in
      let id = book.id.map { " id=\"\($0)\"" } ?? ""
      let title = book.title.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      let borrower = book.borrower.map { "<borrower>\($0)</borrower>" } ?? ""
      let email = book.email.map { "<email>\($0)</email>" } ?? ""
      let loaned = book.loaned.map { "<loaned>\($0.dotted)</loaned>" } ?? ""
      let expiration = book.isReadable ? book.expiration.dotted : "2026.13.41"
      return """
        <book\(id)><title>\(title)</title>\(borrower)\(email)\(loaned)\
        <expiration>\(expiration)</expiration></book>

        """
    }
    return "<books>\n\(records.joined())</books>\n"
  }
}

/// When a library is closed, as somebody says it.
struct ClosedWeeks {
  /// Days of the week, 0 for Monday.
  var weekdays: Set<Int> = []
  var ranges: [ClosedRange<CivilDate>] = []

  func isClosed(_ day: CivilDate) -> Bool {
    // Day 0, 1 January 1970, was a Thursday.
    weekdays.contains((day.dayNumber + 3) % 7) || ranges.contains { $0.contains(day) }
  }

  /// Whether nothing is sent on a day: it is closed, and not for so long that this must be a mistake.
  func rests(on day: CivilDate) -> Bool { openDays(around: day) != (day, day) }

  /// The open days nearest to a day, itself if it is one; the day for both, if one is too far away.
  func openDays(around day: CivilDate) -> (before: CivilDate, after: CivilDate) {
    func walk(_ step: Int) -> CivilDate? {
      (0...92).map { day.adding(days: step * $0) }.first { !isClosed($0) }
    }
    guard let before = walk(-1), let after = walk(1) else { return (day, day) }
    return (before, after)
  }

  /// The same for the program.
  func closedDays() throws -> ClosedDays {
    var days = ClosedDays()
    for weekday in weekdays { days.close(Weekday.allCases[weekday], origin: "") }
    for range in ranges {
      let text = "\(range.lowerBound)..\(range.upperBound)"
      days.close(try DayRange(reading: text), origin: "")
    }
    return days
  }
}

/// When notices may be sent, as somebody says it.
struct SendingHours {
  /// The first minute of the day, and the first that is none of them; over midnight, too.
  var minutes: (start: Int, end: Int)?
  /// When nothing is sent, whatever the hour.
  var closed = ClosedWeeks()

  func contain(_ now: CivilDateTime) -> Bool {
    if closed.rests(on: now.date) { return false }
    guard let (start, end) = minutes else { return true }
    var minute = start
    while minute != end {
      if minute == now.time.secondOfDay / 60 { return true }
      minute = (minute + 1) % 1_440
    }
    return false
  }

  /// The same for the program.
  func deliveryHours() throws -> DeliveryHours {
    let times = minutes.map { [$0.start, $0.end].compactMap { CivilTime(secondOfDay: $0 * 60) } }
    return try DeliveryHours(
      times.flatMap { DailyHours(from: $0[0], to: $0[1]) }, except: closed.closedDays())
  }
}

/// Which notices a library's borrowers are owed, in the plainest way: what was told is a list.
struct OwedNotices {
  /// All that decides what is told of a loan; loans alike share it.
  struct Lent: Hashable {
    var identity: String
    var expiration: CivilDate
    var person: String

    /// Becomes what it is known by since another reading, if it is of the same loan.
    mutating func succeed(_ successions: [Succession]) {
      if let new = successions.first(where: { $0.old == self }) { identity = new.identity }
    }
  }

  /// A loan that is known by something else since a reading.
  struct Succession {
    var old: Lent
    var identity: String

    var new: Lent { Lent(identity: identity, expiration: old.expiration, person: old.person) }
  }

  /// Which notice it is, and through what it is sent.
  struct Told: Hashable {
    var lent: Lent
    var rung: Int
    var channel: String
  }

  /// A ladder as somebody says it.
  struct Steps {
    var leads = [1]
    var delays = [1]
    var period: Int?
    var limit: Int?
    var time = CivilTime.midnight

    var ladder: Ladder {
      Ladder(leads: leads, delays: delays, period: period, limit: limit, time: time)
    }

    /// The rungs after the expiration that are not further than this many days.
    func rungs(upTo days: Int) -> Set<Int> {
      var rungs = Set(delays.filter { $0 <= days })
      if let period, let last = delays.max() {
        var rung = last + period
        while rung <= days {
          rungs.insert(rung)
          rung += period
        }
      }
      return rungs
    }
  }

  /// What somebody has silenced.
  struct Silence: Hashable {
    enum Subject: Hashable {
      /// A loan, which no other is like.
      case lent(Lent)
      /// All loans with these, by the number of the silence.
      case all(title: String?, borrower: String?, id: Int)
    }

    var subject: Subject
    /// The day on which it has ended.
    var until: CivilDate?

    func isAbout(_ loan: Book) -> Bool {
      switch subject {
      case .lent(let lent): loan.lent == lent
      case .all(let title, let borrower, _):
        (title == nil || title == loan.title) && (borrower == nil || borrower == loan.borrower)
      }
    }

    func holds(on day: CivilDate) -> Bool { until.map { day < $0 } ?? true }
  }

  /// The loans of the catalogue when it was last read; some may be alike.
  var loans: [Book] = []
  /// The ladder by which it was read.
  var steps = Steps()
  /// When the library was closed then.
  var closed = ClosedWeeks()
  /// The ladders and closed weeks of loans that were kept as they were, since their expirations could not
  /// be read any longer.
  private var kept: [Book: (steps: Steps, closed: ClosedWeeks)] = [:]
  var silences: [Silence] = []
  /// Those among them that the user has cancelled since.
  var cancelled: Set<String> = []
  /// What was told, and when by the clock of that run.
  var told: [(notice: Told, at: CivilDateTime)] = []

  /// How many loans are alike.
  var alike: [Lent: Int] {
    loans.reduce(into: [:]) { counts, loan in counts[loan.lent, default: 0] += 1 }
  }

  /// A loan among all that have its identity.
  private struct Known: Hashable {
    var identity: String
    var ordinal: Int
  }

  /// The loans of the last reading, by what they are known by.
  private var known: [Known: Book] = [:]
  /// A loan that has left.
  private struct Left {
    var known: Known
    var book: Book
    var on: CivilDate
    /// What it is known by since another one has its identity.
    var apart: String?

    var lent: Lent {
      Lent(identity: apart ?? book.identity, expiration: book.expiration, person: book.person)
    }
  }

  /// Those that have left, the last one last.
  private var left: [Left] = []
  /// How many were set apart.
  private var apart = 0
  /// What the loans were known by that the last reading has recognised as others.
  private(set) var successions: [Succession] = []
  /// The day of the last run.
  private var lastDay: CivilDate?

  /// There is a run.
  mutating func note(run today: CivilDate) { lastDay = today }

  /// The catalogue is read.
  ///
  /// - Parameter books: all of it, in its order; what cannot be read is the loan that it was, or none.
  mutating func read(
    _ books: [Book], _ steps: Steps, _ closed: ClosedWeeks, on today: CivilDate
  ) {
    let before = (steps: self.steps, closed: self.closed)
    (self.steps, self.closed) = (steps, closed)
    // A day of lending that is still to come counts as unknown.
    let books = books.map { book in
      var book = book
      if let loaned = book.loaned, loaned > today { book.loaned = nil }
      return book
    }
    (cancelled, successions) = ([], [])
    var ordinals: [String: Int] = [:]
    var current: [(known: Known, book: Book)] = []
    var stay: [Book: (steps: Steps, closed: ClosedWeeks)] = [:]
    for book in books {
      ordinals[book.identity, default: 0] += 1
      let known = Known(identity: book.identity, ordinal: ordinals[book.identity] ?? 1)
      if book.isReadable {
        current.append((known, book))
      } else if var old = self.known[known], book.isAlike(old) {
        let rules = kept[old] ?? before
        old.isKept = true
        current.append((known, old))
        stay[old] = rules
      }
    }
    (loans, kept) = (current.map(\.book), stay)
    let now = Dictionary(current.map { ($0.known, $0.book) }) { _, last in last }
    // With an id that is another book's now, or another person's, too.
    var gone = known.filter { known, book in now[known].map { !book.isAlike($0) } ?? true }
      .sorted { ($0.key.identity, $0.key.ordinal) < ($1.key.identity, $1.key.ordinal) }
    var hasReplaced = false
    let new = current.filter { known, book in
      let before = self.known[known]
      if let before, book.isAlike(before) { return false }
      if before != nil { hasReplaced = true }
      return !returns(known, book, today, isNew: before == nil)
    }
    var corrected: [Known] = []
    for (known, book) in new {
      // The same loan with an id, or another spelling of a name.
      let alike = gone.indices.filter {
        gone[$0].value.isAlike(book) && gone[$0].value.expiration == book.expiration
      }
      let same = alike.first { gone[$0].value.identity == book.identity }
      let back = left.indices.filter {
        (hasReplaced || left[$0].apart != nil) && left[$0].book.isAlike(book)
          && left[$0].book.expiration == book.expiration
      }
      let sameBack = back.last { left[$0].lent.identity == book.identity }
      if let index = same ?? (sameBack == nil ? alike.first : nil) {
        let old = gone.remove(at: index).value
        successions.append(Succession(old: old.lent, identity: book.identity))
      } else if let index = sameBack ?? back.last {
        let old = comeBack(index, since: today.adding(days: -7))
        successions.append(Succession(old: old.lent, identity: book.identity))
      } else {
        corrected.append(known)
      }
    }
    gone.removeAll { corrected.contains($0.key) }
    for (known, book) in gone {
      var old = Left(known: known, book: book, on: max(today, lastDay ?? today))
      if now[known] != nil { old = setApart(old) }
      left.append(old)
    }
    succeed()
    known = now
    lastDay = today
    let alike = alike
    silences.removeAll { silence in
      guard case .lent(let lent) = silence.subject else { return false }
      return alike[lent] ?? 1 > 1
    }
  }

  /// Whether a loan is one that has left, which then has not.
  private mutating func returns(
    _ known: Known, _ book: Book, _ today: CivilDate, isNew: Bool
  ) -> Bool {
    for index in left.indices
    where left[index].known == known && left[index].lent == book.lent
      && left[index].book.title != book.title
    {
      left[index] = setApart(left[index])
    }
    let found = left.indices.filter {
      isNew && left[$0].known == known && left[$0].apart == nil && left[$0].book.isAlike(book)
        && (left[$0].book.expiration == book.expiration || left[$0].on >= today.adding(days: -7))
    }
    let best = found.max { first, second in
      let (first, second) = (left[first], left[second])
      return (first.book.expiration == book.expiration ? 1 : 0, first.on)
        < (second.book.expiration == book.expiration ? 1 : 0, second.on)
    }
    if let best { comeBack(best, since: today.adding(days: -7)) }
    return best != nil
  }

  /// A loan that has left is there again; if it had left before a day, it is silenced no longer.
  @discardableResult
  private mutating func comeBack(_ index: Int, since day: CivilDate) -> Left {
    let loan = left.remove(at: index)
    if loan.on < day { silences.removeAll { $0.subject == .lent(loan.lent) } }
    return loan
  }

  /// A loan that has left is known by itself alone.
  private mutating func setApart(_ loan: Left) -> Left {
    apart += 1
    successions.append(Succession(old: loan.lent, identity: "apart \(apart)"))
    var loan = loan
    loan.apart = "apart \(apart)"
    return loan
  }

  /// What was told of loans, and silenced, goes to what they are known by now.
  private mutating func succeed() {
    let (old, new) = (Set(successions.map(\.old)), Set(successions.map(\.new)))
    told.removeAll { new.contains($0.notice.lent) && !old.contains($0.notice.lent) }
    for index in told.indices { told[index].notice.lent.succeed(successions) }
    let (moving, staying) = (Set(successions.map(\.old)), silences.map(\.subject))
    silences = silences.compactMap { silence in
      guard case .lent(var lent) = silence.subject, moving.contains(lent) else { return silence }
      lent.succeed(successions)
      // What was said since of a loan known by the same holds.
      if !moving.contains(lent), staying.contains(.lent(lent)) { return nil }
      return Silence(subject: .lent(lent), until: silence.until)
    }
  }

  /// The notice that a loan has reached is to be sent again, or was never.
  ///
  /// - Returns: what no longer counts as told.
  mutating func sendAgain(_ loan: Book, at now: CivilDateTime) -> [Told] {
    guard let rung = reached(loan, now) else { return [] }
    let again = told.map(\.notice).filter { $0.lent == loan.lent && $0.rung >= rung }
    told.removeAll { again.contains($0.notice) }
    return again
  }

  /// A notice is sent; where the clock had been ahead, that was no sending of it, and is forgotten.
  ///
  /// - Returns: whether it was.
  @discardableResult
  mutating func tell(_ notice: Told, at now: CivilDateTime) -> Bool {
    let index = told.firstIndex { $0.notice == notice && !$0.at.counts(at: now) }
    if let index { told.remove(at: index) }
    told.append((notice, now))
    return index != nil
  }

  /// The loans about which something may be sent.
  func open(on day: CivilDate) -> [Book] {
    loans.filter { loan in
      let isSilenced = silences.contains { $0.isAbout(loan) && $0.holds(on: day) }
      return !isSilenced && !cancelled.contains(loan.identity)
    }
  }

  /// How often each notice will be sent at some times if nothing else happens.
  func forecast(at times: [CivilDateTime], channel: String) -> [[Told: Int]] {
    var future = self
    return times.map { time in
      let owed = future.owed(at: time, channel: channel)
      for (notice, count) in owed {
        for _ in 0..<count { future.tell(notice, at: time) }
      }
      return owed
    }
  }

  /// How often each notice is owed.
  func owed(at now: CivilDateTime, channel: String) -> [Told: Int] {
    var owed: [Told: Int] = [:]
    for loan in open(on: now.date) {
      guard let rung = reached(loan, now) else { continue }
      owed[Told(lent: loan.lent, rung: rung, channel: channel), default: 0] += 1
    }
    for (notice, count) in owed {
      let done = told.count {
        $0.notice.lent == notice.lent && $0.notice.channel == channel
          && $0.notice.rung >= notice.rung && $0.at.counts(at: now)
      }
      owed[notice] = count > done ? count - done : nil
    }
    return owed
  }

  /// The day of a step of a loan.
  func day(of rung: Int, _ loan: Book) -> CivilDate {
    let (before, after) = (kept[loan]?.closed ?? closed).openDays(around: loan.expiration)
    return (rung > 0 ? after : before).adding(days: rung)
  }

  /// The last of all steps that have come, day by day.
  private func reached(_ loan: Book, _ now: CivilDateTime) -> Int? {
    let (steps, closed) = kept[loan] ?? (steps, closed)
    let (before, after) = closed.openDays(around: loan.expiration)
    let late = loan.expiration.days(until: now.date)
    if late > 0 {
      if let limit = steps.limit, after.adding(days: limit) < now.date { return nil }
      let rungs = steps.rungs(upTo: late)
      return rungs.filter { after.adding(days: $0) <= now.date }.max()
    }
    return steps.leads.map { -$0 }.filter { rung in
      let day = before.adding(days: rung)
      if let loaned = loan.loaned, day <= loaned { return false }
      return day < now.date || day == now.date && steps.time.secondOfDay <= now.time.secondOfDay
    }.max()
  }
}

extension CivilDateTime {
  /// Whether what was told then was told: otherwise the clock was ahead by more than two zones differ.
  func counts(at now: CivilDateTime) -> Bool { ordinal <= now.ordinal + 26 * 3_600 }
}

/// Who was written to, and who cannot be, in the plainest way.
struct Postbox {
  /// The notices sent to each address, and when; the library's is empty.
  var written: [(address: String, notice: OwedNotices.Told, at: CivilDateTime)] = []
  var refused: Set<String> = []
  /// The notices that are to be sent again, and those of them that were tried again in vain: the ledger no
  /// longer says when they were sent.
  var again: Set<OwedNotices.Told> = []
  var unsure: Set<OwedNotices.Told> = []

  /// The address to which a notice about a loan goes; empty for the library's own.
  func address(of loan: Book) -> String {
    let address = Self.address(of: loan)
    return refused.contains(address) ? "" : address
  }

  private static func address(of loan: Book) -> String {
    guard let parts = loan.email?.split(separator: "@"), parts.count == 2 else { return "" }
    return "\(parts[0])@\(parts[1])".lowercased()
  }

  /// Loans are known by something else.
  mutating func note(_ successions: [OwedNotices.Succession]) {
    func succeed(_ told: OwedNotices.Told) -> OwedNotices.Told {
      var told = told
      told.lent.succeed(successions)
      return told
    }
    for index in written.indices { written[index].notice.lent.succeed(successions) }
    (again, unsure) = (Set(again.map(succeed)), Set(unsure.map(succeed)))
  }

  /// Whether nothing more is sent to an address on a day.
  ///
  /// - Parameter isSure: whether the ledger must know that.
  func isDone(_ address: String, on day: CivilDate, isSure: Bool = false) -> Bool {
    written.contains {
      $0.address == address && $0.at.date == day && !(isSure && unsure.contains($0.notice))
    }
  }

  /// Whether a notice that is due since a day must wait for tomorrow: it cannot have waited already.
  func holds(_ address: String, dueSince day: CivilDate, on today: CivilDate) -> Bool {
    let mayHaveWaited = day < today && isDone(address, on: today.adding(days: -1))
    return isDone(address, on: today, isSure: true) && !mayHaveWaited
  }

  /// A notice is sent to an address; where it is sent again, when it was sent before is forgotten.
  mutating func send(_ notice: OwedNotices.Told, to address: String, at now: CivilDateTime) {
    let isAgain = again.remove(notice) != nil
    unsure.remove(notice)
    let index = written.firstIndex { $0.notice == notice && (isAgain || !$0.at.counts(at: now)) }
    if let index { written.remove(at: index) }
    written.append((address, notice, now))
  }
}

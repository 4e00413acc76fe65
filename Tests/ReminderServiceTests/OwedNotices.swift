import Loans

/// A book as the catalogue of a history has it.
struct Book: Hashable {
  var id: String?
  var title: String
  var expiration: CivilDate
  /// Whether its expiration can be read; a book whose cannot is no loan.
  var isReadable = true

  /// What makes it the same loan from one day to the next.
  var identity: String { id ?? title }

  var lent: OwedNotices.Lent { OwedNotices.Lent(identity: identity, expiration: expiration) }
}

/// Which notices a library's borrowers are owed, in the plainest way: what was told is a list.
struct OwedNotices {
  /// All that decides what is told of a loan; loans alike share it.
  struct Lent: Hashable {
    var identity: String
    var expiration: CivilDate
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

    /// Whether loans alike need not be told apart: each is told of twice at most.
    var isPlain: Bool { leads.count == 1 && delays == [1] && period == nil && limit == nil }
  }

  /// The loans of the catalogue when it was last read; some may be alike.
  var loans: [Book] = []
  /// The ladder by which it was read.
  var steps = Steps()
  /// Those among them that the user has cancelled since.
  var cancelled: Set<String> = []
  /// What was told, in the order in which it was.
  var told: [Told] = []

  /// How many loans are alike.
  var alike: [Lent: Int] {
    loans.reduce(into: [:]) { counts, loan in counts[loan.lent, default: 0] += 1 }
  }

  /// How often each notice is owed.
  func owed(at now: CivilDateTime, channel: String) -> [Told: Int] {
    var owed: [Told: Int] = [:]
    for loan in loans where !cancelled.contains(loan.identity) {
      guard let rung = reached(loan, now) else { continue }
      owed[Told(lent: loan.lent, rung: rung, channel: channel), default: 0] += 1
    }
    for (notice, count) in owed {
      let done = told.count {
        $0.lent == notice.lent && $0.channel == channel && $0.rung >= notice.rung
      }
      owed[notice] = count > done ? count - done : nil
    }
    return owed
  }

  /// The last of all steps that have come, day by day.
  private func reached(_ loan: Book, _ now: CivilDateTime) -> Int? {
    let late = loan.expiration.days(until: now.date)
    if late > 0 {
      if let limit = steps.limit, late > limit { return nil }
      var rungs = Set(steps.delays)
      if let period = steps.period, let last = steps.delays.max() {
        rungs.formUnion(stride(from: last, through: max(last, late), by: period))
      }
      return (1...late).last(where: rungs.contains)
    }
    return steps.leads.map { -$0 }.filter { rung in
      let day = loan.expiration.adding(days: rung)
      return day < now.date || day == now.date && steps.time.secondOfDay <= now.time.secondOfDay
    }.max()
  }
}

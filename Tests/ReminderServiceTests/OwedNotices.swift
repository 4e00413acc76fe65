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

  /// What a notice tells, and through what.
  struct Told: Hashable {
    var lent: Lent
    var kind: Notice.Kind
    var channel: String
  }

  /// The loans of the catalogue when it was last read; some may be alike.
  var loans: [Book] = []
  /// How many days before the expiration their reminders fire, and when on that day.
  var lead = 1
  var time = CivilTime.midnight
  /// Those among them that the user has cancelled since.
  var cancelled: Set<String> = []
  /// The days on which each notice was told.
  var told: [Told: [CivilDate]] = [:]
  /// After how many days an expired notice is told again.
  var period: Int?

  /// How many loans are alike.
  var alike: [Lent: Int] {
    loans.reduce(into: [:]) { counts, loan in counts[loan.lent, default: 0] += 1 }
  }

  /// How often each notice is owed.
  func owed(at now: CivilDateTime, channel: String) -> [Told: Int] {
    var owed: [Told: Int] = [:]
    for loan in loans where !cancelled.contains(loan.identity) {
      let isExpired = loan.expiration < now.date
      if isExpired || isFired(loan, now) {
        let kind = isExpired ? Notice.Kind.expired : .reminder
        let notice = Told(lent: loan.lent, kind: kind, channel: channel)
        owed[notice, default: 0] += 1
      }
    }
    for (notice, count) in owed {
      let rest = count - timesThatCount(notice, now.date)
      owed[notice] = rest > 0 ? rest : nil
    }
    return owed
  }

  private func isFired(_ loan: Book, _ now: CivilDateTime) -> Bool {
    let day = loan.expiration.adding(days: -lead)
    return day < now.date || day == now.date && time.secondOfDay <= now.time.secondOfDay
  }

  /// How often a notice was told, and need not be told again today.
  private func timesThatCount(_ notice: Told, _ today: CivilDate) -> Int {
    let days = told[notice] ?? []
    guard let period, notice.kind == .expired else { return days.count }
    return days.count { today < $0.adding(days: period) }
  }
}

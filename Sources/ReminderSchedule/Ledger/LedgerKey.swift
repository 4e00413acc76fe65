internal import Loans

/// The key of a loan's notices in the ledger.
struct LedgerKey: Hashable, Sendable {
  /// The number of its catalogue.
  var catalogue: Int64
  /// A hash that is the same for the loan in every version of the catalogue.
  var identity: Int64
  /// A day number.
  var expiration: Int64
  /// Its number among loans alike in the other three, from 1.
  var copy: Int64
}

/// The signed number of days from a loan's expiration by which the ledger distinguishes its notices:
/// 0 or less for reminders, more for expired notices.
enum Rung {
  /// The rung of a reminder: −1 for the day before the expiration.
  static func reminder(fireAt: CivilDateTime, expiration: CivilDate) -> Int {
    min(0, expiration.days(until: fireAt.date))
  }

  /// The rung of an expired notice: 1, and where it is repeated every N days, 1 + N, 1 + 2N and so on.
  static func expired(_ expiration: CivilDate, today: CivilDate, repeatExpired: Int?) -> Int {
    guard let period = repeatExpired else { return 1 }
    return 1 + max(0, expiration.days(until: today) - 1) / period * period
  }
}

/// The repetition of an expired notice.
struct Repetition {
  /// Civil days, 1 or more, from the day of one delivery to that of the next.
  let days: Int

  /// The ordinals of the times at which a delivery must have been, so that nothing is due on a day.
  ///
  /// A delivery later than tomorrow is one by a clock that was wrong: it does not count, or
  /// nothing would be repeated until then.
  func doneBy(today: CivilDate) -> Range<Int> {
    precondition(days >= 1, "repeated every \(days) days")
    let (first, end) = (today.adding(days: 1 - days), today.adding(days: 2))
    return CivilDateTime(first).ordinal..<CivilDateTime(end).ordinal
  }
}

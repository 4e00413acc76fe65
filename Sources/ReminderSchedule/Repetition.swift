public import Loans

/// When a notice is due through a channel.
public enum Dueness: Hashable, Sendable {
  /// It is due.
  case now
  /// It was delivered, and is due again from this day on.
  case again(CivilDate)
  /// It was delivered, and is not due again while its loan stays as it is.
  case never
}

extension Delivery {
  /// When the notice is due through this channel, if it is the one that its loan has now: what
  /// ``ScheduleReader/due(at:channel:catalogues:repeatExpired:)`` goes by.
  ///
  /// - Parameters:
  ///   - kind: which notice it is.
  ///   - today: the library's civil day.
  ///   - repeatExpired: after how many days, 1 or more, an expired notice is due again; `nil` if it
  ///     is due once only.
  public func dueness(
    of kind: Notice.Kind, today: CivilDate, repeatExpired: Int? = nil
  ) -> Dueness {
    guard let deliveredAt else { return .now }
    guard kind == .expired, let days = repeatExpired else { return .never }
    let isDone = Repetition(days: days).doneBy(today: today).contains(deliveredAt.ordinal)
    return isDone ? .again(deliveredAt.date.adding(days: days)) : .now
  }
}

/// How an expired notice is delivered again and again.
struct Repetition {
  /// Civil days, 1 or more, from the day of one delivery to that of the next.
  let days: Int

  /// The ordinals of the last delivery's moment with which nothing is due on a day.
  ///
  /// A delivery later than tomorrow is one by a clock that was wrong: it does not count, or
  /// nothing would be repeated until then.
  func doneBy(today: CivilDate) -> Range<Int> {
    precondition(days >= 1, "repeated every \(days) days")
    let (first, end) = (today.adding(days: 1 - days), today.adding(days: 2))
    return CivilDateTime(first).ordinal..<CivilDateTime(end).ordinal
  }
}

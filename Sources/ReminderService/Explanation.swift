internal import LoanRules
public import Loans
public import ReminderSchedule

/// Everything that the schedule and the ledger know about one loan, in sentences.
public struct Explanation: Sendable {
  private let history: LoanHistory
  private let now: CivilDateTime
  private let utcOffset: Int?
  private let repeatExpired: Int?

  /// An explanation of a loan's past and future.
  ///
  /// - Parameters:
  ///   - history: everything known about it.
  ///   - now: the library's civil time.
  ///   - utcOffset: the number of seconds by which that is ahead of UTC, `nil` if it is not known;
  ///     deliveries by a clock with another offset are shown with theirs.
  ///   - repeatExpired: the number of days after which an expired notice is delivered again; `nil` for
  ///     never.
  public init(
    _ history: LoanHistory, now: CivilDateTime, utcOffset: Int? = nil, repeatExpired: Int? = nil
  ) {
    self.history = history
    self.now = now
    self.utcOffset = utcOffset
    self.repeatExpired = repeatExpired
  }

  /// The sentences, one for each line, harmless on a terminal: the loan, its expiration, its fire date,
  /// what was delivered when and through which channel, what failed and why, and what comes next.
  public var sentences: [String] {
    [subject, expiration, reminder] + deliveries + [next]
  }

  private var loan: Loan { history.loan }
  private var today: CivilDate { now.date }
  private var hasExpired: Bool { loan.expiration < today }

  private var subject: String {
    var sentence = "Loan \(history.id): \(loan.label)"
    if let author = loan.author { sentence += " by \(author.visible)" }
    if let borrower = loan.borrower { sentence += ", lent to \(borrower.visible)" }
    if let library = history.library { sentence += ", at \(library.visible)" }
    return sentence + ", of the catalogue \(history.catalogue.visibleCatalogue)."
  }

  private var expiration: String {
    if let leftOn = history.leftOn {
      return
        "The last day to keep it was \(loan.expiration); since \(leftOn) its catalogue no longer "
        + "has it."
    }
    let verb = hasExpired ? "was" : "is"
    return
      "It \(loan.dueDescription(today: today)): the last day to keep it \(verb) \(loan.expiration)."
  }

  private var reminder: String {
    let moment = history.fireAt.inWords
    if history.leftOn != nil || history.isCancelled {
      return "Its reminder \(history.fireAt > now ? "was to fire on" : "was due from") \(moment)."
    }
    if history.fireAt > now {
      return isDelivered ? "Its reminder is for \(moment)." : "Its reminder will fire on \(moment)."
    }
    return hasExpired
      ? "Its reminder was due from \(moment) until it expired."
      : "Its reminder has been due since \(moment)."
  }

  private var deliveries: [String] {
    let sentences = history.notices.flatMap { notice in
      notice.deliveries.map { sentence(about: $0, of: notice) }
    }
    return sentences.isEmpty ? ["Nothing has been sent about it yet."] : sentences
  }

  private func sentence(about delivery: Delivery, of notice: LoanHistory.NoticeHistory) -> String {
    let what =
      (notice.kind == .reminder ? "The reminder" : "The notice that it has expired")
      + (notice.expiration == loan.expiration
        ? "" : " for its former expiration \(notice.expiration)")
    let channel = delivery.channel.visible
    let time = text(delivery.at, of: delivery)
    let success =
      "\(what) was delivered through \(channel)\(text(delivery.deliveredAt ?? delivery.at, of: delivery))"
    let error = (delivery.error ?? "no reason is known").visible
    let uncertainty =
      "and no result is recorded: a run is sending it now, or was interrupted, in which case it may "
      + "or may not have arrived"
    let isRepeated = delivery.deliveredAt.map { time in delivery.at.map { $0 > time } ?? false }
    switch delivery.state {
    case .failed where isRepeated == true:
      return "\(success); sending it again failed\(time): \(error)."
    case .sending where isRepeated == true:
      return "\(success); sending it again began\(time), \(uncertainty)."
    case .delivered:
      // Attempts to send an expired notice may include earlier repetitions.
      let isCounted = notice.kind == .reminder && delivery.attempts > 1 && isRepeated != true
      return success + (isCounted ? ", at attempt \(delivery.attempts)." : ".")
    case .failed:
      let attempts =
        delivery.deliveredAt != nil || delivery.attempts == 0
        ? "" : ", after \(delivery.attempts) attempt\(delivery.attempts == 1 ? "" : "s")"
      return "\(what) was not delivered through \(channel)\(time)\(attempts): \(error)."
    case .sending:
      return "\(what) was being sent through \(channel)\(time), \(uncertainty)."
    }
  }

  /// A time of a delivery, with the offset of its clock if that differs from the present one.
  private func text(_ time: CivilDateTime?, of delivery: Delivery) -> String {
    guard let time else { return "" }
    guard let utcOffset, let offset = delivery.utcOffset, offset != utcOffset else {
      return " on \(time.inWords)"
    }
    return " on \(time.inWords) (UTC\(Delivery.text(ofOffset: offset)))"
  }

  private var next: String {
    if history.leftOn != nil {
      return "Next: nothing, since the catalogue no longer has it."
    }
    if history.isCancelled {
      return "Next: nothing, since it was cancelled; the next run that reads the catalogue "
        + "schedules it again."
    }
    if !hasExpired && history.fireAt > now && !isDelivered {
      return "Next: the reminder, on \(history.fireAt.inWords)."
    }
    var clauses = open
    if !hasExpired {
      let day = loan.expiration.adding(days: 1)
      clauses.append(
        "if the book is neither returned nor renewed, it counts as expired from \(day)")
    }
    return "Next: \(clauses.joined(separator: "; "))."
  }

  private var kind: Notice.Kind { hasExpired ? .expired : .reminder }

  /// What was done about the notice that is due, or comes next.
  private var current: [Delivery] {
    history.notices.first { $0.kind == kind && $0.expiration == loan.expiration }?.deliveries ?? []
  }

  /// Whether the reminder was delivered, before a time that was set later.
  private var isDelivered: Bool {
    !hasExpired && current.contains { $0.state == .delivered }
  }

  /// The clauses about what the next runs do with the notice that is due, by channel.
  private var open: [String] {
    let deliveries = current
    let name = hasExpired ? "the notice that it has expired" : "the reminder"
    if deliveries.isEmpty { return ["the next run with --notify delivers \(name)"] }
    let clauses = deliveries.compactMap { clause(about: $0, of: kind, name: name) }
    if !clauses.isEmpty { return clauses }
    return [
      "\(name) was delivered through every channel that was tried, and will not be sent again"
    ]
  }

  /// The clause about what the next runs with a channel do; `nil` if they do nothing.
  private func clause(
    about delivery: Delivery, of kind: Notice.Kind, name: String
  ) -> String? {
    let option = "--notify \(delivery.channel.visible)"
    let repetition = repeatExpired.map { " (--repeat-expired \($0))" } ?? ""
    switch delivery.dueness(of: kind, today: today, repeatExpired: repeatExpired) {
    case .now where delivery.state == .delivered:
      return "the next run with \(option) delivers \(name) again\(repetition)"
    case .now:
      return "the next run with \(option) tries again to deliver \(name)"
    case .again(let day):
      return "from \(day) on, a run with \(option) delivers \(name) again\(repetition)"
    case .never:
      return nil
    }
  }
}

extension CivilDateTime {
  fileprivate var inWords: String { "\(date) at \(time)" }
}

public import Loans
public import ReminderSchedule

/// Everything that the schedule and the ledger know about one loan, in sentences.
public struct Explanation: Sendable {
  private let history: LoanHistory
  private let now: CivilDateTime
  private let heldUntil: CivilDateTime?

  /// An explanation of a loan's past and future.
  ///
  /// - Parameters:
  ///   - history: everything known about it.
  ///   - now: the library's civil time; deliveries are shown with the time and the offset from UTC of
  ///     the clock by which they were.
  ///   - heldUntil: when notices are sent again, if none is sent now.
  public init(_ history: LoanHistory, now: CivilDateTime, heldUntil: CivilDateTime? = nil) {
    self.history = history
    self.now = now
    self.heldUntil = heldUntil
  }

  /// The sentences, one for each line, harmless on a terminal: the loan, its expiration, its fire date,
  /// what was delivered when and through which channel, what failed and why, and what comes next.
  public var sentences: [String] {
    [subject, expiration, reminder] + deliveries + silences + [next]
  }

  private var loan: Loan { history.loan }
  private var plan: LoanPlan { history.plan }
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
    let renewal = loan.renewable.map { $0 ? "; it can be renewed" : "; it cannot be renewed again" }
    return """
      It \(loan.dueDescription(today: today)): the last day to keep it \(verb) \(loan.expiration)\
      \(renewal ?? "").
      """
  }

  private var reminder: String {
    // Those that are not passed over.
    let times = plan.ladder.reminders.map(plan.fireDate).filter { $0 >= plan.firstFireAt }
    guard let last = times.last else { return "It has no reminder." }
    if times.count > 1 {
      let verb = history.leftOn == nil && !history.isCancelled && last > now ? "are" : "were"
      return "Its reminders \(verb) for \(times.map(\.inWords).listed)."
    }
    let moment = last.inWords
    if history.leftOn != nil || history.isCancelled {
      return "Its reminder \(last > now ? "was to fire on" : "was due from") \(moment)."
    }
    if last > now {
      return plan.ladder.reminders.last.map(isDelivered) == true && !hasExpired
        ? "Its reminder is for \(moment)." : "Its reminder will fire on \(moment)."
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
    let error = delivery.failure
    let uncertainty =
      "and no result is recorded: a run is sending it now, or was interrupted, in which case it may "
      + "or may not have arrived"
    let isRepeated = delivery.deliveredAt.map { time in delivery.at.map { $0 > time } ?? false }
    switch delivery.state {
    case .failed where isRepeated == true, .undeliverable where isRepeated == true:
      return "\(success); sending it again failed\(time): \(error)."
    case .sending where isRepeated == true:
      return "\(success); sending it again began\(time), \(uncertainty)."
    case .delivered where delivery.isMarked:
      return "\(what) was marked as delivered through \(channel)\(time), and not sent."
    case .delivered:
      // Attempts to send an expired notice may include earlier repetitions.
      let attempt = delivery.attempts > 1 ? ", at attempt \(delivery.attempts)" : ""
      let earlier = delivery.earlier.map(\.inWords).listed
      return success + attempt + (earlier.isEmpty ? "." : "; an earlier one on \(earlier).")
    case .failed, .undeliverable:
      let attempts =
        delivery.deliveredAt != nil || delivery.attempts == 0
        ? "" : ", after \(delivery.attempts) attempt\(delivery.attempts == 1 ? "" : "s")"
      return "\(what) was not delivered through \(channel)\(time)\(attempts): \(error)."
    case .sending:
      return "\(what) was being sent through \(channel)\(time), \(uncertainty)."
    }
  }

  private func text(_ time: CivilDateTime?, of delivery: Delivery) -> String {
    time.map { " on \(ClockTime($0, utcOffset: delivery.utcOffset).words)" } ?? ""
  }

  private var next: String {
    if history.leftOn != nil {
      return "Next: nothing, since the catalogue no longer has it."
    }
    if history.isCancelled {
      return "Next: nothing, since it was cancelled; the next run that reads the catalogue "
        + "schedules it again."
    }
    guard let silence = history.silences.first(where: { $0.conditions.channel == nil }) else {
      if let heldUntil {
        return
          "Next, from \(heldUntil.inWords) on: \(Explanation(history, now: heldUntil).clauses)."
      }
      return "Next: \(clauses)."
    }
    let lastOfKind = silence.conditions.kind == .reminder ? loan.expiration.adding(days: 1) : nil
    if let end = [silence.until, lastOfKind].compactMap(\.self).min() {
      return "Next, from \(end) on: \(Explanation(history, now: CivilDateTime(end)).clauses)."
    }
    return silence.isReturn
      ? "Next: nothing, until its catalogue no longer has the loan, or has it renewed."
      : "Next: nothing, until somebody ends the silence: check-loans silence end \(silence.id)."
  }

  /// What is silenced, until when, by whom and why.
  private var silences: [String] {
    if history.leftOn != nil || history.isCancelled { return [] }
    return history.silences.map { silence in
      let channel = silence.conditions.channel.map { " through \($0.visible)" } ?? ""
      return "Not sent\(channel): silenced \(silence.words)."
    }
  }

  /// What comes next where nothing is silenced.
  private var clauses: String {
    var rung = plan.reached(at: now)
    var next = plan.next(after: now)
    // It may have been set for later when it was delivered.
    if rung == nil, let upcoming = next, isDelivered(upcoming.rung) {
      rung = upcoming.rung
      next = plan.next(after: upcoming.fireAt)
    }
    let isKindAlike = next.map { ($0.rung > 0) == hasExpired } ?? false
    var clauses = rung.map { self.clauses(aboutRung: $0) } ?? []
    if let next, isKindAlike || clauses.isEmpty {
      let name = clauses.isEmpty ? Self.name(ofRung: next.rung) : "then the next one"
      clauses.append("\(name), on \(next.fireAt.inWords)")
    } else if rung.map(isDelivered) == true {
      clauses[0] += ", and will not be sent again"
    }
    if clauses.isEmpty { clauses = ["nothing, since no notice is to come"] }
    if !hasExpired, !isKindAlike, rung != nil {
      let day = loan.expiration.adding(days: 1)
      clauses.append(
        "if the book is neither returned nor renewed, it counts as expired from \(day)")
    }
    return clauses.joined(separator: "; ")
  }

  private static func name(ofRung rung: Int) -> String {
    rung > 0 ? "the notice that it has expired" : "the reminder"
  }

  private var current: [Delivery] { history.current(at: now) }

  /// Whether a rung, or one after it, was delivered through every channel that was tried.
  private func isDelivered(_ rung: Int) -> Bool {
    !current.isEmpty && current.allSatisfy { $0.deliveredRung ?? .min >= rung }
  }

  /// The clauses about what the next runs do with the notice that is due, by channel.
  private func clauses(aboutRung rung: Int) -> [String] {
    let name = Self.name(ofRung: rung)
    if current.isEmpty { return ["the next run with --notify delivers \(name)"] }
    if isDelivered(rung) { return ["\(name) was delivered through every channel that was tried"] }
    return current.filter { $0.deliveredRung ?? .min < rung }.map { delivery in
      if history.silences.contains(where: { $0.conditions.channel == delivery.channel }) {
        return "\(name) is silenced through \(delivery.channel.visible)"
      }
      let option = "--notify \(delivery.channel.visible)"
      return delivery.rung == rung && delivery.state != .delivered
        ? "the next run with \(option) tries again to deliver \(name)"
        : "the next run with \(option) delivers \(name)"
    }
  }
}

extension [String] {
  /// The texts as a sentence lists them: `A, B and C`.
  fileprivate var listed: String {
    count < 2 ? joined() : "\(dropLast().joined(separator: ", ")) and \(self[count - 1])"
  }
}

extension CivilDateTime {
  fileprivate var inWords: String { "\(date) at \(time)" }
}

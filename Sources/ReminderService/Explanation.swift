public import Languages
public import Loans
public import ReminderSchedule

/// Everything that the schedule and the ledger know about one loan, in sentences.
public struct Explanation: Sendable {
  private let history: LoanHistory
  private let now: CivilDateTime
  private let heldUntil: CivilDateTime?
  private let hold: NoticeReason?
  private let language: Language

  /// An explanation of a loan's past and future.
  ///
  /// - Parameters:
  ///   - history: everything known about it.
  ///   - now: the library's civil time; deliveries are shown with the time and the offset from UTC of
  ///     the clock by which they were.
  ///   - heldUntil: when notices are sent again, if none is sent now.
  ///   - hold: `staleCatalogue` if the catalogue's file is too old, so that expired notices are held;
  ///     `unknownBorrower` if all are; `backlog` or `movedCatalogue` if what is due waits for an answer.
  public init(
    _ history: LoanHistory, now: CivilDateTime, heldUntil: CivilDateTime? = nil,
    hold: NoticeReason? = nil, in language: Language = .english
  ) {
    self.history = history
    self.now = now
    self.heldUntil = heldUntil
    self.hold = hold
    self.language = language
  }

  /// The sentences, one for each line, harmless on a terminal: the loan, its expiration, its fire date,
  /// what was delivered when and through which channel, what failed and why, and what comes next.
  public var sentences: [String] {
    let status = history.leftOn == nil ? loan.status.map { text($0.sentence(for: .report)) } : nil
    return [subject, expiration, status].compactMap(\.self) + [reminder] + deliveries + silences
      + [next]
  }

  private var loan: Loan { history.loan }
  private var plan: LoanPlan { history.plan }
  private var today: CivilDate { now.date }
  private var hasExpired: Bool { loan.expiration < today }

  private func text(
    _ message: Message, _ values: [String: String] = [:], count: Int? = nil
  ) -> String {
    language.text(message, values, count: count)
  }

  private var subject: String {
    let label = loan.label(in: language)
    var sentence = text(.explainedLoan, ["number": "\(history.id)", "title": label])
    if let author = loan.author { sentence += text(.explainedAuthor, ["author": author.visible]) }
    if let name = loan.borrower { sentence += text(.borrower, ["borrower": name.visible]) }
    if let name = history.library { sentence += text(.library, ["library": name.visible]) }
    return sentence
      + text(.explainedCatalogue, ["catalogue": history.catalogue.visibleCatalogue])
  }

  private var expiration: String {
    let date = language.dateInSentence(loan.expiration)
    if let leftOn = history.leftOn {
      return text(.leftCatalogue, ["date": date, "day": language.dateInSentence(leftOn)])
    }
    let days = loan.daysLeft(today: today)
    let message: Message =
      switch days {
      case 0: .itExpiresToday
      case 1: .itExpiresTomorrow
      case -1: .itExpiredYesterday
      case 2...: .itExpiresLater
      default: .itExpiredEarlier
      }
    let renewal = loan.mayBeRenewed.map { text($0 ? .itIsRenewable : .itIsNotRenewable) } ?? ""
    return text(message, ["date": date, "renewal": renewal], count: abs(days))
  }

  private var reminder: String {
    // Those that are not passed over.
    let times = plan.ladder.reminders.map(plan.fireDate).filter { $0 >= plan.firstFireAt }
    guard let last = times.last else { return text(.hasNoReminder) }
    if times.count > 1 {
      let isToCome = history.leftOn == nil && !history.isCancelled && last > now
      return text(isToCome ? .remindersAre : .remindersWere, ["times": listed(times)])
    }
    return text(messageAboutReminder(at: last), ["time": moment(last)])
  }

  private func messageAboutReminder(at time: CivilDateTime) -> Message {
    if history.leftOn != nil || history.isCancelled {
      return time > now ? .reminderWouldBeDue : .reminderWasDue
    }
    if time > now {
      return plan.ladder.reminders.last.map(isDelivered) == true && !hasExpired
        ? .reminderIsFor : .reminderWillBeDue
    }
    return hasExpired ? .reminderWasDueUntil : .reminderIsDue
  }

  private func moment(_ time: CivilDateTime) -> String {
    text(.moment, ["date": language.dateInSentence(time.date), "time": "\(time.time)"])
  }

  /// Times as a sentence lists them: `A, B and C`.
  private func listed(_ times: [CivilDateTime]) -> String {
    let words = times.map(moment)
    guard let first = words.first, let last = words.last, words.count > 1 else {
      return words.joined()
    }
    let others = words.dropFirst().dropLast().reduce(first) { text, next in
      self.text(.listed, ["first": text, "second": next])
    }
    return text(.lastListed, ["first": others, "last": last])
  }
}

// MARK: - What was sent

extension Explanation {
  private var deliveries: [String] {
    let sentences = history.notices.flatMap { notice in
      notice.deliveries.filter { !$0.isOrdered }
        .map { sentence(about: $0, of: notice) }
    }
    return sentences.isEmpty ? [text(.nothingSent)] : sentences
  }

  private func sentence(about delivery: Delivery, of notice: LoanHistory.NoticeHistory) -> String {
    var name = text(notice.kind == .reminder ? .theReminder : .theExpiredNotice)
    if notice.expiration != loan.expiration {
      let date = language.dateInSentence(notice.expiration)
      name = text(.ofFormerExpiration, ["notice": name, "date": date])
    }
    let isRepeated = delivery.deliveredAt.map { time in delivery.at.map { $0 > time } ?? false }
    let deliveredAt = when(delivery.deliveredAt ?? delivery.at, of: delivery)
    var channel = delivery.channel.visible
    // Whom it told, where that does not go without saying.
    if let person = delivery.sentTo, person != loan.borrower { channel += " (\(person.visible))" }
    var values = [
      "notice": name, "channel": channel, "when": when(delivery.at, of: delivery),
      "error": delivery.failure, "uncertainty": text(.uncertainty),
    ]
    values["delivery"] = text(
      .wasDelivered, ["notice": name, "channel": channel, "when": deliveredAt])
    switch delivery.state {
    case .failed where isRepeated == true, .undeliverable where isRepeated == true:
      return text(.repeatFailed, values)
    case .sending where isRepeated == true: return text(.repeatBegan, values)
    case .sending: return text(.wasBeingSent, values)
    case .failed, .undeliverable:
      return delivery.deliveredAt != nil || delivery.attempts == 0
        ? text(.wasNotDelivered, values)
        : text(.wasNotDeliveredAfter, values, count: delivery.attempts)
    case .delivered where delivery.isMarked: return text(.wasMarked, values)
    case .delivered where delivery.isToLibrary: return text(.deliveredToLibrary, values)
    case .delivered where delivery.error != nil:
      return text(.deliveredToLibraryInstead, values)
    case .delivered:
      // Attempts to send an expired notice may include earlier repetitions.
      values["times"] = listed(delivery.earlier)
      let isFirst = delivery.attempts <= 1
      let message: Message =
        delivery.earlier.isEmpty
        ? isFirst ? .delivered : .deliveredAtAttempt
        : isFirst ? .deliveredBefore : .deliveredBeforeAtAttempt
      return text(message, values, count: delivery.attempts)
    }
  }

  private func when(_ time: CivilDateTime?, of delivery: Delivery) -> String {
    time.map { time in
      let offset = ClockTime(time, utcOffset: delivery.utcOffset).offsetWords
      return text(.on, ["time": moment(time) + offset])
    } ?? ""
  }

  /// What is silenced, until when, by whom and why.
  private var silences: [String] {
    if history.leftOn != nil || history.isCancelled { return [] }
    return history.silences.map { silence in
      var values = ["silence": silence.words(in: language)]
      guard let channel = silence.conditions.channel else { return text(.silenced, values) }
      values["channel"] = channel.visible
      return text(.silencedThrough, values)
    }
  }
}

extension Silence {
  /// `until 2026-12-01 by anna: on holiday`, one harmless line.
  public func words(in language: Language = .english) -> String {
    var values = ["who": origin.by.visible, "reason": origin.reason.visible]
    values["date"] = until.map(language.dateInSentence)
    let message: Message =
      until != nil ? .silencedUntil : isReturn ? .silencedAsReturned : .silencedForEver
    return language.text(message, values)
  }
}

// MARK: - What comes next

extension Explanation {
  private var next: String {
    if history.leftOn != nil { return text(.nextNothingLeft) }
    if history.isCancelled { return text(.nextNothingCancelled) }
    if plan.ladder.withheld != nil { return text(.nextNothingWithheld) }
    guard let silence = history.silences.first(where: { $0.conditions.channel == nil }) else {
      return heldUntil.map { next(from: $0, moment($0)) } ?? text(.nextIs, ["clauses": clauses])
    }
    let lastOfKind = silence.conditions.kind == .reminder ? loan.expiration.adding(days: 1) : nil
    if let end = [silence.until, lastOfKind].compactMap(\.self).min() {
      return next(from: CivilDateTime(end), language.dateInSentence(end))
    }
    return silence.isReturn
      ? text(.nextNothingReturned) : text(.nextNothingSilenced, ["number": "\(silence.id)"])
  }

  private func next(from time: CivilDateTime, _ words: String) -> String {
    let later = Explanation(history, now: time, hold: hold, in: language)
    return text(.nextFrom, ["time": words, "clauses": later.clauses])
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
    let isMore = next != nil && (isKindAlike || rung == nil)
    var clauses = rung.map { self.clauses(aboutRung: $0, isLast: !isMore) } ?? []
    if let next, isMore {
      let name = clauses.isEmpty ? name(ofRung: next.rung) : text(.nextClause)
      clauses.append(text(.comesOn, ["notice": name, "time": moment(next.fireAt)]))
    }
    if clauses.isEmpty { clauses = [text(.nothingToCome)] }
    if !hasExpired, !isKindAlike, rung != nil {
      let date = language.dateInSentence(loan.expiration.adding(days: 1))
      clauses.append(text(.countsAsExpired, ["date": date]))
    }
    return clauses.dropFirst().reduce(clauses[0]) { clause, next in
      text(.clauses, ["clause": clause, "next": next])
    }
  }

  private func name(ofRung rung: Int) -> String {
    text(rung > 0 ? .expiredClause : .reminderClause)
  }

  private var current: [Delivery] { history.current(at: now) }

  /// Whether a rung, or one after it, was delivered through every channel that was tried.
  private func isDelivered(_ rung: Int) -> Bool {
    !current.isEmpty && current.allSatisfy { $0.deliveredRung ?? .min >= rung }
  }

  /// The clauses about what the next runs do with the notice that is due, by channel.
  ///
  /// - Parameter isLast: whether no other notice is to come after it.
  private func clauses(aboutRung rung: Int, isLast: Bool) -> [String] {
    let name = name(ofRung: rung)
    let wait: Message? =
      switch hold {
      case .backlog: .waitsForAnswer
      case .movedCatalogue: .waitsForName
      case .staleCatalogue where rung > 0: .waitsForNewerFile
      case .unknownBorrower: .waitsForBorrower
      default: nil
      }
    if current.isEmpty {
      return [text(wait ?? .runDelivers, ["option": "--notify", "notice": name])]
    }
    if isDelivered(rung) {
      return [text(isLast ? .wasDeliveredForGood : .wasDeliveredThroughAll, ["notice": name])]
    }
    return current.filter { $0.deliveredRung ?? .min < rung }.map { delivery in
      let channel = delivery.channel.visible
      if history.silences.contains(where: { $0.conditions.channel == delivery.channel }) {
        return text(.isSilencedThrough, ["notice": name, "channel": channel])
      }
      let isTriedAgain =
        delivery.rung == rung && delivery.state != .delivered && !delivery.isOrdered
      let message: Message =
        delivery.state == .undeliverable
        ? .waitsForAddress : wait ?? (isTriedAgain ? .runTriesAgain : .runDelivers)
      return text(message, ["option": "--notify \(channel)", "notice": name])
    }
  }
}

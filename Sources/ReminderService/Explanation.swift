internal import LoanRules
public import Loans
public import ReminderSchedule

/// What the schedule and the ledger know about one loan, in sentences.
public struct Explanation: Sendable {
  private let history: LoanHistory
  private let now: CivilDateTime
  private let utcOffset: Int?
  private let repeatExpired: Int?

  /// An explanation of a loan's past and future.
  ///
  /// - Parameters:
  ///   - history: what is known of it.
  ///   - now: the library's civil time.
  ///   - utcOffset: by how many seconds that is ahead of UTC: deliveries by a clock with another offset
  ///     are told with theirs. `nil` if it is not known.
  ///   - repeatExpired: after how many days an expired notice is delivered again; `nil` for never.
  public init(
    _ history: LoanHistory, now: CivilDateTime, utcOffset: Int? = nil, repeatExpired: Int? = nil
  ) {
    self.history = history
    self.now = now
    self.utcOffset = utcOffset
    self.repeatExpired = repeatExpired
  }

  /// The sentences, one a line, harmless on a terminal: which loan it is, its expiration, its fire
  /// date, what was delivered when and through what, what failed and why, and what comes next.
  public var sentences: [String] {
    [subject, expiration, reminder] + deliveries + [next]
  }

  private var loan: Loan { history.loan }
  private var today: CivilDate { now.date }
  private var hasExpired: Bool { loan.expiration < today }

  /// The kind of notice that is due, or will be next.
  private var currentKind: Notice.Kind { hasExpired ? .expired : .reminder }

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
    return "It \(loan.fate(today: today)): the last day to keep it \(hasExpired ? "was" : "is") "
      + "\(loan.expiration)."
  }

  private var reminder: String {
    let moment = history.fireAt.inWords
    if history.leftOn != nil || history.isCancelled {
      return "Its reminder \(history.fireAt > now ? "was to fire on" : "was due from") \(moment)."
    }
    if history.fireAt > now { return "Its reminder will fire on \(moment)." }
    return hasExpired
      ? "Its reminder was due from \(moment) until it expired."
      : "Its reminder is due since \(moment)."
  }

  private var deliveries: [String] {
    let sentences = history.notices.flatMap { notice in
      notice.deliveries.map { sentence(about: $0, of: notice) }
    }
    return sentences.isEmpty ? ["Nothing about it was delivered or tried so far."] : sentences
  }

  private func sentence(about delivery: Delivery, of notice: LoanHistory.NoticeHistory) -> String {
    let what =
      (notice.kind == .reminder ? "The reminder" : "The notice that it has expired")
      + (notice.expiration == loan.expiration
        ? "" : " for its former expiration \(notice.expiration)")
    return DeliverySentence(delivery, of: notice.kind, what: what, utcOffset: utcOffset).text
  }

  private var next: String {
    if history.leftOn != nil {
      return "Next: nothing, since the catalogue no longer has it."
    }
    if history.isCancelled {
      return "Next: nothing, since it was cancelled; the next run that reads the catalogue "
        + "schedules it again."
    }
    if !hasExpired && history.fireAt > now {
      return "Next: the reminder, on \(history.fireAt.inWords)."
    }
    return "Next: " + (open + [later].compactMap(\.self)).joined(separator: "; ") + "."
  }

  /// What the next runs do about the notice that is due, by channel.
  private var open: [String] {
    let current = history.notices.first {
      $0.kind == currentKind && $0.expiration == loan.expiration
    }
    let deliveries = current?.deliveries ?? []
    let name = hasExpired ? "the notice that it has expired" : "the reminder"
    if deliveries.isEmpty { return ["the next run with --notify delivers \(name)"] }
    let clauses = deliveries.compactMap { clause(about: $0, name: name) }
    if !clauses.isEmpty { return clauses }
    return [
      "\(name) was delivered through every channel that was tried, and is not sent again through "
        + "them"
    ]
  }

  /// What the next runs with a channel do; `nil` for nothing.
  private func clause(about delivery: Delivery, name: String) -> String? {
    let option = "--notify \(delivery.channel.visible)"
    switch delivery.dueness(of: currentKind, today: today, repeatExpired: repeatExpired) {
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

  private var repetition: String {
    repeatExpired.map { " (--repeat-expired \($0))" } ?? ""
  }

  /// What follows once that is done.
  private var later: String? {
    if hasExpired { return nil }
    let day = loan.expiration.adding(days: 1)
    return "if the book is neither returned nor renewed, it counts as expired from \(day)"
  }
}

/// What became of a notice in one channel, in a sentence.
private struct DeliverySentence {
  private let delivery: Delivery
  private let kind: Notice.Kind
  private let what: String
  /// The offset of its clock, if it is another than that of now.
  private let offset: String

  init(_ delivery: Delivery, of kind: Notice.Kind, what: String, utcOffset: Int?) {
    self.delivery = delivery
    self.kind = kind
    self.what = what
    offset =
      utcOffset.flatMap { now in delivery.utcOffset.flatMap { $0 == now ? nil : $0 } }
      .map { " (UTC\(Delivery.text(ofOffset: $0)))" } ?? ""
  }

  var text: String {
    if let repeated { return "\(what) was delivered through \(channel)\(success); \(repeated)." }
    switch delivery.state {
    case .delivered:
      return "\(what) was delivered through \(channel)\(success)\(attempt)."
    case .failed:
      return "\(what) was not delivered through \(channel)\(moment)\(attempts): \(error)."
    case .sending:
      return "\(what) was begun to be sent through \(channel)\(moment), and no end is noted: "
        + "\(uncertainty)."
    }
  }

  /// What became of a later attempt to tell it again.
  private var repeated: String? {
    guard let deliveredAt = delivery.deliveredAt, let at = delivery.at, at > deliveredAt else {
      return nil
    }
    switch delivery.state {
    case .delivered: return nil
    case .failed: return "telling it again failed\(moment): \(error)"
    case .sending: return "telling it again was begun\(moment), and no end is noted: \(uncertainty)"
    }
  }

  private var channel: String { delivery.channel.visible }
  private var moment: String { delivery.at.map { " on \($0.inWords)\(offset)" } ?? "" }
  private var success: String {
    (delivery.deliveredAt ?? delivery.at).map { " on \($0.inWords)\(offset)" } ?? ""
  }
  private var error: String { (delivery.error ?? "no reason is known").visible }
  private var uncertainty: String {
    "a run is sending it now, or was interrupted, and then whether it arrived is not known"
  }

  /// Which attempt it was, where all of them are known to have been of one telling: an expired
  /// notice may have been told before.
  private var attempt: String {
    kind == .reminder && delivery.attempts > 1 ? ", at attempt \(delivery.attempts)" : ""
  }

  private var attempts: String {
    switch delivery.attempts {
    case _ where delivery.deliveredAt != nil: ""
    case 0: ""
    case 1: ", after 1 attempt"
    case let count: ", after \(count) attempts"
    }
  }
}

extension CivilDateTime {
  fileprivate var inWords: String { "\(date) at \(time.hoursAndMinutes)" }
}

internal import LoanRules
public import Loans
public import ReminderSchedule

/// What the schedule and the ledger know about one loan, in sentences.
public struct Explanation: Sendable {
  private let history: LoanHistory
  private let now: CivilDateTime
  private let repeatExpired: Int?

  /// An explanation of a loan's past and future.
  ///
  /// - Parameters:
  ///   - history: what is known of it.
  ///   - now: the library's civil time.
  ///   - repeatExpired: after how many days an expired notice is delivered again; `nil` for never.
  public init(_ history: LoanHistory, now: CivilDateTime, repeatExpired: Int? = nil) {
    self.history = history
    self.now = now
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
    let catalogue =
      history.catalogue == "-" ? "standard input" : history.catalogue.visible
    return sentence + ", of the catalogue \(catalogue)."
  }

  private var expiration: String {
    "It \(loan.fate(today: today)): the last day to keep it \(hasExpired ? "was" : "is") "
      + "\(loan.expiration)."
  }

  private var reminder: String {
    let moment = history.fireAt.inWords
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
      + (notice.expiration == loan.expiration ? "" : ", when it expired on \(notice.expiration),")
    let channel = delivery.channel.visible
    let moment = delivery.at.map { " on \($0.inWords)" } ?? ""
    switch delivery.state {
    case .delivered:
      return "\(what) was delivered through \(channel)\(moment)"
        + (delivery.attempts > 1 ? ", at attempt \(delivery.attempts)." : ".")
    case .failed:
      let error = (delivery.error ?? "no reason is known").visible
      return "\(what) was not delivered through \(channel)\(moment), after "
        + "\(delivery.attempts.attempts): \(error)."
    case .sending:
      return "\(what) was being sent through \(channel)\(moment) when the run was interrupted; "
        + "whether it arrived is not known."
    }
  }

  private var next: String {
    if history.leftOn != nil {
      return "Next: nothing, since the catalogue no longer has it."
    }
    if history.isCancelled {
      return "Next: nothing, since it was cancelled; the next run that reads the catalogue "
        + "schedules it again."
    }
    if !hasExpired && history.fireAt > now { return "Next: the reminder, on \(fireMoment)." }
    return "Next: \(open)\(later)"
  }

  private var fireMoment: String { history.fireAt.inWords }

  /// What the next run does about the notice that is due.
  private var open: String {
    let current = history.notices.first {
      $0.kind == currentKind && $0.expiration == loan.expiration
    }
    let deliveries = current?.deliveries ?? []
    let waiting = deliveries.filter { $0.state != .delivered }.map(\.channel.visible)
    let name = hasExpired ? "the notice that it has expired" : "the reminder"
    if deliveries.isEmpty { return "the next run with --notify delivers \(name)" }
    if waiting.isEmpty {
      return "\(name) was delivered through every channel that was tried, and is not sent again"
        + " through them"
    }
    return "the next run tries to deliver \(name) through \(waiting.joined(separator: " and "))"
  }

  /// What follows once that is done.
  private var later: String {
    if !hasExpired {
      let day = loan.expiration.adding(days: 1)
      return "; if the book is neither returned nor renewed, it has expired on \(day)."
    }
    guard let repeatExpired else { return "." }
    let first = loan.expiration.adding(days: 1)
    let periods = first.days(until: today) / repeatExpired + 1
    let day = first.adding(days: periods * repeatExpired)
    return "; from \(day) on it is told again (--repeat-expired \(repeatExpired))."
  }
}

extension CivilDateTime {
  fileprivate var inWords: String { "\(date) at \(time.hoursAndMinutes)" }
}

extension Int {
  fileprivate var attempts: String { self == 1 ? "1 attempt" : "\(self) attempts" }
}

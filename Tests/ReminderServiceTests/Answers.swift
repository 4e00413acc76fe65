import Loans
@testable import ReminderSchedule
import ReminderService
import Testing

/// How each loan stands, as the list, an explanation, the status, what is due and the views say it at
/// one moment: they must agree.
struct Answers {
  /// A row of the view `deliveries`.
  private struct Row {
    var id: Int
    var expiration: String
    var borrower: String?
    var email: String?
    var channel: String
    var rung: Int
    var state: String
    var at: CivilDateTime?
    var deliveredAt: CivilDateTime?
  }

  /// What became of one kind of notice in a channel.
  private struct Outcome: Hashable {
    var channel: String
    var state: String
    /// The furthest rung that was delivered.
    var told: Int?

    var hasFailed: Bool { state == "failed" || state == "undeliverable" }

    func isOpen(_ rung: Int) -> Bool { told ?? .min < rung }
  }

  private let reader: ScheduleReader
  private let now: CivilDateTime
  /// Where they were asked for, for a failure.
  private let place: String
  private let status: [ChannelStatus]
  /// The rungs that are due by channel and by the number of the loan.
  private let due: [String: [Int: Int]]
  private let entries: [Int: [ScheduleEntry]]
  private let dueEntries: Set<Int>
  private let rows: [Row]
  /// The states in the view `reminders`, which are those at the end of the last run's day.
  private let states: [Int: String]
  /// Whether that is now.
  private let isDayOver: Bool

  init(_ schedule: Schedule, at now: CivilDateTime, _ place: String) throws {
    let reader = schedule.reader
    (self.reader, self.now, self.place) = (reader, now, place)
    status = try reader.channelStatus(in: [(now, nil)])
    var due: [String: [Int: Int]] = [:]
    for channel in status {
      let found = try reader.due(at: now, channel: channel.name)
      due[channel.name] = Dictionary(
        uniqueKeysWithValues: found.map { ($0.reminderID, $0.due.rung) })
    }
    self.due = due
    entries = Dictionary(grouping: try Self.list(reader, at: now), by: \.id)
    var filter = EntryFilter()
    filter.isDue = true
    dueEntries = Set(try Self.list(reader, at: now, filter).map(\.id))
    (rows, states, isDayOver) = try reader.connection.transact { database in
      let rows = try database.rows(
        """
        SELECT id, expiration, borrower, email, channel, rung, state, substr(at, 1, 19), delivered_at
        FROM deliveries ORDER BY rung
        """
      ) {
        Row(
          id: Int($0.integer(0)), expiration: $0.text(1) ?? "", borrower: $0.text(2),
          email: $0.text(3), channel: $0.text(4) ?? "", rung: Int($0.integer(5)),
          state: $0.text(6) ?? "", at: $0.text(7).flatMap(CivilDateTime.init(iso:)),
          deliveredAt: $0.text(8).flatMap(CivilDateTime.init(iso:)))
      }
      let states = try database.rows("SELECT id, state FROM reminders") {
        (Int($0.integer(0)), $0.text(1) ?? "")
      }
      let lastDay = try database.lastRun().day
      let isDayOver = lastDay == now.date && now.time.secondOfDay == 86_399
      return (rows, Dictionary(uniqueKeysWithValues: states), isDayOver)
    }
  }

  private static func list(
    _ reader: ScheduleReader, at now: CivilDateTime, _ filter: EntryFilter = EntryFilter()
  ) throws -> [ScheduleEntry] {
    var entries = try reader.entries(in: [(now, nil)], filter)
    var list: [ScheduleEntry] = []
    while let entry = try entries.next() { list.append(entry) }
    return list
  }

  /// Checks that they agree.
  ///
  /// - Parameter isSure: whether a loan is one for itself: of loans alike, the views cannot say which.
  func check(isSure: (Loan) -> Bool) throws {
    var expected = status.map { ChannelStatus(name: $0.name) }
    for (id, state) in states {
      let history = try #require(try reader.history(of: id, at: now), "\(place): \(id)")
      // Where a clock was ahead, a loan may be said to have expired, and has no reminder after that.
      let wasAhead = history.notices.contains {
        $0.isForBorrower && $0.kind == .expired && $0.expiration == history.loan.expiration
      }
      if wasAhead && history.loan.expiration >= now.date { return }
      let outcomes = outcomes(of: history, isSure)
      checkReason(history, outcomes)
      checkList(history, outcomes, isDayOver && isSure(history.loan) ? state : nil)
      for index in expected.indices { count(history, outcomes, &expected[index]) }
    }
    for (expected, status) in zip(expected, status) {
      #expect(expected.due == status.due, "\(place): due in the status of \(status.name)")
      #expect(expected.failed == status.failed, "\(place): failed in the status of \(status.name)")
      #expect(
        expected.undeliverable == status.undeliverable,
        "\(place): undeliverable in the status of \(status.name)")
      #expect(expected.pending == status.pending, "\(place): pending in the status")
      #expect(status.late <= status.due, "\(place): late in the status of \(status.name)")
    }
  }

  /// What the view `deliveries` says of the notices of the kind that a loan has now, which must be what
  /// its explanation says; of a loan that the view cannot tell from another, what that says.
  private func outcomes(of history: LoanHistory, _ isSure: (Loan) -> Bool) -> Set<Outcome> {
    let loan = history.loan
    let explained = Set(
      history.current(at: now).map {
        Outcome(channel: $0.channel, state: $0.state.rawValue, told: $0.deliveredRung)
      })
    let isNobodys = loan.borrower == nil && loan.email == nil
    let isOthers = history.notices.contains {
      !$0.isForBorrower && $0.expiration == loan.expiration
    }
    if !isSure(loan) || isNobodys && isOthers { return explained }
    var outcomes: [String: (outcome: Outcome, at: CivilDateTime?)] = [:]
    for row in rows
    where row.id == history.id && row.expiration == "\(loan.expiration)"
      && row.borrower == loan.borrower && row.email == loan.email
      && (row.rung > 0) == (loan.expiration < now.date)
    {
      let isTold = row.deliveredAt?.counts(at: now) == true
      var known =
        outcomes[row.channel] ?? (Outcome(channel: row.channel, state: row.state), row.at)
      if isTold { known.outcome.told = max(known.outcome.told ?? .min, row.rung) }
      if let at = row.at, known.at.map({ $0 <= at }) ?? true {
        (known.outcome.state, known.at) = (row.state, at)
      }
      outcomes[row.channel] = known
    }
    let viewed = Set(outcomes.values.map(\.outcome))
    #expect(viewed == explained, "\(place): the view and the explanation of \(history.id)")
    return viewed
  }

  private func isInUse(_ outcome: Outcome) -> Bool { due[outcome.channel] != nil }

  private func isSilenced(_ history: LoanHistory) -> Bool {
    history.silences.contains { $0.conditions.channel == nil }
  }

  private func checkReason(_ history: LoanHistory, _ outcomes: Set<Outcome>) {
    let note = "\(place): the reason of \(history.id)"
    let reason = history.reason
    let sentence = Explanation(history, now: now).sentences.last ?? ""
    let named = status.map(\.name).filter { sentence.contains("--notify \($0)") }
    if history.isCancelled { return #expect(reason == .cancelled && named == [], "\(note)") }
    guard let rung = history.plan.reached(at: now) else {
      #expect([.expiredUntil, .noNotice, .notDue, .delivered].contains(reason), "\(note)")
      return #expect(named == [] || isSilenced(history), "\(note): \(sentence)")
    }
    let open = outcomes.filter { isInUse($0) && $0.isOpen(rung) }
    let isDelivered = outcomes.contains { !$0.isOpen(rung) }
    let expected: NoticeReason =
      if isDelivered && open.isEmpty {
        .delivered
      } else if isSilenced(history) {
        .silenced
      } else if open.contains(where: { $0.state == "failed" }) {
        .failed
      } else {
        !open.isEmpty && open.allSatisfy { $0.state == "undeliverable" } ? .undeliverable : .due
      }
    #expect(reason == expected, "\(note)")
    if isSilenced(history) { return }
    let said = open.map(\.channel).sorted()
    #expect(named.sorted() == said, "\(note): \(sentence)")
  }

  private func checkList(_ history: LoanHistory, _ outcomes: Set<Outcome>, _ state: String?) {
    let note = "\(place): the entry of \(history.id)"
    let isLate = history.loan.expiration < now.date
    let isDue = [.due, .failed, .undeliverable].contains(history.reason)
    #expect(dueEntries.contains(history.id) == isDue, "\(note)")
    // One without reminders has its expired notice in the list, which is of another kind.
    guard let entry = entries[history.id]?.first(where: { ($0.rung > 0) == isLate }) else { return }
    let failed = outcomes.filter { isInUse($0) && $0.hasFailed && $0.isOpen(entry.rung) }
    let isDelivered = outcomes.contains { !$0.isOpen(entry.rung) }
    let expected: ScheduleEntry.State =
      if isDelivered && (failed.isEmpty || history.isCancelled) {
        .delivered
      } else if history.isCancelled {
        .cancelled
      } else if isSilenced(history) {
        .silenced
      } else {
        failed.isEmpty ? .pending : .failed
      }
    #expect(entry.state == expected, "\(note)")
    #expect(entry.silence == (expected == .silenced ? history.silences.first : nil), "\(note)")
    if let state, !isLate { #expect(state == expected.rawValue, "\(note): the view's state") }
  }

  /// Counts the notice of a loan in the status of a channel as what the others say of it, and checks that
  /// they say the same of what is due.
  private func count(
    _ history: LoanHistory, _ outcomes: Set<Outcome>, _ status: inout ChannelStatus
  ) {
    if history.isCancelled { return #expect(due[status.name]?[history.id] == nil, "\(place)") }
    if history.plan.next(after: now) != nil { status.pending += 1 }
    let outcome = outcomes.first { [status] in $0.channel == status.name }
    let reached = history.plan.reached(at: now)
    let rung =
      isSilenced(history) ? nil : reached.flatMap { outcome?.isOpen($0) ?? true ? $0 : nil }
    #expect(due[status.name]?[history.id] == rung, "\(place): \(status.name) of \(history.id)")
    guard rung != nil else { return }
    status.due += 1
    if outcome?.state == "failed" { status.failed += 1 }
    if outcome?.state == "undeliverable" { status.undeliverable += 1 }
  }
}
